"""Conditions a person fills in, turned into exactly the filter a store's `search` takes."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from store import InvalidFilter, Memory

Operator = Literal["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"]
Kind = Literal["text", "number", "true or false", "null", "JSON"]
Filter = dict[str, Any]

OPERATORS: Mapping[Operator, str] = {
    "$eq": "is",
    "$ne": "is not",
    "$gt": "more than",
    "$gte": "at least",
    "$lt": "less than",
    "$lte": "at most",
}
KINDS: tuple[Kind, ...] = ("text", "number", "true or false", "null", "JSON")
ORDERED: frozenset[Operator] = frozenset({"$gt", "$gte", "$lt", "$lte"})
DEEPEST = 4


@dataclass(frozen=True, slots=True)
class Condition:
    """One line of the filter form: a field, a comparison, and a typed value as text.

    `text` is None while no value is given.
    """

    field: str = ""
    operator: Operator = "$eq"
    kind: Kind = "text"
    text: str | None = None

    @property
    def complete(self) -> bool:
        """Tell whether the line says enough to filter by."""
        return bool(self.field) and (self.kind == "null" or self.text is not None)


@dataclass(frozen=True, slots=True)
class Field:
    """A field seen in memories, the kind of its values and a few examples of them."""

    path: str
    kind: Kind
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Form:
    """The filter form as it stands, lines that are not filled in yet included."""

    lines: tuple[Condition, ...] = ()
    any_of: bool = False

    def filter(self) -> Filter | None:
        """Return the filter of the complete lines; InvalidFilter says what is wrong with one."""
        return build([line for line in self.lines if line.complete], any_of=self.any_of)

    def added(self) -> "Form":
        """Return the form with one more line to fill in."""
        return replace(self, lines=(*self.lines, Condition()))

    def without(self, at: int) -> "Form":
        """Return the form without a line."""
        return replace(self, lines=self.lines[:at] + self.lines[at + 1 :])

    def changed(self, at: int, part: str, value: Any, kinds: Mapping[str, Kind]) -> "Form":
        """Return the form with one part of a line changed.

        A newly chosen field brings its kind from `kinds` and empties the value; a value that was
        cleared is None.
        """
        line = self.lines[at]
        if part == "field":
            line = Condition(value or "", line.operator, kinds.get(value, line.kind))
        elif part == "kind":
            line = replace(line, kind=value or "text", text=None)
        elif part == "operator":
            line = replace(line, operator=value or "$eq")
        else:
            line = replace(line, text=value)
        return replace(self, lines=(*self.lines[:at], line, *self.lines[at + 1 :]))


def form_of(filter: Mapping[str, Any] | None) -> Form | None:
    """Return the form that builds a filter.

    None for a filter the form cannot show, such as groups inside groups.
    """
    if not filter:
        return Form()
    group = next(iter(filter))
    parts = filter[group] if group in ("$and", "$or") and len(filter) == 1 else [filter]
    try:
        form = Form(tuple(line for part in parts for line in _lines(part)), group == "$or")
        return form if form.filter() == filter else None
    except InvalidFilter:
        return None


def build(conditions: Sequence[Condition], *, any_of: bool = False) -> Filter | None:
    """Return the filter that means all (or any) of the conditions; None when there are none.

    Raises InvalidFilter with the first condition that cannot be used and why.
    """
    parts = [_part(condition) for condition in conditions]
    if not parts:
        return None
    if len(parts) == 1:
        return parts[0]
    if any_of:
        return {"$or": parts}
    return _merged(parts) or {"$and": parts}


def parse(text: str) -> Filter | None:
    """Return a filter written as JSON; None for blank text. InvalidFilter says what is wrong."""
    if not text.strip():
        return None
    try:
        found = json.loads(text)
    except ValueError as exc:
        raise InvalidFilter(f"This filter is not JSON ({exc}); write an object.") from exc
    if not isinstance(found, dict):
        raise InvalidFilter('A filter is a JSON object such as {"kind": {"$eq": "profile"}}.')
    return found or None


def as_code(filter: Mapping[str, Any] | None) -> str:
    """Return the filter as the Python argument an agent's code would pass."""
    if not filter:
        return "filter=None"
    flat = f"filter={filter!r}"
    if len(flat) <= 78:
        return flat
    operator = next(iter(filter))
    if len(filter) == 1 and operator in ("$and", "$or"):
        lines = "".join(f"        {part!r},\n" for part in filter[operator])
        return f"filter={{\n    {operator!r}: [\n{lines}    ],\n}}"
    lines = "".join(f"    {key!r}: {value!r},\n" for key, value in filter.items())
    return f"filter={{\n{lines}}}"


def as_json(filter: Mapping[str, Any] | None) -> str | None:
    """Return the filter as short JSON; None when there is none."""
    return json.dumps(filter, ensure_ascii=False, separators=(",", ":")) if filter else None


def typed(kind: Kind, text: str) -> Any:
    """Return the value a person typed, as the kind they chose; InvalidFilter when it is not one."""
    if kind == "text":
        return text
    if kind == "null":
        return None
    if kind == "number":
        return _number(text)
    if kind == "true or false":
        return _truth(text)
    try:
        return json.loads(text)
    except ValueError as exc:
        raise InvalidFilter(f"{text!r} is not JSON; put text in double quotes.") from exc


def observed_fields(memories: Iterable[Memory]) -> list[Field]:
    """Return the fields seen in some memories by name, top-level ones first, nested ones dotted."""
    seen: dict[str, dict[str, Kind]] = {}
    for memory in memories:
        for path, value in _leaves(memory.value, ""):
            seen.setdefault(path, {}).setdefault(str(_shown(value))[:60], kind_of(value))
    ordered = sorted(seen, key=lambda path: (path.count("."), path))
    return [_field(path, seen[path]) for path in ordered]


def kind_of(value: Any) -> Kind:
    """Return the kind under which a stored value is compared."""
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "text"
    return "null" if value is None else "JSON"


def _lines(part: Mapping[str, Any]) -> Iterable[Condition]:
    for field, comparison in part.items():
        if not isinstance(comparison, Mapping) or not comparison.keys() <= OPERATORS.keys():
            raise InvalidFilter("The form has no line for this.")
        for operator, value in comparison.items():
            kind = kind_of(value)
            yield Condition(field, operator, kind, "" if value is None else _shown(value))


def _part(condition: Condition) -> Filter:
    if not condition.field:
        raise InvalidFilter("A condition needs a field; choose one or remove the line.")
    if condition.field.startswith("$"):
        raise InvalidFilter(f"{condition.field!r} cannot be a field: names with $ are operators.")
    value = typed(condition.kind, condition.text or "")
    if condition.operator in ORDERED and condition.kind not in ("text", "number"):
        raise InvalidFilter(
            f"“{OPERATORS[condition.operator]}” compares numbers or text, not {condition.kind}; "
            "use “is” or “is not”."
        )
    return {condition.field: {condition.operator: value}}


def _merged(parts: Sequence[Filter]) -> Filter | None:
    merged: dict[str, dict[str, Any]] = {}
    for part in parts:
        for field, comparison in part.items():
            target = merged.setdefault(field, {})
            if target.keys() & comparison.keys():
                return None  # the same comparison twice on one field only fits into $and
            target.update(comparison)
    return dict(merged)


def _number(text: str) -> int | float:
    try:
        value: int | float = int(text)
    except ValueError:
        try:
            value = float(text)
        except ValueError as exc:
            raise InvalidFilter(f"{text!r} is not a number; write 12 or 0.5.") from exc
    if value != value or value in (float("inf"), float("-inf")):
        raise InvalidFilter(f"{text!r} cannot be compared; write an ordinary number.")
    return value


def _truth(text: str) -> bool:
    answer = {"true": True, "yes": True, "false": False, "no": False}.get(text.strip().lower())
    if answer is None:
        raise InvalidFilter(f"{text!r} is neither true nor false.")
    return answer


def _leaves(value: Mapping[str, Any], prefix: str) -> Iterable[tuple[str, Any]]:
    for key, item in value.items():
        path = f"{prefix}.{key}" if prefix else key
        if not key or key.startswith("$"):
            continue
        if isinstance(item, dict) and item and path.count(".") < DEEPEST - 1:
            yield from _leaves(item, path)
        else:
            yield path, item


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _field(path: str, values: Mapping[str, Kind]) -> Field:
    kinds = list(values.values())
    examples = sorted(value for value, kind in values.items() if kind != "null")
    return Field(path, max(KINDS, key=kinds.count), tuple(examples[:50]))
