"""Vectors at hand: those read lately, so that searching a scope again reads nothing."""

from collections.abc import Mapping, Sequence

import numpy as np

from store.gateway import Gateway, chunks
from store.memory import Entry
from store.ranking import Array, Scored, cosines
from store.records import vector_ids

_BYTES = 96 * 1024 * 1024
_READ = 2_000


class VectorShelf:
    """Keeps rows of vectors by (id, revision); a revision names the content, so rows never age."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._rows: Array = np.zeros((0, 0), np.float32)
        self._place: dict[tuple[str, str], int] = {}
        self._paths: list[str] = []

    def score(self, query: Array, entries: Mapping[str, Entry]) -> Scored:
        """Score the vectors of memories; what is missing or left from before has no score."""
        wanted = [
            (vid, entry.revision, owner)
            for owner, entry in entries.items()
            for vid in vector_ids(owner, entry.vectors)
        ]
        parts = [self._score(query, part) for part in chunks(wanted, 20_000)]
        return Scored(
            [owner for part in parts for owner in part.owners],
            [path for part in parts for path in part.paths],
            np.concatenate([part.scores for part in parts]) if parts else np.zeros(0, np.float32),
        )

    def _score(self, query: Array, wanted: Sequence[tuple[str, str, str]]) -> Scored:
        self._fetch([(vid, revision) for vid, revision, _ in wanted])
        known = [
            (place, owner)
            for vid, revision, owner in wanted
            if (place := self._place.get((vid, revision))) is not None
        ]
        places = [place for place, _ in known]
        return Scored(
            [owner for _, owner in known],
            [self._paths[place] for place in places],
            cosines(query, self._rows[places]) if places else np.zeros(0, np.float32),
        )

    def _fetch(self, wanted: Sequence[tuple[str, str]]) -> None:
        missing = [one for one in wanted if one not in self._place]
        if missing and self._full(len(missing)):
            self._place.clear()
            self._paths.clear()
            missing = list(wanted)
        for part in chunks(missing, _READ):
            found = self._gateway.read_vectors([vid for vid, _ in part])
            fresh = [
                found[vid]
                for vid, revision in part
                if vid in found and found[vid].revision == revision
            ]
            if fresh:
                self._append(np.stack([one.values for one in fresh]))
                for one in fresh:
                    self._place[one.id, one.revision] = len(self._paths)
                    self._paths.append(one.path)

    def _full(self, more: int) -> bool:
        width = max(1, int(self._rows.shape[1]))
        return (len(self._paths) + more) * width * 4 > _BYTES

    def _append(self, rows: Array) -> None:
        used, needed = len(self._paths), len(self._paths) + len(rows)
        if needed > len(self._rows) or self._rows.shape[1] != rows.shape[1]:
            grown = np.zeros((max(needed, 2 * used, 1_024), rows.shape[1]), np.float32)
            if used:
                grown[:used] = self._rows[:used]
            self._rows = grown
        self._rows[used:needed] = rows
