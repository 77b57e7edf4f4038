"""A memory's value as text people can edit, and back; the difference between two values."""

import json
from collections.abc import Iterator
from difflib import unified_diff
from itertools import takewhile
from typing import Any, Literal

from store import InvalidValue

FieldKind = Literal["text", "long text", "whole number", "number", "yes or no", "list", "JSON"]
_LINE, _MANY = 60, 50
_LONG, _AROUND = 400, 80
_EXACT = 2**53 - 1
"""Browsers hold whole numbers exactly up to here."""


def value_text(value: dict[str, Any]) -> str:
    """Return a value as readable JSON; `parse_value` gives the same value back."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def parse_value(text: str) -> dict[str, Any]:
    """Return the value that the JSON text describes.

    Raises InvalidValue with one sentence that says where it goes wrong. A name given twice and
    numbers JSON cannot hold are refused, as they would be lost silently.
    """
    try:
        value = json.loads(
            text, object_pairs_hook=_distinct, parse_constant=_refuse, parse_float=_finite
        )
    except json.JSONDecodeError as error:
        raise InvalidValue(
            f"Line {error.lineno}, column {error.colno} is not JSON ({error.msg.lower()}): "
            "check for a missing quote, comma or bracket there."
        ) from error
    except RecursionError as error:
        raise InvalidValue("The JSON is nested too deeply to be kept: flatten it.") from error
    if not isinstance(value, dict):
        raise InvalidValue(
            f"A memory is an object with named fields, not {_NAMES[type(value)]}: "
            'write it like {"text": …}.'
        )
    return value


def field_kind(item: Any) -> FieldKind:
    """Return how a field is best edited; what no input holds exactly is edited as JSON."""
    if isinstance(item, bool):
        return "yes or no"
    if isinstance(item, str):
        return "long text" if len(item) > _LINE or "\n" in item else "text"
    if isinstance(item, int) and abs(item) <= _EXACT:
        return "whole number"
    if isinstance(item, float) and 1e-4 <= abs(item) <= 1e12:
        return "number"
    return "list" if isinstance(item, list) and _is_plain(item) else "JSON"


def _is_plain(items: list[Any]) -> bool:
    """Tell whether a list is one of distinct short texts, which can be picked and added."""
    texts = [item for item in items if isinstance(item, str) and item.strip() == item]
    short = all(0 < len(text) <= _LINE and text.isprintable() for text in texts)
    return 0 < len(items) <= _MANY and short and len(set(texts)) == len(items)


def field_text(item: Any) -> str:
    """Return a field as the text its input starts with."""
    return item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)


def parse_field(name: str, before: Any, entered: Any) -> Any:
    """Return what was entered for a field; an input nobody touched gives the field back as it was.

    Raises InvalidValue when JSON was to be entered and it is not.
    """
    if not isinstance(entered, str):
        return before if same(before, entered) else entered
    if entered == field_text(before) or isinstance(before, str):
        return before if entered == field_text(before) else entered
    try:
        return parse_value(f'{{"x": {entered}\n}}')["x"]
    except (InvalidValue, KeyError) as error:
        raise InvalidValue(
            f"The field {json.dumps(name, ensure_ascii=False)} is not JSON: write a number, "
            "true, false, null, a list, an object, or a text in double quotes."
        ) from error


def difference(before: dict[str, Any], after: dict[str, Any]) -> str:
    """Return the changed lines of two values as a diff; empty when they are equal.

    Of a long line only what changed is shown, with some of the text around it.
    """
    if same(before, after):
        return ""
    lines = unified_diff(
        value_text(before).splitlines(), value_text(after).splitlines(), lineterm="", n=2
    )
    kept = [line for line in lines if not line.startswith(("---", "+++", "@@"))]
    return "\n".join(_shortened(kept))


def _shortened(lines: list[str]) -> Iterator[str]:
    """Yield the lines; long ones without what they have in common with the line they replace."""
    old = [line for line in lines if line.startswith("-")]
    new = [line for line in lines if line.startswith("+")]
    pairs = zip(old, new, strict=True) if len(old) == len(new) else ()
    spans = {line: _changed(*pair) for pair in pairs for line in pair}
    for line in lines:
        if len(line) <= _LONG:
            yield line
        elif line.startswith(" "):
            yield f"{line[:_AROUND]}…"
        else:
            yield _part(line, *spans.get(line, (0, 0)))


def _changed(old: str, new: str) -> tuple[int, int]:
    """Return how many characters two lines have in common at their beginning and at their end."""
    start = _same_start(old[1:], new[1:])
    return start, _same_start(old[:start:-1], new[:start:-1])


def _same_start(one: str, other: str) -> int:
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return sum(1 for _ in alike)


def _part(line: str, start: int, behind: int) -> str:
    text = line[1:]
    first, last = max(0, start - _AROUND), min(len(text), len(text) - behind + _AROUND)
    before, after = "…" if first else "", "…" if last < len(text) else ""
    return f"{line[0]}  {before}{text[first:last].strip()}{after}"


def same(before: Any, after: Any) -> bool:
    """Tell whether two values are the same JSON: unlike ==, `1`, `1.0` and `true` differ."""
    return json.dumps(before, sort_keys=False) == json.dumps(after, sort_keys=False)


_NAMES = {
    list: "a list",
    str: "a text",
    int: "a number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidValue(f"The field {json.dumps(twice)} is given twice: keep one of them.")
    return value


def _refuse(constant: str) -> Any:
    raise InvalidValue(f"{constant} is not a JSON number: use null or a text instead.")


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise InvalidValue(f"{text} is too large for a number: write it as a text.")
    return number
