"""Traces: what was deleted or replaced and is still in Chroma's files, and looking for it there."""

import json
import mmap
import sqlite3
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from store import database
from store.database import StoredCollection

_EACH = 20
_SHORTEST = 12
_HEADER = struct.Struct("<i6Q")
_DELETED = 1


@dataclass(frozen=True, slots=True)
class Trace:
    """Bytes that should be gone, and whether they are a text or a vector."""

    kind: str
    pattern: bytes


def text_traces(texts: Iterable[str]) -> list[Trace]:
    """Give what texts look like in the files: as they are, and as JSON, once and twice."""
    found: dict[bytes, None] = {}
    for text in texts:
        form = text
        for _ in range(3):
            found[form.encode()] = None
            form = json.dumps(form, ensure_ascii=False)[1:-1]
    return [Trace("text", pattern) for pattern in found if pattern]


def left_behind(folder: Path) -> list[Trace]:
    """Give some of what a closed folder holds of memories that were deleted or replaced.

    Up to twenty texts and twenty vectors from Chroma's log, and twenty vectors from the files of
    indexes, all of them in no memory any more.
    """
    ours = [one for one in database.collections(folder) if one.ours]
    with database.opened(folder) as connection:
        texts = list(islice(_logged_texts(connection, ours), _EACH))
        vectors = list(islice(_logged_vectors(connection, ours), _EACH))
    saved = (trace for one in ours for trace in _deleted_vectors(folder / one.segment))
    return [*texts, *vectors, *islice(saved, _EACH)]


def found_in(folder: Path, traces: Iterable[Trace]) -> list[Trace]:
    """Search every file at or below a folder, byte by byte; give the traces that are there."""
    remaining, found = list(traces), list[Trace]()
    for path in sorted(folder.rglob("*")):
        if not remaining or not path.is_file() or not path.stat().st_size:
            continue
        with (
            path.open("rb") as stream,
            mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as raw,
        ):
            here = [one for one in remaining if raw.find(one.pattern) >= 0]
        found += here
        remaining = [one for one in remaining if one not in here]
    return found


def _logged_texts(
    connection: sqlite3.Connection, ours: Iterable[StoredCollection]
) -> Iterator[Trace]:
    """The longest text of each logged value, if no stored value has it."""
    for one in ours:
        rows = connection.execute(
            "SELECT metadata FROM embeddings_queue WHERE topic LIKE ?", (f"%/{one.id}",)
        )
        for (metadata,) in rows:
            value = str(json.loads(metadata or "{}").get("v", "")).partition("\n")[2]
            text = max(value.split('"'), key=len)
            stored = connection.execute(
                "SELECT 1 FROM embedding_metadata WHERE instr(string_value, ?) LIMIT 1", (text,)
            )
            if len(text) >= _SHORTEST and stored.fetchone() is None:
                yield Trace("text", json.dumps(text, ensure_ascii=False)[1:-1].encode())


def _logged_vectors(
    connection: sqlite3.Connection, ours: Iterable[StoredCollection]
) -> Iterator[Trace]:
    """The vectors of logged records that are gone, if no record that is there has an equal one."""
    for one in ours:
        rows = connection.execute(
            "SELECT vector, EXISTS (SELECT 1 FROM embeddings e WHERE e.embedding_id = q.id) "
            "FROM embeddings_queue q WHERE topic LIKE ? AND length(vector) > 4",
            (f"%/{one.id}",),
        ).fetchall()
        kept = {vector for vector, there in rows if there}
        for vector, there in rows:
            if not there and vector not in kept and any(vector):
                yield Trace("vector", vector)


def _deleted_vectors(index: Path) -> Iterator[Trace]:
    """The vectors that an index marks as deleted, if it has no equal one that is not."""
    if not (index / "header.bin").exists():
        return
    _, _, _, count, size, label, start = _HEADER.unpack_from((index / "header.bin").read_bytes())
    if label - start <= 4:
        return  # Items have no vectors worth the name.
    raw = (index / "data_level0.bin").read_bytes()
    elements = [raw[place : place + size] for place in range(0, count * size, size)]
    kept = {one[start:label] for one in elements if not one[2] & _DELETED}
    for one in elements:
        if one[2] & _DELETED and one[start:label] not in kept:
            yield Trace("vector", one[start:label])
