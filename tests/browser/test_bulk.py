"""Ticks in the real table, which is drawn on a canvas, and what is done with them."""

import json
from pathlib import Path

from store import ChromaStore
from tests.browser.conftest import Visit, Visiting, dashboard
from tests.dashboard.conftest import memory

BOX = 17


def tick(person: Visit, *rows: int) -> None:
    for row in rows:
        person.click_row(row, across=BOX)


def turn(person: Visit, page: int) -> None:
    person.page.get_by_role("button", name=f"Page {page}", exact=True).click()
    person.settle()


def said(person: Visit) -> str:
    return person.page.locator(".st-key-bulk-bar p").first.inner_text()


def test_ticks_last_over_page_turns_and_all_are_exported_and_deleted(
    stores_folder: Path, visiting: Visiting
) -> None:
    folder = stores_folder / "bulk"
    with ChromaStore.open(folder, index=None) as store:
        store.write(memory(("many",), f"k{n:03}", f"number {n}", n) for n in range(120))
    with dashboard(folder) as address, visiting(address) as person:
        person.open("browse")
        tick(person, 0, 1)
        turn(person, 2)
        tick(person, 2)
        assert said(person) == "3 memories ticked, 2 not on this page"
        turn(person, 1)
        person.shots("bulk-page-1")
        tick(person, 1)
        assert said(person) == "2 memories ticked, 1 not on this page"
        with person.page.expect_download() as download:
            person.page.locator(".st-key-bulk-export button").first.click()
        lines = Path(download.value.path()).read_text("utf-8").splitlines()
        assert [json.loads(line)["key"] for line in lines] == ["k119", "k067"]
        person.press("bulk-delete")
        person.press("confirm-delete")
        assert "2 memories deleted" in person.said()
        assert person.page.locator(".st-key-bulk-bar").count() == 0
        tick(person, 0)
        person.press("bulk-clear")
        assert person.page.locator(".st-key-bulk-bar").count() == 0
        person.shot("bulk-cleared")
    with ChromaStore.open(folder, create=False, index=None) as store:
        assert store.count() == 118
        assert store.read(("many",), "k118") is not None
        assert store.read(("many",), "k119") is None
        assert store.read(("many",), "k067") is None
