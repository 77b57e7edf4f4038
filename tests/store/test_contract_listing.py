"""search without a query: newest first, in one total order that pages can rely on."""

from typing import Any

import pytest
from langgraph.store.base import PutOp, SearchOp

from tests.store.words import Words

NS = ("a",)


def keys(items: list[Any]) -> list[str]:
    return [item.key for item in items]


def put_each(store: Any, names: str, namespace: tuple[str, ...] = NS) -> None:
    for name in names:
        store.put(namespace, name, {"name": name})


def test_the_newest_comes_first(store: Any) -> None:
    put_each(store, "bca")
    assert keys(store.search(NS)) == ["a", "c", "b"]


def test_an_overwritten_item_moves_to_the_front(store: Any) -> None:
    put_each(store, "abc")
    store.put(NS, "a", {"name": "again"})
    assert keys(store.search(NS)) == ["a", "c", "b"]


def test_items_written_together_stand_by_namespace_and_key(store: Any) -> None:
    places = [(("b",), "a"), (("a", "z"), "b"), (("a",), "c"), (("a",), "B"), (("a", "z"), "a")]
    store.batch([PutOp(namespace, key, {}) for namespace, key in places])
    found = store.search(())
    newest_first = sorted(found, key=lambda item: item.updated_at, reverse=True)
    assert [(item.namespace, item.key) for item in found] == [
        (item.namespace, item.key)
        for item in sorted(
            newest_first, key=lambda item: (-item.updated_at.timestamp(), item.namespace, item.key)
        )
    ]


def test_items_of_one_batch_have_one_time_so_their_keys_order_them(store: Any) -> None:
    store.batch([PutOp(NS, key, {}) for key in "dbeac"])
    assert keys(store.search(NS)) == ["a", "b", "c", "d", "e"]


@pytest.mark.parametrize("size", [1, 4, 7, 30])
def test_pages_neither_repeat_nor_skip(store: Any, size: int) -> None:
    store.batch([PutOp(("a", str(n % 3)), f"k{n}", {"n": n}) for n in range(23)])
    put_each(store, "xy")
    everything = store.search((), limit=1000)
    pages = store.batch([SearchOp((), None, size, start) for start in range(0, 25, size)])
    assert [item for page in pages for item in page] == everything
    assert len({(item.namespace, item.key) for item in everything}) == 25


def test_pages_hold_still_while_nothing_changes(store: Any) -> None:
    store.batch([PutOp(NS, f"k{n}", {"n": n}) for n in range(12)])
    assert store.search(NS, limit=5, offset=3) == store.search(NS, limit=5, offset=3)


def test_the_default_limit_is_ten(store: Any) -> None:
    store.batch([PutOp(NS, f"k{n}", {"n": n}) for n in range(12)])
    assert len(store.search(NS)) == 10


def test_a_limit_of_zero_gives_an_empty_list(store: Any) -> None:
    put_each(store, "a")
    assert store.search(NS, limit=0) == []


@pytest.mark.parametrize("offset", [1, 2, 10**6])
def test_an_offset_past_the_end_gives_an_empty_list(store: Any, offset: int) -> None:
    put_each(store, "a")
    assert store.search(NS, offset=offset) == []


@pytest.mark.parametrize("slice_", [{"limit": -1}, {"offset": -1}], ids=["limit", "offset"])
@pytest.mark.parametrize("query", [None, "tea"], ids=["listing", "query"])
def test_a_negative_limit_or_offset_is_a_value_error(
    indexed: Any, slice_: dict[str, int], query: str | None
) -> None:
    with pytest.raises(ValueError, match=next(iter(slice_))):
        indexed.search(NS, query=query, **slice_)


def test_a_page_is_short_only_at_the_end(store: Any) -> None:
    store.batch([PutOp(NS, f"k{n:02}", {"third": n % 3 == 0}) for n in range(60)])
    pages = [store.search(NS, filter={"third": True}, limit=8, offset=at) for at in (0, 8, 16, 24)]
    assert [len(page) for page in pages] == [8, 8, 4, 0]
    assert len({item.key for page in pages for item in page}) == 20


def test_a_prefix_takes_in_all_levels_below(store: Any) -> None:
    for namespace in [("a",), ("a", "b"), ("a", "b", "c"), ("b", "a")]:
        store.put(namespace, "k", {})
    assert {item.namespace for item in store.search(("a",))} == {
        ("a",),
        ("a", "b"),
        ("a", "b", "c"),
    }
    assert [item.namespace for item in store.search(("a", "b", "c"))] == [("a", "b", "c")]


def test_an_unknown_prefix_gives_an_empty_list(store: Any) -> None:
    put_each(store, "a")
    assert store.search(("nowhere",)) == []


def test_a_listing_has_no_scores(indexed: Any) -> None:
    put_each(indexed, "ab")
    assert [item.score for item in indexed.search(NS)] == [None, None]


def test_an_empty_query_is_a_plain_listing(indexed: Any, embedder: Words) -> None:
    indexed.put(NS, "old", {"text": "tea"})
    indexed.put(NS, "new", {"text": "coffee"})
    found = indexed.search(NS, query="")
    assert {(item.key, item.score) for item in found} == {("new", None), ("old", None)}
    assert embedder.queries == []


def test_a_blank_is_a_real_query(indexed: Any, embedder: Words) -> None:
    indexed.put(NS, "k", {"text": "tea"})
    assert indexed.search(NS, query=" ")[0].score == 0.0
    assert embedder.queries == [" "]
