"""The one-minute correction: someone who has never seen the dashboard puts a memory right."""

import time
from pathlib import Path

from store import ChromaStore
from tests.browser.conftest import Visiting, dashboard
from tests.dashboard.conftest import FEW, MIRA

INDEX = {"embed": "local:minilm", "dims": 384, "fields": ["text"]}
WRONG, RIGHT = "Mira works as a nurse.", "Mira works as a paediatrician."
QUESTION = "What does Mira do for a living?"
MINUTE = 60.0


def test_a_wrong_memory_is_found_corrected_and_proved_within_a_minute(
    stores_folder: Path, visiting: Visiting
) -> None:
    folder = stores_folder / "minute"
    with ChromaStore.open(folder, index=INDEX) as store:
        store.write(FEW)
    with dashboard(folder) as address, visiting(address) as person:
        page = person.page
        person.open()
        started = time.monotonic()
        page.get_by_role("link", name="Search").click()
        page.get_by_label("Search memories").fill(QUESTION)
        page.keyboard.press("Enter")
        card = page.locator('[class*="st-key-hits-1-card"]')
        card.get_by_text(WRONG).wait_for()
        person.shot("correction-1-found")
        card.get_by_role("button", name="Open").click()
        page.locator(".st-key-inspector-edit button").click()
        page.get_by_label("text", exact=True).fill(RIGHT)
        page.get_by_role("button", name="Review change").click()
        shown = page.locator(".st-key-inspector").get_by_test_id("stCode")
        shown.filter(has_text=RIGHT).wait_for()
        assert f'-  "text": "{WRONG}"' in shown.inner_text()
        assert f'+  "text": "{RIGHT}"' in shown.inner_text()
        person.shot("correction-2-difference")
        page.get_by_role("button", name="Save").click()
        proof = page.get_by_test_id("stAlert").filter(has_text="Saved.")
        proof.wait_for()
        assert time.monotonic() - started < MINUTE
        person.settle()
        for line in ("reads back equal", "listed", "rank 1 of 5 for its own text"):
            assert line in proof.inner_text()
        assert page.locator('[class*="st-key-hits-1"]').get_by_text(RIGHT).count() == 1
        assert page.get_by_text(WRONG).count() == 0
        person.shot("correction-3-proof")
    with ChromaStore.open(folder, create=False) as store:
        corrected = store.read(MIRA, "p1")
        assert corrected is not None
        assert corrected.value == {"text": RIGHT, "kind": "profile"}
        assert corrected.created_at == FEW[0].created_at
        assert corrected.updated_at > FEW[0].updated_at
        assert store.search((), query=QUESTION, limit=1)[0].value["text"] == RIGHT
