"""A store that was not closed properly is repaired before one's eyes, and that is told once."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from dashboard.store_opening import Opening
from store import ChromaStore, StoreNotFound
from tests.dashboard.conftest import FEW, Fill, Open, texts

DYING = """
import os, sys
from store import ChromaStore

store = ChromaStore.open(sys.argv[1], create=False)
vectors = store._gateway.client.get_collection("memories_vectors")
vectors.delete(ids=vectors.get(include=[])["ids"][:3])
store.put(("users", "mira"), "last", {"text": "written before the end"})
os._exit(1)
"""


@pytest.fixture
def cut_short(fill: Fill, folder: Path) -> None:
    """A store whose program died with it open, and which lost three vectors."""
    fill(FEW)
    ended = subprocess.run([sys.executable, "-c", DYING, folder], check=False)
    assert ended.returncode == 1


def test_what_was_repaired_is_told_once(cut_short, open_page: Open, store):
    page = open_page()
    assert "This store was not closed properly last time" in texts(page)
    assert "Embedded 3 memories again." in texts(page)
    assert "not closed properly" in texts(open_page("browse"))
    page.button(key="repaired-seen").click().run()
    assert "not closed properly" not in texts(page)
    assert "not closed properly" not in texts(open_page("browse"))
    assert store().match(query="nurse", limit=1)[0].memory.key == "p1"


def test_a_store_that_was_closed_tells_nothing(fill: Fill, open_page: Open):
    fill(FEW)
    assert "not closed properly" not in texts(open_page())


def test_the_progress_of_a_repair_can_be_read_while_it_runs(cut_short, folder: Path):
    seen: list[tuple[int, int]] = []
    asked = threading.Event()

    def opened(progress) -> ChromaStore:
        def noted(done: int, total: int) -> None:
            progress(done, total)
            seen.append((opening.done, opening.total))
            asked.wait(30)

        return ChromaStore.open(folder, create=False, progress=noted)

    opening = Opening(opened)
    while not seen and not opening.wait(0.01):
        pass
    assert not opening.wait(0)
    asked.set()
    with opening.store() as store:
        assert store.count() == 6
    assert seen[-1] == (3, 3)


def test_what_goes_wrong_is_raised_where_the_store_is_asked_for(tmp_path: Path):
    opening = Opening(lambda progress: ChromaStore.open(tmp_path / "none", create=False))
    with pytest.raises(StoreNotFound):
        opening.store()
    opening.close()
