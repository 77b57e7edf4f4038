"""Finding: listings in one stable order, and memories ranked by meaning."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from store.catalog import Catalog, View
from store.crowding import Crowding
from store.directory import Directory
from store.filters import needles, passes
from store.gateway import Gateway
from store.memory import Entry, Namespace, Order
from store.namespaces import starts_with
from store.ranking import Array, Hit, Scored, best_hits
from store.records import Near, Record, Vector, owner_of, vector_ids
from store.values import decode
from store.vectors import VectorShelf

EXACT = 20_000
"""Scopes of up to this many vectors are scored one by one, as brute force would."""

_WIDEST = 4_000
_PAGE = 500
_TRIED = 500
_KEPT_FILTERS = 8


@dataclass(frozen=True, slots=True)
class Scope:
    """What a search may return: a prefix (or one namespace), a filter, and which are hidden."""

    prefix: Namespace
    own: bool = False
    filter: Mapping[str, Any] | None = None
    hidden_before: int | None = None

    def admits(self, entry: Entry) -> bool:
        """Tell whether an entry is in the scope and not hidden, whatever its value."""
        inside = (
            entry.namespace == self.prefix
            if self.own
            else starts_with(entry.namespace, self.prefix)
        )
        return inside and not (self.hidden_before is not None and entry.expired(self.hidden_before))

    def passes(self, record: Record) -> bool:
        """Tell whether the record's value passes the filter."""
        return self.filter is None or self.passes_value(record.encoded)

    def passes_value(self, encoded: str) -> bool:
        """Tell whether a value as JSON text passes the filter."""
        if any(needle not in encoded for needle in needles(self.filter or {})):
            return False
        return passes(decode(encoded), self.filter)


@dataclass(frozen=True, slots=True)
class Found:
    """A record, with its score and matched field when it was found by meaning."""

    identity: str
    record: Record
    score: float | None = None
    path: str | None = None


class Finder:
    """Reads for lists and searches; the caller holds the store's lock."""

    def __init__(self, gateway: Gateway, catalog: Catalog) -> None:
        self._gateway = gateway
        self._catalog = catalog
        self._shelf = VectorShelf(gateway)
        self._crowding = Crowding(gateway)
        self._passed: OrderedDict[tuple[object, ...], dict[str, None]] = OrderedDict()

    # --- listings ----------------------------------------------------------------------------

    def listing(
        self,
        scope: Scope,
        limit: int,
        offset: int,
        *,
        order: Order = "updated_at",
        descending: bool = True,
    ) -> list[Found]:
        """Give one page of a listing."""
        view = self._catalog.view(scope.prefix, own=scope.own)
        ids = self._ordered(view, scope, order, descending)
        found = self._passing(view, scope, ids if scope.filter else islice(ids, offset, None))
        return list(
            islice(found, offset if scope.filter else 0, (offset if scope.filter else 0) + limit)
        )

    def counted(
        self, scope: Scope, limit: int, offset: int, *, order: Order, descending: bool
    ) -> tuple[list[Found], int]:
        """Give one page and how many there are in all; with a filter every value is read."""
        view = View(self._catalog.directory(), whole=True)
        ids = list(self._ordered(view, scope, order, descending))
        if scope.filter:
            allowed = self._allowed(view, scope)
            ids = [one for one in ids if one in allowed]
        plain = replace(scope, filter=None)
        page = islice(self._passing(view, plain, islice(ids, offset, None)), limit)
        return list(page), len(ids)

    def _ordered(self, view: View, scope: Scope, order: Order, descending: bool) -> Iterator[str]:
        directory = view.directory
        ids = directory.ordered(scope.prefix, own=scope.own, order=order, descending=descending)
        if scope.hidden_before is None:
            return iter(ids)
        return (one for one in ids if scope.admits(directory.entries[one]))

    def _passing(self, view: View, scope: Scope, ids: Iterable[str]) -> Iterator[Found]:
        """Read ids page by page and give those that are there and pass the filter."""
        remaining = iter(ids)
        size = 50
        while part := list(islice(remaining, size)):
            size = _PAGE
            records = self._read(view.directory, part)
            for identity in part:
                record = records.get(identity)
                if record is None:
                    self._catalog.gone(identity)
                elif scope.passes(record):
                    yield Found(identity, record)

    def _read(self, directory: Directory, ids: Sequence[str]) -> Mapping[str, Record]:
        """Give records from what is at hand, and from Chroma what is not."""
        at_hand = {one: record for one in ids if (record := directory.record(one)) is not None}
        missing = [one for one in ids if one not in at_hand]
        return {**at_hand, **self._gateway.read(missing)} if missing else at_hand

    # --- by meaning --------------------------------------------------------------------------

    def ranked(self, scope: Scope, query: Array, limit: int, offset: int) -> list[Found]:
        """Give a slice of the total order: scored best first, then those without vectors."""
        need = offset + limit
        if limit == 0:
            return []
        view = None
        if scope.prefix and self._catalog.loaded() is None:
            view = self._catalog.view(scope.prefix, own=scope.own)
            view = None if view.whole else view
        found = self._from_index(scope, query, need) if view is None else None
        if found is None:
            found = self._exactly(view, scope, query, need)
        return found[offset:need]

    def _exactly(self, view: View | None, scope: Scope, query: Array, need: int) -> list[Found]:
        view = view or View(self._catalog.directory(), whole=True)
        directory = view.directory
        plain = view.whole and scope.hidden_before is None
        plan = (directory.born, directory.version, scope.prefix, scope.own) if plain else None
        scores = self._shelf.score(query, lambda: self._candidates(view, scope), plan=plan)
        hits = best_hits(scores, directory.entries)
        tried = islice(hits, _TRIED) if scope.filter else hits
        found = list(islice(self._resolve(directory, scope, tried), need))
        if len(found) < need and scope.filter:
            found = self._among_passing(view, scope, scores, need)
        if len(found) < need:
            scored = set(scores.owners)
            every = self._allowed(view, scope) if scope.filter else self._candidates(view, scope)
            rest = (one for one in every if one not in scored)
            found += islice(self._passing(view, scope, rest), need - len(found))
        return found

    def _among_passing(self, view: View, scope: Scope, scores: Scored, need: int) -> list[Found]:
        """Rank only what passes the filter: for filters that few of the best hits pass."""
        allowed = self._allowed(view, scope)
        rows = [row for row, owner in enumerate(scores.owners) if owner in allowed]
        few = Scored(
            [scores.owners[row] for row in rows],
            [scores.paths[row] for row in rows],
            scores.scores[rows],
        )
        hits = best_hits(few, view.directory.entries)
        return list(islice(self._resolve(view.directory, scope, hits), need))

    def _allowed(self, view: View, scope: Scope) -> Mapping[str, None]:
        """Give which memories pass the filter, in the order of a listing; kept until a change."""
        wanted = (view.directory.born, view.directory.version, repr(scope))
        known = self._passed.get(wanted)
        if known is None:
            ids = self._ordered(view, scope, "updated_at", descending=True)
            known = dict.fromkeys(self._passing_ids(view.directory, scope, ids))
            self._passed[wanted] = known
            if len(self._passed) > _KEPT_FILTERS:
                self._passed.popitem(last=False)
        return known

    def _passing_ids(self, directory: Directory, scope: Scope, ids: Iterable[str]) -> Iterator[str]:
        remaining = iter(ids)
        while part := list(islice(remaining, 2_000)):
            missing = self._gateway.read([one for one in part if directory.value(one) is None])
            for one in part:
                encoded = directory.value(one)
                if encoded is None and one in missing:
                    encoded = missing[one].encoded
                if encoded is not None and scope.passes_value(encoded):
                    yield one

    def _candidates(self, view: View, scope: Scope) -> dict[str, Entry]:
        """Give what a search may return but for the filter, in the order of a listing.

        Filters are applied to hits, best first: only a rare match makes it read every value.
        """
        ids = self._ordered(view, scope, "updated_at", descending=True)
        return {one: view.directory.entries[one] for one in ids}

    def vectors_of(
        self,
        entries: Mapping[str, Entry],
        progress: Callable[[int, int], None] | None = None,
    ) -> dict[str, Vector]:
        """Read the vectors of memories by their ids."""
        ids = [vid for one, entry in entries.items() for vid in vector_ids(one, entry.vectors)]
        found: dict[str, Vector] = {}
        for start in range(0, len(ids), 2_000):
            found.update(self._gateway.read_vectors(ids[start : start + 2_000]))
            if progress is not None:
                progress(min(start + 2_000, len(ids)), len(ids))
        return found

    def _from_index(self, scope: Scope, query: Array, need: int) -> list[Found] | None:
        """Ask Chroma's index; None when scoring one by one is exact, needed or cheaper."""
        directory = self._catalog.directory()
        total = directory.vectors
        inside = directory.vectors_below(scope.prefix, own=scope.own)
        if inside <= EXACT or not np.any(query):
            return None
        if self._shelf.fits(total, len(query)) and self._crowding.found(directory):
            return None
        per_memory = total / len(directory.entries)
        wanted = max(need + 5, round(need * per_memory * 1.5 * total / inside))
        while wanted < _WIDEST:
            found = self._checked(scope, self._gateway.nearest(query, min(wanted, total)), need)
            if len(found) >= need:
                return found
            if wanted >= total:
                return None
            wanted *= 4
        return None

    def _checked(self, scope: Scope, nearest: Sequence[Near], need: int) -> list[Found]:
        """Drop what the index gives from outside the scope, stale or gone."""
        directory = self._catalog.directory()
        entries = directory.entries
        valid = [
            one
            for one in nearest
            if (entry := entries.get(owner_of(one.id))) is not None
            and entry.revision == one.revision
            and scope.admits(entry)
        ]
        scored = Scored(
            [owner_of(one.id) for one in valid],
            [one.path for one in valid],
            np.asarray([one.score for one in valid], np.float32),
        )
        return list(islice(self._resolve(directory, scope, best_hits(scored, entries)), need))

    def _resolve(self, directory: Directory, scope: Scope, hits: Iterator[Hit]) -> Iterator[Found]:
        """Read hits in order; drop those deleted meanwhile or filtered out."""
        size = 10
        while part := list(islice(hits, size)):
            size = 100
            records = self._read(directory, [hit.identity for hit in part])
            for hit in part:
                record = records.get(hit.identity)
                if record is None:
                    self._catalog.gone(hit.identity)
                elif scope.passes(record):
                    yield Found(hit.identity, record, hit.score, hit.path)
