import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dashboard.settings import STORE_VARIABLE
from store import ChromaStore
from tests.conftest import free_port, wait_until_up
from tests.dashboard.conftest import FEW, Fill, Open, texts

PAGES = ("overview", "browse", "search", "map")


def test_without_a_configured_store_the_page_says_how_to_choose_one(open_page: Open, monkeypatch):
    monkeypatch.delenv(STORE_VARIABLE)
    page = open_page()
    assert "Choose a store" in texts(page)
    assert "memlens open" in texts(page)


@pytest.mark.parametrize("page", PAGES)
def test_a_missing_folder_is_said_in_a_sentence_and_not_created(
    open_page: Open, folder: Path, page: str
):
    shown = open_page(page)
    assert "There is no store here yet" in texts(shown)
    assert not shown.exception
    assert not folder.exists()


def test_a_foreign_folder_is_said_in_a_sentence(open_page: Open, folder: Path):
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    page = open_page()
    assert page.warning
    assert not page.exception
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]


def test_a_folder_that_is_open_elsewhere_is_said_and_opens_once_it_is_free(
    open_page: Open, fill: Fill, folder: Path
):
    fill(FEW)
    with ChromaStore.open(folder):
        page = open_page()
        assert "The store is open elsewhere" in texts(page)
    page.button(key="try-again").click().run()
    assert "Memories 5" in texts(page)


def test_a_server_that_does_not_answer_is_said_in_a_sentence(open_page: Open, monkeypatch):
    monkeypatch.setenv(STORE_VARIABLE, "http://127.0.0.1:9")
    page = open_page()
    assert "The server does not answer" in texts(page)
    assert not page.exception


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("memories", [(), FEW[:1], FEW], ids=["empty", "one", "few"])
def test_every_page_opens_at_every_size(open_page: Open, fill: Fill, page: str, memories):
    fill(memories)
    shown = open_page(page)
    assert not shown.exception
    assert not shown.error


def test_the_sidebar_says_which_store_how_much_and_whether_search_works(
    open_page: Open, fill: Fill, folder: Path
):
    fill(FEW)
    sidebar = open_page().sidebar
    said = "\n".join(element.value for element in [*sidebar.markdown, *sidebar.caption])
    assert folder.name in said
    assert "5 memories" in said
    assert "Search is on" in said


def test_a_store_without_an_index_says_that_search_is_off(open_page: Open, fill: Fill):
    fill(FEW, index=None)
    page = open_page()
    said = "\n".join(element.value for element in [*page.sidebar.markdown, *page.sidebar.caption])
    assert "Search is off" in said


def test_a_page_change_keeps_the_scope(open_page: Open, fill: Fill):
    fill(FEW)
    page = open_page("browse", ns='["users","mira"]')
    page.query_params.clear()
    page.switch_page("screens/search.py").run()
    assert page.query_params["ns"] == '["users","mira"]'


def test_a_server_that_goes_away_is_said_and_the_page_comes_back_with_it(
    open_page: Open, stores_folder: Path, monkeypatch
):
    port, data = free_port(), stores_folder / "leaving"
    monkeypatch.setenv(STORE_VARIABLE, f"http://127.0.0.1:{port}")
    with running_chroma(data, port), ChromaStore.open(f"http://127.0.0.1:{port}") as store:
        store.write(FEW)
        page = open_page("browse")
        assert "1–5 of 5" in texts(page)
    page.run()
    assert "The server does not answer" in texts(page)
    assert not page.exception
    with running_chroma(data, port):
        page.button(key="try-again").click().run()
        assert "1–5 of 5" in texts(page)


@contextmanager
def running_chroma(data: Path, port: int) -> Iterator[None]:
    chroma = shutil.which("chroma", path=str(Path(sys.executable).parent)) or "chroma"
    with (data.parent / f"{data.name}.log").open("wb") as log:
        server = subprocess.Popen(
            [chroma, "run", "--path", data, "--host", "127.0.0.1", "--port", str(port)],
            stdout=log,
            stderr=log,
        )
    try:
        wait_until_up(f"http://127.0.0.1:{port}/api/v2/heartbeat", server)
        yield
    finally:
        server.kill()
        server.wait()
