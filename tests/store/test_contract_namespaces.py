"""Namespaces and keys: which are allowed, and that a prefix means whole labels."""

from typing import Any

import pytest
from langgraph.store.base import InvalidNamespaceError, PutOp

VALUE = {"n": 1}
BAD_LABELS = {"empty": "", "period": "a.b", "nul": "a\0b", "number": 42, "none": None}
BAD = {
    f"{place}-{name}": namespace
    for name, label in BAD_LABELS.items()
    for place, namespace in {"first": (label, "x"), "last": ("x", label)}.items()
}
OPERATIONS = {
    "put": lambda store, ns: store.put(ns, "k", VALUE),
    "batch-put": lambda store, ns: store.batch([PutOp(ns, "k", VALUE)]),
    "get": lambda store, ns: store.get(ns, "k"),
    "delete": lambda store, ns: store.delete(ns, "k"),
    "search": lambda store, ns: store.search(ns),
    "list-prefix": lambda store, ns: store.list_namespaces(prefix=ns),
    "list-suffix": lambda store, ns: store.list_namespaces(suffix=ns),
}


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("namespace", BAD)
def test_an_invalid_label_is_refused_everywhere(store: Any, operation: str, namespace: str) -> None:
    with pytest.raises(InvalidNamespaceError):
        OPERATIONS[operation](store, BAD[namespace])


def test_an_invalid_label_stores_nothing(store: Any) -> None:
    for namespace in BAD.values():
        with pytest.raises(InvalidNamespaceError):
            store.put(namespace, "k", VALUE)
    assert store.search(()) == []


@pytest.mark.parametrize("write", ["put", "batch-put"])
def test_nothing_is_written_to_the_empty_namespace(store: Any, write: str) -> None:
    with pytest.raises(InvalidNamespaceError):
        OPERATIONS[write](store, ())
    assert store.search(()) == []


def test_the_empty_namespace_may_be_read(store: Any) -> None:
    store.put(("a", "b"), "k", VALUE)
    assert store.get((), "k") is None
    assert [item.namespace for item in store.search(())] == [("a", "b")]
    assert store.list_namespaces(prefix=()) == [("a", "b")]


def test_deleting_in_the_empty_namespace_is_a_no_op(store: Any) -> None:
    store.put(("a",), "k", VALUE)
    store.delete((), "k")
    assert store.get(("a",), "k").value == VALUE


def test_the_root_label_langgraph_is_refused_by_put(store: Any) -> None:
    with pytest.raises(InvalidNamespaceError):
        store.put(("langgraph", "x"), "k", VALUE)


def test_the_root_label_langgraph_is_allowed_in_a_batch_and_elsewhere(store: Any) -> None:
    store.batch([PutOp(("langgraph", "x"), "k", VALUE)])
    store.put(("x", "langgraph"), "k", VALUE)
    assert store.get(("langgraph", "x"), "k").value == VALUE
    assert [item.namespace for item in store.search(("langgraph",))] == [("langgraph", "x")]
    assert store.list_namespaces(suffix=("langgraph",)) == [("x", "langgraph")]


ODD_NAMESPACES = {
    "star": ("*",),
    "star-inside": ("a", "*", "b"),
    "space": ("a b", " "),
    "newline": ("a\nb", "\t"),
    "slash": ("a/b",),
    "backslash": ("a\\b",),
    "colon": ("a:b",),
    "percent": ("100%", "%2E"),
    "underscore": ("a_b", "_"),
    "quotes": ("'a'", '"b"', "`c`"),
    "hyphen": ("a-b", "--"),
    "hash-and-tilde": ("#a", "~b"),
    "brackets": ("[1]", "{a}", "$"),
    "e-mail": ("ann@host",),
    "emoji": ("🧠", "👩‍👩‍👧"),
    "accents": ("é", "e\u0301", "ß"),
    "right-to-left": ("שלום", "مرحبا"),
    "long": ("x" * 3000, "y"),
    "deep": tuple(f"level{n}" for n in range(26)),
    "digits": ("0", "00", "1e3"),
    "words-of-json": ("null", "true", "[]"),
}


@pytest.mark.parametrize("name", ODD_NAMESPACES)
def test_any_other_label_is_kept_as_it_is(store: Any, name: str) -> None:
    namespace = ODD_NAMESPACES[name]
    store.put(namespace, "k", VALUE)
    assert store.get(namespace, "k").namespace == namespace
    assert [item.namespace for item in store.search(namespace)] == [namespace]
    assert store.list_namespaces() == [namespace]
    store.delete(namespace, "k")
    assert store.search(()) == []


def test_odd_namespaces_never_collide(store: Any) -> None:
    store.batch([PutOp(ns, "k", {"name": name}) for name, ns in ODD_NAMESPACES.items()])
    for name, namespace in ODD_NAMESPACES.items():
        assert store.get(namespace, "k").value == {"name": name}
        assert [item.value["name"] for item in store.search(namespace)] == [name]


def test_a_list_is_accepted_for_a_namespace(store: Any) -> None:
    store.put(["a", "b"], "k", VALUE)
    assert store.get(["a", "b"], "k").namespace == ("a", "b")
    assert len(store.search(["a"])) == 1
    assert store.list_namespaces(prefix=["a"]) == [("a", "b")]
    store.delete(["a", "b"], "k")
    assert store.get(("a", "b"), "k") is None


NEIGHBOURS = {
    "longer-label": (("user",), ("user1",)),
    "longer-with-hyphen": (("acme",), ("acme-corp",)),
    "case": (("User",), ("user",)),
    "underscore": (("john_doe",), ("john-doe",)),
    "percent": (("100%",), ("100x",)),
    "star": (("*",), ("anything",)),
    "question-mark": (("a?",), ("ab",)),
    "slash": (("a", "b"), ("a/b",)),
    "colon": (("a", "b"), ("a:b",)),
    "colon-and-slash": (("a:b",), ("a/b",)),
    "escaped-slash": (("a", "b"), ("a%2Fb",)),
    "escaped-period": (("a", "b"), ("a%2Eb",)),
    "escaped-percent": (("a%",), ("a%25",)),
    "split-elsewhere": (("ab", "c"), ("a", "bc")),
    "quote-and-comma": (("a", "b"), ('a","b',)),
    "parent": (("a", "b"), ("a",)),
    "reversed": (("a", "b"), ("b", "a")),
    "composed": (("é",), ("e\u0301",)),
    "trailing-space": (("a",), ("a ",)),
}


@pytest.mark.parametrize("name", NEIGHBOURS)
def test_a_prefix_is_literal_and_of_whole_labels(store: Any, name: str) -> None:
    chosen, other = NEIGHBOURS[name]
    below = (*chosen, "below")
    store.batch([PutOp(ns, "k", VALUE) for ns in (chosen, below, other)])
    assert {item.namespace for item in store.search(chosen)} == {chosen, below}
    store.delete(chosen, "k")
    assert {item.namespace for item in store.search(())} == {below, other}


KEYS = {
    "empty": "",
    "dotted": "a.b.c",
    "long": "k" * 3000,
    "spaces": "  ",
    "newline": "a\nb",
    "quotes": "'\"`",
    "slash": "/notes/a.md",
    "percent": "100%_*",
    "emoji": "🔑",
    "nul": "a\0b",
    "uuid": "6f1c9b1e-9c3a-4a7e-8a54-0d9f6f6a7c11",
}


@pytest.mark.parametrize("name", KEYS)
def test_any_text_is_a_key(store: Any, name: str) -> None:
    key = KEYS[name]
    store.batch([PutOp(("a",), key, VALUE), PutOp(("a",), f"{key}x", {"n": 2})])
    assert store.get(("a",), key).key == key
    store.delete(("a",), key)
    assert [item.key for item in store.search(("a",))] == [f"{key}x"]


def test_keys_are_case_sensitive(store: Any) -> None:
    store.batch([PutOp(("a",), key, {"key": key}) for key in ("up", "UP", "Up")])
    assert {item.key: item.value["key"] for item in store.search(("a",))} == {
        "up": "up",
        "UP": "UP",
        "Up": "Up",
    }


@pytest.mark.parametrize("key", [42, 1.5, None, True, ("a", 1)], ids=str)
def test_a_key_that_is_not_text_becomes_its_text(store: Any, key: Any) -> None:
    store.put(("a",), key, VALUE)
    assert store.get(("a",), str(key)).key == str(key)
    assert store.get(("a",), key).value == VALUE
    store.delete(("a",), key)
    assert store.get(("a",), str(key)) is None


def test_a_key_that_is_not_text_becomes_its_text_in_a_batch(store: Any) -> None:
    store.batch([PutOp(("a",), 42, {"n": 1}), PutOp(("a",), "42", {"n": 2})])
    assert [(item.key, item.value) for item in store.search(("a",))] == [("42", {"n": 2})]
