"""Batches: one result per operation, reads before writes, all or nothing."""

from datetime import UTC, datetime
from typing import Any

import pytest
from langgraph.store.base import GetOp, ListNamespacesOp, MatchCondition, PutOp, SearchOp

from tests.store.backends import Place, words_index
from tests.store.words import DIMS, Broken, Words

NS = ("a",)
GOOD = {"text": "good"}


def listing(**options: Any) -> ListNamespacesOp:
    return ListNamespacesOp(match_conditions=(), **options)


# --- results -------------------------------------------------------------------------------------


def test_results_stand_in_the_order_of_the_operations(store: Any) -> None:
    store.put(NS, "k", GOOD)
    put, found, listed, deleted, searched, missing = store.batch(
        [
            PutOp(NS, "new", GOOD),
            GetOp(NS, "k"),
            listing(),
            PutOp(NS, "k", None),
            SearchOp(NS),
            GetOp(NS, "none"),
        ]
    )
    assert (put, found.key, listed, deleted) == (None, "k", [NS], None)
    assert ([item.key for item in searched], missing) == (["k"], None)


def test_an_empty_batch_gives_an_empty_list(store: Any) -> None:
    assert store.batch([]) == []


def test_a_generator_of_operations_is_accepted(store: Any) -> None:
    assert store.batch(PutOp(NS, str(n), GOOD) for n in range(3)) == [None, None, None]
    assert len(store.search(NS)) == 3


# --- the order of effects ------------------------------------------------------------------------

READS = {
    "get": (GetOp(NS, "k"), lambda item: item.value),
    "search": (SearchOp(NS), lambda items: items[0].value),
    "filtered": (SearchOp(NS, {"text": "old"}), lambda items: items[0].value),
}


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("place_of_put", [0, 1], ids=["put-first", "put-last"])
def test_reads_of_a_batch_see_the_state_before_it(store: Any, read: str, place_of_put: int) -> None:
    store.put(NS, "k", {"text": "old"})
    op, value_of = READS[read]
    ops = [op]
    ops.insert(place_of_put, PutOp(NS, "k", {"text": "new"}))
    assert value_of(store.batch(ops)[1 - place_of_put]) == {"text": "old"}
    assert store.get(NS, "k").value == {"text": "new"}


def test_put_then_get_of_a_new_key_gives_none(store: Any) -> None:
    assert store.batch([PutOp(NS, "k", GOOD), GetOp(NS, "k")]) == [None, None]


def test_a_batch_lists_only_the_namespaces_from_before(store: Any) -> None:
    store.put(NS, "k", GOOD)
    results = store.batch([PutOp(("b",), "k", GOOD), PutOp(NS, "k", None), listing()])
    assert results[2] == [NS]
    assert store.list_namespaces() == [("b",)]


@pytest.mark.parametrize(
    ("values", "kept"),
    [
        ([{"n": 1}, {"n": 2}], {"n": 2}),
        ([{"n": 1}, None], None),
        ([None, {"n": 2}], {"n": 2}),
        ([{"n": 1}, None, {"n": 3}], {"n": 3}),
    ],
    ids=["two-puts", "put-delete", "delete-put", "put-delete-put"],
)
@pytest.mark.parametrize("before", [None, {"n": 0}], ids=["new", "known"])
def test_the_last_write_of_a_key_in_a_batch_wins(
    store: Any, values: list[Any], kept: Any, before: Any
) -> None:
    if before:
        store.put(NS, "k", before)
    store.batch([PutOp(NS, "k", value) for value in values])
    found = store.get(NS, "k")
    assert (found and found.value) == kept


# --- embedding -----------------------------------------------------------------------------------


def test_a_superseded_text_is_never_embedded(indexed: Any, embedder: Words) -> None:
    indexed.batch([PutOp(NS, "k", {"text": "old"}), PutOp(NS, "k", {"text": "new"})])
    indexed.batch([PutOp(NS, "j", {"text": "gone"}), PutOp(NS, "j", None)])
    assert embedder.texts == ["new"]


def test_a_batch_embeds_once_and_each_distinct_text_once(indexed: Any, embedder: Words) -> None:
    texts = ["tea", "coffee", "tea", "water"]
    indexed.batch([PutOp(NS, str(n), {"text": text}) for n, text in enumerate(texts)])
    assert [sorted(call) for call in embedder.documents] == [["coffee", "tea", "water"]]


def test_the_same_text_may_stand_in_several_items_of_a_batch(indexed: Any) -> None:
    indexed.batch([PutOp(NS, key, {"text": "green tea"}) for key in "abc"])
    found = indexed.search(NS, query="green tea")
    assert [(item.key, item.score) for item in found] == [
        (key, pytest.approx(1.0)) for key in "abc"
    ]


def test_a_batch_of_deletes_embeds_nothing(indexed: Any, embedder: Words) -> None:
    indexed.batch([PutOp(NS, "k", None), PutOp(NS, "j", None)])
    assert embedder.documents == []


# --- all or nothing ------------------------------------------------------------------------------

INVALID_OPS = {
    "unknown-type": ("get", "a", "k"),
    "put-namespace": PutOp(("a", ""), "k", GOOD),
    "put-root": PutOp((), "k", GOOD),
    "get-namespace": GetOp(("a.b",), "k"),
    "search-namespace": SearchOp(("a\0b",)),
    "list-namespace": ListNamespacesOp((MatchCondition("prefix", ("a.b",)),)),
    "list-match-type": ListNamespacesOp((MatchCondition("infix", ("a",)),)),  # type: ignore[arg-type]
    "value-list": PutOp(NS, "k", ["text"]),  # type: ignore[arg-type]
    "value-not-json": PutOp(NS, "k", {"when": datetime.now(UTC)}),
    "ttl-text": PutOp(NS, "k", GOOD, ttl="soon"),  # type: ignore[arg-type]
    "ttl-nan": PutOp(NS, "k", GOOD, ttl=float("nan")),
    "ttl-past-any-date": PutOp(NS, "k", GOOD, ttl=1e12),
    "filter-operator": SearchOp(NS, {"n": {"$in": [1]}}),
    "filter-top": SearchOp(NS, {"$not": []}),
    "limit": SearchOp(NS, limit=-1),
    "offset": SearchOp(NS, offset=-1),
    "list-limit": listing(limit=-1),
    "list-offset": listing(offset=-1),
    "list-depth": listing(max_depth=0),
}


@pytest.mark.parametrize("bad", INVALID_OPS)
def test_an_invalid_operation_fails_the_batch_before_anything_is_written(
    store: Any, bad: str
) -> None:
    with pytest.raises((ValueError, TypeError)):
        store.batch([PutOp(NS, "before", GOOD), INVALID_OPS[bad], PutOp(NS, "after", GOOD)])
    assert store.search(()) == []


NOT_JSON = {
    "datetime": datetime.now(UTC),
    "bytes": b"x",
    "set": {1},
    "nan": float("nan"),
    "infinity": float("inf"),
    "minus-infinity": float("-inf"),
    "lone-surrogate": "a\ud800b",
    "surrogate-key": {"\udfff": 1},
    "number-as-key": {1: "one"},
    "object": object(),
    "complex": 1j,
}


@pytest.mark.parametrize("kind", NOT_JSON)
def test_a_value_json_cannot_hold_is_refused_by_its_path(store: Any, kind: str) -> None:
    with pytest.raises((TypeError, ValueError), match=r"outer.*list.*1"):
        store.put(NS, "k", {"fine": 1, "outer": {"list": [0, NOT_JSON[kind]]}})
    assert store.get(NS, "k") is None


def test_a_value_that_holds_itself_is_refused(store: Any) -> None:
    value: dict[str, Any] = {}
    value["inside"] = [value]
    with pytest.raises((TypeError, ValueError)):
        store.put(NS, "k", value)
    assert store.get(NS, "k") is None


UNUSABLE_ANSWERS = {
    "too-few": lambda vectors: vectors[:-1],
    "too-many": lambda vectors: [*vectors, vectors[0]],
    "none": lambda vectors: None,
    "wrong-size": lambda vectors: [vector[:-1] for vector in vectors],
    "one-wrong-size": lambda vectors: [vectors[0], *(vector[:-1] for vector in vectors[1:])],
    "nan": lambda vectors: [[float("nan"), *vector[1:]] for vector in vectors],
    "infinity": lambda vectors: [[float("inf"), *vector[1:]] for vector in vectors],
    "text": lambda vectors: [["x", *vector[1:]] for vector in vectors],
}


@pytest.mark.parametrize("answer", UNUSABLE_ANSWERS)
def test_an_unusable_answer_of_the_embedder_stores_nothing(place: Place, answer: str) -> None:
    embedder = Broken()
    store = place.open(index=words_index(embedder, ["text"]))
    store.put(NS, "known", {"text": "old words"})
    embedder.answer = UNUSABLE_ANSWERS[answer]
    with pytest.raises((ValueError, TypeError, RuntimeError)):
        store.batch(
            [PutOp(NS, "known", {"text": "other words"}), PutOp(NS, "new", {"text": "more"})]
        )
    embedder.answer = None
    found = store.search((), query="old words")
    assert [(item.key, item.value["text"]) for item in found] == [("known", "old words")]
    assert found[0].score == pytest.approx(1.0)


def test_a_failing_embedder_stores_nothing(place: Place) -> None:
    embedder = Broken()
    store = place.open(index=words_index(embedder, ["text"]))
    store.put(NS, "known", {"text": "old words"})

    def fail(vectors: Any) -> None:
        raise RuntimeError("out of credit")

    embedder.answer = fail
    with pytest.raises(RuntimeError, match="out of credit"):
        store.batch([PutOp(NS, "known", {"text": "other"}), PutOp(NS, "new", {"text": "more"})])
    embedder.answer = None
    found = store.search((), query="old words")
    assert [(item.value["text"], item.score) for item in found] == [
        ("old words", pytest.approx(1.0))
    ]


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        ("too-few", r"\b1\b.*\b2\b|\b2\b.*\b1\b"),
        ("wrong-size", str(DIMS - 1)),
        ("nan", "(?i)nan|finite"),
    ],
    ids=["too-few", "wrong-size", "nan"],
)
def test_the_error_names_what_the_embedder_gave(place: Place, answer: str, named: str) -> None:
    embedder = Broken()
    store = place.open(index=words_index(embedder, ["text"]))
    embedder.answer = UNUSABLE_ANSWERS[answer]
    with pytest.raises((ValueError, RuntimeError), match=named):
        store.batch([PutOp(NS, key, {"text": f"words {key}"}) for key in "ab"])
