"""list_namespaces: conditions, cut, distinct, sorted, then the slice."""

from collections.abc import Callable
from typing import Any

import pytest
from langgraph.store.base import ListNamespacesOp, MatchCondition, PutOp

from tests.store.backends import CHROMA, Awaited, Place

NAMESPACES = [
    ("a",),
    ("a", "b"),
    ("a", "b", "c"),
    ("a", "b", "d"),
    ("a", "x", "c"),
    ("ab", "c"),
    ("A", "b"),
    ("users", "1", "notes"),
    ("users", "1", "prefs"),
    ("users", "2", "notes"),
    ("users", "2", "notes", "old"),
    ("*", "b"),
    ("z", "*", "notes"),
]


@pytest.fixture(scope="module")
def filled(backend: str, place_at: Callable[..., Place]) -> Any:
    """A store with one item in each of NAMESPACES, and two in one."""
    store = place_at(backend).open()
    store.batch([PutOp(namespace, "k", {}) for namespace in NAMESPACES])
    store.put(("a",), "second", {})
    return store


@pytest.fixture
def listed(filled: Any, mode: str) -> Any:
    return Awaited(filled) if mode == "async" else filled


CASES: dict[str, tuple[dict[str, Any], list[tuple[str, ...]]]] = {
    "everything-sorted": ({}, sorted(NAMESPACES)),
    "empty-prefix": ({"prefix": ()}, sorted(NAMESPACES)),
    "prefix": (
        {"prefix": ("a", "b")},
        [("a", "b"), ("a", "b", "c"), ("a", "b", "d")],
    ),
    "prefix-is-whole-labels": ({"prefix": ("ab",)}, [("ab", "c")]),
    "prefix-is-case-sensitive": ({"prefix": ("A",)}, [("A", "b")]),
    "prefix-unknown": ({"prefix": ("nowhere",)}, []),
    "prefix-longer-than-any": ({"prefix": ("a", "b", "c", "d")}, []),
    "prefix-star": (
        {"prefix": ("users", "*", "notes")},
        [("users", "1", "notes"), ("users", "2", "notes"), ("users", "2", "notes", "old")],
    ),
    "prefix-star-is-exactly-one": (
        {"prefix": ("a", "*", "c")},
        [("a", "b", "c"), ("a", "x", "c")],
    ),
    "prefix-star-at-the-end": (
        {"prefix": ("a", "*", "*")},
        [("a", "b", "c"), ("a", "b", "d"), ("a", "x", "c")],
    ),
    "prefix-only-stars": (
        {"prefix": ("*", "*", "*", "*")},
        [("users", "2", "notes", "old")],
    ),
    "suffix": (
        {"suffix": ("c",)},
        [("a", "b", "c"), ("a", "x", "c"), ("ab", "c")],
    ),
    "suffix-of-two": ({"suffix": ("b", "c")}, [("a", "b", "c")]),
    "suffix-is-whole-labels": ({"suffix": ("refs",)}, []),
    "suffix-star": (
        {"suffix": ("*", "notes")},
        [("users", "1", "notes"), ("users", "2", "notes"), ("z", "*", "notes")],
    ),
    "suffix-star-at-the-end": (
        {"suffix": ("b", "*")},
        [("a", "b", "c"), ("a", "b", "d")],
    ),
    "suffix-of-the-whole": ({"suffix": ("a", "b")}, [("a", "b")]),
    "prefix-and-suffix": (
        {"prefix": ("a",), "suffix": ("c",)},
        [("a", "b", "c"), ("a", "x", "c")],
    ),
    "prefix-and-suffix-overlap": (
        {"prefix": ("a", "b"), "suffix": ("b", "c")},
        [("a", "b", "c")],
    ),
    "depth-cuts-and-is-distinct": (
        {"max_depth": 1},
        [("*",), ("A",), ("a",), ("ab",), ("users",), ("z",)],
    ),
    "depth-two": (
        {"prefix": ("users",), "max_depth": 2},
        [("users", "1"), ("users", "2")],
    ),
    "depth-deeper-than-any": ({"prefix": ("ab",), "max_depth": 9}, [("ab", "c")]),
    "conditions-come-before-the-cut": (
        {"suffix": ("old",), "max_depth": 3},
        [("users", "2", "notes")],
    ),
    "limit": ({"limit": 2}, sorted(NAMESPACES)[:2]),
    "limit-zero": ({"limit": 0}, []),
    "offset": ({"offset": 11}, sorted(NAMESPACES)[11:]),
    "offset-past-the-end": ({"offset": 99}, []),
    "slice-comes-after-the-cut": ({"max_depth": 1, "offset": 1, "limit": 2}, [("A",), ("a",)]),
}


@pytest.mark.parametrize("case", CASES)
def test_namespaces_are_matched_cut_made_distinct_sorted_and_sliced(listed: Any, case: str) -> None:
    options, expected = CASES[case]
    assert listed.list_namespaces(**options) == expected


@pytest.mark.backends(*CHROMA)
def test_all_listings_are_right_over_every_backend(listed: Any) -> None:
    found = {case: listed.list_namespaces(**options) for case, (options, _) in CASES.items()}
    assert found == {case: expected for case, (_, expected) in CASES.items()}


def test_all_conditions_must_hold(listed: Any) -> None:
    conditions = (
        MatchCondition("prefix", ("users",)),
        MatchCondition("prefix", ("*", "2")),
        MatchCondition("suffix", ("notes",)),
    )
    assert listed.batch([ListNamespacesOp(conditions)]) == [[("users", "2", "notes")]]


def test_no_conditions_list_everything(listed: Any) -> None:
    assert listed.batch([ListNamespacesOp(None)]) == [sorted(NAMESPACES)]


def test_namespaces_are_tuples(listed: Any) -> None:
    assert all(type(namespace) is tuple for namespace in listed.list_namespaces())


@pytest.mark.parametrize(
    "options",
    [{"max_depth": 0}, {"max_depth": -1}, {"limit": -1}, {"offset": -1}],
    ids=["depth-zero", "depth-negative", "limit-negative", "offset-negative"],
)
def test_a_wrong_number_is_a_value_error(listed: Any, options: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        listed.list_namespaces(**options)


def test_the_default_limit_is_a_hundred(store: Any) -> None:
    store.batch([PutOp((f"n{n:03}",), "k", {}) for n in range(137)])
    assert len(store.list_namespaces()) == 100
    assert store.list_namespaces(offset=100) == [(f"n{n:03}",) for n in range(100, 137)]


def test_an_empty_store_has_no_namespaces(store: Any) -> None:
    assert store.list_namespaces() == []


def test_reading_a_namespace_does_not_make_it(store: Any) -> None:
    store.get(("ghost",), "k")
    store.search(("ghost",))
    store.delete(("ghost",), "k")
    assert store.list_namespaces() == []


def test_a_namespace_vanishes_with_its_last_item(store: Any) -> None:
    store.batch([PutOp(("a", "b"), key, {}) for key in "xy"])
    store.put(("a", "c"), "k", {})
    store.delete(("a", "b"), "x")
    assert store.list_namespaces() == [("a", "b"), ("a", "c")]
    store.delete(("a", "b"), "y")
    assert store.list_namespaces() == [("a", "c")]


def test_a_namespace_comes_back_with_an_item(store: Any) -> None:
    store.put(("a",), "k", {})
    store.delete(("a",), "k")
    store.put(("a",), "k", {})
    assert store.list_namespaces() == [("a",)]
