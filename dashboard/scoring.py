"""What a similarity score means in one store, measured against its own unrelated memories.

Cosine values do not transfer between embedding models: 0.40 is a strong match for one and noise
for another. So a score gets its plain label by comparison with random pairs of memories of the
same store: *strong* is a score that at most 1 of 100 such pairs reaches, *related* one that at
most 5 of 100 reach, *weak* anything else. With fewer than 30 embedded memories there is too
little to compare against, and only the number is shown.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from store import ChromaStore, Reference, VectorTable

Label = Literal["strong", "related", "weak"]

SAMPLE = 400
FEWEST = 30
RELATED_PERCENTILE = 95
STRONG_PERCENTILE = 99
SAME_TEXT = 0.995


@dataclass(frozen=True, slots=True)
class Background:
    """How alike unrelated memories of one store are; scores are read against it."""

    memories: int
    median: float
    related: float
    strong: float

    def label(self, score: float) -> Label:
        """Return the plain word for a score."""
        if score >= self.strong:
            return "strong"
        return "related" if score >= self.related else "weak"

    def explain(self) -> str:
        """Return what the labels mean here, in words with this store's numbers."""
        return (
            f"Cosine similarity between the query and the memory, from -1 to 1. In this store "
            f"two random memories score {self.median:.2f}. Strong is {self.strong:.2f} and up "
            f"(reached by 1 of 100 random pairs), related is {self.related:.2f} and up (5 of "
            f"100), weak is below. Measured on {self.memories:,} memories; another embedding "
            "model has other numbers."
        )


TOO_FEW = (
    "Cosine similarity between the query and the memory, from -1 to 1. This store has fewer than "
    f"{FEWEST} searchable memories, too few to say which scores are strong."
)


def explain(background: Background | None) -> str:
    """Return what a score means, also for a store too small to compare against."""
    return TOO_FEW if background is None else background.explain()


def measure(store: ChromaStore, *, seed: int = 0) -> Background | None:
    """Measure a store's background on at most 400 of its memories; None when it has too few.

    Reads a bounded number of memories and vectors whatever the size of the store. The same
    content gives the same result.
    """
    return from_vectors(store.vectors(references=sample(store, seed=seed)))


def sample(store: ChromaStore, *, seed: int = 0) -> list[Reference]:
    """Return up to 400 memories that have vectors, drawn at random from the whole store."""
    places = sorted(entry.reference for entry in store.entries() if entry.vectors)
    if len(places) <= SAMPLE:
        return places
    drawn = np.random.default_rng(seed).choice(len(places), SAMPLE, replace=False)
    return [places[row] for row in drawn.tolist()]


def from_vectors(table: VectorTable) -> Background | None:
    """Return the background over all pairs of different memories in a table of vectors."""
    numbers = {
        reference: number for number, reference in enumerate(dict.fromkeys(table.references))
    }
    owners = np.array([numbers[reference] for reference in table.references], dtype=np.intp)
    memories = len(numbers)
    if memories < FEWEST:
        return None
    scores = pair_scores(table.matrix, owners)
    if not len(scores):
        return None
    median, related, strong = np.percentile(scores, [50, RELATED_PERCENTILE, STRONG_PERCENTILE])
    return Background(memories, float(median), float(related), float(strong))


def pair_scores(
    matrix: npt.NDArray[np.float32], owners: npt.NDArray[np.intp]
) -> npt.NDArray[np.float32]:
    """Return the cosine of every pair of rows of different owners, copies of one text left out."""
    unit = normalised(matrix)
    left, right = np.triu_indices(len(unit), 1)
    scores = (unit @ unit.T)[left, right]
    # Copies are not unrelated: a store full of duplicates would otherwise have no strong score.
    keep = (owners[left] != owners[right]) & (scores < SAME_TEXT) & np.isfinite(scores)
    kept: npt.NDArray[np.float32] = scores[keep]
    return kept


def normalised(matrix: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return the rows scaled to length 1; a zero row stays zero."""
    matrix = np.asarray(matrix, dtype=np.float32)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    unit: npt.NDArray[np.float32] = np.divide(
        matrix, lengths, out=np.zeros_like(matrix), where=lengths > 0
    )
    return unit
