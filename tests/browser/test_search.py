"""A person asks, corrects what is found and sees the answer change."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from store import ChromaStore
from tests.browser.conftest import Visit, Visiting, dashboard
from tests.dashboard.conftest import FEW, MIRA, memory

INDEX = {"embed": "local:minilm", "dims": 384, "fields": ["text"]}
NASTY = "<img src=x onerror=alert(1)> **bold** [link](javascript:alert(1)) $x^2$"
QUESTION = "What does Mira do for a living?"


def filled(folder: Path) -> Path:
    with ChromaStore.open(folder, index=INDEX) as store:
        store.write([*FEW, memory(("odd", "*b*"), "[x](y)", NASTY)])
    return folder


@pytest.fixture(scope="module")
def address(stores_folder: Path) -> Iterator[str]:
    """A dashboard for tests that only read."""
    with dashboard(filled(stores_folder / "searched")) as running:
        yield running


def ask(person: Visit, question: str) -> None:
    person.page.get_by_label("Search memories").fill(question)
    person.page.keyboard.press("Enter")
    person.settle()


def hits(person: Visit) -> list[str]:
    """The texts of the hits, best first."""
    cards = person.page.locator('.st-key-hits-list [data-testid="stText"]')
    return cards.all_inner_texts()


def test_a_question_finds_a_memory_and_an_edit_and_a_deletion_change_the_answer(
    stores_folder: Path, visiting: Visiting
) -> None:
    folder = filled(stores_folder / "asked")
    with dashboard(folder) as address, visiting(address) as person:
        person.open()
        person.page.get_by_role("link", name="Search").click()
        person.settle()
        ask(person, QUESTION)
        assert hits(person)[0] == "Mira works as a nurse."
        person.press("hits-1-button")
        assert "key=p1" in person.page.url
        person.press("inspector-edit")
        person.press("editor-side")
        person.page.get_by_label("Value as JSON").fill('{"text": "Mira paints landscapes."}')
        person.press("editor-review")
        person.press("editor-save")
        assert "Mira works as a nurse." not in hits(person)
        ask(person, "who paints?")
        assert hits(person)[0] == "Mira paints landscapes."
        person.press("inspector-delete")
        person.press("confirm-delete")
        assert "Mira paints landscapes." not in hits(person)
        person.shot("search-after-deletion")
    with ChromaStore.open(folder, create=False) as store:
        assert store.read(MIRA, "p1") is None


def test_a_link_restores_the_search_and_back_returns_to_it(
    address: str, visiting: Visiting
) -> None:
    with visiting(address, theme="dark") as person:
        person.open('search?q=green+tea&ns=["users"]&mode=words&top=5')
        assert hits(person) == ["Mira drinks green tea every morning."]
        person.shot("search-words-dark")
        ask(person, "radios")
        assert hits(person) == ["Tomas repairs old radios."]
        person.page.go_back()
        person.settle()
        assert hits(person) == ["Mira drinks green tea every morning."]


def test_memory_text_is_shown_as_text(address: str, visiting: Visiting) -> None:
    with visiting(address, width=900) as person:
        person.open("search?q=bold+link&top=5")
        assert NASTY in hits(person)
        assert person.page.locator(".st-key-hits-list img").count() == 0
        assert person.page.locator('.st-key-hits-list a[href^="javascript"]').count() == 0
        person.page.get_by_role("tab", name="As the agent sees it").click()
        person.settle()
        assert person.page.get_by_text("tokens (counted by").count() == 1
        person.shot("search-as-recalled-narrow")


def test_a_filter_is_built_from_choices(address: str, visiting: Visiting) -> None:
    with visiting(address) as person:
        person.open("search?q=Mira")
        assert len(hits(person)) == 6
        person.page.get_by_role("button", name="Filter").click()
        person.press("search-filter-add")
        choose(person, "field", "kind")
        choose(person, "text", "profile")
        person.page.get_by_text("filter={'kind': {'$eq': 'profile'}}").first.wait_for(
            timeout=30_000
        )
        person.shot("search-filter")
        person.page.keyboard.press("Escape")
        person.settle()
        assert sorted(hits(person)) == ["Mira works as a nurse.", "She grew up in Lisbon."]


def choose(person: Visit, part: str, value: str) -> None:
    """Type into one choice of the first condition and take it."""
    person.page.locator(f".st-key-search-filter-0-{part} input").fill(value)
    person.page.keyboard.press("Enter")
    person.settle()
