"""The filter form gives exactly the filter an agent would pass."""

from datetime import UTC, datetime
from typing import Any

import pytest

from dashboard.filterforms import (
    Condition,
    Form,
    Kind,
    as_code,
    build,
    form_of,
    observed_fields,
    parse,
    typed,
)
from store import InvalidFilter, Memory, passes

NOW = datetime(2025, 1, 1, tzinfo=UTC)


def memory(**value: Any) -> Memory:
    return Memory(("a",), "k", value, NOW, NOW)


@pytest.mark.parametrize(
    ("conditions", "any_of", "expected"),
    [
        ([], False, None),
        ([Condition("kind", "$eq", "text", "food")], False, {"kind": {"$eq": "food"}}),
        ([Condition("age", "$gte", "number", "30")], False, {"age": {"$gte": 30}}),
        ([Condition("age", "$ne", "number", "0.5")], False, {"age": {"$ne": 0.5}}),
        ([Condition("ok", "$eq", "true or false", "false")], False, {"ok": {"$eq": False}}),
        ([Condition("gone", "$eq", "null")], False, {"gone": {"$eq": None}}),
        ([Condition("tags", "$eq", "JSON", '["a", 1]')], False, {"tags": {"$eq": ["a", 1]}}),
        ([Condition("text", "$eq", "text", "")], False, {"text": {"$eq": ""}}),
        (
            [Condition("n", "$gt", "number", "1"), Condition("n", "$lt", "number", "9")],
            False,
            {"n": {"$gt": 1, "$lt": 9}},
        ),
        (
            [Condition("n", "$ne", "number", "1"), Condition("n", "$ne", "number", "2")],
            False,
            {"$and": [{"n": {"$ne": 1}}, {"n": {"$ne": 2}}]},
        ),
        (
            [Condition("a", "$eq", "text", "x"), Condition("b", "$eq", "text", "y")],
            False,
            {"a": {"$eq": "x"}, "b": {"$eq": "y"}},
        ),
        (
            [Condition("a", "$eq", "text", "x"), Condition("b", "$eq", "text", "y")],
            True,
            {"$or": [{"a": {"$eq": "x"}}, {"b": {"$eq": "y"}}]},
        ),
    ],
)
def test_conditions_become_the_filter(
    conditions: list[Condition], any_of: bool, expected: dict[str, Any] | None
) -> None:
    built = build(conditions, any_of=any_of)
    assert built == expected
    form = form_of(built)
    assert form is not None
    assert form.filter() == expected


@pytest.mark.parametrize(
    ("condition", "says"),
    [
        (Condition("", "$eq", "text", "x"), "needs a field"),
        (Condition("$or", "$eq", "text", "x"), "operators"),
        (Condition("n", "$gt", "number", "many"), "'many' is not a number"),
        (Condition("n", "$gt", "number", "nan"), "cannot be compared"),
        (Condition("n", "$eq", "true or false", "maybe"), "neither true nor false"),
        (Condition("n", "$gt", "true or false", "true"), "compares numbers or text"),
        (Condition("n", "$eq", "JSON", "[1"), "not JSON"),
    ],
)
def test_a_condition_that_cannot_be_used_says_why(condition: Condition, says: str) -> None:
    with pytest.raises(InvalidFilter, match=says):
        build([condition])


@pytest.mark.parametrize("text", ["12", "-3", "0.5", "1e3", "9007199254740993"])
def test_numbers_keep_their_exact_value(text: str) -> None:
    value = typed("number", text)
    assert value == float(text) if "." in text or "e" in text else value == int(text)


def test_true_is_not_the_text_true() -> None:
    wanted = build([Condition("ok", "$eq", "true or false", "true")])
    assert passes({"ok": True}, wanted)
    assert not passes({"ok": "true"}, wanted)
    assert not passes({"ok": 1}, wanted)


@pytest.mark.parametrize(
    "filter",
    [
        None,
        {"kind": {"$eq": "food"}},
        {"$or": [{"kind": {"$eq": "x" * 40}}, {"text": {"$ne": 'quote " and \\'}}]},
        {"a": {"$eq": None}, "b": {"$gte": 0.5}, "c": {"$eq": ["a" * 30, False]}},
    ],
)
def test_the_code_shown_is_the_filter_itself(filter: dict[str, Any] | None) -> None:
    found: dict[str, Any] = {}
    exec(f"found = dict({as_code(filter)})", found)
    assert found["found"] == {"filter": filter}


@pytest.mark.parametrize(("text", "expected"), [("", None), ("{}", None), ('{"a":1}', {"a": 1})])
def test_a_filter_can_be_written_as_json(text: str, expected: dict[str, Any] | None) -> None:
    assert parse(text) == expected


@pytest.mark.parametrize("text", ["[1]", "{", "kind=food"])
def test_a_filter_that_is_no_json_object_is_refused(text: str) -> None:
    with pytest.raises(InvalidFilter):
        parse(text)


def test_fields_are_offered_with_their_kind_and_examples() -> None:
    fields = observed_fields(
        [
            memory(kind="food", size={"n": 1}, ok=True),
            memory(kind="work", size={"n": 2}, tags=["a"]),
        ]
    )
    assert [(field.path, field.kind) for field in fields] == [
        ("kind", "text"),
        ("ok", "true or false"),
        ("tags", "JSON"),
        ("size.n", "number"),
    ]
    assert fields[0].examples == ("food", "work")


@pytest.mark.parametrize(
    "filter",
    [{"a": 1}, {"a": {"$in": [1]}}, {"$or": [{"$and": [{"a": {"$eq": 1}}]}]}, {"a": {"b": 1}}],
)
def test_a_filter_the_form_cannot_show_is_left_as_code(filter: dict[str, Any]) -> None:
    assert form_of(filter) is None


def test_a_form_is_filled_in_line_by_line() -> None:
    kinds: dict[str, Kind] = {"age": "number"}
    form = Form().added()
    assert form.filter() is None
    form = form.changed(0, "field", "age", kinds)
    assert (form.lines[0].kind, form.filter()) == ("number", None)
    form = form.changed(0, "text", "30", kinds).changed(0, "operator", "$gt", kinds)
    assert form.filter() == {"age": {"$gt": 30}}
    assert form.changed(0, "text", None, kinds).filter() is None
    assert form.changed(0, "kind", "null", kinds).changed(0, "operator", "$eq", kinds).filter() == {
        "age": {"$eq": None}
    }
    assert form.without(0) == Form()


def test_a_line_without_a_value_does_not_filter_yet() -> None:
    form = Form((Condition("kind", "$eq", "text", "food"), Condition("n", "$gt", "number")))
    assert form.filter() == {"kind": {"$eq": "food"}}
