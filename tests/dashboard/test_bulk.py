"""Ticks that last, and what can be done with all that is ticked."""

import json

from streamlit.testing.v1 import AppTest

from dashboard.exporting import as_json_lines
from tests.dashboard.conftest import FEW, MIRA, Fill, Open, memory, texts
from tests.dashboard.pages import table, tick

MANY = [memory(("many", f"n{n % 2}"), f"k{n:03}", f"number {n}", n) for n in range(60)]


def turn(page: AppTest, number: int, **params: str) -> AppTest:
    for name, text in params.items():
        page.query_params[name] = text
    page.query_params["page"] = str(number)
    return page.run()


def ticked_rows(page: AppTest) -> list[str]:
    rows = page.session_state[table(page).key]["selection"]["rows"]
    keys = list(table(page).value["Key"])
    return [keys[row] for row in rows]


def test_ticks_survive_page_turns_and_are_told_apart(open_page: Open, fill: Fill):
    fill(MANY)
    page = tick(open_page("browse"), 0, 1)
    page = tick(turn(page, 2), 3)
    assert "**3 memories ticked**, 2 not on this page" in texts(page)
    page = turn(page, 1)
    assert ticked_rows(page) == ["k059", "k058"]
    assert "**3 memories ticked**, 1 not on this page" in texts(page)


def test_ticks_survive_sort_filter_and_another_namespace(open_page: Open, fill: Fill):
    fill(MANY)
    page = tick(open_page("browse"), 0, 1)
    page = turn(page, 1, sort="key", dir="up")
    assert "**2 memories ticked**, not on this page" in texts(page)
    page = turn(page, 1, filter='{"text":{"$eq":"number 59"}}')
    assert ticked_rows(page) == ["k059"]
    page = turn(page, 1, ns='["many","n0"]', filter='{"text":{"$eq":"nothing"}}')
    assert "0 of 30 matched" in texts(page)
    assert "**2 memories ticked**, not on this page" in texts(page)


def test_a_tick_is_taken_back_on_its_row_alone(open_page: Open, fill: Fill):
    fill(MANY)
    page = tick(open_page("browse"), 0, 1)
    page = turn(turn(page, 2), 1)
    page = tick(page, 1)
    assert "**1 memory ticked**" in texts(page)
    assert ticked_rows(page) == ["k058"]


def test_clearing_unticks_everything(open_page: Open, fill: Fill):
    fill(MANY)
    page = turn(tick(open_page("browse"), 0, 1), 2)
    page.button(key="bulk-clear").click().run()
    assert "ticked" not in texts(page)
    assert ticked_rows(turn(page, 1)) == []


def test_everything_that_matches_can_be_ticked(open_page: Open, fill: Fill):
    fill(MANY)
    page = tick(open_page("browse", filter='{"text":{"$gte":"number 3"}}'), 0)
    page.button(key="bulk-all").click().run()
    assert "**37 memories ticked**" in texts(page)
    assert len(ticked_rows(page)) == 37


def test_a_bulk_deletion_takes_every_ticked_memory(open_page: Open, fill: Fill, store):
    fill(MANY)
    page = tick(turn(tick(open_page("browse"), 0, 1), 2), 3)
    page.button(key="bulk-delete").click().run()
    assert all(f"· {key}" in texts(page) for key in ("k059", "k058", "k006"))
    page.button(key="confirm-delete").click().run()
    assert "3 memories deleted" in page.success[0].value
    assert store().count() == 57
    assert store().read(("many", "n0"), "k006") is None
    assert "ticked" not in texts(page)


def test_a_memory_that_is_gone_is_not_counted_as_ticked(open_page: Open, fill: Fill, store):
    fill(MANY)
    page = tick(open_page("browse"), 0, 1)
    store().delete(("many", "n1"), "k059")
    assert "**1 memory ticked**" in texts(page.run())


def test_ticked_memories_move_with_or_without_their_namespaces(open_page: Open, fill: Fill, store):
    fill(FEW)
    page = tick(open_page("browse", ns='["users"]'), 0, 1, 2, 3)
    page.button(key="bulk-move").click().run()
    page.text_input(key="bulk-target").set_value("people").run()
    assert "users / mira / profile → people / mira / profile · p1" in texts(page)
    page.button(key="bulk-go").click().run()
    assert store().namespace_counts() == {
        ("agents",): 1,
        ("people", "mira"): 1,
        ("people", "mira", "profile"): 2,
        ("people", "tomas"): 1,
    }
    moved = store().read(("people", *MIRA[1:]), "p1")
    assert (moved.value, moved.created_at) == (FEW[0].value, FEW[0].created_at)
    assert "4 memories moved" in page.success[0].value
    assert "Old places: empty" in page.success[0].value


def test_memories_that_would_take_one_place_are_not_moved_together(
    open_page: Open, fill: Fill, store
):
    fill([memory(("a", "x"), "k", "one"), memory(("a", "y"), "k", "two")])
    page = tick(open_page("browse"), 0, 1)
    page.button(key="bulk-move").click().run()
    page.toggle(key="bulk-below").set_value(False).run()
    page.text_input(key="bulk-target").set_value("b").run()
    assert "would take one place" in page.error[0].value
    page.button(key="bulk-go").click().run()
    assert store().count(("a",)) == 2


def test_a_taken_key_stays_where_it_is_and_is_told(open_page: Open, fill: Fill, store):
    fill([memory(("a",), "k", "one"), memory(("a",), "l", "two"), memory(("b",), "k", "mine")])
    page = tick(open_page("browse", ns='["a"]'), 0, 1)
    page.button(key="bulk-move").click().run()
    page.text_input(key="bulk-target").set_value("b").run()
    page.button(key="bulk-go").click().run()
    assert "1 memory moved, 1 memory left" in page.success[0].value
    assert store().read(("b",), "k").value == {"text": "mine"}
    assert store().read(("a",), "k").value == {"text": "one"}
    assert "**1 memory ticked**" in texts(page)


def test_ticked_memories_are_exported(open_page: Open, fill: Fill):
    fill(FEW)
    page = tick(open_page("browse"), 3, 4)
    assert page.get("download_button")
    lines = [json.loads(line) for line in as_json_lines(FEW[:2]).splitlines()]
    assert [line["key"] for line in lines] == ["p1", "p2"]


def test_a_table_without_a_bar_has_no_ticks(open_page: Open, fill: Fill):
    fill(FEW)
    [shown] = open_page("overview").dataframe
    assert list(shown.proto.selection_mode) == [shown.proto.SelectionMode.SINGLE_CELL]
