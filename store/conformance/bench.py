"""The bench a store stands on while a rule is checked: calls, places of its own, expectations."""

import asyncio
import hashlib
import math
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Literal

from langchain_core.embeddings import Embeddings
from langgraph.store.base import BaseStore, InvalidNamespaceError, Op, PutOp

from store.memory import Namespace, Reference

Half = Literal["sync", "async"]
"""Which half of the interface is called: `batch` and its like, or `abatch` and its like."""

Labels = str | Iterable[str]
"""One label or several, below the namespace that a check owns."""

DIMS = 64
_LONGEST = 300


Rule = Callable[["Bench"], None]
"""Checks one rule and raises Broken when the store does not keep it."""


class Broken(AssertionError):
    """The store does not keep a rule; the message says how."""


class Words(Embeddings):
    """A text is the counts of its words: enough to know every score, and it counts its calls."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []
        self.answer: Callable[[list[list[float]]], Any] | None = None

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed texts, or give what `answer` makes of the right vectors."""
        self.calls.append(list(texts))
        vectors = [self.embed_query(text) for text in texts]
        return vectors if self.answer is None else self.answer(vectors)

    def embed_query(self, text: str) -> list[float]:
        """Embed one text."""
        vector = [0.0] * DIMS
        for word in text.lower().split():
            digest = hashlib.blake2b(word.encode(), digest_size=4).digest()
            vector[int.from_bytes(digest) % DIMS] += 1.0
        return vector


class Bench:
    """Calls one half of a store, in namespaces that nobody else uses, and tidies up.

    `words` is the embedder of the store when the bench brought it, else None.
    """

    def __init__(
        self,
        store: BaseStore,
        half: Half,
        runner: asyncio.Runner,
        root: Namespace,
        words: Words | None = None,
    ) -> None:
        self.store = store
        self.half = half
        self.root = root
        self._runner = runner
        self._words = words
        self._written: dict[Reference, None] = {}

    @property
    def words(self) -> Words:
        """The embedder the bench brought."""
        if self._words is None:
            raise Broken("this rule needs a store with the bench's own embedder")
        return self._words

    def ns(self, *labels: str) -> Namespace:
        """Give a namespace below the one this check owns."""
        return (*self.root, *labels)

    def _at(self, labels: Labels) -> Namespace:
        return self.ns(labels) if isinstance(labels, str) else self.ns(*labels)

    def put(self, labels: Labels, key: str, value: Any, **options: Any) -> None:
        """Put below the root."""
        self.note(PutOp(self._at(labels), key, value))
        self._call("put", self._at(labels), key, value, **options)

    def put_all(self, values: dict[str, Any], *labels: str, **options: Any) -> None:
        """Put several values of one namespace in one batch."""
        self.batch([PutOp(self.ns(*labels), key, one, **options) for key, one in values.items()])

    def get(self, labels: Labels, key: str) -> Any:
        """Get from below the root."""
        return self._call("get", self._at(labels), key)

    def value(self, labels: Labels, key: str) -> Any:
        """Give a value from below the root, None if there is none."""
        item = self.get(labels, key)
        return None if item is None else item.value

    def delete(self, labels: Labels, key: str) -> None:
        """Delete below the root."""
        self._call("delete", self._at(labels), key)

    def search(self, *labels: str, **options: Any) -> list[Any]:
        """Search below the root."""
        return list(self._call("search", self.ns(*labels), **options))

    def keys(self, *labels: str, **options: Any) -> list[str]:
        """Give the keys a search below the root finds, in order."""
        return [item.key for item in self.search(*labels, **options)]

    def namespaces(self, *labels: str, **options: Any) -> list[Namespace]:
        """List namespaces below the root, without the root's own labels."""
        found = self._call("list_namespaces", prefix=self.ns(*labels), **options)
        return [tuple(one[len(self.root) :]) for one in found]

    def batch(self, ops: Iterable[Op]) -> list[Any]:
        """Run a batch."""
        return list(self._call("batch", self._noted(ops)))

    def call(self, name: str, *args: Any, **options: Any) -> Any:
        """Call a method of the store as it is."""
        return self._call(name, *args, **options)

    def note(self, op: Op) -> None:
        """Remember what a check writes, to remove it afterwards."""
        if isinstance(op, PutOp):
            with suppress(TypeError):
                self._written[tuple(op.namespace), str(op.key)] = None

    def tidy(self) -> None:
        """Remove everything the check wrote."""
        ops: list[Op] = [PutOp(namespace, key, None) for namespace, key in self._written]
        try:
            self._call("batch", ops)
        except Exception:  # one place the store refuses must not keep the others
            for op in ops:
                with suppress(Exception):
                    self._call("batch", [op])

    def run(self, talk: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine in the event loop of the bench."""
        return self._runner.run(talk)

    def _noted(self, ops: Iterable[Op]) -> Iterator[Op]:
        for op in ops:
            self.note(op)
            yield op

    def _call(self, name: str, *args: Any, **options: Any) -> Any:
        if self.half == "sync":
            return getattr(self.store, name)(*args, **options)
        return self._runner.run(getattr(self.store, f"a{name}")(*args, **options))


def expect(found: Any, wanted: Any, what: str = "") -> None:
    """Raise Broken unless two things are equal."""
    if found != wanted:
        where = f"{what}: " if what else ""
        raise Broken(f"{where}expected {shown(wanted)}, got {shown(found)}")


def expect_close(found: Any, wanted: float, what: str = "") -> None:
    """Raise Broken unless a score is a number close to another."""
    if not isinstance(found, int | float) or not math.isclose(found, wanted, abs_tol=1e-4):
        where = f"{what}: " if what else ""
        raise Broken(f"{where}expected about {wanted:.4f}, got {found!r}")


@contextmanager
def refused(what: str, *kinds: type[Exception]) -> Iterator[None]:
    """Raise Broken unless the block raises one of the kinds, by default ValueError."""
    wanted = kinds or (ValueError,)
    names = " or ".join(kind.__name__ for kind in wanted)
    try:
        yield
    except wanted:
        return
    except NotImplementedError:
        raise
    except Exception as exc:
        raise Broken(f"{what}: expected {names}, got {type(exc).__name__}: {exc}") from exc
    raise Broken(f"{what}: expected {names}, it was accepted")


def shown(thing: Any) -> str:
    """Give a short text of a thing."""
    text = repr(thing)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def same(left: Any, right: Any) -> bool:
    """Tell whether two JSON values are equal, types included."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)


BAD_NAMESPACE = (InvalidNamespaceError, ValueError)
