"""Why a memory is not among the hits: its rank, its score, and what keeps it out."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from dashboard.scoring import Background, normalised
from dashboard.searching import Outcome, Search
from dashboard.wording import namespace_text
from dashboard.wordsearch import WordIndex, query_words, words_of
from store import (
    ChromaStore,
    EmbeddingError,
    Match,
    Memory,
    Reference,
    SearchUnavailable,
    passes,
)

LOOKED_THROUGH = (100, 2_000)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Where a memory stands in a search, and why.

    `rank` is None when it is not ranked at all, or lies beyond `beyond` ranks that were looked
    through. `missing` is how much score it lacks to be the last one shown.
    """

    memory: Memory
    found: bool
    reasons: tuple[str, ...]
    score: float | None = None
    label: str = ""
    rank: int | None = None
    beyond: int | None = None
    cut_off: float | None = None

    @property
    def missing(self) -> float | None:
        """Return how far the score is below the cut-off; None when that does not apply."""
        if self.score is None or self.cut_off is None or self.score >= self.cut_off:
            return None
        return self.cut_off - self.score

    def numbers(self) -> list[tuple[str, str]]:
        """Return name and text of each number there is to show."""
        found = []
        if self.rank is not None or self.beyond is not None:
            rank = f"{self.rank:,}" if self.rank is not None else f"after {self.beyond:,}"
            found.append(("Rank", rank))
        if self.score is not None:
            found.append(("Score", f"{self.score:.3f}" + (f" {self.label}" if self.label else "")))
        if self.cut_off is not None:
            found.append(("Last one shown", f"{self.cut_off:.3f}"))
        if self.missing is not None:
            found.append(("Short by", f"{self.missing:.3f}"))
        return found


def by_meaning(
    store: ChromaStore, memory: Memory, outcome: Outcome, background: Background | None
) -> Verdict:
    """Explain a memory's place in a search by meaning."""
    search = outcome.search
    reasons = _kept_out(memory, search)
    score = exact_score(store, memory.reference, search.query)
    if score is None:
        reasons.append(_unsearchable(store, memory))
        return Verdict(memory, False, tuple(reasons), cut_off=outcome.cut_off)
    label = background.label(score) if background else ""
    if reasons:
        return Verdict(memory, False, tuple(reasons), score, label, cut_off=outcome.cut_off)
    rank, beyond = rank_of(store, memory.reference, search)
    found = rank is not None and rank <= search.limit
    reasons += _below(score, rank, beyond, search)
    shown = found and not reasons
    return Verdict(memory, shown, tuple(reasons), score, label, rank, beyond, outcome.cut_off)


def by_words(memory: Memory, outcome: Outcome, index: WordIndex) -> Verdict:
    """Explain a memory's place in a search by words."""
    search = outcome.search
    reasons = _kept_out(memory, search)
    words = query_words(search.query).used
    held = set(words_of(memory.value)) & set(words)
    if not held:
        reasons.append(f"It holds none of the words: {', '.join(words)}.")
    found = [] if reasons else list(enumerate(index.find(search.query), 1))
    placed = [(rank, one) for rank, one in found if one.reference == memory.reference]
    if not placed:
        return Verdict(memory, False, tuple(reasons), cut_off=outcome.cut_off)
    rank, score = placed[0][0], placed[0][1].score
    label = f"{len(held)} of {len(words)} words"
    reasons += _below(score, rank, None, search)
    return Verdict(memory, not reasons, tuple(reasons), score, label, rank, None, outcome.cut_off)


def explain(
    store: ChromaStore,
    memory: Memory,
    outcome: Outcome,
    *,
    background: Background | None = None,
    index: WordIndex | None = None,
) -> Verdict:
    """Explain a memory's place in a search, by meaning or by words as it was done."""
    if outcome.mode == "words" and index is not None:
        return by_words(memory, outcome, index)
    return by_meaning(store, memory, outcome, background)


def exact_score(store: ChromaStore, reference: Reference, query: str) -> float | None:
    """Return the best cosine of a memory's stored vectors with a query; None without vectors."""
    table = store.vectors(references=[reference])
    if not len(table.matrix):
        return None
    wanted = normalised(np.asarray([store.embed_query(query)], dtype=np.float32))[0]
    return float(np.max(normalised(table.matrix) @ wanted))


def rank_of(
    store: ChromaStore, reference: Reference, search: Search
) -> tuple[int | None, int | None]:
    """Return a memory's rank in the whole search, or how many better ones were looked through."""
    for depth in LOOKED_THROUGH:
        matches = store.match(search.scope, query=search.query, filter=search.filter, limit=depth)
        rank = _position(matches, reference)
        if rank is not None or len(matches) < depth:
            return rank, None
    return None, LOOKED_THROUGH[-1]


def candidates(
    store: ChromaStore, text: str, index: WordIndex | None = None, limit: int = 20
) -> list[Memory]:
    """Return memories a person may mean by a text: its words first, then its meaning.

    Looks through the whole store, since what is missed is often in another namespace.
    """
    words = index.find(text, limit=limit) if index else []
    found = [one for one in store.read_many([match.reference for match in words]) if one]
    with suppress(SearchUnavailable, EmbeddingError):
        found += [match.memory for match in store.match(query=text, limit=limit)]
    return list({memory.reference: memory for memory in found}.values())[:limit]


def _kept_out(memory: Memory, search: Search) -> list[str]:
    reasons = []
    if memory.namespace[: len(search.scope)] != search.scope:
        reasons.append(
            f"It is kept in “{namespace_text(memory.namespace)}”, outside the searched namespace "
            f"“{namespace_text(search.scope)}”."
        )
    if not passes(memory.value, search.filter):
        reasons.append("The filter leaves it out.")
    return reasons


def _unsearchable(store: ChromaStore, memory: Memory) -> str:
    if memory.vectors:
        return "Its embedding is missing from the index; save it again to make it searchable."
    fields = ", ".join(store.info().fields) or "none"
    return (
        "It has no embedding, so search by meaning cannot find it: it was stored with "
        f"index=False, or its embedded fields ({fields}) hold no text."
    )


def _below(score: float, rank: int | None, beyond: int | None, search: Search) -> list[str]:
    reasons = []
    if search.threshold is not None and score < search.threshold:
        reasons.append(f"Its score {score:.3f} is below the threshold {search.threshold:.2f}.")
    if rank is None and beyond is not None:
        reasons.append(f"More than {beyond:,} memories score better.")
    elif rank is not None and rank > search.limit:
        reasons.append(
            f"{rank - 1:,} memories score better, and only the top {search.limit} are shown."
        )
    return reasons


def _position(matches: Sequence[Match], reference: Reference) -> int | None:
    scored = (match for match in matches if match.score is not None)
    return next(
        (at for at, match in enumerate(scored, 1) if match.memory.reference == reference), None
    )
