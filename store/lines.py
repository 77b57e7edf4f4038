"""One memory as one line of JSON, both ways: what an import accepts and an export writes."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NoReturn

from store import namespaces, operations, values
from store.memory import Memory, Namespace, Reference

FIELDS = (
    *("namespace", "key", "value"),
    *("created_at", "updated_at", "expires_at", "ttl_minutes"),
    "index",
)
"""Every field a line can have; the first three are required."""

TEXT_PATHS = ("text", "content.content", "content", "memory", "fact", "note", "summary", "data")
"""Where memories usually keep their text, the likeliest first."""


class LineError(ValueError):
    """A line cannot become a memory; the message is the rule it breaks."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line that can become a memory; what the line does not state is None."""

    namespace: Namespace
    key: str
    value: dict[str, Any]
    created_at: datetime | None = None
    updated_at: datetime | None = None
    expires_at: datetime | None = None
    ttl_minutes: float | None = None
    index: tuple[str, ...] | None = None
    ignored: tuple[str, ...] = ()

    @property
    def reference(self) -> Reference:
        """Where the memory goes: (namespace, key)."""
        return self.namespace, self.key


def dump(memory: Memory) -> str:
    """Give the line of a memory, without a line break.

    Its expiry, and the paths its put named, are written only when it has them.
    """
    line: dict[str, Any] = {
        "namespace": list(memory.namespace),
        "key": memory.key,
        "value": memory.value,
        "created_at": memory.created_at.isoformat(),
        "updated_at": memory.updated_at.isoformat(),
    }
    if memory.expires_at is not None:
        line["expires_at"] = memory.expires_at.isoformat()
    if memory.ttl_minutes is not None:
        line["ttl_minutes"] = memory.ttl_minutes
    if memory.index is not None:
        line["index"] = list(memory.index)
    return json.dumps(line, ensure_ascii=False, allow_nan=False)


def parse(raw: bytes) -> Line:
    """Give the memory a line holds.

    Raises LineError for anything that could not be stored and given back as it stands there.
    Fields a memory does not have are left out and named in `ignored`.
    """
    try:
        return _line(_json_object(raw))
    except LineError:
        raise
    except RecursionError as exc:
        raise LineError("its JSON is nested too deeply") from exc
    except ValueError as exc:
        raise LineError(str(exc)) from exc


def _line(fields: dict[str, Any]) -> Line:
    for name in FIELDS[:3]:
        if name not in fields:
            raise LineError(f'the field "{name}" is missing')
    return Line(
        namespace=_namespace(fields["namespace"]),
        key=_key(fields["key"]),
        value=_value(fields["value"]),
        created_at=_time(fields, "created_at"),
        updated_at=_time(fields, "updated_at"),
        expires_at=_time(fields, "expires_at"),
        ttl_minutes=operations.check_ttl(fields.get("ttl_minutes")),
        index=operations.check_index(fields.get("index")),
        ignored=tuple(name for name in fields if name not in FIELDS),
    )


def complete(line: Line, *, old: Memory | None, now: datetime) -> Memory:
    """Give the memory to store for a line that may leave times out.

    A missing `updated_at` is `created_at`; without either, the memory is from now, and one that
    is replaced keeps the time it was created at. A missing expiry counts from now. Without
    `index` a replaced memory goes on with the paths it had.
    """
    created = line.created_at or line.updated_at or (old.created_at if old else now)
    updated = line.updated_at or line.created_at or now
    expires = line.expires_at
    if expires is None and line.ttl_minutes is not None:
        expires = now + timedelta(minutes=line.ttl_minutes)
    index = old.index if line.index is None and old else line.index
    return Memory(
        namespace=line.namespace,
        key=line.key,
        value=line.value,
        created_at=created,
        updated_at=updated,
        expires_at=expires,
        ttl_minutes=line.ttl_minutes,
        index=index,
    )


def is_stored(line: Line, old: Memory | None) -> bool:
    """Tell whether a stored memory is what the line says; what the line leaves out may differ."""
    if old is None or _canonical(line.value) != _canonical(old.value):
        return False
    created = line.created_at or line.updated_at
    updated = line.updated_at or line.created_at
    return (
        created in (None, old.created_at)
        and updated in (None, old.updated_at)
        and line.expires_at in (None, old.expires_at)
        and line.ttl_minutes in (None, old.ttl_minutes)
        and line.index in (None, old.index)
    )


def _canonical(value: dict[str, Any]) -> str:
    # As text, because to Python 1, 1.0 and true are equal.
    return json.dumps(value, sort_keys=True)


def text_path(value: dict[str, Any]) -> str | None:
    """Tell which of the usual places holds this value's text, or None."""
    for path in TEXT_PATHS:
        found: Any = value
        for step in path.split("."):
            found = found.get(step) if isinstance(found, dict) else None
        if isinstance(found, str) and found.strip():
            return path
    return None


def likely_fields(counts: dict[str, int], total: int) -> tuple[str, ...]:
    """Choose the fields to embed from how many values keep their text in each usual place.

    Together they must cover at least half of the values, else nothing is sure and all of each
    value is embedded; a place that fewer than one value in a hundred uses is left out.
    """
    if sum(counts.values()) * 2 < total or not total:
        return ("$",)
    return tuple(path for path in TEXT_PATHS if counts.get(path, 0) * 100 >= total)


def _json_object(raw: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(raw.decode("utf-8"), parse_constant=_no_constant)
    except UnicodeDecodeError as exc:
        raise LineError(f"it is not UTF-8 text (byte {exc.start + 1})") from exc
    except json.JSONDecodeError as exc:
        raise LineError(f"it is not JSON ({exc.msg} at character {exc.pos + 1})") from exc
    if not isinstance(fields, dict):
        raise LineError(f"it must be a JSON object, not {_kind(fields)}")
    return fields


def _no_constant(name: str) -> NoReturn:
    raise LineError(f"{name} is not a JSON number")


def _namespace(labels: object) -> Namespace:
    if not isinstance(labels, list):
        raise LineError(f'"namespace" must be a list of labels, not {_kind(labels)}')
    return namespaces.check_writable(labels)


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise LineError(f'"key" must be text, not {_kind(key)}')
    return operations.check_key(key)


def _value(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise LineError(f'"value" must be a JSON object, not {_kind(value)}')
    values.encode(value)
    return value


def _time(fields: dict[str, Any], name: str) -> datetime | None:
    text = fields.get(name)
    if text is None:
        return None
    if not isinstance(text, str):
        raise LineError(f'"{name}" must be an ISO 8601 time, not {_kind(text)}')
    try:
        moment = datetime.fromisoformat(text)
        # A time without a zone is read as UTC: that is what stores that drop the zone mean.
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError) as exc:
        raise LineError(f'"{name}" must be an ISO 8601 time, not "{text[:40]}"') from exc


def _kind(value: object) -> str:
    names = {bool: "true or false", str: "text", list: "a list", dict: "an object"}
    return "null" if value is None else names.get(type(value), "a number")
