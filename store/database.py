"""What Chroma's SQLite file says of a closed folder: its collections, and which files are theirs.

Only for a folder whose lock is held and that nothing else has open. Reading lets SQLite undo what
an interrupted write left, as Chroma would.
"""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from store import places
from store.errors import StoreDamaged

_SEGMENT = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

_COLLECTIONS = """
    SELECT c.id, c.name, s.id, (
        SELECT m.int_value FROM collection_metadata m
        WHERE m.collection_id = c.id AND m.key = 'memlens_schema'
    )
    FROM collections c JOIN segments s ON s.collection = c.id AND s.scope = 'VECTOR'
"""

_MEMORIES = """
    SELECT count(*) FROM embeddings e
    JOIN segments s ON s.id = e.segment_id JOIN collections c ON c.id = s.collection
    WHERE c.name = ? AND e.embedding_id NOT LIKE '~%'
"""


@dataclass(frozen=True, slots=True)
class StoredCollection:
    """A collection, the folder its index is saved in, and whether it belongs to a store of ours."""

    id: str
    name: str
    segment: str
    ours: bool


@contextmanager
def opened(folder: Path) -> Iterator[sqlite3.Connection]:
    """Open the folder's database; what SQLite cannot do with it is StoreDamaged."""
    path = folder / places.DATABASE
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            yield connection
    except sqlite3.DatabaseError as exc:
        raise StoreDamaged(
            f"{path} cannot be read ({exc}); restore the folder from a backup, or import an export "
            "into a new store."
        ) from exc


def collections(folder: Path) -> list[StoredCollection]:
    """Give every collection of a folder; none where Chroma has not written yet."""
    with opened(folder) as connection:
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'segments'").fetchone():
            return []
        rows = connection.execute(_COLLECTIONS).fetchall()
    return [StoredCollection(id, name, segment, bool(ours)) for id, name, segment, ours in rows]


def memories(folder: Path, name: str) -> int:
    """Count the memories of a store where Chroma cannot read its collection."""
    with opened(folder) as connection:
        (count,) = connection.execute(_MEMORIES, (f"{name}_items",)).fetchone()
    return int(count)


def check(folder: Path) -> None:
    """Raise StoreDamaged unless SQLite finds its file in order."""
    with opened(folder) as connection:
        (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise StoreDamaged(
            f"{folder / places.DATABASE} is damaged ({found}); restore the folder from a backup, "
            "or import an export into a new store."
        )


def orphan_folders(folder: Path) -> list[Path]:
    """Give the index folders that belong to no collection: Chroma leaves those of deleted ones."""
    with opened(folder) as connection:
        known = {segment for (segment,) in connection.execute("SELECT id FROM segments")}
    return sorted(
        one
        for one in folder.iterdir()
        if one.is_dir() and _SEGMENT.fullmatch(one.name) and one.name not in known
    )
