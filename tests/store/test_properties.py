"""Random histories on every backend against the oracle, and round trips of random things."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from langgraph.store.base import Op, PutOp, SearchOp

from store.conformance.bench import same
from tests import strategies
from tests.store.backends import CHROMA, Place, words_index
from tests.store.oracle import Hit, Oracle, passes
from tests.store.words import Words, cosine, words_vector

pytestmark = pytest.mark.backends(*CHROMA)

Histories = list[list[Op]]


@pytest.fixture
def fresh(backend: str, mode: Any, place_at: Callable[..., Place]) -> Callable[[], Any]:
    """Gives an empty store for each example."""

    def make(**options: Any) -> Any:
        return place_at(backend, mode).open(**options)

    return make


def as_hits(items: list[Any]) -> list[Hit]:
    return [Hit((item.namespace, item.key), item.score) for item in items]


def check_answer(store: Any, op: Op, given: Any, expected: Any) -> None:
    if not isinstance(op, SearchOp):
        assert same(getattr(given, "value", given), expected), op
        return
    hits = as_hits(given)
    assert [hit.place for hit in hits] == [hit.place for hit in expected], op
    assert [hit.score for hit in hits] == pytest.approx(
        [hit.score for hit in expected], abs=1e-5
    ), op


def check_history(store: Any, oracle: Oracle, history: Histories) -> None:
    for ops in history:
        expected = oracle.batch(ops)
        for op, one, other in zip(ops, store.batch(ops), expected, strict=True):
            check_answer(store, op, one, other)
        adopt_times(store, oracle)


def adopt_times(store: Any, oracle: Oracle) -> None:
    """Compare everything stored, and let the oracle know when it was written."""
    items = {(item.namespace, item.key): item for item in store.search((), limit=10_000)}
    assert items.keys() == oracle.rows.keys()
    for place, row in oracle.rows.items():
        assert same(items[place].value, row.value)
        if row.written != oracle.turn:
            assert items[place].updated_at == row.time
        row.time = items[place].updated_at
    assert list(items) == oracle.listing()
    check_clock(items, oracle)


def check_clock(items: dict[Any, Any], oracle: Oracle) -> None:
    """Later batches have later times, for the first and for the last write."""
    for moment, turn in (("updated_at", "written"), ("created_at", "born")):
        by_time = sorted(oracle.rows, key=lambda place: getattr(items[place], moment))
        turns = [getattr(oracle.rows[place], turn) for place in by_time]
        assert turns == sorted(turns), moment


@pytest.mark.backends("ephemeral", "warm")
@given(history=strategies.histories)
@settings(max_examples=40)
def test_any_history_gives_what_the_contract_says(
    fresh: Callable[..., Any], history: Histories
) -> None:
    fields = ["text", "tags[*]"]
    check_history(fresh(index=words_index(Words(), fields)), Oracle(tuple(fields)), history)


@given(history=strategies.histories)
@settings(max_examples=6)
def test_any_history_gives_the_same_over_every_backend(
    fresh: Callable[..., Any], history: Histories
) -> None:
    check_history(fresh(index=words_index(Words())), Oracle(), history)


@pytest.mark.backends("ephemeral")
@given(history=strategies.histories)
@settings(max_examples=20)
def test_any_history_without_an_index(fresh: Callable[..., Any], history: Histories) -> None:
    check_history(fresh(), Oracle(embed=None), history)


# --- round trips ---------------------------------------------------------------------------------


@given(
    items=st.dictionaries(
        st.tuples(strategies.namespaces, strategies.keys), strategies.values, max_size=8
    )
)
@example(items={(("%2E", "#", "~0"), "~0"): {"v": 1}, (("%", "2E"), ""): {"": {}}})
@settings(max_examples=8)
def test_any_namespace_key_and_value_comes_back(
    fresh: Callable[..., Any], items: dict[Any, Any]
) -> None:
    store = fresh()
    store.batch([PutOp(namespace, key, value) for (namespace, key), value in items.items()])
    found = {(item.namespace, item.key): item.value for item in store.search((), limit=100)}
    assert found.keys() == items.keys()
    assert all(same(found[place], items[place]) for place in items)
    assert store.list_namespaces() == sorted({namespace for namespace, _ in items})
    for (namespace, key), value in items.items():
        assert same(store.get(namespace, key).value, value)
        assert {item.namespace for item in store.search(namespace, limit=100)} == {
            other for other, _ in items if other[: len(namespace)] == namespace
        }


@pytest.mark.backends("ephemeral")
@given(rows=st.lists(strategies.few_values, max_size=12), conditions=st.lists(strategies.filters))
@example(rows=[{"n.a": 1, "n": {"a": 2}}, {"n": {}}], conditions=[{"n.a": 1}, {"n.a": None}])
def test_any_filter_selects_what_the_contract_says(
    fresh: Callable[..., Any], rows: list[dict[str, Any]], conditions: list[dict[str, Any]]
) -> None:
    store = fresh()
    store.batch([PutOp(("a",), str(n), value) for n, value in enumerate(rows)])
    answers = store.batch([SearchOp((), condition, limit=100) for condition in conditions])
    for condition, found in zip(conditions, answers, strict=True):
        expected = {str(n) for n, value in enumerate(rows) if passes(value, condition)}
        assert {item.key for item in found} == expected, condition


@pytest.mark.backends("ephemeral")
@given(value=strategies.values)
def test_any_value_is_found_by_each_of_its_fields(
    fresh: Callable[..., Any], value: dict[str, Any]
) -> None:
    fields = {key: wanted for key, wanted in value.items() if not key.startswith("$")}
    exact = [{key: {"$eq": wanted}} for key, wanted in fields.items()]
    store = fresh()
    store.put(("a",), "k", value)
    assert all(store.batch([SearchOp((), condition) for condition in exact]))


# --- by meaning ----------------------------------------------------------------------------------


@given(
    texts=st.lists(strategies.few_words, max_size=30),
    query=strategies.few_words.filter(bool),
    limit=st.integers(1, 40),
)
@settings(max_examples=6)
def test_a_query_equals_brute_force(
    fresh: Callable[..., Any], texts: list[str], query: str, limit: int
) -> None:
    store = fresh(index=words_index(Words(), ["text"]))
    store.batch([PutOp(("a",), f"k{n}", {"text": text}) for n, text in enumerate(texts) if text])
    point = words_vector(query)
    best = sorted((cosine(point, words_vector(text)) for text in texts if text), reverse=True)
    found = store.search((), query=query, limit=limit)
    assert [item.score for item in found] == pytest.approx(best[:limit], abs=1e-5)
