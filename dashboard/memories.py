"""What a memory is about, in one line: its text, its kind, its size."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from dashboard.invisible import escaped
from dashboard.shapes import binary_size
from dashboard.wording import size_text

_PREVIEW = 240
_TEXT_FIELDS = ("text", "content", "memory", "data", "fact", "summary", "note", "title", "name")


def preview(value: Mapping[str, Any], fields: Sequence[str] = ()) -> str:
    """Return the one line that says what a memory is about.

    The embedded fields win, then fields that usually hold text, then any text, then the JSON.
    """
    binary = binary_size(value)
    if binary is not None:
        return f"(binary file, {size_text(binary)})"
    for name in (*fields, *_TEXT_FIELDS):
        text = _as_text(_at(value, name))
        if text:
            return _shorten(text)
    texts = [item for item in value.values() if isinstance(item, str) and item.strip()]
    if texts:
        return _shorten(max(texts, key=len))
    return _shorten(json.dumps(value, ensure_ascii=False, default=str)) if value else "(empty)"


def embedded_text(value: Mapping[str, Any], fields: Sequence[str]) -> str:
    """Return the text that stands for a memory in a search by meaning; empty if there is none."""
    texts = []
    for name in fields:
        if name in ("$", ""):
            texts.append(json.dumps(value, ensure_ascii=False, sort_keys=True))
        else:
            texts.append(_as_text(_at(value, name)))
    return next((text for text in texts if text), "")


def kind(value: Mapping[str, Any]) -> str:
    """Return what kind of memory it says it is, or an empty string."""
    found = value.get("kind") or value.get("type") or value.get("category")
    return found if isinstance(found, str) else ""


def size(value: Mapping[str, Any]) -> int:
    """Return how many bytes the value takes as JSON."""
    return len(json.dumps(value, ensure_ascii=False, default=str).encode("utf-8", "replace"))


def _at(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _as_text(item: Any) -> str:
    if isinstance(item, str):
        return item.strip()
    if isinstance(item, list) and item and all(isinstance(line, str) for line in item):
        return "\n".join(item).strip()
    if isinstance(item, Mapping):
        return next((text for name in _TEXT_FIELDS if (text := _as_text(item.get(name)))), "")
    return ""


def _shorten(text: str) -> str:
    flat = escaped(" ".join(text[: 2 * _PREVIEW].split()))
    return flat if len(flat) <= _PREVIEW else flat[: _PREVIEW - 1].rstrip() + "…"
