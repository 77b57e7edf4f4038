"""The memories and vectors that the store's benchmark works on, the same for every store."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from langgraph.store.base import PutOp

DIMS = 384
ROOT = ("bench",)
BROAD = ("bench", "team3")
NARROW = ("bench", "team3", "user7")


@dataclass(frozen=True)
class Workload:
    """`size` memories in namespaces of 10 % and 0.1 % of them, and 50 questions."""

    size: int
    vectors: npt.NDArray[np.float32]
    questions: npt.NDArray[np.float32]

    def namespace(self, row: int) -> tuple[str, ...]:
        """Give the namespace of a row: ten teams of a hundred users."""
        return ("bench", f"team{row % 10}", f"user{row // 10 % 100}")

    def put(self, row: int) -> PutOp:
        """Give the write of a row."""
        value = {"text": f"row {row}", "number": row, "kind": ("fact", "event", "wish")[row % 3]}
        return PutOp(self.namespace(row), f"k{row}", value, index=["text"])

    def rows_below(self, prefix: tuple[str, ...]) -> list[int]:
        """Give the rows at or below a prefix."""
        return [row for row in range(self.size) if self.namespace(row)[: len(prefix)] == prefix]

    def embed(self, texts: list[str]) -> list[list[float]]:
        """Look vectors up: "row 5" is a memory, "question 5" a question."""
        found = []
        for text in texts:
            kind, number = text.split()
            source = self.vectors if kind == "row" else self.questions
            found.append(source[int(number) % len(source)].tolist())
        return found


def make(size: int, *, twins: float, seed: int = 7) -> Workload:
    """Make clustered unit vectors; `twins` is the share that repeats one of twenty texts."""
    random = np.random.default_rng(seed)
    centres = random.normal(size=(max(10, size // 50), DIMS))
    rows = centres[random.integers(0, len(centres), size)] + 0.7 * random.normal(size=(size, DIMS))
    repeated = random.random(size) < twins
    rows[repeated] = rows[random.integers(0, 20, int(repeated.sum()))]
    chosen = rows[random.integers(0, size, 50)]
    questions = chosen + 0.5 * random.normal(size=chosen.shape)
    return Workload(size, _unit(rows), _unit(questions))


def _unit(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / lengths).astype(np.float32)
