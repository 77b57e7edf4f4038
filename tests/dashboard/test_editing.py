import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.editing import difference, parse_value, same, value_text
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


def test_equal_values_have_no_difference():
    assert difference({"x": 1}, {"x": 1}) == ""
