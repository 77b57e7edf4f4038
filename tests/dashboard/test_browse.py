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
    [area] = [one for one in page.text_area if one.key.startswith(TEXT_KEY)]
    area.set_value(text)
    next(one for one in page.button if one.label == "Review change").click()
    return page.run()


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
    assert "1–50 of 137" in texts(page)
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
