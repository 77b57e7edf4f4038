"""The contract in plain Python: a dict of rows, looked through from end to end.

Times come from the store under test; all else is decided here.
"""

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from langgraph.store.base import (
    GetOp,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    SearchOp,
    get_text_at_path,
)

from tests.store.words import Vector, cosine, words_vector

Place = tuple[tuple[str, ...], str]
NOTHING = object()


@dataclass(slots=True)
class Row:
    """One item; `born` and `written` count the batches, `time` is when the store wrote it."""

    value: dict[str, Any]
    born: int
    written: int
    vectors: list[Vector]
    time: Any = None


@dataclass(frozen=True, slots=True)
class Hit:
    """One result of a search: where, and the score if it has one."""

    place: Place
    score: float | None


@dataclass(slots=True)
class Oracle:
    """Says what a store must answer."""

    fields: tuple[str, ...] = ("$",)
    embed: Callable[[str], Vector] | None = words_vector
    rows: dict[Place, Row] = field(default_factory=dict)
    turn: int = 0

    def batch(self, ops: Iterable[Op]) -> list[Any]:
        """Answer every read from the rows as they are, then apply the last write of each key."""
        ops = list(ops)
        answers = [self._read(op) for op in ops]
        self.turn += 1
        for op in ops:
            if isinstance(op, PutOp):
                self._write(op)
        return answers

    def listing(self, prefix: tuple[str, ...] = ()) -> list[Place]:
        """Every place at or below a prefix, newest first, then by namespace and key."""
        places = sorted(place for place in self.rows if place[0][: len(prefix)] == prefix)
        return sorted(places, key=lambda place: self.rows[place].time, reverse=True)

    def _write(self, op: PutOp) -> None:
        place = tuple(op.namespace), op.key
        old = self.rows.pop(place, None)
        if op.value is not None:
            born = old.born if old else self.turn
            vectors = [self.embed(text) for text in self._texts(op)] if self.embed else []
            self.rows[place] = Row(dict(op.value), born, self.turn, vectors)

    def _texts(self, op: PutOp) -> Iterable[str]:
        paths = self.fields if op.index is None else op.index or ()
        texts = (get_text_at_path(op.value, path) for path in paths)
        return filter(None, itertools.chain.from_iterable(texts))

    def _read(self, op: Op) -> Any:
        match op:
            case GetOp():
                row = self.rows.get((tuple(op.namespace), op.key))
                return row and row.value
            case SearchOp():
                return self._search(op)[op.offset : op.offset + op.limit]
            case ListNamespacesOp():
                return self._namespaces(op)[op.offset : op.offset + op.limit]
            case _:
                return None

    def _search(self, op: SearchOp) -> list[Hit]:
        found = [
            place
            for place in self.listing(tuple(op.namespace_prefix))
            if passes(self.rows[place].value, op.filter or {})
        ]
        if not (op.query and self.embed):
            return [Hit(place, None) for place in found]
        point = self.embed(op.query)
        scores = {
            place: max(cosine(point, vector) for vector in self.rows[place].vectors)
            for place in found
            if self.rows[place].vectors
        }
        best = sorted(scores, key=lambda place: (-round(scores[place], 5), place))
        rest = [place for place in found if place not in scores]
        return [Hit(place, scores[place]) for place in best] + [Hit(place, None) for place in rest]

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        every = {namespace for namespace, _ in self.rows}
        conditions = op.match_conditions or ()
        return sorted(
            {
                namespace[: op.max_depth]
                for namespace in every
                if all(matches(namespace, condition) for condition in conditions)
            }
        )


def matches(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    """Whether a namespace begins or ends as asked; `*` is exactly one label."""
    path = condition.path
    if len(path) > len(namespace):
        return False
    start = 0 if condition.match_type == "prefix" else len(namespace) - len(path)
    return all(want in ("*", label) for want, label in zip(path, namespace[start:], strict=False))


def passes(value: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether a value passes a filter."""
    for key, condition in wanted.items():
        if key == "$and":
            holds = all(passes(value, member) for member in condition)
        elif key == "$or":
            holds = any(passes(value, member) for member in condition)
        else:
            holds = fits(find(value, key), condition)
        if not holds:
            return False
    return True


def find(value: Any, key: str) -> Any:
    """What stands under a literal key, else under the path it spells."""
    if isinstance(value, dict) and key in value:
        return value[key]
    head, dot, rest = key.partition(".")
    if dot and isinstance(value, dict) and head in value:
        return find(value[head], rest)
    return NOTHING


def fits(found: Any, condition: Any) -> bool:
    """Whether what was found is as the condition says; dicts are subsets."""
    if isinstance(condition, dict) and any(key.startswith("$") for key in condition):
        return all(compares(found, op, operand) for op, operand in condition.items())
    if isinstance(condition, dict):
        return isinstance(found, dict) and all(
            fits(found.get(key, NOTHING), inner) for key, inner in condition.items()
        )
    return equal(None if found is NOTHING else found, condition)


def compares(found: Any, operator: str, operand: Any) -> bool:
    """Whether one comparison holds."""
    if operator == "$eq":
        return equal(None if found is NOTHING else found, operand)
    if operator == "$ne":
        return found is not NOTHING and not equal(found, operand)
    kinds = {kind(found), kind(operand)}
    if kinds not in ({"number"}, {"text"}):
        return False
    return {
        "$gt": lambda: found > operand,
        "$gte": lambda: found >= operand,
        "$lt": lambda: found < operand,
        "$lte": lambda: found <= operand,
    }[operator]()


def kind(thing: Any) -> str:
    """What JSON calls a thing."""
    if isinstance(thing, bool) or thing is None or thing is NOTHING:
        return str(thing)
    return {int: "number", float: "number", str: "text"}.get(type(thing), "container")


def equal(left: Any, right: Any) -> bool:
    """Equality of JSON: 5 is 5.0, true is not 1."""
    if kind(left) != kind(right):
        return False
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(equal, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(equal(left[key], right[key]) for key in left)
    return bool(left == right)
