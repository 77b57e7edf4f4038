"""The demo store: invented people's memories, as if they had been gathered over 18 months."""

import hashlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib.resources import files

from store import ChromaStore, Memory

INDEX_FIELDS = ("text",)
"""What of a demo memory is embedded: its kind and language say nothing of its meaning."""

_AGE_IN_DAYS = {
    "profile": (280, 545),
    "health": (220, 520),
    "instruction": (180, 500),
    "preference": (45, 480),
    "procedural": (60, 300),
    "project": (12, 210),
    "event": (1, 400),
    "note": (0, 9),
}
"""The youngest and the oldest a memory of each kind can be."""


def demo_memories(now: datetime) -> list[Memory]:
    """Give the demo's memories with times spread out before `now`, the same for the same `now`."""
    return [_memory(line, now) for line in _lines()]


def fill_demo(store: ChromaStore, now: datetime | None = None) -> int:
    """Put the demo's memories into a store that is empty; return how many were put."""
    if store.count():
        return 0
    memories = demo_memories(now or datetime.now(UTC))
    store.write(memories)
    return len(memories)


def _lines() -> Iterator[dict[str, str]]:
    text = (files("dashboard") / "data" / "demo_memories.jsonl").read_text("utf-8")
    yield from map(json.loads, text.splitlines())


def _memory(line: dict[str, str], now: datetime) -> Memory:
    youngest, oldest = _AGE_IN_DAYS[line["kind"]]
    age = youngest + (oldest - youngest) * _fraction(line["id"], "age")
    created = now - timedelta(days=age)
    updated = created
    # About one in seven was corrected since, most of those lately.
    if _fraction(line["id"], "corrected") < 1 / 7:
        updated = now - timedelta(days=age * _fraction(line["id"], "since") ** 3)
    return Memory(
        namespace=tuple(line["namespace"]),
        key=line["id"],
        value={name: line[name] for name in ("text", "kind", "lang")},
        created_at=created,
        updated_at=updated,
    )


def _fraction(identifier: str, purpose: str) -> float:
    """A number in [0, 1) that is always the same for the same words."""
    digest = hashlib.blake2b(f"{purpose}:{identifier}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) / 2**64
