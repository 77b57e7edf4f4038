"""Marks: how processes that share a store on a server learn what the others changed.

Every writer owns one record among sixteen and rewrites it in the same atomic call as its memories.
A mark names the writer, counts its writes and lists the latest ids; a reader that saw the mark
before knows exactly what to read again, or that it must read everything.
"""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import uuid4

_REMEMBERED = 64
"""Chroma's cost of a write grows with its metadata: 400 ids in a mark make a put take three times
as long as 64 do. A reader that missed more reads the directory again."""


@dataclass(slots=True)
class WriterLog:
    """What this writer changed lately, and where its mark stands."""

    slot: str = ""
    writer: str = ""
    count: int = 0
    before: list[object] | None = None
    recent: list[tuple[int, list[str]]] = field(default_factory=list)

    def claim(self, marks: Mapping[str, str], slots: Sequence[str]) -> None:
        """Take a slot before the first write, and again when another writer took it over."""
        if self.slot and self.slot in marks and json.loads(marks[self.slot])["w"] == self.writer:
            return
        free = [slot for slot in slots if slot not in marks]
        self.slot = random.choice(free or list(slots))  # noqa: S311 - spreads writers, no secret
        self.writer, self.count, self.recent = uuid4().hex, 0, []
        taken = marks.get(self.slot)
        self.before = None if taken is None else _name(json.loads(taken))

    def next(self, ids: Sequence[str]) -> tuple[str, str]:
        """Give the slot and text of the mark that goes with a write of these ids."""
        self.count += 1
        self.recent.append((self.count, list(ids)))
        # What a large write has just changed is always named: its cost is shared by many.
        while len(self.recent) > 1 and sum(len(part) for _, part in self.recent) > _REMEMBERED:
            self.recent.pop(0)
        mark = {"w": self.writer, "n": self.count, "b": self.before, "log": self.recent}
        return self.slot, json.dumps(mark, separators=(",", ":"))


def changed_ids(seen: Mapping[str, str], now: Mapping[str, str]) -> set[str] | None:
    """Give the ids changed between two looks at the marks; None when that cannot be known."""
    changed: set[str] = set()
    for slot in seen.keys() | now.keys():
        if seen.get(slot) == now.get(slot):
            continue
        if slot not in now:
            return None
        ids = _since(json.loads(seen[slot]) if slot in seen else None, json.loads(now[slot]))
        if ids is None:
            return None
        changed |= ids
    return changed


def _since(old: dict[str, object] | None, new: dict[str, object]) -> set[str] | None:
    if old is not None and old["w"] == new["w"]:
        start = int(str(old["n"]))
    elif new["b"] == (None if old is None else _name(old)):
        start = 0
    else:
        return None
    log: list[tuple[int, list[str]]] = new["log"]  # type: ignore[assignment]  # our own JSON
    known = {count for count, _ in log}
    wanted = range(start + 1, int(str(new["n"])) + 1)
    if not known.issuperset(wanted):
        return None
    return {identity for count, ids in log if count in wanted for identity in ids}


def _name(mark: Mapping[str, object]) -> list[object]:
    return [mark["w"], mark["n"]]
