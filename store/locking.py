"""The lock on a folder: who has it open, and whether the last one closed it properly."""

import errno
import json
import os
import socket
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from store.errors import StoreClosed, StoreLocked, WriteFailed

LOCK, HOLDER, STATE = ".memlens.lock", ".memlens.holder", ".memlens.state"
ASIDE = ".memlens.damaged"
_ORPHANS_SECONDS = 5.0
OUR_FILES = frozenset({LOCK, HOLDER, STATE, ASIDE})


class FolderLock:
    """Keeps a folder to one opener: two embedded clients on one folder lose vectors for good.

    The operating system frees the lock of a process that died, so a stale one never blocks.
    `unclean` says that the last one to write here did not close; `unrepaired` names the stores
    whose memories were not all looked after since. Any thread may release, a forked child may not.
    """

    def __init__(self, folder: Path) -> None:
        self.unclean = False
        self.unrepaired: frozenset[str] = frozenset()
        self._folder = folder
        self._descriptor: int | None = None
        self._owner = 0
        self._writing = False

    def __enter__(self) -> "FolderLock":
        try:
            descriptor = os.open(self._folder / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as exc:
            raise WriteFailed(
                f"{self._folder} cannot be locked ({exc.strerror}); "
                "a store's folder must be writable."
            ) from exc
        try:
            self._wait_for(descriptor)
            self._read_state()
            self.describe()
        except BlockingIOError as exc:
            os.close(descriptor)
            raise StoreLocked(self._refusal()) from exc
        except OSError as exc:
            os.close(descriptor)
            raise WriteFailed(f"{self._folder} cannot be written ({exc.strerror}).") from exc
        self._descriptor, self._owner = descriptor, os.getpid()
        return self

    def _wait_for(self, descriptor: int) -> None:
        """Lock at once or not at all; but what a killed holder started may take a moment to end."""
        deadline = time.monotonic() + _ORPHANS_SECONDS
        while True:
            try:
                _lock(descriptor)
            except BlockingIOError:
                if time.monotonic() > deadline or not self._holder_died():
                    raise
                time.sleep(0.05)
            else:
                return

    def _holder_died(self) -> bool:
        holder = _read(self._folder / HOLDER)
        if holder.get("host") != socket.gethostname() or sys.platform == "win32":
            return False
        try:
            os.kill(int(holder["pid"]), 0)
        except ProcessLookupError:
            return True
        except (PermissionError, KeyError, TypeError, ValueError):
            return False
        return False

    @property
    def held(self) -> bool:
        """Tell whether this process holds the folder; a forked child has only a copy of this."""
        return self._descriptor is not None and os.getpid() == self._owner

    @property
    def inherited(self) -> tuple[int, ...]:
        """What a child process is to inherit so that the folder stays locked until it ends."""
        if self._descriptor is None:
            raise StoreClosed(f"The lock on {self._folder} is not held any more.")
        return () if sys.platform == "win32" else (self._descriptor,)

    def describe(self, address: str | None = None) -> None:
        """Write down who holds the folder, and where it is served if it is."""
        holder = {"pid": os.getpid(), "host": socket.gethostname(), "address": address}
        (self._folder / HOLDER).write_text(json.dumps(holder))

    def begin(self) -> None:
        """Note on disk that the folder is being written, before anything of Chroma opens it."""
        self._writing = True
        self._write_state(unclean=True)

    def end(self, *, unclean: bool) -> None:
        """Note that the folder was closed, or that it has to be looked at before its next use."""
        self._writing = False
        self.unclean = unclean
        self._write_state(unclean=unclean)

    def note_unrepaired(self, names: Iterable[str]) -> None:
        """Remember on disk which stores still have to be looked after."""
        self.unrepaired = frozenset(names)
        self._write_state(unclean=self.unclean or self._writing)

    def release(self) -> None:
        """Free the folder; releasing twice does not matter."""
        if self._descriptor is None or not self.held:
            return
        with suppress(OSError):  # A disk that turned read-only keeps it: the lock is what counts.
            (self._folder / HOLDER).unlink(missing_ok=True)
        descriptor, self._descriptor = self._descriptor, None
        _unlock(descriptor)  # closing alone would not do, should a forked child have a copy
        os.close(descriptor)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()

    def _read_state(self) -> None:
        path = self._folder / STATE
        state = _read(path)
        # One that cannot be read was being written when its process died.
        self.unclean = bool(state.get("unclean", path.exists()))
        names = state.get("unrepaired")
        self.unrepaired = frozenset(map(str, names if isinstance(names, list) else ()))

    def _write_state(self, *, unclean: bool) -> None:
        path = self._folder / STATE
        state = json.dumps({"unclean": unclean, "unrepaired": sorted(self.unrepaired)})
        try:
            if not unclean and not self.unrepaired:
                path.unlink(missing_ok=True)
                return
            with path.open("w") as stream:
                stream.write(state)
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as exc:
            raise WriteFailed(f"{self._folder} cannot be written ({exc.strerror}).") from exc

    def _refusal(self) -> str:
        holder = _read(self._folder / HOLDER)
        pid, host, address = (holder.get(key) for key in ("pid", "host", "address"))
        if address:
            return (
                f"{self._folder} is served at {address}; connect to it: "
                f"ChromaStore.open({address!r})."
            )
        whom = f"process {pid} on {host}" if pid else "another process"
        if pid == os.getpid() and host == socket.gethostname():
            whom = "this process already"
        return (
            f"{self._folder} is open in {whom}; close it there, or let both use a server: "
            f"run 'memlens serve {self._folder}' and connect to it."
        )


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError as exc:
            raise BlockingIOError(errno.EAGAIN, "in use") from exc

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
