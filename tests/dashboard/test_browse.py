import json

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.widgets.editor import TEXT_KEY
from tests.dashboard.conftest import FEW, MIRA, Fill, Open, memory, texts

LINK = {"ns": '["users","mira","profile"]', "key": "p1"}


def table(page: AppTest):
    [shown] = [one for one in page.dataframe if (one.key or "").startswith("browse-")]
    return shown


def tick(page: AppTest, *rows: int) -> AppTest:
    state = {"selection": {"rows": list(rows), "columns": [], "cells": []}}
    page.session_state[table(page).key] = state
    return page.run()


def edit(page: AppTest, text: str) -> AppTest:
    page.button(key="inspector-edit").click().run()
    page.button(key="editor-side").click().run()
    [area] = [one for one in page.text_area if one.key.startswith(TEXT_KEY)]
    area.set_value(text)
    return page.button(key="editor-review").click().run()


def field(page: AppTest, label: str):
    inputs = [*page.text_input, *page.text_area, *page.number_input, *page.toggle]
    return next(
        one for one in inputs if one.label.split(" :gray")[0] == label and "editor" in one.key
    )


def test_the_whole_store_is_listed_latest_change_first(open_page: Open, fill: Fill):
    fill(FEW)
    page = open_page("browse")
    assert "1–5 of 5" in texts(page)
    assert list(table(page).value["Key"]) == ["a1", "t1", "m1", "p2", "p1"]


def test_a_namespace_shows_its_children_with_counts_and_the_way_up(open_page: Open, fill: Fill):
    fill(FEW)
    page = open_page("browse", ns='["users"]')
    labels = [button.label for button in page.button]
    assert any(label.startswith("mira :gray[3") for label in labels)
    assert any(label.startswith("tomas :gray[1") for label in labels)
    assert "All memories" in labels


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


def test_a_link_opens_the_memory(open_page: Open, fill: Fill):
    fill(FEW)
    page = open_page("browse", **LINK)
    assert "Mira works as a nurse." in texts(page)


def test_an_edit_is_reviewed_saved_and_proved(open_page: Open, fill: Fill, store):
    fill(FEW)
    page = edit(open_page("browse", **LINK), '{"text": "Mira is a doctor.", "kind": "profile"}')
    assert '+  "text": "Mira is a doctor.",' in texts(page)
    assert store().read(MIRA, "p1").value["text"] == "Mira works as a nurse."
    page.button(key="editor-save").click().run()
    assert store().read(MIRA, "p1").value == {"text": "Mira is a doctor.", "kind": "profile"}
    assert "rank 1 of 5 for its own text" in page.success[0].value


def test_text_that_is_not_json_is_refused_and_kept_for_correction(
    open_page: Open, fill: Fill, store
):
    fill(FEW)
    page = edit(open_page("browse", **LINK), '{"text": oops}')
    assert "is not JSON" in page.error[0].value
    assert page.text_area[0].value == '{"text": oops}'
    assert store().read(MIRA, "p1").value == FEW[0].value


@pytest.mark.parametrize("value", [{"a": 0}, {"a": ""}, {"a": False}, {"a": []}, {"a": None}, {}])
def test_empty_looking_values_survive_an_edit(open_page: Open, fill: Fill, store, value):
    fill(FEW)
    page = edit(open_page("browse", **LINK), json.dumps(value))
    page.button(key="editor-save").click().run()
    assert json.dumps(store().read(MIRA, "p1").value) == json.dumps(value)


def test_someone_elses_change_is_shown_and_not_overwritten(open_page: Open, fill: Fill, store):
    fill(FEW)
    page = edit(open_page("browse", **LINK), '{"text": "Mira is a doctor."}')
    store().put(MIRA, "p1", {"text": "Mira is a surgeon."})
    page.button(key="editor-save").click().run()
    assert "nothing was saved" in page.error[0].value
    assert '+  "text": "Mira is a surgeon."' in texts(page)
    assert store().read(MIRA, "p1").value == {"text": "Mira is a surgeon."}


def test_after_a_conflict_my_text_can_be_compared_with_theirs_and_saved(
    open_page: Open, fill: Fill, store
):
    fill(FEW)
    page = edit(open_page("browse", **LINK), '{"text": "Mira is a doctor."}')
    store().put(MIRA, "p1", {"text": "Mira is a surgeon."})
    page.button(key="editor-save").click().run()
    page.button(key="editor-mine").click().run()
    assert '-  "text": "Mira is a surgeon."' in texts(page)
    page.button(key="editor-save").click().run()
    assert store().read(MIRA, "p1").value == {"text": "Mira is a doctor."}


def test_deleting_names_what_goes_and_proves_it(open_page: Open, fill: Fill, store):
    fill(FEW)
    page = open_page("browse", **LINK)
    page.button(key="inspector-delete").click().run()
    assert "users / mira / profile · p1" in texts(page)
    assert store().read(MIRA, "p1") is not None
    page.button(key="confirm-delete").click().run()
    assert store().read(MIRA, "p1") is None
    assert "By meaning: gone" in page.success[0].value
    assert "p1" not in set(table(page).value["Key"])


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


def test_a_memory_that_is_gone_says_so(open_page: Open, fill: Fill):
    fill(FEW)
    page = open_page("browse", ns='["users"]', key="never")
    assert "no longer in the store" in page.warning[0].value


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


def test_fields_are_edited_with_inputs_of_their_type(open_page: Open, fill: Fill, store):
    value = {"text": "tea", "n": 1, "on": True, "none": None, "list": [1], "f": 0.5, "empty": ""}
    fill([memory(MIRA, "p1", value)])
    page = open_page("browse", **LINK)
    page.button(key="inspector-edit").click().run()
    field(page, "text").set_value("coffee")
    field(page, "on").set_value(False)
    field(page, "n").set_value(0)
    page.button(key="editor-review").click().run()
    page.button(key="editor-save").click().run()
    after = store().read(MIRA, "p1").value
    assert after == value | {"text": "coffee", "on": False, "n": 0}
    assert json.dumps(after) == json.dumps(value | {"text": "coffee", "on": False, "n": 0})


def test_a_field_can_be_added_and_another_removed(open_page: Open, fill: Fill, store):
    fill([memory(MIRA, "p1", {"text": "tea", "old": 1})])
    page = open_page("browse", **LINK)
    page.button(key="inspector-edit").click().run()
    page.button(key="editor-drop-0-1").click().run()
    page.text_input(key="editor-new-field-1").set_value("mood")
    page.button(key="editor-add").click().run()
    field(page, "mood").set_value("calm")
    page.button(key="editor-review").click().run()
    page.button(key="editor-save").click().run()
    assert store().read(MIRA, "p1").value == {"text": "tea", "mood": "calm"}


def test_a_wrong_field_is_named_and_nothing_is_lost(open_page: Open, fill: Fill, store):
    fill([memory(MIRA, "p1", {"text": "tea", "list": [1]})])
    page = open_page("browse", **LINK)
    page.button(key="inspector-edit").click().run()
    field(page, "text").set_value("coffee")
    field(page, "list").set_value("[1,")
    page.button(key="editor-review").click().run()
    assert 'The field "list" is not JSON' in page.error[0].value.replace("\\", "")
    assert field(page, "text").value == "coffee"
    assert field(page, "list").value == "[1,"


def test_a_file_is_edited_as_text_and_keeps_its_shape(open_page: Open, fill: Fill, store):
    stamps = {"created_at": "2025-01-01", "modified_at": "2025-01-02"}
    fill([memory(MIRA, "p1", {"content": ["# Notes", "buy tea"], **stamps})])
    page = open_page("browse", **LINK)
    assert "# Notes\nbuy tea" in [code.value for code in page.code]
    page.button(key="inspector-edit").click().run()
    field(page, "content").set_value("# Notes\nbuy coffee")
    page.button(key="editor-review").click().run()
    page.button(key="editor-save").click().run()
    after = store().read(MIRA, "p1").value
    assert after["content"] == ["# Notes", "buy coffee"]
    assert after["created_at"] == "2025-01-01"
    assert after["modified_at"] > "2025-01-02"


def test_a_new_memory_is_written_where_the_person_looks(open_page: Open, fill: Fill, store):
    fill(FEW)
    page = open_page("browse", ns='["users","mira"]')
    page.button(key="listing-new").click().run()
    page.text_area(key="add-text").set_value("Mira is learning the cello.")
    page.button(key="add-create").click().run()
    [found] = store().search(("users", "mira"), query="plays an instrument", limit=1)
    assert found.value == {"text": "Mira is learning the cello."}
    assert found.namespace == ("users", "mira")
    assert "Created" in page.success[0].value


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"add-text": " "}, "nothing to remember yet"),
        ({"add-namespace": "langgraph / x"}, "langgraph"),
        ({"add-namespace": "a.b"}, "period"),
        ({"add-namespace": ""}, "amespace"),
        ({"add-namespace": "users / mira / profile", "add-key": "p1"}, "already"),
    ],
)
def test_a_new_memory_that_cannot_be_written_says_why(
    open_page: Open, fill: Fill, store, inputs, message
):
    fill(FEW)
    page = open_page("browse", ns='["users"]')
    page.button(key="listing-new").click().run()
    page.text_area(key="add-text").set_value("x")
    for key, text in inputs.items():
        box = page.text_area if key == "add-text" else page.text_input
        box(key=key).set_value(text)
    page.button(key="add-create").click().run()
    assert message in page.error[0].value.replace("\\", "")
    assert store().count() == 5


def more(page: AppTest, wish: str) -> AppTest:
    page.menu_button(key="inspector-more").click(wish).run()
    return page


def test_a_duplicate_starts_from_the_memory(open_page: Open, fill: Fill, store):
    fill(FEW)
    page = more(open_page("browse", **LINK), "Duplicate…")
    page.button(key="add-create").click().run()
    assert store().read(MIRA, "p1-copy").value == FEW[0].value
    assert store().read(MIRA, "p1").value == FEW[0].value


def test_a_memory_moves_to_another_namespace_and_key(open_page: Open, fill: Fill, store):
    fill(FEW)
    page = more(open_page("browse", **LINK), "Move or rename…")
    page.text_input(key="move-namespace").set_value("users / noor")
    page.text_input(key="move-key").set_value("job")
    page.button(key="move-go").click().run()
    moved = store().read(("users", "noor"), "job")
    assert (moved.value, moved.created_at) == (FEW[0].value, FEW[0].created_at)
    assert store().read(MIRA, "p1") is None
    assert "Old place: empty" in page.success[0].value


def test_an_expiry_is_set_and_shown(open_page: Open, fill: Fill, store):
    fill(FEW)
    page = more(open_page("browse", **LINK), "Change expiry…")
    page.selectbox(key="expiry-choice").select("In a week").run()
    page.button(key="expiry-set").click().run()
    assert store().read(MIRA, "p1").ttl_minutes == 60 * 24 * 7
    assert "expires in 6 days" in texts(page)


def test_a_memory_is_offered_as_python_and_as_a_link(open_page: Open, fill: Fill):
    fill(FEW)
    page = more(open_page("browse", **LINK), "Copy as Python or link…")
    assert "store.get(('users', 'mira', 'profile'), 'p1')" in texts(page)
    assert "key=p1" in texts(page)


def test_a_filter_narrows_the_list_and_says_of_how_many(open_page: Open, fill: Fill):
    fill(FEW)
    page = open_page("browse", filter='{"kind":{"$eq":"profile"}}')
    assert list(table(page).value["Key"]) == ["p2", "p1"]
    assert "1–2 of 2" in texts(page)
    assert "of 5, filtered" in texts(page)


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


STRANGE = {
    "long": "word " * 2_000,
    "emoji": "🍵👩‍⚕️🇳🇱",
    "right to left": "מירה שותה תה ירוק \u202eevil",
    "blob": "QUJD" * 20_000,
    "control": "a\x00b\x07c\x1b[31m",
    "surrounding space": "  tea  ",
}


@pytest.mark.parametrize("text", STRANGE.values(), ids=STRANGE)
def test_strange_text_is_listed_shown_and_saved_without_loss(
    open_page: Open, fill: Fill, store, text
):
    fill([memory(MIRA, "p1", {"text": text, "n": 1})])
    page = open_page("browse", **LINK)
    assert text in [code.value for code in page.code]
    page.button(key="inspector-edit").click().run()
    field(page, "n").set_value(2)
    page.button(key="editor-review").click().run()
    page.button(key="editor-save").click().run()
    assert not page.exception
    assert store().read(MIRA, "p1").value == {"text": text, "n": 2}


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


def test_a_binary_file_is_told_by_its_size(open_page: Open, fill: Fill):
    blob = {"content": "QUJD" * 100, "encoding": "base64", "created_at": "", "modified_at": ""}
    fill([memory(MIRA, "p1", blob)])
    assert "binary, 300 B" in texts(open_page("browse", **LINK))


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
