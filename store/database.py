"""What Chroma's SQLite file says of a closed folder: its collections, and which files are theirs.

Only for a folder whose lock is held and that nothing else has open. Reading lets SQLite undo what
an interrupted write left, as Chroma would.
"""

import hashlib
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

_CONTENTS = """
    SELECT e.embedding_id, m.key, m.string_value, m.int_value, m.float_value, m.bool_value
    FROM embeddings e
    JOIN segments s ON s.id = e.segment_id JOIN collections c ON c.id = s.collection
    LEFT JOIN embedding_metadata m ON m.id = e.id
    WHERE c.name = ? ORDER BY e.embedding_id, m.key
"""

# In this order: each looks at what the ones before it left.
_NOBODYS = (
    "DELETE FROM segments WHERE collection NOT IN (SELECT id FROM collections)",
    "DELETE FROM collection_metadata WHERE collection_id NOT IN (SELECT id FROM collections)",
    "DELETE FROM segment_metadata WHERE segment_id NOT IN (SELECT id FROM segments)",
    "DELETE FROM max_seq_id WHERE segment_id NOT IN (SELECT id FROM segments)",
    "DELETE FROM embeddings WHERE segment_id NOT IN (SELECT id FROM segments)",
    "DELETE FROM embedding_metadata WHERE id NOT IN (SELECT id FROM embeddings)",
    "DELETE FROM embedding_metadata_array WHERE id NOT IN (SELECT id FROM embeddings)",
    "DELETE FROM embedding_fulltext_search WHERE rowid NOT IN (SELECT id FROM embeddings)",
    "DELETE FROM embeddings_queue WHERE replace(topic, rtrim(topic, replace(topic, '/', '')), '') "
    "NOT IN (SELECT id FROM collections)",
)


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


def contents(folder: Path, name: str) -> str:
    """Give a digest of all records of a collection, in an order of their own."""
    found = hashlib.blake2b()
    with opened(folder) as connection:
        for row in connection.execute(_CONTENTS, (name,)):
            found.update(repr(row).encode("utf-8", "surrogatepass"))
    return found.hexdigest()


def vacuum(folder: Path) -> None:
    """Remove rows that belong to nothing any more, and write the database without free pages."""
    with opened(folder) as connection:
        for statement in _NOBODYS:
            connection.execute(statement)
        # Texts of deleted documents wait in its segments until they are merged.
        connection.execute(
            "INSERT INTO embedding_fulltext_search(embedding_fulltext_search) VALUES ('optimize')"
        )
        connection.execute("VACUUM")


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
