"""The stored vectors a map is made of, read once and then only where memories have changed."""

from collections.abc import Callable, Sequence

import numpy as np

from dashboard.projection_neighbours import Floats
from dashboard.projection_plan import Hashes, find
from store import ChromaStore, Entry, Namespace, Reference, VectorTable

Reading = Callable[[int, int], None]
_FEW = 0.3


class HeldVectors:
    """Keeps the vectors of the map made last; not for use by two threads at once."""

    def __init__(self, store: ChromaStore) -> None:
        self._store = store
        self._field = ""
        self._ids = self._revisions = np.zeros(0, dtype=np.uint64)
        self._matrix: Floats = np.zeros((0, 0), dtype=np.float32)

    def matrix(
        self,
        scope: Namespace,
        field: str,
        entries: Sequence[Entry],
        hashes: tuple[Hashes, Hashes],
        reading: Reading,
    ) -> Floats:
        """Give one vector of each memory, in their order; a row of NaN where the field has none.

        `hashes` are the ids and the revisions of the entries.
        """
        ids, revisions = hashes
        where = find(ids, self._ids)
        known = where >= 0
        known[known] = self._revisions[where[known]] == revisions[known]
        if field != self._field or (~known).sum() > _FEW * len(ids):
            table = self._store.vectors(scope, progress=reading)
            matrix = rows_of_field(table, field, [entry.reference for entry in entries])
        else:
            fresh = [
                entry.reference for entry, held in zip(entries, known, strict=True) if not held
            ]
            matrix = np.empty((len(ids), self._matrix.shape[1]), dtype=np.float32)
            matrix[known] = self._matrix[where[known]]
            if fresh:
                table = self._store.vectors(references=fresh, progress=reading)
                matrix[~known] = rows_of_field(table, field, fresh)
        self._field, self._ids, self._revisions, self._matrix = field, ids, revisions, matrix
        return matrix


def rows_of_field(table: VectorTable, path: str, references: Sequence[Reference]) -> Floats:
    """Give one stored vector for each reference: the first of that field, or of any if it is "".

    A memory that has none gets a row of NaN.
    """
    found: dict[Reference, int] = {}
    for row, (reference, own) in enumerate(zip(table.references, table.paths, strict=True)):
        if not path or own == path:
            found.setdefault(reference, row)
    rows = np.array([found.get(reference, -1) for reference in references], dtype=np.intp)
    matrix = np.full((len(references), table.matrix.shape[1]), np.nan, dtype=np.float32)
    matrix[rows >= 0] = table.matrix[rows[rows >= 0]]
    return matrix
