"""The keys of the dashboard: what they do, where they are told, and when they must be still."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from store import ChromaStore
from tests.browser.conftest import Visit, Visiting, dashboard
from tests.dashboard.conftest import FEW

INDEX = {"embed": "local:minilm", "dims": 384, "fields": ["text"]}
OPENED = 'browse?ns=["users","mira","profile"]&key=p1'


@pytest.fixture(scope="module")
def address(stores_folder: Path) -> Iterator[str]:
    folder = stores_folder / "keys"
    with ChromaStore.open(folder, index=INDEX) as store:
        store.write(FEW)
    with dashboard(folder) as running:
        yield running


def strike(person: Visit, *keys: str) -> None:
    for key in keys:
        person.page.keyboard.press(key)
        person.settle()


def focused(person: Visit) -> str | None:
    return person.page.evaluate("document.activeElement.getAttribute('aria-label')")


@pytest.mark.parametrize(
    ("path", "label"), [("browse", "Find a namespace"), ("search", "Search memories")]
)
def test_slash_goes_to_the_field(address: str, visiting: Visiting, path: str, label: str) -> None:
    with visiting(address) as person:
        person.open(path)
        strike(person, "/")
        assert focused(person) == label
        assert person.page.get_by_label(label).first.input_value() == ""


def test_slash_goes_to_search_from_a_page_without_a_field(address: str, visiting: Visiting) -> None:
    with visiting(address) as person:
        person.open()
        strike(person, "/")
        assert "/search" in person.page.url


def test_j_and_k_walk_through_the_list(address: str, visiting: Visiting) -> None:
    with visiting(address) as person:
        person.open("browse")
        walked = []
        for key in ("j", "j", "j", "k"):
            strike(person, key)
            walked.append(person.page.locator(".st-key-inspector-head strong").inner_text())
        assert walked == ["a1", "t1", "m1", "t1"]
        strike(person, "Escape")
        assert person.page.locator(".st-key-inspector").count() == 0


def test_e_edits_and_delete_asks_first(address: str, visiting: Visiting) -> None:
    with visiting(address) as person:
        person.open(OPENED)
        strike(person, "Delete")
        assert person.page.get_by_role("dialog").get_by_text("Delete for good?").is_visible()
        strike(person, "Escape")
        assert person.page.get_by_role("dialog").count() == 0
        strike(person, "e")
        assert person.page.get_by_label("text", exact=True).input_value() == FEW[0].value["text"]


def test_question_mark_shows_all_keys(address: str, visiting: Visiting) -> None:
    with visiting(address) as person:
        person.open("browse")
        strike(person, "?")
        told = person.page.get_by_test_id("stPopoverBody").inner_text()
        assert all(does in told for does in ("Find or search", "Next memory", "Edit", "Delete"))
        person.shot("keys")


def test_buttons_print_their_keys(address: str, visiting: Visiting) -> None:
    printed = {"edit": "E", "delete": "Delete", "up": "K", "down": "J", "close": "Esc"}
    with visiting(address) as person:
        person.open(OPENED)
        for name, key in printed.items():
            mark = person.page.locator(f".st-key-inspector-{name} kbd:visible")
            assert mark.first.inner_text() == key
        assert person.page.locator(".st-key-listing-new kbd").inner_text() == "N"


def test_keys_are_still_while_someone_types(address: str, visiting: Visiting) -> None:
    with visiting(address) as person:
        person.open(OPENED)
        field = person.page.get_by_label("Find a namespace").first
        field.click()
        person.page.keyboard.type("jken/?")
        person.settle()
        assert field.input_value() == "jken/?"
        assert "key=p1" in person.page.url
        assert person.page.locator(".st-key-editor-review").count() == 0
        assert person.page.get_by_role("dialog").count() == 0
        person.press("inspector-edit")
        text = person.page.get_by_label("text", exact=True)
        text.click()
        strike(person, "Home", "Delete")
        person.page.keyboard.type("jken/?")
        person.settle()
        assert text.input_value() == f"jken/?{FEW[0].value['text'][1:]}"
        assert "key=p1" in person.page.url
        assert person.page.get_by_role("dialog").count() == 0


def test_keys_are_still_while_a_dialog_is_open(address: str, visiting: Visiting) -> None:
    with visiting(address) as person:
        person.open(OPENED)
        strike(person, "n")
        dialog = person.page.get_by_role("dialog")
        assert "New memory" in dialog.inner_text()
        person.page.get_by_text("New memory").last.click()
        strike(person, "j", "e", "?", "Delete")
        assert "key=p1" in person.page.url
        assert person.page.locator(".st-key-editor-review").count() == 0
        assert person.page.get_by_test_id("stPopoverBody").count() == 0
