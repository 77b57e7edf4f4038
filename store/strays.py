"""Strays: rows that are no memories are kept in a file beside the store, then taken out of it.

One that reads as a memory and is none makes every listing fail. What it holds may be all that is
left of a memory, so nothing of it is thrown away.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path

from store import places
from store.calls import chunks
from store.errors import WriteFailed
from store.gateway import READ_CHUNK, Gateway

SET_ASIDE = "set-aside.jsonl"


def can_set_aside(gateway: Gateway) -> bool:
    """Tell whether there is a folder of this process to keep strays in: a server's is its own."""
    return places.folder_of(gateway.client) is not None


def set_aside(gateway: Gateway, ids: Sequence[str]) -> Path | None:
    """Write rows to the file, then delete them; give where the file is, None if nothing was done.

    Interrupted, a row is in both places and comes into the file again the next time.
    """
    folder = places.folder_of(gateway.client)
    if folder is None or not ids:
        return None
    path = folder / SET_ASIDE
    for part in chunks(ids, READ_CHUNK):
        lines = [
            json.dumps({"store": gateway.name, **row}, default=repr) for row in _rows(gateway, part)
        ]
        try:
            with path.open("a", encoding="utf-8") as stream:
                stream.write("".join(f"{line}\n" for line in lines))
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as exc:
            raise WriteFailed(
                f"{path} cannot be written ({exc.strerror}); no row was taken out, change that and "
                "repair again."
            ) from exc
        gateway.delete_items(part)
    return path


def _rows(gateway: Gateway, ids: Sequence[str]) -> list[dict[str, object]]:
    return [
        {"id": identity, "metadata": metadata, "document": document}
        for identity, metadata, document in gateway.whole_items(ids)
    ]
