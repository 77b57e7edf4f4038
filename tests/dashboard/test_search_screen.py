"""The Search page as a person sees it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dashboard import probes
from dashboard.widgets import search_more, search_setup
from store import ChromaStore
from tests.dashboard.conftest import FEW, MIRA, Fill, Open, memory, texts
from tests.store.words import Words

THINGS = ("rain", "iron", "cheese", "law", "cats", "maths", "ships", "tax", "wool", "jazz")


@pytest.fixture(autouse=True)
def settings_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path


def hits(test: AppTest, column: str = "Memory") -> list[str]:
    assert not test.exception
    return [text for table in test.dataframe for text in table.value[column]]


def table(open_page: Open, **params: str) -> AppTest:
    """The Search page with its hits as a table."""
    return open_page("search", view="table", **params)


def ask(test: AppTest, question: str) -> AppTest:
    return test.text_input(key=search_setup.QUERY).set_value(question).run()


def test_a_question_finds_its_memory_first_with_score_and_field(
    fill: Fill, open_page: Open
) -> None:
    fill(FEW)
    test = ask(table(open_page), "What does Mira do for a living?")
    shown = test.dataframe[0].value
    assert shown["Memory"][0] == "Mira works as a nurse."
    assert shown["Field"][0] == "text"
    assert 0.2 < shown["Score"][0] < 1
    assert "All 5 memories, best first" in texts(test).replace("\\", "")


def test_a_link_restores_question_scope_and_options(fill: Fill, open_page: Open) -> None:
    fill(FEW)
    test = table(open_page, q="tea", ns='["users"]', mode="words", top="5")
    assert hits(test) == ["Mira drinks green tea every morning."]
    assert test.text_input(key=search_setup.QUERY).value == "tea"
    assert test.dataframe[0].value["Match"][0] == "1 of 1 word"


def test_an_edit_and_a_deletion_change_the_hits_at_once(
    fill: Fill, open_page: Open, store: Callable[[], ChromaStore]
) -> None:
    fill(FEW)
    test = ask(table(open_page), "who is allergic to peanuts?")
    assert hits(test)[0] != "Allergic to peanuts."
    store().put(MIRA, "p2", {"text": "Allergic to peanuts."})
    assert hits(test.run())[0] == "Allergic to peanuts."
    store().delete(MIRA, "p2")
    assert "Allergic to peanuts." not in hits(test.run())


def test_the_list_shows_label_score_text_and_place_and_opens_a_hit(
    fill: Fill, open_page: Open
) -> None:
    more = [
        memory(("notes",), f"n{at}", f"Note {at} about {word}.")
        for at, word in enumerate(THINGS * 3)
    ]
    fill([*FEW, *more])
    test = open_page("search", q="What does Mira do for a living?")
    shown = texts(test).replace("\\", "")
    assert "strong" in shown
    assert "users / mira / profile · p1 · matched in text" in shown
    assert test.text[0].value == "Mira works as a nurse."
    test.button(key="hits-1-button").click().run()
    assert not test.exception
    assert test.query_params["key"] == "p1"


@pytest.mark.parametrize("mode", ["meaning", "words"])
def test_an_empty_store_is_not_a_miss(fill: Fill, open_page: Open, mode: str) -> None:
    fill([])
    assert "No memories yet" in texts(table(open_page, q="tea", mode=mode))


def test_an_empty_namespace_is_not_a_miss_and_offers_the_whole_store(
    fill: Fill, open_page: Open
) -> None:
    fill(FEW)
    test = table(open_page, q="green tea", ns='["nobody"]')
    assert "This namespace is empty" in texts(test)
    test.button(key="hits-everywhere").click().run()
    assert hits(test)[0] == "Mira drinks green tea every morning."


def test_a_miss_says_how_many_were_looked_through(fill: Fill, open_page: Open) -> None:
    fill(FEW)
    shown = texts(table(open_page, q="zebra", mode="words")).replace("\\", "")
    assert "0 of 5 matched: no memory here holds any of these words" in shown


@pytest.mark.parametrize("index", [None, {"embed": Words()}], ids=["none", "only in code"])
def test_without_an_index_search_is_said_to_be_off_and_words_are_offered(
    fill: Fill, open_page: Open, index: object
) -> None:
    fill(FEW, index=index)
    test = table(open_page, q="green tea")
    assert "Search by meaning is off for this store" in texts(test)
    assert not test.dataframe
    test.button(key="hits-words").click().run()
    assert hits(test) == ["Mira drinks green tea every morning."]


def test_a_filter_in_the_link_is_applied_and_shown_as_code(fill: Fill, open_page: Open) -> None:
    fill(FEW)
    test = table(open_page, q="Mira", filter='{"kind":{"$eq":"profile"}}')
    assert sorted(hits(test)) == ["Mira works as a nurse.", "She grew up in Lisbon."]
    assert "filter={'kind': {'$eq': 'profile'}}" in texts(test)


def test_a_filter_is_filled_in_line_by_line(fill: Fill, open_page: Open) -> None:
    fill(FEW)
    test = ask(table(open_page), "Mira")
    test.button(key="search-filter-add").click().run()
    test.selectbox(key="search-filter-0-field").set_value("kind").run()
    assert len(hits(test)) == 5
    test.selectbox(key="search-filter-0-text").set_value("profile").run()
    assert sorted(hits(test)) == ["Mira works as a nurse.", "She grew up in Lisbon."]
    test.button(key="search-filter-0-remove").click().run()
    assert len(hits(test)) == 5


def test_the_threshold_hides_hits_and_says_how_many(fill: Fill, open_page: Open) -> None:
    fill(FEW)
    test = table(open_page, q="Mira drinks green tea every morning.", min="0.95")
    assert hits(test) == ["Mira drinks green tea every morning."]
    assert "Hides 4 of the 5 found" in texts(test).replace("\\", "")


def test_two_questions_stand_side_by_side(fill: Fill, open_page: Open) -> None:
    fill(FEW)
    test = table(open_page, q="green tea", compare="1", q2="repairing radios")
    left, right = (table.value for table in test.dataframe)
    assert left["Memory"][0] == "Mira drinks green tea every morning."
    assert right["Memory"][0] == "Tomas repairs old radios."
    assert left["Other"][0] == list(right["Memory"]).index(left["Memory"][0]) + 1


def open_tab(test: AppTest, name: str) -> AppTest:
    test.session_state["search-more"] = name
    return test.run()


def test_why_not_finds_the_expected_memory_and_explains_it(fill: Fill, open_page: Open) -> None:
    fill(FEW)
    test = table(open_page, q="green tea", ns='["users","mira"]')
    open_tab(test, "Why not?")
    test.text_input(key=search_more.EXPECTED).set_value("old radios").run()
    assert "outside the searched namespace" in texts(test)


def test_the_recalled_text_is_shown_with_its_length(fill: Fill, open_page: Open) -> None:
    fill(FEW)
    test = open_tab(table(open_page, q="green tea", top="5"), "As the agent sees it")
    shown = texts(test)
    assert "Relevant memories:\n- Mira drinks green tea every morning." in shown
    assert "tokens" in shown


def test_a_question_is_saved_beside_the_settings_and_asked_again(
    fill: Fill, open_page: Open, store: Callable[[], ChromaStore], settings_folder: Path
) -> None:
    fill(FEW)
    test = open_tab(table(open_page, q="green tea"), "Saved questions")
    next(button for button in test.button if button.label == "Save this question").click().run()
    saved = probes.probe_file(store().info(), {"XDG_CONFIG_HOME": str(settings_folder)}).load()
    assert [probe.query for probe in saved] == ["green tea"]
    assert store().count() == 5
    assert "finds Mira drinks green tea" in texts(test).replace("\\", "")
    test.button(key="search-forget-0").click().run()
    assert not [button for button in test.button if button.key == "search-forget-0"]


NASTY = "<img src=x onerror=alert(1)> **bold** [link](javascript:alert(1)) :red[x] $x^2$"


def test_text_of_memories_is_never_markup(fill: Fill, open_page: Open) -> None:
    fill([memory(("*evil*",), "[k](x)", NASTY)])
    test = table(open_page, q="bold link", ns='["*evil*"]')
    assert hits(test) == [NASTY]
    test = open_tab(open_page("search", q="bold link"), "As the agent sees it")
    assert NASTY in [one.value for one in test.text]
    marked = [str(one.value) for kind in ("markdown", "caption") for one in test.get(kind)]
    assert not any("<img" in text or "](javascript" in text for text in marked)
