"""What a search gives, and that nothing unscored is ever a hit."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import chromadb
import pytest

from dashboard import searching, whynot
from dashboard.scoring import measure
from dashboard.searching import Outcome, Search, hides
from dashboard.wordindexes import WordIndexes
from store import ChromaStore, Memory
from tests.store.words import Words

ANIMALS = ("cat", "dog", "horse", "sheep", "goat", "duck", "hen", "cow")


@pytest.fixture
def store() -> Iterator[ChromaStore]:
    client = chromadb.EphemeralClient()
    for collection in client.list_collections():
        client.delete_collection(collection.name)
    with ChromaStore.open(client, index={"embed": Words(), "fields": ["text"]}) as opened:
        yield opened


def put(store: ChromaStore, key: str, text: str, *labels: str, **more: Any) -> None:
    index = more.pop("index", None)
    store.put(labels or ("pets",), key, {"text": text, **more}, index=index)


def meaning(store: ChromaStore, query: str, **options: Any) -> Outcome:
    return searching.by_meaning(store, Search(query, **options), measure(store))


def words(store: ChromaStore, query: str, **options: Any) -> Outcome:
    search = Search(query, **options)
    index = WordIndexes(store).get(search.scope).index
    assert index is not None
    return searching.by_words(store, search, index)


def keys(outcome: Outcome) -> list[str]:
    return [hit.memory.key for hit in outcome.hits]


@pytest.mark.parametrize("find", [meaning, words])
def test_the_best_hit_comes_first_with_its_score_and_field(store: ChromaStore, find: Any) -> None:
    put(store, "1", "the brown dog sleeps")
    put(store, "2", "green tea")
    first = find(store, "brown dog", limit=5).hits[0]
    assert (first.rank, first.memory.key, first.path) == (1, "1", "text")
    assert first.score > 0


@pytest.mark.parametrize("find", [meaning, words])
def test_nothing_found_is_told_apart_from_nothing_there(store: ChromaStore, find: Any) -> None:
    assert find(store, "dog").state == "empty store"
    put(store, "1", "green tea")
    empty = find(store, "dog", scope=("nobody",))
    assert (empty.state, empty.summary) == (
        "empty scope",
        "This namespace is empty: nothing to search.",
    )
    missed = find(store, "tea", filter={"kind": {"$eq": "none"}})
    assert missed.state == "no match"
    assert missed.summary.startswith("0 of 1 matched: no memory here passes the filter.")


@pytest.mark.parametrize("find", [meaning, words])
def test_no_question_is_no_search(store: ChromaStore, find: Any) -> None:
    put(store, "1", "green tea")
    assert find(store, "  ").state == "idle"


def test_a_store_without_an_index_says_so_and_shows_nothing() -> None:
    client = chromadb.EphemeralClient()
    with ChromaStore.open(client, index=None, name="no-index") as store:
        put(store, "1", "support group on tuesdays")
        outcome = meaning(store, "support group")
        assert (outcome.state, outcome.hits) == ("off", ())
        assert "off" in outcome.summary
        assert keys(words(store, "support group")) == ["1"]


def test_a_failing_embedder_is_told_and_words_still_work() -> None:
    class Failing(Words):
        def embed_query(self, text: str) -> list[float]:
            raise ConnectionError("no answer from the embeddings server")

    client = chromadb.EphemeralClient()
    with ChromaStore.open(client, index={"embed": Failing()}, name="failing") as store:
        put(store, "1", "green tea")
        outcome = meaning(store, "tea")
        assert (outcome.state, outcome.hits) == ("failed", ())
        assert "no answer from the embeddings server" in outcome.summary
        assert keys(words(store, "tea")) == ["1"]


def test_memories_without_vectors_are_not_hits_by_meaning(store: ChromaStore) -> None:
    put(store, "1", "green tea", index=False)
    assert meaning(store, "green tea").state == "off"
    put(store, "2", "black tea", "others")
    assert keys(meaning(store, "green tea")) == ["2"]
    outcome = meaning(store, "green tea", scope=("pets",))
    assert outcome.state == "no match"
    assert outcome.summary.startswith("0 of 1 matched: none of the memories here has an embedding")


def test_the_threshold_hides_and_tells_how_many(store: ChromaStore) -> None:
    put(store, "1", "green tea")
    put(store, "2", "green horse with a long name")
    outcome = meaning(store, "green tea", threshold=0.9)
    assert (keys(outcome), outcome.hidden) == (["1"], 1)
    assert hides(outcome) == "Hides 1 of the 2 found: they score below 0.90."
    none = meaning(store, "purple", threshold=0.5)
    assert none.summary.startswith("0 of 2 matched: all 2 found score below 0.50; the best is")


def test_top_n_is_labelled_as_such(store: ChromaStore) -> None:
    for key in "abcdef":
        put(store, key, f"tea {key}")
    assert meaning(store, "tea", limit=5).summary == "Top 5 of 6 memories, best first."
    assert meaning(store, "tea", limit=50).summary == "All 6 memories, best first."


@pytest.mark.parametrize("threshold", [None, 0.6])
def test_a_memory_in_other_words_is_never_told_as_nothing_saved(
    store: ChromaStore, threshold: float | None
) -> None:
    at = datetime(2025, 1, 1, tzinfo=UTC)
    texts = ["prefers an aisle seat", *(f"{ANIMALS[n % 8]} number {n}" for n in range(1_199))]
    store.write(
        Memory(("pets",), str(n), {"text": text}, at + timedelta(n), at + timedelta(n))
        for n, text in enumerate(texts)
    )
    outcome = meaning(store, "where does she like to sit: an aisle?", threshold=threshold)
    if threshold is None:
        assert keys(outcome)[0] == "0"
        assert outcome.summary == "Top 10 of 1,200 memories, best first."
    else:
        assert outcome.summary.startswith("0 of 1,200 matched: all 10 found score below 0.60")


def test_what_is_not_ranked_is_counted_and_a_filter_is_named(store: ChromaStore) -> None:
    put(store, "1", "tea", kind="drink")
    put(store, "2", "tea", index=False)
    summary = meaning(store, "tea").summary
    assert summary == "1 of 2 memories, best first; only 1 has an embedding."
    filtered = meaning(store, "tea", filter={"kind": "drink"})
    assert filtered.summary == "1 of 2 memories pass the filter, best first."


def test_an_edit_changes_what_is_found_at_once(store: ChromaStore) -> None:
    put(store, "1", "drinks green tea every morning")
    put(store, "2", "has a horse")
    put(store, "1", "allergic to peanuts")
    assert keys(meaning(store, "allergic to peanuts"))[0] == "1"
    assert meaning(store, "drinks green tea every morning", threshold=0.5).hits == ()


def test_words_drop_what_was_deleted_or_reworded_since_they_were_read(store: ChromaStore) -> None:
    for key in "123":
        put(store, key, f"green tea {key}")
    index = WordIndexes(store).get(()).index
    assert index is not None
    store.delete(("pets",), "1")
    put(store, "2", "coffee")
    assert keys(searching.by_words(store, Search("tea"), index)) == ["3"]


def test_words_say_how_many_are_held_and_which_are_too_common(store: ChromaStore) -> None:
    put(store, "1", "a green apple")
    outcome = words(store, "the green tea")
    assert outcome.hits[0].label == "1 of 2 words"
    assert outcome.ignored == ("the",)


def test_words_find_nothing_without_inventing_scores(store: ChromaStore) -> None:
    put(store, "1", "green tea")
    outcome = words(store, "zebra")
    assert outcome.summary.startswith("0 of 1 matched: no memory here holds any of these words")


@pytest.mark.parametrize("find", [meaning, words])
def test_a_search_stays_in_its_scope_and_filter(store: ChromaStore, find: Any) -> None:
    put(store, "1", "tea", "users", "mira", kind="drink")
    put(store, "2", "tea", "users", "mirabel", kind="drink")
    put(store, "3", "tea", "users", "mira", kind="plant")
    outcome = find(store, "tea", scope=("users", "mira"), filter={"kind": {"$eq": "drink"}})
    assert keys(outcome) == ["1"]


def test_labels_appear_once_there_is_enough_to_compare_with(store: ChromaStore) -> None:
    put(store, "1", "cat")
    assert meaning(store, "cat").hits[0].label == ""
    for at in range(40):
        put(store, f"x{at}", f"{ANIMALS[at % 8]} number{at} likes thing{at * 7 % 41} {at}")
    outcome = meaning(store, "cat")
    assert (outcome.hits[0].memory.key, outcome.hits[0].label) == ("1", "strong")


def why(store: ChromaStore, key: str, outcome: Outcome, *labels: str) -> whynot.Verdict:
    memory = store.read(labels or ("pets",), key)
    assert memory is not None
    index = WordIndexes(store).get(outcome.search.scope).index
    return whynot.explain(store, memory, outcome, index=index)


def test_why_not_tells_rank_score_and_distance_from_the_cut_off(store: ChromaStore) -> None:
    put(store, "0", "horse tea")
    for key in "abcde":
        put(store, key, "tea")
    verdict = why(store, "0", meaning(store, "tea", limit=5))
    assert (verdict.found, verdict.rank) == (False, 6)
    assert verdict.score == pytest.approx(0.7071, abs=1e-3)
    assert verdict.cut_off == pytest.approx(1.0)
    assert verdict.missing == pytest.approx(0.2929, abs=1e-3)
    assert verdict.reasons == ("5 memories score better, and only the top 5 are shown.",)


@pytest.mark.parametrize("find", [meaning, words])
def test_why_not_names_scope_and_filter(store: ChromaStore, find: Any) -> None:
    put(store, "1", "tea", "users", "mira", kind="drink")
    put(store, "2", "tea", "users", "max", kind="plant")
    outcome = find(store, "tea", scope=("users", "mira"), filter={"kind": {"$eq": "drink"}})
    verdict = why(store, "2", outcome, "users", "max")
    assert not verdict.found
    assert "“users / max”, outside the searched namespace “users / mira”" in verdict.reasons[0]
    assert verdict.reasons[1] == "The filter leaves it out."


def test_why_not_says_when_a_memory_cannot_be_found_by_meaning(store: ChromaStore) -> None:
    put(store, "1", "tea", index=False)
    verdict = why(store, "1", meaning(store, "tea"))
    assert verdict.reasons[0].startswith("It has no embedding")
    assert verdict.score is None


def test_why_not_names_the_threshold(store: ChromaStore) -> None:
    put(store, "1", "green horse")
    verdict = why(store, "1", meaning(store, "green tea", threshold=0.9))
    assert verdict.reasons == ("Its score 0.500 is below the threshold 0.90.",)


def test_why_not_by_words_names_the_missing_words(store: ChromaStore) -> None:
    put(store, "1", "coffee")
    verdict = why(store, "1", words(store, "green tea"))
    assert verdict.reasons == ("It holds none of the words: green, tea.",)


@pytest.mark.parametrize("find", [meaning, words])
def test_a_found_memory_is_said_to_be_found(store: ChromaStore, find: Any) -> None:
    put(store, "1", "green tea")
    verdict = why(store, "1", find(store, "green tea"))
    assert (verdict.found, verdict.rank, verdict.reasons) == (True, 1, ())
