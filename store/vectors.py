"""Vectors at hand: those read lately, so that searching a scope again reads nothing."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from store.calls import chunks
from store.gateway import Gateway
from store.memory import Entry
from store.ranking import Array, Scored, normalise
from store.records import vector_ids

_BYTES = 160 * 1024 * 1024
_READ = 2_000
_KEPT_PLANS = 4

_Content = tuple[str, int]
"""A revision and a slot: they name a vector's content, so identical texts share one row."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """Which rows a scope needs: the distinct ones, and for each vector which of these it is."""

    owners: list[str]
    paths: list[str]
    rows: npt.NDArray[np.intp]
    shares: npt.NDArray[np.intp]


class VectorShelf:
    """Keeps rows of vectors by their content; a revision names the content, so rows never age."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._plans: OrderedDict[Hashable, _Plan] = OrderedDict()
        self._clear()

    def _clear(self) -> None:
        self._rows: Array = np.zeros((0, 0), np.float32)
        self._place: dict[_Content, int] = {}
        self._paths: list[str] = []
        self._plans.clear()

    def fits(self, count: int, dims: int) -> bool:
        """Tell whether so many vectors can be at hand together."""
        return count * dims * 4 <= _BYTES

    def score(
        self,
        query: Array,
        entries: Callable[[], Mapping[str, Entry]],
        *,
        plan: Hashable | None = None,
    ) -> Scored:
        """Score the vectors of memories; what is missing or left from before has no score.

        `plan` names a scope that was asked for before with the same entries.
        """
        known = self._plans.get(plan) if plan is not None else None
        if known is None:
            wanted = entries()
            self._fetch(wanted)
            known = self._planned(wanted)
            if plan is not None:
                self._plans[plan] = known
                if len(self._plans) > _KEPT_PLANS:
                    self._plans.popitem(last=False)
        return Scored(known.owners, known.paths, self._cosines(query, known))

    def _cosines(self, query: Array, plan: _Plan) -> Array:
        used = len(self._paths)
        if not len(plan.rows):
            return np.zeros(0, np.float32)
        direction = normalise(query)
        if len(plan.rows) * 2 > used:  # gathering rows costs more than a few products too many
            scores = _products(self._rows[:used], direction)[plan.rows]
        else:
            scores = _products(self._rows[plan.rows], direction)
        cosines: Array = np.clip(scores, -1.0, 1.0).astype(np.float32)[plan.shares]
        return cosines

    def _planned(self, entries: Mapping[str, Entry]) -> _Plan:
        pairs = [
            (place, owner)
            for owner, entry in entries.items()
            for slot in range(entry.vectors)
            if (place := self._place.get((entry.revision, slot))) is not None
        ]
        places = np.asarray([place for place, _ in pairs], np.intp)
        rows, shares = np.unique(places, return_inverse=True)
        return _Plan(
            [owner for _, owner in pairs],
            [self._paths[place] for place, _ in pairs],
            rows,
            shares,
        )

    def _fetch(self, entries: Mapping[str, Entry]) -> None:
        missing = self._missing(entries)
        if missing and self._full(len(missing)):
            self._clear()
            missing = self._missing(entries)
        # Twins are tried one after another: one whose own vector got lost does not hide the rest.
        while missing:
            self._read({content: ids.pop() for content, ids in missing.items()})
            missing = {
                content: ids
                for content, ids in missing.items()
                if ids and content not in self._place
            }

    def _missing(self, entries: Mapping[str, Entry]) -> dict[_Content, list[str]]:
        missing: dict[_Content, list[str]] = {}
        for owner, entry in entries.items():
            for slot, vid in enumerate(vector_ids(owner, entry.vectors)):
                if (entry.revision, slot) not in self._place:
                    missing.setdefault((entry.revision, slot), []).append(vid)
        return missing

    def _read(self, wanted: Mapping[_Content, str]) -> None:
        for part in chunks(list(wanted.items()), _READ):
            found = self._gateway.read_vectors([vid for _, vid in part])
            fresh = [
                (content, found[vid])
                for content, vid in part
                if vid in found and found[vid].revision == content[0]
            ]
            self._append(one.values for _, one in fresh)
            for content, one in fresh:
                self._place[content] = len(self._paths)
                self._paths.append(one.path)

    def _full(self, more: int) -> bool:
        width = max(1, int(self._rows.shape[1]))
        return (len(self._paths) + more) * width * 4 > _BYTES

    def _append(self, vectors: Iterable[Array]) -> None:
        rows = [normalise(one) for one in vectors]
        if not rows:
            return
        used, needed = len(self._paths), len(self._paths) + len(rows)
        if needed > len(self._rows):
            grown = np.zeros((max(needed, 2 * used, 1_024), len(rows[0])), np.float32)
            if used:
                grown[:used] = self._rows[:used]
            self._rows = grown
        self._rows[used:needed] = rows


def _products(rows: Array, direction: Array) -> Array:
    # Not BLAS: its threads wait for each other, which on a busy machine costs more than the work.
    products: Array = np.einsum("ij,j->i", rows, direction)
    return products
