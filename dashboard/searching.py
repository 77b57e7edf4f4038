"""One search and what came of it: hits with plain labels, and why there are none.

    outcome = searching.by_meaning(store, Search("tea", scope), background)
    outcome = searching.by_words(store, Search("tea", scope), word_index)

A memory that was not scored is never a hit: a store without an index gives none, and says so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from dashboard.memories import preview
from dashboard.scoring import Background
from dashboard.wording import memories_text
from dashboard.wordsearch import WordIndex, WordMatch, best_path, query_words, snippet
from store import (
    ChromaStore,
    EmbeddingError,
    Match,
    Memory,
    Namespace,
    Reference,
    SearchUnavailable,
    passes,
)

Mode = Literal["meaning", "words"]
State = Literal["idle", "found", "no match", "empty scope", "empty store", "off", "failed"]

MODES: tuple[Mode, ...] = ("meaning", "words")
LIMITS = (5, 10, 20, 50, 100)
READ_AT_ONCE = 500
NO_EMBEDDINGS = (
    "None of the memories in this store has an embedding: they were stored without an index, so "
    "only their words can be searched."
)


@dataclass(frozen=True, slots=True)
class Search:
    """What is looked for, where, and how much of it to show."""

    query: str
    scope: Namespace = ()
    filter: dict[str, Any] | None = None
    limit: int = 10
    threshold: float | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """One memory found: its place, its score, and the score's plain label.

    `label` is "strong", "related" or "weak" by meaning (empty when the store is too small to
    say), and "2 of 3 words" by words. `path` is the field that matched best.
    """

    rank: int
    memory: Memory
    score: float
    label: str
    path: str | None
    preview: str

    @property
    def reference(self) -> Reference:
        """Where the memory is kept."""
        return self.memory.reference


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a search gave. `summary` says it in one sentence whatever the state.

    `in_scope` counts the memories searched, `passing` those the filter leaves (None when it was
    not needed), `hidden` the hits below the threshold, `hits` what is left, best first.
    """

    mode: Mode
    search: Search
    state: State
    summary: str
    hits: tuple[Hit, ...] = ()
    in_scope: int = 0
    passing: int | None = None
    hidden: int = 0
    best_hidden: float | None = None
    ignored: tuple[str, ...] = ()

    @property
    def cut_off(self) -> float | None:
        """The score of the last hit shown, or None."""
        return self.hits[-1].score if self.hits else None


def by_meaning(store: ChromaStore, search: Search, background: Background | None) -> Outcome:
    """Search as the agent does: the memories nearest in meaning, best first."""
    early = _nothing_to_do(store, search, "meaning")
    if early is not None:
        return early
    info = store.info()
    if not info.vectors and info.search_off is None:
        return _empty(store, search, "meaning", "off", NO_EMBEDDINGS)
    try:
        matches = store.match(
            search.scope, query=search.query, filter=search.filter, limit=search.limit
        )
    except SearchUnavailable as error:
        return _empty(store, search, "meaning", "off", str(error))
    except EmbeddingError as error:
        return _empty(store, search, "meaning", "failed", str(error))
    hits = [
        _hit(rank, match, background, info.fields)
        for rank, match in enumerate((one for one in matches if one.score is not None), 1)
    ]
    return _outcome(store, search, "meaning", hits)


def by_words(store: ChromaStore, search: Search, index: WordIndex) -> Outcome:
    """Search for the words themselves; the index must be of the searched scope.

    Hits are read again from the store, so that a memory deleted or reworded since the index was
    made is not shown as a match.
    """
    early = _nothing_to_do(store, search, "words")
    if early is not None:
        return early
    words = query_words(search.query)
    hits: list[Hit] = []
    found = index.find(search.query, limit=None if search.filter else 2 * search.limit)
    for start in range(0, len(found), READ_AT_ONCE):
        hits += _read(store, search, found[start : start + READ_AT_ONCE], len(words.used))
        if len(hits) >= search.limit:
            break
    ranked = [replace(hit, rank=at) for at, hit in enumerate(hits[: search.limit], 1)]
    return replace(_outcome(store, search, "words", ranked), ignored=words.ignored)


def off_sentence(store: ChromaStore) -> str | None:
    """Return why search by meaning is off for this store, or None when it works."""
    return store.info().search_off


def common_ranks(left: Outcome, right: Outcome) -> dict[Reference, int]:
    """Return, for the hits of `left` that are also in `right`, their rank there."""
    ranks = {hit.reference: hit.rank for hit in right.hits}
    return {hit.reference: ranks[hit.reference] for hit in left.hits if hit.reference in ranks}


def table_columns(
    outcome: Outcome, elsewhere: Mapping[Reference, int] | None = None
) -> dict[str, list[Any]]:
    """Return what a table of the hits shows beside the memories; columns without content left out.

    `elsewhere` gives the ranks in a search beside this one.
    """
    hits = outcome.hits
    columns: dict[str, list[Any]] = {
        "Match": [hit.label for hit in hits],
        "Score": [hit.score for hit in hits],
        "Other": [(elsewhere or {}).get(hit.reference) for hit in hits],
        "Field": [hit.path for hit in hits],
    }
    if not any(columns["Match"]):
        del columns["Match"]
    if elsewhere is None:
        del columns["Other"]
    return columns


def hides(outcome: Outcome) -> str:
    """Return how many of the hits found the threshold hides, in words."""
    if not outcome.hidden or outcome.search.threshold is None:
        return "Hides nothing."
    return (
        f"Hides {outcome.hidden} of the {outcome.hidden + len(outcome.hits)} found: "
        f"they score below {outcome.search.threshold:.2f}."
    )


def _nothing_to_do(store: ChromaStore, search: Search, mode: Mode) -> Outcome | None:
    if store.count(search.scope) == 0:
        if search.scope and store.count():
            return _empty(
                store, search, mode, "empty scope", "This namespace is empty: nothing to search."
            )
        return _empty(store, search, mode, "empty store", "This store holds no memories yet.")
    if not search.query.strip():
        searched = memories_text(store.count(search.scope))
        return _empty(store, search, mode, "idle", f"Ready to search {searched}.")
    return None


def _empty(store: ChromaStore, search: Search, mode: Mode, state: State, why: str) -> Outcome:
    return Outcome(mode, search, state, why, in_scope=store.count(search.scope))


def _hit(rank: int, match: Match, background: Background | None, fields: Sequence[str]) -> Hit:
    score = float(match.score or 0.0)
    label = background.label(score) if background else ""
    return Hit(
        rank, match.memory, score, label, match.path, preview(match.memory.value, _named(fields))
    )


def _read(store: ChromaStore, search: Search, found: Sequence[WordMatch], words: int) -> list[Hit]:
    memories = store.read_many([match.reference for match in found])
    return [
        _word_hit(match, memory, path, words)
        for match, memory in zip(found, memories, strict=True)
        if memory is not None
        and passes(memory.value, search.filter)
        and (path := best_path(memory.value, match.words)) is not None
    ]


def _word_hit(match: WordMatch, memory: Memory, path: str, words: int) -> Hit:
    label = f"{len(match.words)} of {words} {'word' if words == 1 else 'words'}"
    return Hit(0, memory, match.score, label, path, snippet(memory.value, path, match.words))


def _named(fields: Sequence[str]) -> list[str]:
    return [field for field in fields if field != "$"]


def _outcome(store: ChromaStore, search: Search, mode: Mode, found: list[Hit]) -> Outcome:
    shown = [hit for hit in found if search.threshold is None or hit.score >= search.threshold]
    in_scope = store.count(search.scope)
    passing = None
    if not found and search.filter:
        passing = store.page(search.scope, filter=search.filter, limit=1).total
    outcome = Outcome(
        mode,
        search,
        "found" if shown else "no match",
        "",
        tuple(shown),
        in_scope,
        passing,
        len(found) - len(shown),
        max((hit.score for hit in found if hit not in shown), default=None),
    )
    return replace(outcome, summary=_summary(outcome))


def _summary(outcome: Outcome) -> str:
    if outcome.state == "no match":
        return f"0 of {outcome.in_scope:,} matched: {_why_none(outcome)}"
    shown, found = len(outcome.hits), len(outcome.hits) + outcome.hidden
    searched = memories_text(outcome.in_scope)
    if found >= outcome.search.limit:
        behind = " that pass the filter" if outcome.search.filter else ""
        return f"Top {shown}{behind} of {searched}, best first."
    if outcome.mode == "words":
        return f"{shown} of {searched} matched, best first."
    if outcome.search.filter:
        return f"{shown} of {searched} pass the filter, best first."
    if found == outcome.in_scope:
        return f"All {searched}, best first." if shown == found else f"{shown} of {searched}."
    have = "has" if found == 1 else "have"
    return f"{shown} of {searched}, best first; only {found:,} {have} an embedding."


def _why_none(outcome: Outcome) -> str:
    if outcome.hidden:
        return (
            f"all {outcome.hidden} found score below {outcome.search.threshold:.2f}; "
            f"the best is {outcome.best_hidden:.2f}. Lower the threshold to see them."
        )
    if outcome.passing == 0:
        return "no memory here passes the filter. Change or remove a condition."
    if outcome.mode == "words":
        return "no memory here holds any of these words. Try Meaning, or other words."
    if outcome.passing:
        return f"{outcome.passing:,} pass the filter, but none of them has an embedding."
    return "none of the memories here has an embedding. Try Words."
