"""Deterministic embedders for tests: a text is the counts of its words."""

import functools
import hashlib
import re
from collections.abc import Callable, Sequence

from langchain_core.embeddings import Embeddings

DIMS = 256

Vector = list[float]


@functools.cache
def place_of(word: str, dims: int) -> int:
    digest = hashlib.blake2b(word.encode(), digest_size=4).digest()
    return int.from_bytes(digest) % dims


def words_vector(text: str, dims: int = DIMS) -> Vector:
    """Counts of the words of `text`, each word at a place of its own; no words give zeros."""
    vector = [0.0] * dims
    for word in re.findall(r"\w+", text.lower()):
        vector[place_of(word, dims)] += 1.0
    return vector


def cosine(left: Sequence[float], right: Sequence[float]) -> float:
    """Cosine similarity; 0.0 when a side is all zeros."""
    norms = (sum(a * a for a in left) * sum(b * b for b in right)) ** 0.5
    return sum(a * b for a, b in zip(left, right, strict=True)) / norms if norms else 0.0


class Words(Embeddings):
    """Embeds words, and remembers what it was asked and through which half."""

    def __init__(self, embed: Callable[[str], Vector] = words_vector) -> None:
        self.embed = embed
        self.documents: list[list[str]] = []
        self.queries: list[str] = []
        self.awaited = 0

    def embed_documents(self, texts: list[str]) -> list[Vector]:
        self.documents.append(list(texts))
        return [self.embed(text) for text in texts]

    def embed_query(self, text: str) -> Vector:
        self.queries.append(text)
        return self.embed(text)

    async def aembed_documents(self, texts: list[str]) -> list[Vector]:
        self.awaited += 1
        return self.embed_documents(texts)

    async def aembed_query(self, text: str) -> Vector:
        self.awaited += 1
        return self.embed_query(text)

    @property
    def texts(self) -> list[str]:
        """Every text embedded so far, in order."""
        return [text for texts in self.documents for text in texts]


class Broken(Words):
    """Works until `answer` is set; then returns what `answer` makes of the right vectors."""

    def __init__(self) -> None:
        super().__init__()
        self.answer: Callable[[list[Vector]], object] | None = None

    def embed_documents(self, texts: list[str]) -> list[Vector]:
        vectors = super().embed_documents(texts)
        return self.answer(vectors) if self.answer else vectors  # type: ignore[return-value]


def embed_texts(texts: Sequence[str]) -> list[Vector]:
    """The same as a plain function."""
    return [words_vector(text) for text in texts]


async def aembed_texts(texts: Sequence[str]) -> list[Vector]:
    """The same as an asynchronous function."""
    return embed_texts(texts)
