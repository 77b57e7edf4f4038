"""Search by words: BM25 over the texts of memories, for what search by meaning misses.

Every text inside a value counts, at any depth, not only the embedded fields, so that names and
codes are found wherever they stand. Words compare without case; Chinese, Japanese and Korean
runs are cut into pairs of characters. A memory that holds none of the words is not a match.
"""

import re
import unicodedata
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from store import Memory, Reference

if TYPE_CHECKING:
    import bm25s

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_UNSPACED = re.compile(r"([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+)")
Document: TypeAlias = "array[int]"
"""A memory's words in order, each as its number in the vocabulary."""

LONGEST_TEXT = 20_000
REPORT_EVERY = 2_000
SNIPPET = 240


@dataclass(frozen=True, slots=True)
class WordMatch:
    """A memory that holds at least one word of the query, and which ones."""

    reference: Reference
    score: float
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QueryWords:
    """The words of a query that are looked for, and the very common ones that are not."""

    used: tuple[str, ...]
    ignored: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WordIndex:
    """The words of a set of memories, ready for many queries."""

    references: tuple[Reference, ...]
    documents: tuple[Document, ...]
    vocabulary: dict[str, int]
    ranker: "bm25s.BM25 | None"

    def scores(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return the BM25 score of every memory, by position; 0 for one without any word."""
        known = [self.vocabulary[word] for word in words if word in self.vocabulary]
        if not known or self.ranker is None:
            return np.zeros(len(self.references), dtype=np.float32)
        found: npt.NDArray[np.float32] = self.ranker.get_scores_from_ids(known)
        return found

    def find(self, query: str, *, limit: int | None = None) -> list[WordMatch]:
        """Return the memories that hold a word of the query, best first, ties by reference."""
        words = query_words(query).used
        scores = self.scores(words)
        rows = np.flatnonzero(scores > 0)
        if limit is not None and len(rows) > limit:
            # Keep everything that ties with the last place: ties are then broken by reference.
            edge = np.partition(scores[rows], -limit)[-limit]
            rows = rows[scores[rows] >= edge]
        ranked = sorted(rows.tolist(), key=lambda row: (-float(scores[row]), self.references[row]))
        held = {word: self._holders(word) for word in words}
        return [
            WordMatch(
                self.references[row],
                float(scores[row]),
                tuple(word for word, holders in held.items() if _holds(holders, row)),
            )
            for row in ranked[:limit]
        ]

    def _holders(self, word: str) -> npt.NDArray[np.int32]:
        column = self.vocabulary.get(word)
        if column is None or self.ranker is None:
            return np.empty(0, dtype=np.int32)
        edges = self.ranker.scores["indptr"]
        holders: npt.NDArray[np.int32] = np.sort(
            self.ranker.scores["indices"][edges[column] : edges[column + 1]]
        )
        return holders


def _holds(holders: npt.NDArray[np.int32], row: int) -> bool:
    place = int(np.searchsorted(holders, row))
    return place < len(holders) and int(holders[place]) == row


def build(
    memories: Iterable[Memory],
    *,
    total: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> WordIndex:
    """Index the words of memories; `progress` gets (done, total) now and then.

    A memory without any word can never be found and costs nothing.
    """
    vocabulary: dict[str, int] = {}
    documents: dict[Reference, Document] = {}
    for done, memory in enumerate(memories, 1):
        documents[memory.reference] = _document(memory, vocabulary)
        if progress is not None and done % REPORT_EVERY == 0:
            progress(done, max(done, total))
    return _index(documents, vocabulary)


def renew(
    index: WordIndex, remaining: Collection[Reference], changed: Iterable[Memory]
) -> WordIndex:
    """Return an index of the remaining memories, with the words of the changed ones as they are.

    Costs much less than building: what did not change is neither read nor split again.
    """
    vocabulary = dict(index.vocabulary)
    documents = {
        reference: document
        for reference, document in zip(index.references, index.documents, strict=True)
        if reference in remaining
    }
    documents.update((memory.reference, _document(memory, vocabulary)) for memory in changed)
    return _index(documents, vocabulary)


def _document(memory: Memory, vocabulary: dict[str, int]) -> Document:
    numbers = (vocabulary.setdefault(word, len(vocabulary)) for word in words_of(memory.value))
    return array("i", numbers)


def _index(documents: Mapping[Reference, Document], vocabulary: dict[str, int]) -> WordIndex:
    held = {reference: document for reference, document in documents.items() if document}
    return WordIndex(
        tuple(held), tuple(held.values()), vocabulary, _ranker(list(held.values()), vocabulary)
    )


def _ranker(documents: list[Document], vocabulary: dict[str, int]) -> "bm25s.BM25 | None":
    if not documents:
        return None
    import bm25s

    ranker = bm25s.BM25()
    ranker.index((documents, dict(vocabulary)), create_empty_token=False, show_progress=False)
    return ranker


def query_words(query: str) -> QueryWords:
    """Split a query into words to look for and words too common to tell anything.

    A query of nothing but common words is looked for as it is.
    """
    found = tuple(dict.fromkeys(tokens(query)))
    used = tuple(word for word in found if word not in common_words())
    if not used:
        return QueryWords(found, ())
    return QueryWords(used, tuple(word for word in found if word not in used))


@cache
def common_words() -> frozenset[str]:
    """Return the words of English, Spanish and German that carry no meaning of their own."""
    from bm25s import stopwords

    lists = (stopwords.STOPWORDS_EN_PLUS, stopwords.STOPWORDS_SPANISH, stopwords.STOPWORDS_GERMAN)
    return frozenset(word for words in lists for word in words)


def words_of(value: Mapping[str, Any]) -> list[str]:
    """Return every word of every text in a value, in order, with repetitions."""
    return [word for _, text in texts(value) for word in tokens(text)]


def tokens(text: str) -> list[str]:
    """Return the words of a text as they are compared: without case, accents kept."""
    found: list[str] = []
    for run in _WORD.findall(unicodedata.normalize("NFKC", text[:LONGEST_TEXT]).casefold()):
        if run.isascii() or not _UNSPACED.search(run):
            found.append(run.replace("’", "'"))
        else:
            found.extend(_pairs(run))
    return found


def _pairs(run: str) -> Iterator[str]:
    for piece in _UNSPACED.split(run):
        if not _UNSPACED.fullmatch(piece):
            if piece:
                yield piece
        elif len(piece) == 1:
            yield piece
        else:
            yield from (piece[at : at + 2] for at in range(len(piece) - 1))


def texts(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the path and content of every text inside a value."""
    if isinstance(value, str):
        yield path or "$", value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from texts(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from texts(item, f"{path}[{at}]")


def snippet(value: Mapping[str, Any], path: str, words: Iterable[str]) -> str:
    """Return the part of the text at a path that holds the first of the words, on one line."""
    text = next((text for found, text in texts(value) if found == path), "")
    places = [
        found.start()
        for word in words
        if (found := re.search(re.escape(word), text, re.IGNORECASE)) is not None
    ]
    start = max(0, min(places, default=0) - SNIPPET // 3) if len(text) > SNIPPET else 0
    cut = text[start : start + SNIPPET]
    before, after = "…" if start else "", "…" if start + SNIPPET < len(text) else ""
    return f"{before}{' '.join(cut.split())}{after}"


def best_path(value: Mapping[str, Any], words: Iterable[str]) -> str | None:
    """Return the path of the text that holds most of the words; None when none does."""
    wanted = set(words)
    held = [(len(wanted & set(tokens(text))), path) for path, text in texts(value)]
    most, path = max(held, key=lambda one: one[0], default=(0, ""))
    return path if most else None
