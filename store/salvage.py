"""Vectors out of an index that Chroma cannot read any more, so that they need not be made anew.

What was saved stays where it was when saving is interrupted: each element is written in place.
What came since then is in Chroma's log. Only vectors that are whole are taken.
"""

import pickle
import struct
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from store import database

Array = npt.NDArray[np.float32]

_HEADER = struct.Struct("<i6Q")
_DELETED = 1
_UNIT = 0.01
_DELETE = 3


def rescue(folder: Path, collection: str, index: Path | None) -> dict[str, Array]:
    """Give the vectors of a closed folder's collection by their ids, as far as they can be had.

    `index` is where the files of its index are now; None if there are none.
    """
    found = _saved(index) if index is not None else {}
    with database.opened(folder) as connection:
        rows = connection.execute(
            "SELECT q.operation, q.id, q.vector FROM embeddings_queue q JOIN collections c "
            "ON q.topic LIKE '%/' || c.id WHERE c.name = ? ORDER BY q.seq_id",
            (collection,),
        )
        for operation, identity, vector in rows:
            if operation == _DELETE:
                found.pop(identity, None)
            elif vector is not None:
                found[identity] = np.frombuffer(vector, np.float32)
    return found


def _saved(index: Path) -> dict[str, Array]:
    try:
        labels, rows = _elements(index)
        names = _names(index)
    except (OSError, ValueError, struct.error):
        return {}
    places = {int(label): place for place, label in enumerate(labels)}
    return {
        identity: rows[places[label]]
        for identity, label in names.items()
        if label in places and abs(float(np.linalg.norm(rows[places[label]])) - 1) < _UNIT
    }


def _elements(index: Path) -> tuple[npt.NDArray[np.uint64], Array]:
    """Give labels and vectors of the elements that are there and not deleted."""
    header = (index / "header.bin").read_bytes()
    _, _, _, count, size, label, start = _HEADER.unpack_from(header)
    raw = np.fromfile(index / "data_level0.bin", np.uint8)
    count = min(count, len(raw) // size)
    table = raw[: count * size].reshape(count, size)
    table = table[(table[:, 2] & _DELETED) == 0]
    labels = np.ascontiguousarray(table[:, label : label + 8]).view(np.uint64).ravel()
    return labels, np.ascontiguousarray(table[:, start:label]).view(np.float32)


class _Plain(pickle.Unpickler):
    """Reads dicts, texts and numbers; a pickle that names anything else is refused."""

    def find_class(self, module: str, name: str) -> object:
        raise ValueError(f"{module}.{name} is not plain data")


def _names(index: Path) -> Mapping[str, int]:
    """Give the label of each id; none if the file is cut short."""
    try:
        with (index / "index_metadata.pickle").open("rb") as stream:
            found = _Plain(stream).load()
    except (pickle.UnpicklingError, EOFError, IndexError, KeyError) as exc:
        raise ValueError(f"{index} has no readable names") from exc
    names: Mapping[str, int] = found["id_to_label"] if isinstance(found, dict) else {}
    return names
