"""Opening a store to fill it: an existing one as it is, else a new one as asked for."""

from collections.abc import Sequence
from contextlib import suppress

from langgraph.store.base import IndexConfig

from store import ChromaStore, EmbedderMismatch, StoreNotFound

DEFAULT_EMBEDDER = "local:minilm"
NO_EMBEDDER = "none"


def open_or_create(
    location: str,
    *,
    name: str,
    fields: Sequence[str],
    embed: str | None = None,
    fields_required: bool = False,
) -> tuple[ChromaStore, bool]:
    """Open a store to write to; also tell whether it is new.

    A new store embeds `fields` with `embed` (default ``local:minilm``; ``none``: no search by
    meaning). An existing store keeps what it has: another embedder asked for is refused, and so
    are other fields if they are required.
    """
    store = None
    with suppress(StoreNotFound):
        store = _open_existing(location, name, embed, fields)
    if store is None:
        return _create(location, name, embed or DEFAULT_EMBEDDER, fields), True
    kept = store.info().fields
    if fields_required and kept != tuple(fields):
        store.close()
        raise EmbedderMismatch(
            f"The store embeds the fields {', '.join(kept)} and you asked for "
            f"{', '.join(fields)}; leave --field out to keep its own."
        )
    return store, False


def _open_existing(
    location: str, name: str, embed: str | None, fields: Sequence[str]
) -> ChromaStore:
    if embed is None:
        return ChromaStore.open(location, name=name, create=False)
    with ChromaStore.open(location, name=name, create=False, index=None) as store:
        kept = store.info().fields or tuple(fields)
    return ChromaStore.open(location, name=name, create=False, index=_index(embed, kept))


def _create(location: str, name: str, embed: str, fields: Sequence[str]) -> ChromaStore:
    return ChromaStore.open(location, name=name, index=_index(embed, fields))


def _index(embed: str, fields: Sequence[str]) -> IndexConfig | None:
    return None if embed == NO_EMBEDDER else {"embed": embed, "fields": list(fields)}
