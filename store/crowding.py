"""Crowding: whether many stored vectors are identical though their texts are not.

Many identical vectors cut their surroundings off from Chroma's index. Identical texts are counted
in the directory; texts that an embedder takes for the same, because it ignores capitals or reads
only a beginning, show in a sample of the vectors themselves.
"""

import random
from collections import Counter

from store.directory import Directory
from store.gateway import Gateway

SAMPLE = 3_000
"""Of 100,000 vectors this finds, all but surely, crowds that hold a hundredth of them."""

_SAME = 3
_GROWTH = 1.1


class Crowding:
    """Tells of a directory whether its vectors are crowded; samples again when it has grown."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._born = ""
        self._vectors = 0
        self._found = False

    def found(self, directory: Directory) -> bool:
        """Tell whether many vectors are identical; the first answer reads a sample of them."""
        if directory.crowded:
            return True
        if self._born != directory.born or directory.vectors > self._vectors * _GROWTH:
            self._found = self._sampled(directory)
            self._born, self._vectors = directory.born, directory.vectors
        return self._found

    def _sampled(self, directory: Directory) -> bool:
        ids = list(directory.entries)
        chance = random.Random(0)  # noqa: S311 -- a sample, no secret
        chosen = chance.sample(ids, min(SAMPLE, len(ids)))
        slots = [
            f"{one}:{chance.randrange(entry.vectors)}"
            for one in chosen
            if (entry := directory.entries[one]).vectors
        ]
        rows = self._gateway.read_vectors(slots).values()
        distinct = {(one.values.tobytes(), one.revision) for one in rows}
        return max(Counter(row for row, _ in distinct).values(), default=0) >= _SAME
