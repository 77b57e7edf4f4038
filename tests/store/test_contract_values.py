"""Values and times: what goes in comes back, and when it was written is kept."""

from collections import OrderedDict
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any

import pytest
from langgraph.store.base import PutOp

from store.conformance.bench import same

NS = ("a",)

VALUES: dict[str, dict[str, Any]] = {
    "empty": {},
    "zero": {"v": 0},
    "false": {"v": False},
    "true": {"v": True},
    "one": {"v": 1},
    "null": {"v": None},
    "empty-text": {"v": ""},
    "empty-list": {"v": []},
    "empty-dict": {"v": {}},
    "zero-float": {"v": 0.0},
    "whole-float": {"v": 5.0},
    "tiny-float": {"v": 5e-324},
    "many-digits": {"v": 0.1 + 0.2},
    "past-2^53": {"v": 2**53 + 1},
    "below-minus-2^53": {"v": -(2**53) - 1},
    "past-2^64": {"v": 2**64 + 1},
    "mixed-list": {"v": [1, "a", None, True, 1.5, [], {}]},
    "lists-in-lists": {"v": [[[]], [[1], []]]},
    "deep": {"v": {"a": {"b": [{"c": {"d": [0, {"e": None}]}}]}}},
    "unicode": {"v": "żółć 你好 🧠 \u200d é e\u0301"},
    "control-characters": {"v": "\x00\x01\n\r\t\x7f\u2028"},
    "quotes": {"v": "\"'`\\"},
    "html": {"v": "<script>alert(1)</script>"},
    "looks-like-json": {"v": '{"a": [1]}'},
    "long-text": {"v": "word " * 20_000},
    "many-keys": {f"k{n}": n for n in range(300)},
    "odd-keys": {"": 1, "a.b": 2, "$": 3, "$gt": 4, " ": 5, "\n": 6, "ключ": 7},
    "names-of-ours": {"value": 1, "key": 2, "namespace": 3, "score": 4, "v": 5, "u": 6, "p1": 7},
    "case-C13": {
        "tags": [],
        "n": {"x": 1},
        "ok": False,
        "z": None,
        "l": [1, "a"],
        "f": 0.0,
        "big": 9007199254740993,
    },
}


@pytest.mark.parametrize("name", VALUES)
def test_a_value_comes_back_equal_types_included(store: Any, name: str) -> None:
    store.put(NS, "k", VALUES[name])
    assert same(store.get(NS, "k").value, VALUES[name])
    assert same(store.search(NS)[0].value, VALUES[name])


def test_an_overwrite_leaves_nothing_of_the_old_value(store: Any) -> None:
    store.put(NS, "k", {"a": 1, "b": {"c": 2}})
    store.put(NS, "k", {"b": {"d": 3}})
    assert store.get(NS, "k").value == {"b": {"d": 3}}


MAPPINGS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "ordered": OrderedDict,
    "read-only": MappingProxyType,
}


@pytest.mark.parametrize("kind", MAPPINGS)
def test_any_mapping_becomes_a_dict(store: Any, kind: str) -> None:
    store.put(NS, "k", MAPPINGS[kind]({"b": 1, "a": {"c": 2}}))
    assert same(store.get(NS, "k").value, {"b": 1, "a": {"c": 2}})


NOT_MAPPINGS: dict[str, Any] = {
    "list": ["a"],
    "empty-list": [],
    "pairs": [("a", 1)],
    "tuple": ("a",),
    "text": "text",
    "int": 5,
    "float": 1.5,
    "bool": True,
}


@pytest.mark.parametrize("kind", NOT_MAPPINGS)
def test_anything_but_a_mapping_is_refused(store: Any, kind: str) -> None:
    with pytest.raises((TypeError, ValueError)):
        store.put(NS, "k", NOT_MAPPINGS[kind])
    assert store.get(NS, "k") is None


def test_none_deletes(store: Any) -> None:
    store.put(NS, "k", {"n": 1})
    store.put(NS, "k", None)
    assert store.get(NS, "k") is None
    assert store.search(()) == []


def test_delete_removes_one_item_only(store: Any) -> None:
    store.batch([PutOp(NS, key, {"n": 1}) for key in "ab"])
    store.delete(NS, "a")
    assert [item.key for item in store.search(())] == ["b"]


def test_deleting_a_missing_key_is_a_no_op(store: Any) -> None:
    store.delete(NS, "never")
    store.put(NS, "k", {"n": 1})
    store.delete(NS, "k")
    store.delete(NS, "k")
    assert store.search(()) == []


READS: dict[str, Callable[[Any], Any]] = {
    "get": lambda store: store.get(NS, "k"),
    "search": lambda store: store.search(NS)[0],
}


@pytest.mark.parametrize("read", READS)
def test_changing_a_returned_value_changes_nothing_stored(store: Any, read: str) -> None:
    store.put(NS, "k", {"list": [1], "dict": {"a": 1}})
    found = READS[read](store)
    found.value["list"].append(2)
    found.value["dict"]["b"] = 2
    found.value["new"] = 1
    assert store.get(NS, "k").value == {"list": [1], "dict": {"a": 1}}


def test_changing_a_value_after_putting_it_changes_nothing_stored(store: Any) -> None:
    value: dict[str, Any] = {"list": [1]}
    store.put(NS, "k", value)
    value["list"].append(2)
    assert store.get(NS, "k").value == {"list": [1]}


def test_results_of_one_batch_share_no_values(store: Any) -> None:
    store.put(NS, "k", {"list": [1]})
    first, second = store.search(NS), store.search(NS)
    first[0].value["list"].append(2)
    assert second[0].value == {"list": [1]}


# --- times ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("again", [{"n": 2}, {"n": 1}], ids=["another-value", "the-same-value"])
def test_an_overwrite_keeps_created_and_moves_updated(store: Any, again: dict[str, Any]) -> None:
    store.put(NS, "k", {"n": 1})
    first = store.get(NS, "k")
    store.put(NS, "k", again)
    second = store.get(NS, "k")
    assert second.created_at == first.created_at
    assert second.updated_at > first.updated_at


def test_a_new_item_is_created_when_it_is_updated(store: Any) -> None:
    store.put(NS, "k", {"n": 1})
    found = store.get(NS, "k")
    assert found.created_at == found.updated_at


def test_a_deleted_item_put_again_is_a_new_one(store: Any) -> None:
    store.put(NS, "k", {"n": 1})
    first = store.get(NS, "k")
    store.delete(NS, "k")
    store.put(NS, "k", {"n": 1})
    assert store.get(NS, "k").created_at > first.created_at


@pytest.mark.parametrize("read", READS)
def test_times_are_utc_and_about_now(store: Any, read: str) -> None:
    before = datetime.now(UTC)
    store.put(NS, "k", {"n": 1})
    found = READS[read](store)
    for moment in (found.created_at, found.updated_at):
        assert moment.utcoffset() == timedelta(0)
        assert before <= moment <= datetime.now(UTC)


def test_times_have_microseconds(store: Any) -> None:
    store.batch([PutOp(NS, str(n), {"n": n}) for n in range(2)])
    for n in range(2, 6):
        store.put(NS, str(n), {"n": n})
    assert any(item.updated_at.microsecond % 1000 for item in store.search(NS))


def test_reading_moves_no_time(store: Any) -> None:
    store.put(NS, "k", {"n": 1})
    first = store.get(NS, "k")
    store.search(NS)
    assert store.get(NS, "k") == first


def test_get_and_search_tell_the_same(store: Any) -> None:
    store.put(NS, "k", {"n": 1})
    one, other = store.get(NS, "k"), store.search(NS)[0]
    assert (one.namespace, one.key, one.value) == (other.namespace, other.key, other.value)
    assert (one.created_at, one.updated_at) == (other.created_at, other.updated_at)
