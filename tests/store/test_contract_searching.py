"""search with a query: cosine similarity, exact slices, unscored items last."""

from collections.abc import Callable
from typing import Any

import pytest
from langgraph.store.base import PutOp, SearchOp

from tests.store.backends import CHROMA, Place, words_index
from tests.store.corpora import QUERIES, brute_force, corpus
from tests.store.words import Words

NS = ("a",)
POINTS = {
    "east": [1.0, 0.0],
    "northeast": [1.0, 1.0],
    "north": [0.0, 1.0],
    "far north": [0.0, 250.0],
    "west": [-1.0, 0.0],
    "nowhere": [0.0, 0.0],
}


def keys(items: list[Any]) -> list[str]:
    return [item.key for item in items]


@pytest.fixture
def compass(place: Place) -> Any:
    """A store whose texts are points of the compass."""
    return place.open(index=words_index(Words(POINTS.__getitem__), ["text"], dims=2))


def put_points(store: Any, *names: str, namespace: tuple[str, ...] = NS) -> None:
    store.batch([PutOp(namespace, name, {"text": name}) for name in names])


def test_the_score_is_cosine_similarity_best_first(compass: Any) -> None:
    put_points(compass, "west", "north", "northeast", "east")
    found = compass.search(NS, query="east")
    assert keys(found) == ["east", "northeast", "north", "west"]
    assert [item.score for item in found] == pytest.approx([1, 0.5**0.5, 0, -1], abs=1e-5)


def test_the_length_of_a_vector_does_not_matter(compass: Any) -> None:
    put_points(compass, "far north", "northeast")
    assert [item.score for item in compass.search(NS, query="north")] == pytest.approx(
        [1, 0.5**0.5], abs=1e-5
    )


def test_scores_stay_within_minus_one_and_one(indexed: Any) -> None:
    indexed.batch([PutOp(NS, str(n), {"text": "a b c " * n + "d"}) for n in range(1, 9)])
    for query in ("a b c d", "d", "a a a b c d"):
        assert all(-1 <= item.score <= 1 for item in indexed.search(NS, query=query))


def test_scores_are_plain_floats(compass: Any) -> None:
    put_points(compass, "east")
    assert type(compass.search(NS, query="north")[0].score) is float


def test_a_zero_vector_scores_zero(compass: Any) -> None:
    put_points(compass, "nowhere", "east", "west")
    found = compass.search(NS, query="east")
    assert [(item.key, item.score) for item in found][1] == ("nowhere", 0.0)


def test_a_zero_query_scores_zero_everywhere(compass: Any) -> None:
    put_points(compass, "nowhere", "east", "west")
    found = compass.search(NS, query="nowhere")
    assert [(item.key, item.score) for item in found] == [
        ("east", 0.0),
        ("nowhere", 0.0),
        ("west", 0.0),
    ]


def test_equal_scores_stand_by_namespace_and_key(compass: Any) -> None:
    places = [(("b",), "a"), (("a", "z"), "b"), (("a",), "c"), (("a",), "B"), (("a", "z"), "a")]
    compass.batch([PutOp(namespace, key, {"text": "north"}) for namespace, key in places])
    found = compass.search((), query="northeast")
    assert [(item.namespace, item.key) for item in found] == sorted(places)


def test_an_items_score_is_the_best_over_its_vectors(place: Place) -> None:
    store = place.open(index=words_index(Words(POINTS.__getitem__), ["texts[*]"], dims=2))
    store.put(NS, "both", {"texts": ["west", "east", "north"]})
    store.put(NS, "one", {"texts": ["northeast"]})
    found = store.search(NS, query="east")
    assert keys(found) == ["both", "one"]
    assert found[0].score == pytest.approx(1.0)


@pytest.mark.parametrize("limit", [1, 2, 3, 10])
def test_an_item_with_many_vectors_takes_one_place(place: Place, limit: int) -> None:
    store = place.open(index=words_index(Words(), ["texts[*]"]))
    store.put(
        NS, "six", {"texts": ["tea", "tea tea", "tea tea tea", "green tea", "tea leaf", "tea pot"]}
    )
    store.batch([PutOp(NS, f"one{n}", {"texts": [f"tea and number{n}"]}) for n in range(4)])
    found = store.search(NS, query="tea", limit=limit)
    assert len(found) == min(limit, 5)
    assert len({item.key for item in found}) == len(found)
    assert found[0].key == "six"


def near(n: int) -> str:
    """One of many texts that mean the same as "green tea"."""
    return "green tea " * (n + 1)


def test_the_prefix_applies_before_ranking(indexed: Any) -> None:
    indexed.batch([PutOp(("near",), f"k{n}", {"text": near(n)}) for n in range(60)])
    indexed.put(("far", "away"), "rare", {"text": "motorway tea"})
    found = indexed.search(("far",), query="green tea", limit=3)
    assert keys(found) == ["rare"]
    assert found[0].score == pytest.approx(0.5)


def test_the_filter_applies_before_ranking(indexed: Any) -> None:
    indexed.batch([PutOp(NS, f"k{n}", {"text": near(n), "n": n}) for n in range(60)])
    indexed.put(NS, "rare", {"text": "motorway", "n": -1})
    found = indexed.search(NS, query="green tea", filter={"n": {"$lt": 0}}, limit=3)
    assert keys(found) == ["rare"]


def test_limit_and_offset_slice_one_total_order(indexed: Any) -> None:
    indexed.batch([PutOp(NS, f"k{n:02}", {"text": "tea " + "leaf " * n}) for n in range(30)])
    everything = indexed.search(NS, query="tea", limit=100)
    pages = indexed.batch([SearchOp(NS, None, 10, at, "tea") for at in (0, 10, 20, 30)])
    assert [len(page) for page in pages] == [10, 10, 10, 0]
    assert [item for page in pages for item in page] == everything
    assert keys(everything) == [f"k{n:02}" for n in range(30)]


def test_items_without_vectors_follow_the_scored_ones(indexed: Any) -> None:
    indexed.put(NS, "scored", {"text": "coffee"})
    indexed.put(NS, "off", {"text": "tea"}, index=False)
    indexed.put(NS, "textless", {"other": "tea"})
    found = indexed.search(NS, query="tea")
    assert (found[0].key, found[0].score) == ("scored", pytest.approx(0.0))
    assert {(item.key, item.score) for item in found[1:]} == {("off", None), ("textless", None)}


def test_offset_counts_items_without_vectors(indexed: Any) -> None:
    indexed.batch([PutOp(NS, f"scored{n}", {"text": f"tea{n}"}) for n in range(5)])
    indexed.batch([PutOp(NS, f"unscored{n}", {"n": n}) for n in range(7)])
    everything = indexed.search(NS, query="tea1", limit=100)
    assert [item.score is None for item in everything] == [False] * 5 + [True] * 7
    pages = [indexed.search(NS, query="tea1", limit=4, offset=at) for at in (0, 4, 8, 12)]
    assert [keys(page) for page in pages] == [
        keys(everything[:4]),
        keys(everything[4:8]),
        keys(everything[8:]),
        [],
    ]


@pytest.mark.parametrize("query", ["tea", " ", ""], ids=["word", "blank", "empty"])
def test_without_an_index_a_query_is_a_plain_listing(store: Any, query: str) -> None:
    store.put(NS, "old", {"text": "tea"})
    store.put(NS, "new", {"text": "coffee"})
    found = store.search(NS, query=query)
    assert {(item.key, item.score) for item in found} == {("new", None), ("old", None)}


def test_a_query_on_an_empty_store_gives_an_empty_list(indexed: Any) -> None:
    assert indexed.search((), query="tea") == []
    assert indexed.search(("nowhere",), query="tea") == []


def test_a_limit_of_zero_gives_an_empty_list(indexed: Any) -> None:
    indexed.put(NS, "k", {"text": "tea"})
    assert indexed.search(NS, query="tea", limit=0) == []


def test_several_queries_in_a_batch_are_each_answered(indexed: Any) -> None:
    indexed.batch([PutOp(NS, text, {"text": text}) for text in ("tea", "coffee", "water")])
    queries = ["water", "tea", "water", "coffee"]
    results = indexed.batch([SearchOp(NS, query=query, limit=1) for query in queries])
    assert [keys(found) for found in results] == [[query] for query in queries]


# --- many vectors --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def crowd(backend: str, place_at: Callable[..., Place]) -> Any:
    """600 vectors, half of them identical, in two namespaces."""
    store = place_at(backend).open(index=words_index(Words(), ["text"]))
    texts = corpus(600, same=300)
    store.batch(
        [PutOp((f"n{n % 2}",), key, {"text": text}) for n, (key, text) in enumerate(texts.items())]
    )
    return store


@pytest.mark.backends(*CHROMA)
@pytest.mark.parametrize("limit", [1, 10, 290, 400, 1000])
def test_up_to_2000_vectors_are_answered_as_by_brute_force(crowd: Any, limit: int) -> None:
    texts = corpus(600, same=300)
    for query in QUERIES:
        found = crowd.search((), query=query, limit=limit)
        assert [item.score for item in found] == pytest.approx(
            brute_force(texts, query, limit), abs=1e-5
        )


@pytest.mark.backends(*CHROMA)
def test_a_prefix_is_answered_as_by_brute_force(crowd: Any) -> None:
    texts = {key: text for n, (key, text) in enumerate(corpus(600, same=300).items()) if n % 2}
    for query in QUERIES:
        found = crowd.search(("n1",), query=query, limit=40)
        assert [item.score for item in found] == pytest.approx(
            brute_force(texts, query, 40), abs=1e-5
        )


@pytest.mark.backends(*CHROMA)
def test_identical_vectors_stand_by_namespace_and_key(crowd: Any) -> None:
    found = crowd.search((), query="tea with milk", limit=300)
    assert [(item.namespace, item.key) for item in found] == sorted(
        ((f"n{n % 2}",), f"k{n:05}") for n in range(300)
    )
