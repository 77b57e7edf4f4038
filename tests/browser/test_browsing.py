"""A person corrects one memory and deletes another, and the store agrees."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from store import ChromaStore
from tests.browser.conftest import Visit, Visiting, dashboard
from tests.dashboard.conftest import FEW, MIRA, memory

INDEX = {"embed": "local:minilm", "dims": 384, "fields": ["text"]}


def test_a_wrong_memory_is_corrected_and_another_deleted(stores_folder: Path, visiting: Visiting):
    folder = stores_folder / "corrected"
    with ChromaStore.open(folder, index=INDEX) as store:
        store.write(FEW)
    with dashboard(folder) as address, visiting(address) as person:
        person.open()
        person.page.get_by_role("link", name="Browse").click()
        person.settle()
        person.click_row(4)
        shown = person.page.get_by_test_id("stCode").filter(has_text="Mira works as a nurse.")
        shown.first.wait_for(timeout=30_000)
        correct(person, "text", "Mira works as a doctor.")
        assert "rank 1 of 5 for its own text" in person.said()
        person.shot("browse-saved")
        person.press("inspector-close")
        person.click_row(1)
        person.press("inspector-delete")
        person.shot("browse-delete")
        person.press("confirm-delete")
        assert "1 memory deleted" in person.said()
        person.shot("browse-deleted")
    with ChromaStore.open(folder, create=False) as store:
        corrected = store.read(MIRA, "p1")
        assert corrected is not None
        assert corrected.value == {"text": "Mira works as a doctor.", "kind": "profile"}
        assert corrected.created_at == FEW[0].created_at
        assert store.count() == 4


def correct(person: Visit, field: str, text: str) -> None:
    """Change a field of the open memory, review it and save it."""
    person.press("inspector-edit")
    person.page.get_by_label(field, exact=True).fill(text)
    person.press("editor-review")
    person.press("editor-save")


TEXT = '![x](https://evil.example/a.png) <img src=x onerror="alert(1)"> <script>alert(1)</script>'
LABEL = "![x](https://evil/a) <b>bold</b>"


@pytest.fixture(scope="module")
def address(stores_folder: Path) -> Iterator[str]:
    """A dashboard for tests that only read."""
    folder = stores_folder / "read"
    with ChromaStore.open(folder, index=INDEX) as store:
        store.write([*FEW, memory((LABEL,), TEXT, {"text": TEXT, TEXT: TEXT, "kind": TEXT})])
    with dashboard(folder) as running:
        yield running


def test_hostile_text_is_shown_and_loads_nothing(address: str, visiting: Visiting):
    with visiting(address) as person:
        person.page.on("dialog", lambda dialog: person.problems.append(f"alert: {dialog.message}"))
        for path in ("", "search?q=x", "map", "browse"):
            person.open(path)
        person.page.locator(".st-key-panel-rows button").first.click()
        person.settle()
        person.click_row(0)
        assert person.page.get_by_test_id("stCode").first.inner_text().strip() == TEXT
        person.shot("browse-hostile")
        person.press("inspector-delete")
        person.press("confirm-delete-cancel")
        person.press("inspector-edit")
        person.press("editor-review")
        assert not person.page.locator("img[src*=evil], a[href*=evil], .stMain b").count()
        assert "alert(1)" not in "".join(person.page.locator("script").all_text_contents())


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [480, 1440])
def test_every_page_fits_its_window(address: str, visiting: Visiting, theme: str, width: int):
    with visiting(address, width=width, theme=theme) as person:
        for name, path in {
            "overview": "",
            "browse": "browse",
            "inspector": 'browse?ns=["users","mira","profile"]&key=p1',
        }.items():
            person.open(path)
            person.shot(f"{name}-{theme}-{width}")
            wide, window = person.page.evaluate(
                "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
            )
            assert wide <= window
