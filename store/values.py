"""Values as JSON: what can be kept, and where in a value something cannot."""

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

from store.errors import InvalidValue


def encode(value: Mapping[str, Any]) -> str:
    """Write a value as one line of JSON; raise InvalidValue naming the path that cannot be kept."""
    if not isinstance(value, Mapping):
        raise InvalidValue(
            f"A memory's value must be a dict, got {type(value).__name__}; "
            'wrap it, for example {"content": ...}.'
        )
    try:
        plain = _plain(value, "value")
    except RecursionError as exc:
        raise InvalidValue(
            "The value is nested too deeply, or holds itself, which JSON cannot."
        ) from exc
    return json.dumps(plain, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def decode(text: str) -> dict[str, Any]:
    """Read a value back; each call gives a fresh dict."""
    value: dict[str, Any] = json.loads(text)
    return value


def _plain(node: object, path: str) -> object:
    if node is None or isinstance(node, bool | int):
        return node
    if isinstance(node, str):
        return _text(node, path)
    if isinstance(node, float):
        return _number(node, path)
    if isinstance(node, Mapping):
        return {key: _plain(child, place) for key, child, place in _members(node, path)}
    if isinstance(node, list | tuple):
        return [_plain(child, f"{path}[{index}]") for index, child in enumerate(node)]
    raise InvalidValue(
        f"{path} is a {type(node).__name__}, which JSON cannot hold; "
        "store text, a number, true, false, null, a list or a dict."
    )


def _members(node: Mapping[Any, Any], path: str) -> Iterator[tuple[str, object, str]]:
    for key, child in node.items():
        if not isinstance(key, str):
            raise InvalidValue(
                f"{path} has the key {key!r}, a {type(key).__name__}; keys must be text in JSON."
            )
        yield _text(key, f"a key of {path}"), child, f"{path}.{key}"


def _text(node: str, path: str) -> str:
    try:
        node.encode()
    except UnicodeEncodeError as exc:
        raise InvalidValue(
            f"{path} holds half of a surrogate pair at character {exc.start}, "
            "which is not valid Unicode; remove or replace it."
        ) from exc
    return str(node)


def _number(node: float, path: str) -> float:
    if not math.isfinite(node):
        raise InvalidValue(f"{path} is {node}, which JSON cannot hold; use null or text instead.")
    return float(node)
