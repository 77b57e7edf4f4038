"""What one person is looking at, as plain text of the address bar and back."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from store import Namespace, Reference

_OWN = frozenset({"ns", "key", "in", "q", "page", "own", "sort", "dir", "rows"})
PAGE_SIZES, _SIZE = (25, 50, 100, 250), 50


@dataclass(frozen=True, slots=True)
class View:
    """Everything about the current view that a link restores or a rerun must keep."""

    scope: Namespace = ()
    selected: Reference | None = None
    query: str = ""
    page: int = 1
    own: bool = False
    order: str = "updated_at"
    descending: bool = True
    size: int = _SIZE
    extra: tuple[tuple[str, str], ...] = ()


def to_params(view: View) -> dict[str, str]:
    """Return a view as query parameters, only those that differ from the default."""
    opened = view.selected
    params = {
        "ns": write_labels(view.scope) if view.scope else None,
        "key": opened[1] if opened else None,
        "in": write_labels(opened[0]) if opened and opened[0] != view.scope else None,
        "q": view.query or None,
        "page": str(view.page) if view.page > 1 else None,
        "own": "1" if view.own else None,
        "sort": view.order if view.order != "updated_at" else None,
        "dir": None if view.descending else "up",
        "rows": str(view.size) if view.size != _SIZE else None,
    }
    own = {name: text for name, text in params.items() if text is not None}
    return {**dict(view.extra), **own}


def from_params(view: View, params: Mapping[str, str]) -> View:
    """Return the view with what the query parameters say; unreadable ones count as absent."""
    scope = read_labels(params.get("ns")) or ()
    key = params.get("key")
    inside = read_labels(params.get("in"))
    page = params.get("page", "1")
    return replace(
        view,
        scope=scope,
        selected=None if key is None else (scope if inside is None else inside, key),
        query=params.get("q", ""),
        page=max(1, int(page)) if page.isdecimal() and len(page) < 9 else 1,
        own=params.get("own") == "1",
        order=params.get("sort") or "updated_at",
        descending=params.get("dir") != "up",
        size=next((size for size in PAGE_SIZES if str(size) == params.get("rows")), _SIZE),
        extra=tuple(item for item in params.items() if item[0] not in _OWN),
    )


def read_labels(text: str | None) -> Namespace | None:
    """Return the namespace an entry of the address bar holds; None for none, or no namespace."""
    try:
        labels = json.loads(text) if text else None
    except ValueError:
        return None
    if isinstance(labels, list) and all(isinstance(label, str) for label in labels):
        return tuple(labels)
    return None


def write_labels(namespace: Namespace) -> str:
    """Return a namespace as an entry of the address bar."""
    return json.dumps(namespace, ensure_ascii=False, separators=(",", ":"))
