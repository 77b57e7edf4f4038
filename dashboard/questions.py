"""What a dialog can ask besides a deletion, as plain values."""

from dataclasses import dataclass

from dashboard.curation import DeleteNamespace
from store import Memory, Namespace


@dataclass(frozen=True, slots=True)
class Adding:
    """Where a new memory goes, and the memory it is a copy of, if it is one."""

    namespace: Namespace
    original: Memory | None = None


@dataclass(frozen=True, slots=True)
class Moving:
    """Which memory gets another namespace or key."""

    memory: Memory


@dataclass(frozen=True, slots=True)
class MovingMany:
    """Which memories get another namespace."""

    memories: tuple[Memory, ...]


@dataclass(frozen=True, slots=True)
class Expiring:
    """Which memory gets another expiry."""

    memory: Memory


@dataclass(frozen=True, slots=True)
class Copying:
    """Which memory is wanted as code or as a link."""

    memory: Memory


@dataclass(frozen=True, slots=True)
class DeletingNamespace:
    """Which namespace is to go, with what it held when that was asked."""

    plan: DeleteNamespace
