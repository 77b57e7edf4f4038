import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.editing import (
    difference,
    field_kind,
    field_text,
    parse_field,
    parse_value,
    same,
    value_text,
)
from store import InvalidValue

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)  # fmt: skip


@given(st.dictionaries(st.text(), JSON))
def test_a_value_edited_as_text_comes_back_the_same(value):
    assert same(parse_value(value_text(value)), value)


@pytest.mark.parametrize("kept", [0, 0.0, "", False, [], {}, None, 9007199254740993])
def test_empty_looking_values_stay_what_they_are(kept):
    back = parse_value(value_text({"x": kept}))["x"]
    assert (type(back), back) == (type(kept), kept)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1,}', "Line 1, column 9 is not JSON"),
        ('{\n"a": tea}', "Line 2, column 6 is not JSON"),
        ("[1]", "A memory is an object with named fields, not a list"),
        ("null", "not null"),
        ('{"a": 1, "a": 2}', 'The field "a" is given twice'),
        ('{"a": NaN}', "NaN is not a JSON number"),
        ('{"a": 1e999}', "1e999 is too large for a number"),
        ("[" * 100_000, "nested too deeply|not JSON"),
        ("", "not JSON"),
    ],
)
def test_a_wrong_text_is_refused_with_one_sentence(text, message):
    with pytest.raises(InvalidValue, match=message):
        parse_value(text)


def test_the_difference_shows_only_what_changes():
    before = {"text": "drinks tea", "kind": "habit", "n": 1}
    shown = difference(before, before | {"text": "drinks coffee"}).splitlines()
    assert '-  "text": "drinks tea",' in shown
    assert '+  "text": "drinks coffee",' in shown
    assert not any("habit" in line for line in shown if line[0] in "+-")


@pytest.mark.parametrize(("before", "after"), [(1, True), (1, 1.0), (0, False), ("", None)])
def test_a_change_of_type_alone_is_a_difference(before, after):
    assert difference({"x": before}, {"x": after})


def test_of_a_long_text_what_changed_is_shown_with_what_is_around_it():
    before, after = ("tea " * 2_000 + word + " milk" * 2_000 for word in ("nurse", "doctor"))
    shown = difference({"text": before, "long": "x" * 9_000}, {"text": after, "long": "x" * 9_000})
    old, new = (line for line in shown.splitlines() if line[0] in "-+")
    assert "tea nurse milk" in old
    assert "tea doctor milk" in new
    assert len(shown) < 800


def test_a_long_text_that_replaces_another_is_shown_whole():
    before, after = "tea " * 500, "milk " * 500
    shown = difference({"text": before}, {"text": after})
    assert before in shown
    assert after in shown


def test_equal_values_have_no_difference():
    assert difference({"x": 1}, {"x": 1}) == ""


@given(JSON)
def test_a_field_nobody_touched_stays_exactly_what_it_was(item):
    assert same(parse_field("x", item, field_text(item)), item)


@pytest.mark.parametrize(
    ("item", "kind"),
    [
        ("tea", "text"),
        ("two\nlines", "long text"),
        (3, "whole number"),
        (True, "yes or no"),
        (0.1, "number"),
        (1e300, "JSON"),
        (0.0, "JSON"),
        (["tea", "café"], "list"),
        (["tea", "tea"], "JSON"),
        ([" tea"], "JSON"),
        ([], "JSON"),
        (2**60, "JSON"),
        (None, "JSON"),
        ([1], "JSON"),
    ],
)
def test_each_field_gets_the_input_that_holds_it_exactly(item, kind):
    assert field_kind(item) == kind


@pytest.mark.parametrize(
    ("before", "entered", "after"),
    [
        ("tea", "", ""),
        ("tea", "7", "7"),
        (0.5, "0.25", 0.25),
        (None, "[]", []),
        ([1], '["a", null]', ["a", None]),
        (True, False, False),
        (1, 0, 0),
    ],
)
def test_what_is_entered_becomes_the_field(before, entered, after):
    found = parse_field("x", before, entered)
    assert (type(found), found) == (type(after), after)


@pytest.mark.parametrize("entered", ["tea", "", "1, 2", '1}, {"y": 2', "NaN"])
def test_a_field_that_is_not_json_is_named(entered):
    with pytest.raises(InvalidValue, match='The field "x" is not JSON'):
        parse_field("x", [1], entered)
