"""The stores a run checks: opened from a store or a factory, closed again at the end."""

import asyncio
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Protocol

from langgraph.store.base import BaseStore, IndexConfig

from store.conformance.bench import DIMS, Words


class Factory(Protocol):
    """Makes an empty store, or a context manager (also an asynchronous one) that gives it.

    With `index` the store must embed by it; a class such as `InMemoryStore` is a factory.
    """

    def __call__(self, *, index: IndexConfig | None) -> Any:
        """Give a store, or a context manager of one."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A store to check; `words` is the suite's embedder if the store uses it."""

    store: BaseStore
    words: Words | None = None


@dataclass(frozen=True, slots=True)
class Subjects:
    """A store as it comes and, from a factory, one with the suite's embedder or why it has none."""

    plain: Subject
    indexed: Subject | None = None
    refusal: str = ""


def open_subjects(
    target: BaseStore | Factory, stack: ExitStack, runner: asyncio.Runner
) -> Subjects:
    """Open what is to be checked; `stack` closes it."""
    if isinstance(target, BaseStore):
        return Subjects(Subject(target))
    plain = Subject(_enter(target(index=None), stack, runner))
    words = Words()
    index: IndexConfig = {"embed": words, "dims": DIMS, "fields": ["text"]}
    try:
        indexed = _enter(target(index=index), stack, runner)
    except Exception as exc:  # a store without search by meaning may say so in any way
        return Subjects(plain, refusal=f"no index: {type(exc).__name__}: {exc}")
    return Subjects(plain, Subject(indexed, words))


def _enter(made: Any, stack: ExitStack, runner: asyncio.Runner) -> BaseStore:
    store = made
    if not isinstance(made, BaseStore) and hasattr(made, "__aenter__"):
        store = runner.run(made.__aenter__())
        stack.callback(lambda: runner.run(made.__aexit__(None, None, None)))
    elif not isinstance(made, BaseStore) and hasattr(made, "__enter__"):
        store = stack.enter_context(made)
    if not isinstance(store, BaseStore):
        raise TypeError(
            f"A factory gives a BaseStore or a context manager of one, got {type(store).__name__}."
        )
    return store
