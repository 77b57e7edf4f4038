"""Search by meaning over more vectors than are scored one by one."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from langgraph.store.base import PutOp

from tests.store.backends import Place, words_index
from tests.store.corpora import QUERIES, brute_force, corpus
from tests.store.words import Words

pytestmark = pytest.mark.backends("ephemeral", "folder", "http")


@pytest.fixture(scope="module")
def multitude(backend: str, place_at: Callable[..., Place]) -> Any:
    """3,000 vectors, half of them identical."""
    store = place_at(backend).open(index=words_index(Words(), ["text"]))
    store.batch(
        [PutOp(("n",), key, {"text": text}) for key, text in corpus(3000, same=1500).items()]
    )
    return store


def test_above_2000_vectors_recall_at_ten_is_at_least_99_percent(multitude: Any) -> None:
    texts = corpus(3000, same=1500)
    good = wanted = 0
    for query in [*QUERIES, *list(texts.values())[1500::150]]:
        scores = [item.score for item in multitude.search((), query=query, limit=10)]
        best = brute_force(texts, query, 10)
        good += sum((rounded(scores) & rounded(best)).values())
        wanted += len(best)
    assert good / wanted >= 0.99


def rounded(scores: list[float]) -> Counter[float]:
    return Counter(round(score, 4) for score in scores)


@pytest.mark.parametrize("limit", [100, 1600, 2999, 4000])
def test_there_are_never_fewer_hits_than_match(multitude: Any, limit: int) -> None:
    found = multitude.search((), query="tea with milk", limit=limit)
    assert len({item.key for item in found}) == len(found) == min(limit, 3000)
