"""What the dashboard looks like when memories are strange, or something is not as it should be.

Each test leaves pictures of its state in light and dark for people to look at.
"""

import base64
import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from store import ChromaServer, ChromaStore, Memory
from tests.browser.conftest import Visit, Visiting, dashboard
from tests.browser.test_browsing import LABEL, TEXT
from tests.conftest import free_port
from tests.dashboard.conftest import FEW, memory

INDEX = {"embed": "local:minilm", "dims": 384, "fields": ["text", "content"]}
STAMPS = {"created_at": "2025-01-01T00:00:00", "modified_at": "2025-01-02T00:00:00"}
LONG = "Mira told the agent about her shift and the tea she drinks. " * 167
BLOB = base64.b64encode(bytes(range(256)) * 200).decode()

STRANGE: dict[str, tuple[Memory, str]] = {
    "long": (memory(("s",), "long", LONG), LONG.strip()),
    "emoji": (memory(("s", "👩‍👩‍👧‍👦"), "👩‍⚕️", "🍵👩‍⚕️🇳🇱 likes tea"), "🍵👩‍⚕️🇳🇱 likes tea"),
    "right-to-left": (memory(("s", "rtl"), "שלום", "מירה שותה תה ירוק"), "מירה שותה תה ירוק"),
    "html": (memory((LABEL,), "html", TEXT), TEXT),
    "override": (memory(("s",), "bidi", "bill\u202efdp.exe"), "bill\u202efdp.exe"),
    "blob": (
        memory(("s",), "blob", {"content": BLOB, "encoding": "base64", **STAMPS}),
        "binary, 51.2 kB",
    ),
    "file": (
        memory(("files",), "/notes.md", {"content": ["# Notes", "buy tea"], **STAMPS}),
        "# Notes\nbuy tea",
    ),
    "langmem": (
        memory(("l",), "m", {"kind": "Memory", "content": {"content": "short answers"}}),
        '{"content": "short answers"}',
    ),
}


def link(found: Memory) -> str:
    return f"browse?ns={quote(json.dumps(list(found.namespace)))}&key={quote(found.key)}"


@pytest.fixture(scope="module")
def address(stores_folder: Path) -> Iterator[str]:
    """A dashboard on strange memories, for tests that only read."""
    folder = stores_folder / "strange"
    with ChromaStore.open(folder, index=INDEX) as store:
        store.write([*FEW, *(found for found, _ in STRANGE.values())])
    with dashboard(folder) as running:
        yield running


@pytest.mark.parametrize("name", STRANGE)
def test_a_strange_memory_is_shown_as_it_is(address: str, visiting: Visiting, name: str) -> None:
    found, text = STRANGE[name]
    with visiting(address) as person:
        person.open(link(found))
        shown = person.page.locator(".st-key-inspector").get_by_test_id("stCode").first
        assert shown.inner_text().strip() == text
        assert person.page.locator(".st-key-inspector img").count() == 0
        person.shots(f"state-{name}")


def test_an_emoji_label_is_read_as_an_emoji(address: str, visiting: Visiting) -> None:
    with visiting(address) as person:
        person.open(link(STRANGE["emoji"][0]))
        assert "👩‍👩‍👧‍👦" in person.page.locator(".st-key-scope-crumbs").inner_text()
        assert "\\u" not in person.page.locator(".stMain").inner_text()


def test_an_unseen_character_is_named(address: str, visiting: Visiting) -> None:
    with visiting(address) as person:
        person.open(link(STRANGE["override"][0]))
        said = person.page.locator(".st-key-inspector").inner_text()
        assert "U+202E right-to-left override" in said


EMPTY = {
    "empty-scope": ('browse?ns=["nobody"]', "No memories here"),
    "empty-scope-search": ('search?ns=["nobody"]&q=tea', "This namespace is empty"),
    "no-match": ('browse?filter={"text":{"$eq":"x"}}', f"0 of {len(FEW) + len(STRANGE)} matched"),
    "no-match-search": ("search?q=zzz&mode=words", f"0 of {len(FEW) + len(STRANGE)} matched"),
}


@pytest.mark.parametrize("name", EMPTY)
def test_an_empty_page_says_why(address: str, visiting: Visiting, name: str) -> None:
    path, said = EMPTY[name]
    with visiting(address) as person:
        person.open(path)
        expect(person.page.get_by_text(said).first).to_be_visible()
        person.shots(f"state-{name}")


def vowels(texts: list[str]) -> list[list[float]]:
    return [[1.0, *(float(text.count(vowel)) for vowel in "aei")] for text in texts]


STORES = {
    "empty-store": ((), INDEX, "Nothing is remembered yet"),
    "unindexed": (FEW, None, "Search by meaning is off for this store"),
    "other-embedder": (
        FEW,
        {"embed": vowels, "dims": 4, "fields": ["text"]},
        "Search by meaning is off for this store",
    ),
}


@pytest.mark.parametrize("name", STORES)
def test_a_store_without_memories_or_search_says_so(
    stores_folder: Path, visiting: Visiting, name: str
) -> None:
    memories, index, said = STORES[name]
    folder = stores_folder / name
    with ChromaStore.open(folder, index=index) as store:
        store.write(memories)
    with dashboard(folder) as running, visiting(running) as person:
        person.open(link(FEW[0]))
        expect(person.page.get_by_text(said).first).to_be_visible()
        person.shots(f"state-{name}")


def change(person: Visit, text: str) -> None:
    person.press("inspector-edit")
    person.page.get_by_label("text", exact=True).fill(text)
    person.press("editor-review")


def test_another_persons_change_is_shown_and_not_overwritten(
    stores_folder: Path, visiting: Visiting
) -> None:
    folder = stores_folder / "two-people"
    with ChromaStore.open(folder, index=INDEX) as store:
        store.write(FEW)
    with dashboard(folder) as running, visiting(running) as one, visiting(running) as other:
        for person, text in ((one, "Mira is a doctor."), (other, "Mira is a surgeon.")):
            person.open(link(FEW[0]))
            change(person, text)
        other.press("editor-save")
        one.press("editor-save")
        assert "Someone changed this memory while you were editing" in one.said()
        theirs = one.page.locator(".st-key-inspector").get_by_test_id("stCode").inner_text()
        assert '+  "text": "Mira is a surgeon."' in theirs
        one.shots("state-conflict")
        one.press("editor-mine")
        mine = one.page.locator(".st-key-inspector").get_by_test_id("stCode").inner_text()
        assert '-  "text": "Mira is a surgeon."' in mine
        assert '+  "text": "Mira is a doctor."' in mine
    with ChromaStore.open(folder, create=False) as store:
        kept = store.read(*FEW[0].reference)
        assert kept is not None
        assert kept.value["text"] == "Mira is a surgeon."


def test_a_server_that_goes_away_is_said_and_comes_back(
    stores_folder: Path, visiting: Visiting
) -> None:
    folder, port = stores_folder / "served", free_port()
    with ChromaStore.open(folder, index=INDEX) as store:
        store.write(FEW)
    with ExitStack() as stack:
        with ChromaServer(folder, port=port) as server:
            running = stack.enter_context(dashboard(folder, server.address))
            person = stack.enter_context(visiting(running))
            person.open("browse")
        person.press("listing-direction")
        expect(person.page.get_by_text("The server does not answer")).to_be_visible(timeout=30_000)
        person.shots("state-server-gone")
        with ChromaServer(folder, port=port):
            person.press("try-again")
            assert "1–5 of 5" in person.page.locator(".st-key-listing-head").inner_text()
