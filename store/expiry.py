"""Time: a clock that never stands still, expiry from minutes, and the periodic sweeper."""

import concurrent.futures
import logging
import threading
import time
from collections.abc import Callable

from store.errors import StoreError

_logger = logging.getLogger(__name__)
_MINUTE = 60_000_000


class Clock:
    """Microseconds since 1970, each reading later than the one before, from any thread."""

    def __init__(self) -> None:
        self._last = 0
        self._lock = threading.Lock()

    def now(self) -> int:
        """Give the time; two calls never give the same."""
        with self._lock:
            self._last = max(time.time_ns() // 1_000, self._last + 1)
            return self._last


def expiry(now: int, ttl: float | None) -> int | None:
    """Give the moment a memory written now with this TTL (minutes) expires."""
    return None if ttl is None else now + round(ttl * _MINUTE)


class Sweeper:
    """Runs a sweep every so often in a thread of its own, until told to stop."""

    def __init__(self, sweep: Callable[[], int]) -> None:
        self._sweep = sweep
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, minutes: float) -> concurrent.futures.Future[None]:
        """Start unless it runs; cancelling the future stops it."""
        future: concurrent.futures.Future[None] = concurrent.futures.Future()
        future.add_done_callback(lambda done: self._stopping.set() if done.cancelled() else None)
        if self._thread is not None and self._thread.is_alive():
            return future
        self._stopping.clear()
        self._thread = threading.Thread(
            target=self._run, args=(minutes * 60, future), daemon=True, name="memlens-ttl-sweeper"
        )
        self._thread.start()
        return future

    def _run(self, seconds: float, future: concurrent.futures.Future[None]) -> None:
        while not self._stopping.wait(seconds):
            try:
                self._sweep()
            except StoreError:
                _logger.exception("A sweep of expired memories failed; the next one tries again")
        if not future.done():
            future.set_result(None)

    def stop(self, timeout: float | None = None) -> bool:
        """Stop; tell whether it has stopped within `timeout` seconds (None waits)."""
        if self._thread is None:
            return True
        self._stopping.set()
        if self._thread is not threading.current_thread():
            self._thread.join(timeout)
        if self._thread.is_alive():
            return False
        self._thread = None
        return True
