"""Running a coroutine from synchronous code, whether or not a loop runs in this thread."""

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None
_owner: tuple[int, threading.Thread] | None = None


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run the coroutine to its end and give its result.

    All run on one background loop of the process, so that a client which keeps connections
    between calls finds the loop they belong to alive. The caller may itself be inside a loop.
    """
    loop, thread = _background()
    if threading.current_thread() is thread:
        # The coroutine was asked for from inside that very loop, which waits for this call.
        return _run_apart(coroutine)
    return asyncio.run_coroutine_threadsafe(coroutine, loop).result()


def _background() -> tuple[asyncio.AbstractEventLoop, threading.Thread]:
    global _loop, _owner
    with _lock:
        # A forked process inherits the loop without the thread that ran it.
        if _loop is None or _owner is None or _owner[0] != os.getpid():
            _loop = asyncio.new_event_loop()
            thread = threading.Thread(
                target=_loop.run_forever, name="memlens-coroutines", daemon=True
            )
            thread.start()
            _owner = os.getpid(), thread
        return _loop, _owner[1]


def _run_apart(coroutine: Coroutine[Any, Any, T]) -> T:
    results: list[T] = []
    errors: list[BaseException] = []

    def target() -> None:
        try:
            results.append(asyncio.run(coroutine))
        except BaseException as exc:  # handed over to the waiting thread, whatever it is
            errors.append(exc)

    thread = threading.Thread(target=target, name="memlens-coroutine")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
