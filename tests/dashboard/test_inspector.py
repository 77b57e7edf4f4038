import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.dashboard.conftest import FEW, MIRA, Fill, Open, memory, texts
from tests.dashboard.pages import LINK, edit, field, more, table


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


def test_a_memory_that_is_gone_says_so(open_page: Open, fill: Fill):
    fill(FEW)
    page = open_page("browse", ns='["users"]', key="never")
    assert "no longer in the store" in page.warning[0].value


def test_fields_are_edited_with_inputs_of_their_type(open_page: Open, fill: Fill, store):
    value = {"text": "tea", "n": 1, "on": True, "none": None, "list": [1], "f": 0.5, "empty": ""}
    value |= {"tags": ["a", "b"], "third": 1 / 3}
    fill([memory(MIRA, "p1", value)])
    page = open_page("browse", **LINK)
    page.button(key="inspector-edit").click().run()
    field(page, "text").set_value("coffee")
    field(page, "on").set_value(False)
    field(page, "n").set_value(0)
    page.multiselect[0].unselect("a")
    page.button(key="editor-review").click().run()
    page.button(key="editor-save").click().run()
    after = store().read(MIRA, "p1").value
    assert after == value | {"text": "coffee", "on": False, "n": 0, "tags": ["b"]}
    assert json.dumps(after) == json.dumps(
        value | {"text": "coffee", "on": False, "n": 0, "tags": ["b"]}
    )


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


def test_a_duplicate_starts_from_the_memory(open_page: Open, fill: Fill, store):
    fill(FEW)
    page = more(open_page("browse", **LINK), "Duplicate…")
    page.button(key="add-create").click().run()
    assert store().read(MIRA, "p1-copy").value == FEW[0].value
    assert store().read(MIRA, "p1").value == FEW[0].value


def test_a_duplicate_keeps_expiry_and_index_paths(open_page: Open, fill: Fill, store):
    ends = datetime.now(UTC) + timedelta(days=5)
    kept = replace(FEW[0], expires_at=ends, ttl_minutes=60.0 * 24 * 7, index=("kind",))
    fill([kept])
    page = more(open_page("browse", **LINK), "Duplicate…")
    page.button(key="add-create").click().run()
    copy = store().read(MIRA, "p1-copy")
    assert (copy.expires_at, copy.ttl_minutes) == (ends, 60.0 * 24 * 7)
    assert (copy.index, copy.vectors) == (("kind",), 1)


@pytest.mark.parametrize(
    ("index", "vectors", "searched"),
    [(None, 1, "text"), (("kind",), 1, "kind"), ((), 0, None)],
    ids=["the store's fields", "its own", "none"],
)
def test_the_fields_that_search_reads_are_marked(
    open_page: Open, fill: Fill, store, index, vectors, searched
):
    fill([replace(FEW[0], index=index)])
    page = open_page("browse", **LINK)
    assert store().read(MIRA, "p1").vectors == vectors
    marked = [one.value for one in page.caption if "searched by meaning" in one.value]
    assert [label.split(" ")[0] for label in marked] == ([searched] if searched else [])
    assert ("cannot find it" in texts(page)) == (searched is None)


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
    assert "never expires now" in texts(page)
    page.selectbox(key="expiry-span").select("In a week").run()
    page.button(key="expiry-set").click().run()
    assert store().read(MIRA, "p1").ttl_minutes == 60 * 24 * 7
    assert "in 7 days" in texts(page)


def test_an_expiry_at_a_moment_is_set_changed_and_removed(open_page: Open, fill: Fill, store):
    fill(FEW)
    page = open_page("browse", **LINK)
    for year in (2040, 2041):
        more(page, "Change expiry…")
        page.segmented_control(key="expiry-way").set_value("at").run()
        page.datetime_input(key="expiry-moment").set_value(datetime(year, 5, 6, 7, 30)).run()
        assert f"It expires on {year}-05-06 07:30" in texts(page).replace("\\", "")
        page.button(key="expiry-set").click().run()
        assert store().read(MIRA, "p1").expires_at == datetime(year, 5, 6, 7, 30, tzinfo=UTC)
        assert f"{year}-05-06 07:30 · in" in texts(page)
        assert "reads back equal" in page.success[0].value
    more(page, "Change expiry…")
    assert page.datetime_input(key="expiry-moment").value == datetime(2041, 5, 6, 7, 30)
    page.segmented_control(key="expiry-way").set_value("never").run()
    page.button(key="expiry-set").click().run()
    assert store().read(MIRA, "p1").expires_at is None
    assert "never" in [text.value for text in page.text]


def test_an_expiry_in_the_past_is_refused(open_page: Open, fill: Fill, store):
    fill(FEW)
    page = more(open_page("browse", **LINK), "Change expiry…")
    page.segmented_control(key="expiry-way").set_value("at").run()
    page.datetime_input(key="expiry-moment").set_value(datetime(2001, 5, 6, 7, 30)).run()
    page.button(key="expiry-set").click().run()
    assert "is past" in page.error[0].value
    assert store().read(MIRA, "p1").expires_at is None


def test_a_memory_is_offered_as_python_and_as_a_link(open_page: Open, fill: Fill):
    fill(FEW)
    page = more(open_page("browse", **LINK), "Copy as Python or link…")
    assert "store.get(('users', 'mira', 'profile'), 'p1')" in texts(page)
    assert "key=p1" in texts(page)


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


def test_a_binary_file_is_told_by_its_size(open_page: Open, fill: Fill):
    blob = {"content": "QUJD" * 100, "encoding": "base64", "created_at": "", "modified_at": ""}
    fill([memory(MIRA, "p1", blob)])
    assert "binary, 300 B" in texts(open_page("browse", **LINK))
