"""Filters over values: one meaning, the same for every way of searching."""

import json
from collections.abc import Mapping
from typing import Any, Final

from store.errors import InvalidFilter

OPERATORS: Final = ("$eq", "$ne", "$gt", "$gte", "$lt", "$lte")
_GROUPS: Final = ("$and", "$or")
_MISSING: Final = object()


def check_filter(filter: object) -> dict[str, Any] | None:
    """Return the filter as a dict (None for no filter), or raise InvalidFilter."""
    if filter is None:
        return None
    if not isinstance(filter, Mapping):
        raise InvalidFilter(
            f"A filter must be a dict such as {{'kind': 'profile'}}, got {type(filter).__name__}."
        )
    for key, condition in filter.items():
        if not isinstance(key, str):
            raise InvalidFilter(f"A filter's keys must be text, got {key!r}.")
        if key in _GROUPS:
            _check_group(key, condition)
        elif key.startswith("$"):
            raise InvalidFilter(
                f"Unknown operator {key!r} at the top of a filter; only $and and $or stand there."
            )
        else:
            _check_condition(condition)
    return dict(filter)


def _check_group(key: str, members: object) -> None:
    if not isinstance(members, list | tuple):
        raise InvalidFilter(f"{key} needs a list of filters, got {type(members).__name__}.")
    for member in members:
        if check_filter(member) is None:
            raise InvalidFilter(f"{key} needs a list of filters, it holds None.")


def _check_condition(condition: object) -> None:
    if not isinstance(condition, Mapping):
        return
    if not _is_operation(condition):
        for nested in condition.values():
            _check_condition(nested)
        return
    for operator in condition:
        if operator not in OPERATORS:
            raise InvalidFilter(
                f"Unknown operator {operator!r} in a filter; known are {', '.join(OPERATORS)}."
            )


def _is_operation(condition: Mapping[Any, Any]) -> bool:
    return any(isinstance(key, str) and key.startswith("$") for key in condition)


def passes(value: Mapping[str, Any], filter: Mapping[str, Any] | None) -> bool:
    """Tell whether a value passes a checked filter; every part of the filter must hold."""
    return all(_holds(value, key, condition) for key, condition in (filter or {}).items())


def needles(filter: Mapping[str, Any]) -> list[str]:
    """Give JSON texts that stand in every value which passes, to skip parsing those without."""
    found: list[str] = []
    for key, condition in filter.items():
        if key == "$and":
            found += [needle for member in condition for needle in needles(member)]
        elif isinstance(condition, str):
            found.append(json.dumps(condition, ensure_ascii=False))
        elif isinstance(condition, Mapping) and isinstance(condition.get("$eq"), str):
            found.append(json.dumps(condition["$eq"], ensure_ascii=False))
    return found


def _holds(value: Mapping[str, Any], key: str, condition: Any) -> bool:
    if key == "$and":
        return all(passes(value, member) for member in condition)
    if key == "$or":
        return any(passes(value, member) for member in condition)
    return _fits(_look_up(value, key), condition)


def _look_up(value: Mapping[str, Any], key: str) -> Any:
    """Find a literal key first, then the nested path that a dotted key spells."""
    if key in value or "." not in key:
        return value.get(key, _MISSING)
    node: Any = value
    for part in key.split("."):
        if not isinstance(node, Mapping) or part not in node:
            return _MISSING
        node = node[part]
    return node


def _fits(found: Any, condition: Any) -> bool:
    if isinstance(condition, Mapping):
        if _is_operation(condition):
            return all(_compare(found, op, operand) for op, operand in condition.items())
        return isinstance(found, Mapping) and all(
            _fits(found.get(key, _MISSING), nested) for key, nested in condition.items()
        )
    if isinstance(condition, list | tuple):
        return (
            isinstance(found, list)
            and len(found) == len(condition)
            and all(_fits(one, want) for one, want in zip(found, condition, strict=True))
        )
    return _equal(found, condition)


def _equal(found: Any, wanted: Any) -> bool:
    """Compare as JSON does: 5 is 5.0, true is not 1, and a missing key counts as null."""
    if found is _MISSING:
        return wanted is None
    if isinstance(found, bool) or isinstance(wanted, bool):
        return found is wanted
    if isinstance(found, Mapping) and isinstance(wanted, Mapping):
        return found.keys() == wanted.keys() and all(_equal(found[k], wanted[k]) for k in found)
    if isinstance(found, list) and isinstance(wanted, list | tuple):
        return len(found) == len(wanted) and all(map(_equal, found, wanted))
    return bool(found == wanted)


def _compare(found: Any, operator: str, operand: Any) -> bool:
    if operator == "$eq":
        return _equal(found, operand)
    if operator == "$ne":
        return found is not _MISSING and not _equal(found, operand)
    if not (_both_numbers(found, operand) or (isinstance(found, str) and isinstance(operand, str))):
        return False
    if operator == "$gt":
        return bool(found > operand)
    if operator == "$gte":
        return bool(found >= operand)
    return bool(found < operand) if operator == "$lt" else bool(found <= operand)


def _both_numbers(found: Any, operand: Any) -> bool:
    return all(
        isinstance(side, int | float) and not isinstance(side, bool) for side in (found, operand)
    )
