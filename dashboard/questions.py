"""What a dialog can ask besides a deletion, as plain values."""

from dataclasses import dataclass
from typing import Any

from store import Memory, Namespace


@dataclass(frozen=True, slots=True)
class Adding:
    """Where a new memory goes, and what it starts with when it is a copy."""

    namespace: Namespace
    key: str = ""
    value: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Moving:
    """Which memory gets another namespace or key."""

    memory: Memory


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
    """Which namespace is to go."""

    namespace: Namespace
