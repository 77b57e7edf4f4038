"""An agent that writes until it is killed, and says outside of the store what it did.

Each line of its log is JSON: ["try", key, text or null] for every write of a batch, then ["done"]
once the store has acknowledged the batch.
"""

import hashlib
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from langgraph.store.base import IndexConfig, PutOp

from store import ChromaStore

DIMS, KEYS = 128, 400
NAMESPACES = [("agents", "one"), ("agents", "two"), ("people",)]


def embed(texts: Sequence[str]) -> list[list[float]]:
    """Give every text a direction of its own."""
    return [_direction(text) for text in texts]


def _direction(text: str) -> list[float]:
    seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())
    vector = np.random.default_rng(seed).standard_normal(DIMS)
    return [float(number) for number in vector / np.linalg.norm(vector)]


INDEX: IndexConfig = {"embed": embed, "dims": DIMS, "fields": ["text"]}


def namespace_of(key: int) -> tuple[str, ...]:
    return NAMESPACES[key % len(NAMESPACES)]


def write_until_killed(folder: Path, log: Path, seed: int) -> None:
    """Put, replace and delete in batches of one to eighty."""
    choose = random.Random(seed)
    with ChromaStore.open(folder, index=INDEX) as store, log.open("a") as lines:
        for number in range(10_000):
            batch = _batch(choose, f"{seed}-{number}")
            _say(lines, *(["try", key, text] for key, text in batch.items()))
            store.batch(
                PutOp(namespace_of(key), str(key), None if text is None else {"text": text})
                for key, text in batch.items()
            )
            _say(lines, ["done"])


def _batch(choose: random.Random, name: str) -> dict[int, str | None]:
    size = choose.choice([1, 3, 80])
    keys = choose.sample(range(KEYS), size)
    return {key: None if choose.random() < 0.15 else f"text {key} of {name}" for key in keys}


def _say(lines: Any, *said: list[Any]) -> None:
    lines.write("".join(json.dumps(one) + "\n" for one in said))
    lines.flush()
