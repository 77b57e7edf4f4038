"""Indexing: which embedder and fields a store uses, and whether they fit what is stored."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from langgraph.store.base import IndexConfig

from store.embedding import Embedder, resolve, resolve_recorded
from store.errors import EmbedderMismatch, EmbeddingError, InvalidOperation, SearchUnavailable

Auto = Literal["auto"]
DEFAULT_EMBEDDER = "local:minilm"
_NEVER_INDEXED = (
    "Search by meaning is off: this store was made without an index; "
    "'memlens reindex' gives it vectors."
)


@dataclass(frozen=True, slots=True)
class Indexing:
    """How memories get their vectors; without an embedder, `off` says why there is none."""

    embedder: Embedder | None
    fields: tuple[str, ...]
    fingerprint: str
    dims: int | None
    off: str | None = None
    list_instead: bool = False
    """Without an index a query is a plain listing, as LangGraph has it."""

    def require(self) -> Embedder:
        """Give the embedder, or raise SearchUnavailable saying why search by meaning is off."""
        if self.embedder is None:
            raise SearchUnavailable(self.off or "Search by meaning is off for this store.")
        return self.embedder

    def with_dims(self, dims: int) -> "Indexing":
        """Give the same with the size learnt from the first vector."""
        return replace(self, dims=dims)

    def record(self, before: Mapping[str, Any]) -> dict[str, Any]:
        """Give what is written down beside the vectors; the same model keeps the name it had."""
        named = self.embedder.spec if self.embedder else None
        if before.get("fingerprint") == self.fingerprint:
            named = named or before.get("embedder")
        return {
            "embedder": named,
            "fingerprint": self.fingerprint,
            "dims": self.dims,
            "fields": list(self.fields),
        }


def plan_indexing(
    index: IndexConfig | Auto | None, recorded: Mapping[str, Any], *, fresh: bool = False
) -> Indexing:
    """Decide from what the caller wants and what the store records.

    Raises EmbedderMismatch when the caller names an embedder that cannot have made the stored
    vectors. "auto" never raises for what is recorded: search is off then, with the reason.
    """
    if index is None:
        why = "Search by meaning is off: this store was opened without an index."
        return replace(_without(recorded, why), list_instead=True)
    if index == "auto":
        if fresh:
            return _from_config({"embed": DEFAULT_EMBEDDER})
        return _from_record(recorded) if recorded else _without(recorded, _NEVER_INDEXED)
    wanted = _from_config(index)
    if not recorded:
        return wanted
    _compare(wanted, recorded)
    return replace(wanted, dims=wanted.dims or recorded.get("dims"))


def _from_config(index: Mapping[str, Any]) -> Indexing:
    if not isinstance(index, Mapping):
        raise InvalidOperation(f"index must be a dict with 'embed', or None, got {index!r}.")
    dims, fields = index.get("dims"), index.get("fields")
    if dims is not None and (isinstance(dims, bool) or not isinstance(dims, int) or dims < 1):
        raise InvalidOperation(f"index['dims'] must be a positive whole number, got {dims!r}.")
    embedder = resolve(index.get("embed"), dims=dims)
    chosen = ("$",) if fields is None else _checked_fields(fields)
    return Indexing(embedder, chosen, embedder.fingerprint, dims or embedder.dims)


def _checked_fields(fields: object) -> tuple[str, ...]:
    if isinstance(fields, list | tuple) and all(isinstance(path, str) for path in fields):
        return tuple(fields)
    raise InvalidOperation(
        f"index['fields'] must be a list of field paths such as ['text'], got {fields!r}."
    )


def _from_record(recorded: Mapping[str, Any]) -> Indexing:
    spec, dims = recorded.get("embedder"), recorded.get("dims")
    if not spec:
        return _without(
            recorded,
            f"This store's vectors ({dims} dimensions) were made by "
            f"{recorded.get('fingerprint') or 'an unnamed embedder'}, which can only be given in "
            "code; search by meaning is off here.",
        )
    try:
        embedder = resolve_recorded(str(spec), dims=dims)
    except (EmbeddingError, ValueError) as exc:
        return _without(recorded, f"Search by meaning is off: {exc}")
    if embedder.fingerprint != recorded.get("fingerprint"):
        return _without(
            recorded,
            f"Search by meaning is off: the vectors were made by {spec} "
            f"({recorded.get('fingerprint')}), this machine has {embedder.fingerprint}.",
        )
    return Indexing(embedder, tuple(recorded["fields"]), embedder.fingerprint, dims)


def _without(recorded: Mapping[str, Any], why: str) -> Indexing:
    return Indexing(
        embedder=None,
        fields=tuple(recorded.get("fields") or ("$",)),
        fingerprint=str(recorded.get("fingerprint") or ""),
        dims=recorded.get("dims"),
        off=why,
    )


def _compare(wanted: Indexing, recorded: Mapping[str, Any]) -> None:
    """Refuse another size, and another model where both models are named."""
    stored, given = recorded.get("dims"), wanted.dims
    stored_name = recorded.get("embedder") or recorded.get("fingerprint") or "an unnamed embedder"
    given_name = (wanted.embedder and wanted.embedder.spec) or wanted.fingerprint
    differs = bool(stored and given and stored != given)
    both_named = bool(recorded.get("embedder") and wanted.embedder and wanted.embedder.spec)
    if differs or (both_named and recorded.get("fingerprint") != wanted.fingerprint):
        raise EmbedderMismatch(
            f"The stored vectors were made by {stored_name} ({stored} dimensions) and you gave "
            f"{given_name} ({given or 'unknown'} dimensions); open the store with the first, "
            "or make its vectors anew with the second: memlens reindex STORE --embed SPEC."
        )
