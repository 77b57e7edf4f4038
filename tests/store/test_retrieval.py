"""How well the local embedders find the right memory for a question.

A question is answered within five (R@5) when at least one memory relevant to it is among the
five nearest of all 197; MRR is the mean of 1 / the rank of the first relevant one. Figures for
one language are over the questions asked in it, without those about a memory in another
language (type `xl`); overall figures are over all 233.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import pytest

from store.embedding import resolve

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Ranks:
    """For each question its language, and the rank of the first memory relevant to it.

    The language is "xl" where question and memory have different ones.
    """

    languages: tuple[str, ...]
    first: tuple[int, ...]

    def within(self, limit: int, language: str | None = None) -> float:
        pairs = zip(self.languages, self.first, strict=True)
        return mean(rank <= limit for found, rank in pairs if language in (None, found))

    @property
    def mrr(self) -> float:
        return mean(1 / rank for rank in self.first)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def ranks(spec: str) -> Ranks:
    memories = lines(ROOT / "dashboard" / "data" / "demo_memories.jsonl")
    questions = lines(ROOT / "tests" / "data" / "demo_queries.jsonl")
    embedder = resolve(spec)
    stored = np.array(embedder.embed_documents([memory["text"] for memory in memories]))
    asked = np.array(embedder.embed_documents([question["text"] for question in questions]))
    identifiers = [memory["id"] for memory in memories]
    first = []
    for question, scores in zip(questions, asked @ stored.T, strict=True):
        relevant = [identifiers.index(one) for one in question["relevant"]]
        first.append(1 + int(np.sum(scores > scores[relevant].max())))
    languages = ("xl" if question["type"] == "xl" else question["lang"] for question in questions)
    return Ranks(tuple(languages), tuple(first))


@pytest.fixture(scope="module")
def default() -> Ranks:
    return ranks("local:minilm")


@pytest.fixture(scope="module")
def multilingual() -> Ranks:
    return ranks("local:multilingual")


def test_english_questions_find_their_memory_within_five(default: Ranks) -> None:
    assert default.within(5, "en") >= 0.90


def test_english_questions_mostly_find_their_memory_first(default: Ranks) -> None:
    assert default.within(1, "en") >= 0.65


def test_over_all_questions_the_first_right_memory_comes_early(default: Ranks) -> None:
    assert default.mrr >= 0.58


def test_over_all_questions_the_multilingual_embedder_is_better(
    default: Ranks, multilingual: Ranks
) -> None:
    assert multilingual.within(1) >= default.within(1) + 0.08
    assert multilingual.mrr >= 0.70


@pytest.mark.parametrize("language", ["es", "de", "zh"])
def test_the_multilingual_embedder_understands(multilingual: Ranks, language: str) -> None:
    assert multilingual.within(5, language) >= 0.90
