"""Reads collections as Chroma does, in a process that may crash: a damaged index kills its reader.

Run as a script with the caller's pid, a folder and the names of collections. Each line printed is
JSON: the name alone before a collection is read, then with what is wrong with it, or null.
"""

import ctypes
import json
import os
import signal
import sys
from typing import Any

_PAGE = 2_000
_ASKED = 5


def main(parent: int, folder: str, names: list[str]) -> None:
    """Read each collection and say what is wrong with it."""
    _end_with(parent)
    # Only now: importing it takes a while, in which the parent may be killed.
    import chromadb
    from chromadb.config import Settings

    client = chromadb.PersistentClient(path=folder, settings=Settings(anonymized_telemetry=False))
    for name in names:
        _say(name)
        try:
            fault = _read(client.get_collection(name, embedding_function=None))
        except Exception as exc:  # whatever Chroma raises is the finding
            fault = f"{type(exc).__name__}: {exc}"
        _say(name, fault)


def _end_with(parent: int) -> None:
    """Let the kernel end this process when its parent is killed, where it can."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
        if os.getppid() != parent:
            sys.exit("whoever wanted to know is gone")


def _read(collection: Any) -> str | None:
    """Read everything a store uses: items by their metadata, vectors by their embeddings too."""
    import numpy as np

    ids = collection.get(include=[])["ids"]
    if collection.count() != len(ids):
        return f"{len(ids)} records are listed and {collection.count()} counted"
    vectors = collection.name.rpartition("_")[2].startswith("vectors")
    include = ["metadatas", "embeddings"] if vectors else ["metadatas"]
    some: list[Any] = []
    for start in range(0, len(ids), _PAGE):
        answer = collection.get(ids=ids[start : start + _PAGE], include=include)
        if vectors:
            rows = np.asarray(answer["embeddings"])
            if not np.isfinite(rows).all():
                return "it holds vectors that are not numbers"
            some.extend(rows[:1])
    return _ask(collection, some[:_ASKED] if vectors else [[0.0]], vectors) if ids else None


def _ask(collection: Any, queries: list[Any], vectors: bool) -> str | None:
    """A stored vector must find itself, or its equal; items are only asked for anything."""
    answer = collection.query(query_embeddings=queries, n_results=1, include=["distances"])
    import numpy as np

    distances = [row[0] if row else 1.0 for row in answer["distances"]]
    zeros = [not np.any(query) for query in queries]
    lost = [far for far, zero in zip(distances, zeros, strict=True) if far > 1e-3 and not zero]
    return "vectors are not found by themselves" if vectors and lost else None


def _say(name: str, fault: str | None = "") -> None:
    print(json.dumps([name] if fault == "" else [name, fault]), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3:])
