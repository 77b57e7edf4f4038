"""What a planned edit or deletion does to searches, before anything is written.

Only the changed memories move: everything else keeps its score. So the ranking afterwards is the
ranking now, without the changed memories, with their new texts scored and put in their place.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dashboard.memories import preview
from dashboard.probes import Probe
from dashboard.scoring import normalised
from store import ChromaStore, Match, Reference

MOST_CHANGES = 2_000
LINE = 60


@dataclass(frozen=True, slots=True)
class Change:
    """A planned change of one memory: its new value, or None when it is deleted.

    `index` is as in `put`: None for the store's embedded fields, False or [] for none, or a list.
    """

    reference: Reference
    value: dict[str, Any] | None
    index: Sequence[str] | Literal[False] | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """A memory's place in the answer to a probe."""

    rank: int
    reference: Reference
    score: float
    preview: str
    changed: bool = False

    def line(self, note: str = "") -> str:
        """Return the place as one line of plain text."""
        mark = f" ({note})" if note else ""
        text = self.preview if len(self.preview) <= LINE else f"{self.preview[: LINE - 1]}…"
        return f"{self.rank}. {text}  {self.score:.3f}{mark}"


@dataclass(frozen=True, slots=True)
class Impact:
    """A probe's top hits before and after the planned changes."""

    probe: Probe
    before: tuple[Placed, ...]
    after: tuple[Placed, ...]

    @property
    def entered(self) -> tuple[Placed, ...]:
        """The memories that come into the top."""
        old = {placed.reference for placed in self.before}
        return tuple(placed for placed in self.after if placed.reference not in old)

    @property
    def left(self) -> tuple[Placed, ...]:
        """The memories that drop out of the top."""
        new = {placed.reference for placed in self.after}
        return tuple(placed for placed in self.before if placed.reference not in new)

    @property
    def lines_now(self) -> list[str]:
        """Return the top of now as lines of text; what leaves it is marked."""
        gone = {placed.reference for placed in self.left}
        return [placed.line("leaves" if placed.reference in gone else "") for placed in self.before]

    @property
    def lines_then(self) -> list[str]:
        """Return the top of afterwards as lines of text; what is new or moved is marked."""
        ranks = {placed.reference: placed.rank for placed in self.before}
        return [placed.line(_moved(placed, ranks)) for placed in self.after]

    @property
    def differs(self) -> bool:
        """Tell whether the probe gives other memories, another order, or another text."""
        before = [placed.reference for placed in self.before]
        after = [placed.reference for placed in self.after]
        return before != after or any(placed.changed for placed in (*self.before, *self.after))


def impacts(
    store: ChromaStore, probes: Iterable[Probe], changes: Sequence[Change]
) -> tuple[Impact, ...]:
    """Return each probe's top hits before and after the changes, without writing anything.

    Raises SearchUnavailable when the store cannot search by meaning, EmbeddingError when the new
    texts cannot be embedded.
    """
    changed = {change.reference: change for change in changes[:MOST_CHANGES]}
    vectors = {
        reference: normalised(np.asarray([vector for _, vector in embedded], dtype=np.float32))
        for reference, change in changed.items()
        if change.value is not None
        and (embedded := store.embed_value(change.value, index=_paths(change)))
    }
    fields = [field for field in store.info().fields if field != "$"]
    return tuple(_impact(store, probe, changed, vectors, fields) for probe in probes)


def summary(found: Sequence[Impact]) -> str:
    """Return in one sentence what happens to the saved questions."""
    if not found:
        return "No questions are saved for this store."
    differing = sum(impact.differs for impact in found)
    if not differing:
        one = len(found) == 1
        which = "The saved question" if one else f"All {len(found)} saved questions"
        return f"{which} would be answered as now."
    lost = sum(bool(impact.left) for impact in found)
    text = f"{differing} of {len(found)} saved questions would be answered differently"
    return f"{text}; {lost} would lose a memory from the top." if lost else f"{text}."


def _impact(
    store: ChromaStore,
    probe: Probe,
    changed: dict[Reference, Change],
    vectors: dict[Reference, Any],
    fields: Sequence[str],
) -> Impact:
    matches = [
        match
        for match in store.match(probe.scope, query=probe.query, limit=probe.depth + len(changed))
        if match.score is not None
    ]
    before = [_placed(match, fields, match.memory.reference in changed) for match in matches]
    kept = [placed for placed in before if not placed.changed]
    wanted = normalised(np.asarray([store.embed_query(probe.query)], dtype=np.float32))[0]
    moved = [
        Placed(0, reference, float(np.max(rows @ wanted)), shown, True)
        for reference, rows in vectors.items()
        if reference[0][: len(probe.scope)] == probe.scope
        and (shown := preview(changed[reference].value or {}, fields))
    ]
    return Impact(probe, _top(before, probe.depth), _top(kept + moved, probe.depth))


def _moved(placed: Placed, ranks: dict[Reference, int]) -> str:
    rank = ranks.get(placed.reference)
    if rank is None:
        return "new"
    marks = ["new text"] if placed.changed else []
    return ", ".join([*marks, *([] if rank == placed.rank else [f"was {rank}"])])


def _paths(change: Change) -> Sequence[str] | None:
    return () if change.index is False else change.index


def _placed(match: Match, fields: Sequence[str], changed: bool) -> Placed:
    memory = match.memory
    score = float(match.score or 0.0)
    return Placed(0, memory.reference, score, preview(memory.value, fields), changed)


def _top(placed: list[Placed], depth: int) -> tuple[Placed, ...]:
    ranked = sorted(placed, key=lambda one: (-round(one.score, 6), one.reference))[:depth]
    return tuple(
        Placed(rank, one.reference, one.score, one.preview, one.changed)
        for rank, one in enumerate(ranked, 1)
    )
