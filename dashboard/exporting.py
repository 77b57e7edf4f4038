"""Memories as lines of JSON: what `memlens import` reads, nothing of a memory left out."""

import json
from collections.abc import Iterable
from typing import Any

from store import Memory


def as_json_lines(memories: Iterable[Memory]) -> str:
    """Give a line for each memory; expiry and index paths only where a memory has them."""
    return "".join(f"{json.dumps(_line(memory), ensure_ascii=False)}\n" for memory in memories)


def _line(memory: Memory) -> dict[str, Any]:
    ends = memory.expires_at
    line = {
        "namespace": memory.namespace,
        "key": memory.key,
        "value": memory.value,
        "created_at": memory.created_at.isoformat(),
        "updated_at": memory.updated_at.isoformat(),
        "expires_at": ends.isoformat() if ends else None,
        "ttl_minutes": memory.ttl_minutes,
        "index": memory.index,
    }
    return {name: item for name, item in line.items() if item is not None}
