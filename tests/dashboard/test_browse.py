import json

import pytest

from tests.dashboard.conftest import FEW, Fill, Open, memory, texts
from tests.dashboard.pages import LINK, edit, table, tick


def test_the_whole_store_is_listed_latest_change_first(open_page: Open, fill: Fill):
    fill(FEW)
    page = open_page("browse")
    assert "1–5 of 5" in texts(page)
    assert list(table(page).value["Key"]) == ["a1", "t1", "m1", "p2", "p1"]


def test_a_namespace_shows_its_children_with_counts_and_the_way_up(open_page: Open, fill: Fill):
    fill(FEW)
    page = open_page("browse", ns='["users"]')
    labels = [button.label for button in page.button]
    assert any(label.startswith("mira :gray[1 + 2 ") for label in labels)
    assert any(label.startswith("tomas :gray[1") for label in labels)
    assert "All memories" in labels


def test_a_namespace_without_others_below_shows_its_neighbours(open_page: Open, fill: Fill):
    fill(FEW)
    page = open_page("browse", ns='["users","tomas"]')
    labels = [button.label for button in page.button]
    assert any(label.startswith("mira :gray[1 + 2 ") for label in labels)
    assert "**tomas** :gray[1]" in labels


def test_drilling_down_narrows_the_list_and_the_link(open_page: Open, fill: Fill):
    fill(FEW)
    page = open_page("browse", ns='["users"]')
    next(one for one in page.button if one.label.startswith("mira ")).click().run()
    assert page.query_params["ns"] == '["users","mira"]'
    assert set(table(page).value["Key"]) == {"m1", "p1", "p2"}


def test_a_sibling_with_the_same_letters_is_not_shown(open_page: Open, fill: Fill):
    fill([*FEW, memory(("users", "mira-2"), "x", "someone else")])
    page = open_page("browse", ns='["users","mira"]')
    assert "x" not in set(table(page).value["Key"])


def test_own_memories_can_be_told_from_those_below(open_page: Open, fill: Fill):
    fill(FEW)
    page = open_page("browse", ns='["users","mira"]', own="1")
    assert list(table(page).value["Key"]) == ["m1"]
    assert "1–1 of 1" in texts(page)


def test_typing_finds_a_namespace_anywhere(open_page: Open, fill: Fill):
    fill(FEW)
    page = open_page("browse")
    page.text_input(key="panel-find").set_value("mir prof").run()
    labels = [button.label for button in page.button]
    assert any(label.startswith("users / mira / profile") for label in labels)
    assert not any(label.startswith("agents") for label in labels)


def test_long_lists_come_in_pages_and_every_memory_is_reachable(open_page: Open, fill: Fill):
    fill(memory(("many",), f"k{n:03}", f"number {n}", n) for n in range(137))
    seen: set[str] = set()
    for number in (1, 2, 3):
        page = open_page("browse", page=str(number))
        seen |= set(table(page).value["Key"])
    assert len(seen) == 137
    assert "101–137 of 137" in texts(page)


def test_many_namespaces_are_all_reachable(open_page: Open, fill: Fill):
    fill(memory((f"user{n:03}",), "k", "x", n) for n in range(137))
    page = open_page("browse")
    assert "1–30 of 137" in texts(page)
    page.text_input(key="panel-find").set_value("user136").run()
    assert any(button.label.startswith("user136") for button in page.button)


def test_ticked_memories_are_deleted_together(open_page: Open, fill: Fill, store):
    fill(FEW)
    page = tick(open_page("browse"), 0, 1)
    assert "2 memories ticked" in texts(page)
    page.button(key="bulk-delete").click().run()
    page.button(key="confirm-delete").click().run()
    assert {found.key for found in store().scan()} == {"m1", "p1", "p2"}


def test_a_memory_deleted_by_someone_else_meanwhile_is_no_error(open_page: Open, fill: Fill, store):
    fill(FEW)
    page = tick(open_page("browse"), 0, 1)
    page.button(key="bulk-delete").click().run()
    store().delete(("agents",), "a1")
    page.button(key="confirm-delete").click().run()
    assert not page.error
    assert "already gone" in page.success[0].value


def test_an_empty_scope_is_told_from_an_empty_store(open_page: Open, fill: Fill):
    fill(FEW)
    scope = open_page("browse", ns='["nobody"]')
    assert "No memories here" in texts(scope)
    assert "Nothing is remembered yet" not in texts(scope)


def test_an_empty_store_says_how_the_first_memory_gets_in(open_page: Open, fill: Fill):
    fill([])
    page = open_page("browse")
    assert "Nothing is remembered yet" in texts(page)
    assert "store.put(" in texts(page)


def test_a_filter_narrows_the_list_and_says_of_how_many(open_page: Open, fill: Fill):
    fill(FEW)
    page = open_page("browse", filter='{"kind":{"$eq":"profile"}}')
    assert list(table(page).value["Key"]) == ["p2", "p1"]
    assert "1–2 of 2" in texts(page)
    assert "matched, of 5 here" in texts(page)


def test_a_filter_without_a_match_is_told_from_an_empty_scope(open_page: Open, fill: Fill):
    fill(FEW)
    page = open_page("browse", filter='{"kind":{"$eq":"nothing"}}')
    assert "0 of 5 matched" in texts(page)
    page.button(key="listing-unfilter").click().run()
    assert "1–5 of 5" in texts(page)


def test_any_field_orders_the_list(open_page: Open, fill: Fill):
    fill(FEW)
    page = open_page("browse", sort="text", dir="up")
    shown = list(table(page).value["Memory"])
    assert shown == sorted(shown, key=str.casefold)


def test_ticks_survive_an_edit_of_another_memory(open_page: Open, fill: Fill):
    fill(FEW)
    page = tick(open_page("browse", **LINK | {"ns": "[]", "in": LINK["ns"]}), 3)
    page = edit(page, '{"text": "Mira is a doctor."}')
    page.button(key="editor-save").click().run()
    assert next(iter(table(page).value["Key"])) == "p1"
    assert "1 memory ticked" in texts(page)
    page.button(key="bulk-delete").click().run()
    assert "users / mira / profile · p2" in texts(page)


def test_the_open_memory_can_be_stepped_through_the_list(open_page: Open, fill: Fill):
    fill(FEW)
    page = open_page("browse", key="t1", **{"in": '["users","tomas"]'})
    page.button(key="inspector-down").click().run()
    assert page.query_params["key"] == "m1"
    page.button(key="inspector-up").click().run()
    page.button(key="inspector-up").click().run()
    assert page.query_params["key"] == "a1"
    assert page.button(key="inspector-up").disabled


@pytest.mark.parametrize(("below", "left"), [(True, 2), (False, 4)], ids=["all", "itself"])
def test_a_namespace_is_deleted_with_or_without_what_is_below(
    open_page: Open, fill: Fill, store, below, left
):
    fill(FEW)
    page = open_page("browse", ns='["users","mira"]')
    page.menu_button(key="listing-more").click("Delete this namespace…").run()
    assert "users / mira / profile · 2 memories" in texts(page)
    page.toggle[0].set_value(below).run()
    page.button(key="confirm-delete").click().run()
    assert store().count() == left
    assert "By listing: nothing left" in page.success[0].value
    assert page.query_params.get("ns") == ('["users"]' if below else '["users","mira"]')


def test_shapes_of_other_tools_show_their_text(open_page: Open, fill: Fill):
    fill(
        [
            memory(("m",), "langmem", {"kind": "Memory", "content": {"content": "likes tea"}}),
            memory(("m",), "file", {"content": ["# Notes"], "created_at": "", "modified_at": ""}),
            memory(("m",), "mem0", {"data": "likes coffee", "hash": "9f86d081884c7d65"}),
        ]
    )
    shown = table(open_page("browse")).value.set_index("Key")["Memory"].to_dict()
    assert shown == {"langmem": "likes tea", "file": "# Notes", "mem0": "likes coffee"}


HOSTILE = "![x](http://evil/a) <script>alert(1)</script> :red[x] $x$ [a](http://b)"


def test_text_from_a_memory_is_never_markdown_or_html(open_page: Open, fill: Fill):
    fill([memory((HOSTILE,), HOSTILE, {HOSTILE: HOSTILE, "text": HOSTILE})])
    page = open_page("browse", ns=json.dumps([HOSTILE]), key=HOSTILE)
    page.button(key="inspector-delete").click().run()
    assert "Delete 1 memory" in texts(page)
    labels = [button.label for button in page.button]
    rich = [one.value for kind in ("markdown", "caption") for one in page.get(kind)]
    for shown in [*labels, *rich]:
        assert "](http" not in shown
        assert "<script>" not in shown
