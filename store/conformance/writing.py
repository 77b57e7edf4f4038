"""Rules about batches, namespaces, keys and values, for every store.

Each function checks one rule and is named in reports by its docstring.
"""

import math
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any

from langgraph.store.base import GetOp, Op, PutOp, SearchOp

from store.conformance.bench import (
    BAD_NAMESPACE,
    Bench,
    Broken,
    Rule,
    expect,
    refused,
    same,
    shown,
)

# --- batches -------------------------------------------------------------------------------------


def results_in_order(bench: Bench) -> None:
    """Results stand in the order of the operations."""
    bench.put("a", "k", {"n": 1})
    a = bench.ns("a")
    results = bench.batch([PutOp(a, "j", {}), GetOp(a, "k"), SearchOp(a), GetOp(a, "none")])
    expect(len(results), 4, "results")
    if results[0] is not None or results[3] is not None or getattr(results[1], "key", "") != "k":
        raise Broken(f"got {shown(results)}")
    expect([item.key for item in results[2]], ["k"], "search")


def empty_batch(bench: Bench) -> None:
    """An empty batch gives an empty list."""
    expect(bench.batch([]), [])


def generator(bench: Bench) -> None:
    """A generator of operations is accepted."""
    bench.batch(PutOp(bench.ns("a"), str(n), {"n": n}) for n in range(3))
    expect(len(bench.search("a")), 3, "items")


def reads_see_the_state_before(bench: Bench) -> None:
    """Reads of a batch see the state before it."""
    a = bench.ns("a")
    expect(bench.batch([PutOp(a, "k", {"n": 1}), GetOp(a, "k")])[1], None, "a new key")
    results = bench.batch([PutOp(a, "k", {"n": 2}), GetOp(a, "k"), SearchOp(a)])
    expect((results[1].value, results[2][0].value), ({"n": 1}, {"n": 1}), "an overwritten key")


def last_write_wins(bench: Bench) -> None:
    """The last write of a key in a batch wins."""
    a = bench.ns("a")
    bench.batch([PutOp(a, "k", {"n": 1}), PutOp(a, "k", {"n": 2})])
    bench.batch([PutOp(a, "gone", {"n": 1}), PutOp(a, "gone", None)])
    bench.batch([PutOp(a, "back", None), PutOp(a, "back", {"n": 3})])
    found = [bench.value("a", key) for key in ("k", "gone", "back")]
    expect(found, [{"n": 2}, None, {"n": 3}])


def unknown_operation(bench: Bench) -> None:
    """An unknown operation is a ValueError."""
    with refused("a tuple as an operation", ValueError, TypeError):
        bench.batch([("get", "a", "k")])  # type: ignore[list-item]  # wrong on purpose


def all_or_nothing(bench: Bench) -> None:
    """An invalid operation fails the batch before anything is written."""
    good = PutOp(bench.ns("a"), "good", {"n": 1})
    bad_ops: dict[str, Op] = {
        "a bad namespace": PutOp(bench.ns("a", ""), "k", {"n": 1}),
        "a bad value": PutOp(bench.ns("a"), "k", {"when": datetime.now(UTC)}),
        "a bad filter": SearchOp(bench.ns("a"), {"n": {"$in": [1]}}),
    }
    for name, bad in bad_ops.items():
        with refused(name, ValueError, TypeError):
            bench.batch([good, bad])
        expect(bench.keys("a"), [], f"stored beside {name}")


def thousand_at_once(bench: Bench) -> None:
    """A thousand puts, gets and deletes go through one batch each."""
    a = bench.ns("a")
    bench.batch([PutOp(a, str(n), {"n": n}) for n in range(1000)])
    expect(len(bench.search("a", limit=1000)), 1000, "found")
    found = bench.batch([GetOp(a, str(n)) for n in range(1000)])
    expect([item and item.value["n"] for item in found], list(range(1000)), "got")
    bench.batch([PutOp(a, str(n), None) for n in range(1000)])
    expect(bench.keys("a"), [], "left")


# --- namespaces and keys -------------------------------------------------------------------------


def bad_labels(bench: Bench) -> None:
    """A label that is empty, not text, or holds a period or NUL is refused everywhere."""
    for label in ("", "a.b", "a\0b", 42):
        namespace = (*bench.root, label)
        for name, args in {"put": ("k", {"n": 1}), "get": ("k",), "search": ()}.items():
            with refused(f"{name} with label {label!r}", *BAD_NAMESPACE):
                bench.call(name, namespace, *args)
        with refused(f"a batched put with label {label!r}", *BAD_NAMESPACE):
            bench.batch([PutOp(namespace, "k", {"n": 1})])  # type: ignore[arg-type]  # wrong on purpose


def empty_namespace(bench: Bench) -> None:
    """Nothing is written to the empty namespace, but it may be read."""
    with refused("put", *BAD_NAMESPACE):
        bench.call("put", (), "k", {"n": 1})
    with refused("a batched put", *BAD_NAMESPACE):
        bench.batch([PutOp((), "k", {"n": 1})])
    expect(bench.call("get", (), "k"), None, "get")


def reserved_root(bench: Bench) -> None:
    """The root label "langgraph" is refused by put."""
    with refused("put", *BAD_NAMESPACE):
        bench.call("put", ("langgraph", *bench.root), "k", {"n": 1})


ODD_LABELS = (
    "*", "a b", "a\nb", "a/b", "a\\b", "a:b", "100%", "a_b", "'a'", '"b"', "a-b", "x@y", "🧠",
    "é", "e\u0301", "שלום", "[1]", "{a}", "$", "#", "~", "?", "x" * 3000,
)  # fmt: skip


def odd_labels(bench: Bench) -> None:
    """Any other label is kept as it is: spaces, slashes, quotes, emoji, 3,000 characters."""
    for label in ODD_LABELS:
        bench.put((label,), "k", {"label": label})
    for label in ODD_LABELS:
        found = [item.namespace[-1] for item in bench.search(label)]
        expect(found, [label], f"search in {shown(label)}")
        expect(bench.value((label,), "k"), {"label": label}, f"get in {shown(label)}")
    wanted = sorted((label,) for label in ODD_LABELS)
    expect(bench.namespaces(), wanted, "list_namespaces")


def deep_namespaces(bench: Bench) -> None:
    """A namespace may be 26 labels deep."""
    deep = tuple(f"level{n}" for n in range(26 - len(bench.root)))
    bench.put(deep, "k", {"n": 1})
    expect(bench.value(deep, "k"), {"n": 1})


NEIGHBOURS = (
    (("user",), ("user1",)), (("acme",), ("acme-corp",)), (("User",), ("user",)),
    (("a_b",), ("axb",)), (("a%",), ("axx",)), (("*",), ("any",)), (("a?",), ("ab",)),
    (("a", "b"), ("a/b",)), (("a", "b"), ("a:b",)), (("ab", "c"), ("a", "bc")),
    (("a", "b"), ("a%2Eb",)), (("é",), ("e\u0301",)), (("a",), ("a ",)),
)  # fmt: skip


def literal_prefix(bench: Bench) -> None:
    """A prefix is literal, of whole labels, and case-sensitive."""
    for n, (chosen, other) in enumerate(NEIGHBOURS):
        for labels in (chosen, (*chosen, "below"), other):
            bench.put((str(n), *labels), "k", {"n": n})
        found = {item.namespace[len(bench.root) + 1 :] for item in bench.search(str(n), *chosen)}
        expect(found, {chosen, (*chosen, "below")}, f"below {shown(chosen)} beside {shown(other)}")


def list_as_namespace(bench: Bench) -> None:
    """A list is accepted for a namespace."""
    namespace = list(bench.ns("a"))
    bench.call("put", namespace, "k", {"n": 1})
    bench.note(PutOp(bench.ns("a"), "k", {}))
    expect(bench.call("get", namespace, "k").value, {"n": 1})


def any_key(bench: Bench) -> None:
    """Any text is a key, also "" and one of 3,000 characters; keys are case-sensitive."""
    keys = ["", "a.b", "/notes/a.md", "100%_*", "a\nb", "'\"", "🔑", "up", "UP", "k" * 3000]
    bench.put_all({key: {"key": key} for key in keys}, "a")
    for key in keys:
        expect(bench.value("a", key), {"key": key}, shown(key))


def key_becomes_text(bench: Bench) -> None:
    """A key that is not text becomes its text."""
    bench.put("a", 42, {"n": 1})  # type: ignore[arg-type]  # wrong on purpose
    expect(bench.value("a", "42"), {"n": 1})


# --- values and times ----------------------------------------------------------------------------

VALUES: dict[str, dict[str, Any]] = {
    "nothing": {},
    "falsy": {"zero": 0, "text": "", "false": False, "list": [], "null": None, "dict": {}},
    "numbers": {"int": 1, "float": 1.0, "true": True, "big": 2**53 + 1, "sum": 0.1 + 0.2},
    "nested": {"a": {"b": [{"c": [1, "x", None, 1.5, [[]]]}]}},
    "text": {"v": "żółć 你好 🧠 e\u0301 \n\t\"'\\ \u2028"},
    "keys": {"": 1, "a.b": 2, "$gt": 3, "ключ": 4},
}


def values_come_back(bench: Bench) -> None:
    """A value comes back equal, types included."""
    bench.put_all(VALUES, "a")
    for name, value in VALUES.items():
        found = bench.value("a", name)
        if not same(found, value):
            raise Broken(f"{name}: put {shown(value)}, got {shown(found)}")


def mapping_becomes_dict(bench: Bench) -> None:
    """Any mapping becomes a dict."""
    bench.put("a", "k", MappingProxyType({"n": 1}))
    expect(bench.value("a", "k"), {"n": 1})


def only_mappings(bench: Bench) -> None:
    """A list, a text and a number are refused as values."""
    for value in (["a"], [], "text", 5):
        with refused(f"the value {value!r}", ValueError, TypeError):
            bench.put("a", "k", value)


def only_json(bench: Bench) -> None:
    """A value that JSON cannot hold is refused and nothing is stored."""
    for bad in (datetime.now(UTC), b"x", {1}, math.nan, math.inf, "a\ud800b", object()):
        with refused(f"the value {bad!r}", ValueError, TypeError):
            bench.put("a", "k", {"deep": [bad]})
        expect(bench.get("a", "k"), None, f"stored {bad!r}")


def none_deletes(bench: Bench) -> None:
    """None as a value deletes; deleting what is missing is a no-op."""
    bench.put("a", "k", {"n": 1})
    bench.put("a", "k", None)
    bench.delete("a", "k")
    bench.delete(("never", "there"), "k")
    expect(bench.keys(), [])


def copies(bench: Bench) -> None:
    """What is put and what is returned are copies."""
    value: dict[str, Any] = {"list": [1]}
    bench.put("a", "k", value)
    value["list"].append(2)
    expect(bench.value("a", "k"), {"list": [1]}, "after changing what was put")
    bench.get("a", "k").value["list"].append(3)
    bench.search("a")[0].value["list"].append(4)
    expect(bench.value("a", "k"), {"list": [1]}, "after changing what was returned")


def created_survives(bench: Bench) -> None:
    """An overwrite keeps created_at and moves updated_at."""
    bench.put("a", "k", {"n": 1})
    first = bench.get("a", "k")
    bench.put("a", "k", {"n": 2})
    second = bench.get("a", "k")
    expect(second.created_at, first.created_at, "created_at")
    if second.updated_at <= first.updated_at:
        raise Broken(f"updated_at went from {first.updated_at} to {second.updated_at}")


def times_are_utc(bench: Bench) -> None:
    """Times are timezone-aware UTC."""
    bench.put("a", "k", {"n": 1})
    for item in (bench.get("a", "k"), bench.search("a")[0]):
        for moment in (item.created_at, item.updated_at):
            expect(moment.utcoffset(), timedelta(0), f"offset of {moment!r}")


SECTIONS: dict[str, tuple[Rule, ...]] = {
    "Batches": (
        results_in_order,
        empty_batch,
        generator,
        reads_see_the_state_before,
        last_write_wins,
        unknown_operation,
        all_or_nothing,
        thousand_at_once,
    ),
    "Namespaces and keys": (
        bad_labels,
        empty_namespace,
        reserved_root,
        odd_labels,
        deep_namespaces,
        literal_prefix,
        list_as_namespace,
        any_key,
        key_becomes_text,
    ),
    "Values and times": (
        values_come_back,
        mapping_becomes_dict,
        only_mappings,
        only_json,
        none_deletes,
        copies,
        created_survives,
        times_are_utc,
    ),
}
