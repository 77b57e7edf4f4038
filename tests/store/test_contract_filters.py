"""Filters over values: which values pass, and which filters are refused."""

from collections.abc import Callable
from typing import Any

import pytest
from langgraph.store.base import PutOp, SearchOp

from tests.store.backends import CHROMA, Awaited, Place

MISSING = object()

Value = Any
Rows = dict[str, tuple[Value, Any, bool]]

# What stands under "n" (MISSING: nothing does), the condition on "n", and whether it holds.
CONDITIONS: Rows = {
    "int-int": (5, 5, True),
    "int-float": (5, 5.0, True),
    "float-int": (5.0, 5, True),
    "int-other": (5, 6, False),
    "int-text": (5, "5", False),
    "zero-false": (0, False, False),
    "one-true": (1, True, False),
    "true-one": (True, 1, False),
    "true-true": (True, True, True),
    "false-false": (False, False, True),
    "false-null": (False, None, False),
    "text-text": ("a", "a", True),
    "text-case": ("a", "A", False),
    "text-empty": ("", "", True),
    "empty-null": ("", None, False),
    "big-int": (2**53 + 1, 2**53 + 1, True),
    "big-int-neighbour": (2**53 + 1, 2**53, False),
    "null-null": (None, None, True),
    "missing-null": (MISSING, None, True),
    "zero-null": (0, None, False),
    "missing-zero": (MISSING, 0, False),
    "null-zero": (None, 0, False),
    "list-same": ([1, 2], [1, 2], True),
    "list-longer": ([1, 2, 3], [1, 2], False),
    "list-order": ([2, 1], [1, 2], False),
    "list-member": ([1, 2], 1, False),
    "list-true": ([True], [1], False),
    "subset": ({"a": 1, "b": 2}, {"a": 1}, True),
    "subset-deep": ({"a": {"b": 1, "c": 2}, "d": 3}, {"a": {"b": 1}}, True),
    "subset-wrong": ({"a": 2}, {"a": 1}, False),
    "subset-true": ({"a": True}, {"a": 1}, False),
    "subset-missing": ({"b": 1}, {"a": 1}, False),
    "subset-null": ({"b": 1}, {"a": None}, True),
    "subset-of-text": ("a", {"a": 1}, False),
    "subset-of-nothing": (MISSING, {"a": 1}, False),
    "subset-operator": ({"a": 5}, {"a": {"$gt": 4}}, True),
    "subset-operator-not": ({"a": 5}, {"a": {"$gt": 5}}, False),
    "any-dict": ({"a": 1}, {}, True),
    "any-dict-empty": ({}, {}, True),
    "any-dict-list": ([], {}, False),
    "any-dict-text": ("a", {}, False),
    "any-dict-missing": (MISSING, {}, False),
    "eq": (5, {"$eq": 5}, True),
    "eq-float": (5, {"$eq": 5.0}, True),
    "eq-true": (1, {"$eq": True}, False),
    "eq-not": (5, {"$eq": 6}, False),
    "eq-dict": ({"a": 1}, {"$eq": {"a": 1}}, True),
    "eq-dict-float": ({"a": 1}, {"$eq": {"a": 1.0}}, True),
    "eq-dict-exact": ({"a": 1, "b": 2}, {"$eq": {"a": 1}}, False),
    "eq-dict-true": ({"a": True}, {"$eq": {"a": 1}}, False),
    "eq-dict-empty": ({"a": 1}, {"$eq": {}}, False),
    "eq-list": ([1, {"a": 2}], {"$eq": [1, {"a": 2}]}, True),
    "eq-list-exact": ([1, {"a": 2, "b": 3}], {"$eq": [1, {"a": 2}]}, False),
    "eq-list-true": ([True], {"$eq": [1]}, False),
    "eq-list-empty": ([], {"$eq": []}, True),
    "ne": (5, {"$ne": 6}, True),
    "ne-same": (5, {"$ne": 5}, False),
    "ne-float": (5, {"$ne": 5.0}, False),
    "ne-true": (1, {"$ne": True}, True),
    "ne-null": (None, {"$ne": 5}, True),
    "ne-missing": (MISSING, {"$ne": 5}, False),
    "ne-dict": ({"a": 1, "b": 2}, {"$ne": {"a": 1}}, True),
    "ne-list": ([1], {"$ne": [1]}, False),
    "gt": (5, {"$gt": 4.99}, True),
    "gt-same": (5, {"$gt": 5}, False),
    "gte-same": (5, {"$gte": 5.0}, True),
    "gte-below": (5, {"$gte": 6}, False),
    "lt": (5, {"$lt": 5.01}, True),
    "lt-same": (5, {"$lt": 5}, False),
    "lte-same": (5, {"$lte": 5}, True),
    "lte-above": (5, {"$lte": 4}, False),
    "gt-big": (2**53 + 1, {"$gt": 2**53}, True),
    "gt-negative": (-5, {"$gt": -6}, True),
    "between": (5, {"$gt": 4, "$lt": 6}, True),
    "between-above": (7, {"$gt": 4, "$lt": 6}, False),
    "between-below": (3, {"$gt": 4, "$lt": 6}, False),
    "gt-missing": (MISSING, {"$gt": 0}, False),
    "lt-missing": (MISSING, {"$lt": 0}, False),
    "gt-null": (None, {"$gt": 0}, False),
    "lte-null": (None, {"$lte": 0}, False),
    "gt-text": ("9", {"$gt": 0}, False),
    "gt-words": ("abc", {"$gt": 0}, False),
    "gt-true": (True, {"$gt": 0}, False),
    "gte-true": (True, {"$gte": 1}, False),
    "gt-list": ([9], {"$gt": 0}, False),
    "gt-dict": ({"a": 9}, {"$gt": 0}, False),
    "gt-number-text": (9, {"$gt": "0"}, False),
    "text-gt": ("b", {"$gt": "a"}, True),
    "text-lt": ("B", {"$lt": "a"}, True),
    "text-lt-longer": ("a", {"$lt": "ab"}, True),
    "text-gt-digits": ("10", {"$gt": "9"}, False),
    "date-gte": ("2026-03-01", {"$gte": "2026-02-28"}, True),
    "date-lt": ("2026-03-01T10:00:00Z", {"$lt": "2026-03-01T09:00:00Z"}, False),
    "date-between": ("2026-03-01", {"$gte": "2026-03-01", "$lt": "2026-04-01"}, True),
}

# A whole value, a whole filter, and whether the value passes.
WHOLE: Rows = {
    "empty": ({"a": 1}, {}, True),
    "all-of-two": ({"a": 1, "b": 2}, {"a": 1, "b": 2}, True),
    "one-of-two": ({"a": 1, "b": 2}, {"a": 1, "b": 3}, False),
    "literal-dot": ({"n.a": 1}, {"n.a": 1}, True),
    "literal-dot-not": ({"n.a": 2}, {"n.a": 1}, False),
    "path": ({"n": {"a": 1}}, {"n.a": 1}, True),
    "path-not": ({"n": {"a": 2}}, {"n.a": 1}, False),
    "path-deep": ({"n": {"a": {"b": "x"}}}, {"n.a.b": "x"}, True),
    "path-operator": ({"n": {"a": 5}}, {"n.a": {"$gt": 4}}, True),
    "path-missing": ({"n": {}}, {"n.a": 1}, False),
    "path-missing-ne": ({"n": {}}, {"n.a": {"$ne": 1}}, False),
    "path-missing-null": ({"n": {}}, {"n.a": None}, True),
    "path-through-text": ({"n": "a"}, {"n.a": 1}, False),
    "and": ({"a": 1, "b": 2}, {"$and": [{"a": 1}, {"b": 2}]}, True),
    "and-not": ({"a": 1, "b": 2}, {"$and": [{"a": 1}, {"b": 3}]}, False),
    "and-one-key-twice": ({"a": 5}, {"$and": [{"a": {"$gt": 4}}, {"a": {"$lt": 6}}]}, True),
    "or": ({"a": 1, "b": 2}, {"$or": [{"a": 9}, {"b": 2}]}, True),
    "or-not": ({"a": 1, "b": 2}, {"$or": [{"a": 9}, {"b": 9}]}, False),
    "or-in-and": ({"a": 1}, {"$and": [{"$or": [{"a": 1}, {"a": 2}]}, {"a": {"$lt": 2}}]}, True),
    "and-with-a-key": ({"a": 1, "b": 2}, {"b": 3, "$and": [{"a": 1}]}, False),
    "or-with-a-key": ({"a": 1, "b": 2}, {"b": 2, "$or": [{"a": 1}, {"a": 2}]}, True),
    "key-with-space": ({"a b": 1}, {"a b": 1}, True),
    "key-with-space-not": ({"ab": 1}, {"a b": 1}, False),
    "key-empty": ({"": 1}, {"": 1}, True),
    "key-empty-not": ({"a": 1}, {"": 1}, False),
    "key-quote": ({"a'\"b": 1}, {"a'\"b": 1}, True),
    "key-brackets": ({"a[0]": 1}, {"a[0]": 1}, True),
    "key-percent": ({"100%_": 1}, {"100%_": 1}, True),
    "key-unicode": ({"ключ": "да"}, {"ключ": "да"}, True),
}

ROWS: Rows = WHOLE | {
    name: ({"m": 0} if stands is MISSING else {"n": stands}, {"n": condition}, holds)
    for name, (stands, condition, holds) in CONDITIONS.items()
}


@pytest.fixture(scope="module")
def filled(backend: str, place_at: Callable[..., Place]) -> Any:
    """The values of all rows, each in a namespace of its own."""
    store = place_at(backend).open()
    store.batch([PutOp((name,), "k", value) for name, (value, _, _) in ROWS.items()])
    return store


@pytest.mark.parametrize("row", ROWS)
def test_a_value_passes_a_filter(filled: Any, mode: str, row: str) -> None:
    store = Awaited(filled) if mode == "async" else filled
    _, condition, holds = ROWS[row]
    assert bool(store.search((row,), filter=condition)) is holds


@pytest.mark.backends(*CHROMA)
def test_all_values_pass_as_they_should_in_one_batch(filled: Any, mode: str) -> None:
    store = Awaited(filled) if mode == "async" else filled
    answers = store.batch([SearchOp((name,), row[1]) for name, row in ROWS.items()])
    passed = dict(zip(ROWS, map(bool, answers), strict=True))
    assert passed == {name: holds for name, (_, _, holds) in ROWS.items()}


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "in": ({"n": {"$in": [1]}}, "in"),
    "nin": ({"n": {"$nin": [1]}}, "nin"),
    "regex": ({"n": {"$regex": "a"}}, "regex"),
    "beside-a-known-one": ({"n": {"$gt": 1, "$in": [1]}}, "in"),
    "nested": ({"n": {"a": {"$exists": True}}}, "exists"),
    "inside-and": ({"$and": [{"n": {"$in": [1]}}]}, "in"),
    "top-not": ({"$not": [{"n": 1}]}, "not"),
    "top-nor": ({"$nor": [{"n": 1}]}, "nor"),
    "top-eq": ({"$eq": 1}, "eq"),
    "and-of-a-dict": ({"$and": {"n": 1}}, "and"),
    "or-of-text": ({"$or": "n"}, "or"),
}


@pytest.mark.parametrize("row", REFUSED)
@pytest.mark.parametrize("namespace", [("int-int",), ("nothing", "here")], ids=["some", "none"])
def test_an_unknown_operator_is_a_value_error_that_names_it(
    filled: Any, mode: str, namespace: tuple[str, ...], row: str
) -> None:
    store = Awaited(filled) if mode == "async" else filled
    condition, name = REFUSED[row]
    with pytest.raises(ValueError, match=rf"\${name}"):
        store.search(namespace, filter=condition)


def test_a_filter_holds_for_a_query_too(indexed: Any) -> None:
    indexed.batch([PutOp(("a",), str(n), {"text": "tea " * (n + 1), "n": n}) for n in range(6)])
    found = indexed.search(("a",), query="tea", filter={"n": {"$gte": 2, "$lt": 4}})
    assert {item.key for item in found} == {"2", "3"}
