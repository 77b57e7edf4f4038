"""A folder served to several processes: `chroma run` on this machine, holding the folder's lock."""

import http.client
import os
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from store import health, places
from store.chroma import ChromaStore
from store.errors import StoreUnreachable
from store.locking import FolderLock

HOST, FIRST_PORT = "127.0.0.1", 8000
_PORTS_TRIED = 100
_START_SECONDS = 60.0
_STOP_SECONDS = 30.0

# The kernel ends the server when its parent is killed, where it can: nobody would stop it then.
_CODE = """
import ctypes, signal, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)
from chromadb.cli.cli import app
app()
"""


class ChromaServer:
    """Serves a folder on loopback for as long as the block lasts.

    Agents and the dashboard connect with ``ChromaStore.open(server.address)``. The folder is
    locked meanwhile, by the server too: it stays locked should this process be killed. What was
    not closed properly is repaired first.

    Args:
        folder: Where Chroma keeps its files.
        port: By default the first free one from 8000 on.
        create: Make the folder if it is missing, instead of refusing.

    Raises:
        StoreLocked: The folder is open elsewhere.
        StoreNotFound: There is no such folder, or nothing in it.
        NotAStore: The folder holds something else than Chroma's files.
        StoreDamaged: Its memories cannot be read.
        StoreUnreachable: The port is taken, or the server does not start; the message says why.
    """

    def __init__(
        self, folder: str | os.PathLike[str], *, port: int | None = None, create: bool = False
    ) -> None:
        self._folder = Path(os.path.realpath(Path(os.fspath(folder)).expanduser()))
        self._port = port
        self._create = create
        self._said: deque[str] = deque(maxlen=30)

    @property
    def address(self) -> str:
        """What to connect to; known once the server runs."""
        return f"http://{HOST}:{self._port}"

    def __enter__(self) -> Self:
        places.check_folder(self._folder, create=self._create)
        self._folder.mkdir(parents=True, exist_ok=True)
        _repair(self._folder)
        self._lock = FolderLock(self._folder).__enter__()
        try:
            self._port = _free_port(self._port)
            self._lock.begin()
            self._start()
        except BaseException:
            self._lock.release()
            raise
        try:
            self._wait_until_ready()
            self._lock.describe(self.address)
        except BaseException:
            self._stop()
            raise
        return self

    def ended(self) -> int | None:
        """Give the exit status if the server ended by itself, else None."""
        return self._process.poll()

    def last_words(self) -> str:
        """Give what the server printed lately."""
        return "\n".join(self._said)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop()

    def _start(self) -> None:
        options = ["--path", str(self._folder), "--host", HOST, "--port", str(self._port)]
        self._process = subprocess.Popen(  # noqa: S603 -- a fixed command; nothing of it is a shell's
            [sys.executable, "-c", _CODE, "run", *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=os.environ | {"NO_COLOR": "1"},
            # Ctrl-C in a terminal reaches its whole group: the server is to hear it once, from us.
            start_new_session=True,
            pass_fds=self._lock.inherited,
        )
        output = self._process.stdout
        self._reader = threading.Thread(target=self._listen, args=(output,), daemon=True)
        self._reader.start()

    def _listen(self, output: IO[str]) -> None:
        for line in output:
            self._said.append(line.rstrip())

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while not self._answers():
            status = self.ended()
            if status is not None:
                self._reader.join(1)
                raise StoreUnreachable(
                    f"The Chroma server ended while starting, with status {status}: "
                    f"{self.last_words()[-500:] or 'it printed nothing'}"
                )
            if time.monotonic() > deadline:
                raise StoreUnreachable(
                    f"The Chroma server did not answer within {_START_SECONDS:.0f} seconds."
                )
            time.sleep(0.05)

    def _answers(self) -> bool:
        connection = http.client.HTTPConnection(HOST, self._port, timeout=5)
        try:
            connection.request("GET", "/api/v2/heartbeat")
            return connection.getresponse().status == http.client.OK
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def _stop(self) -> None:
        status: int | None = None
        try:
            status = self._end_process()
        finally:
            if status is None:  # Interrupted while waiting: the folder is not free before the end.
                self._process.kill()
                self._process.wait()
            self._lock.end(unclean=status != 0)
            self._lock.release()

    def _end_process(self) -> int:
        process = self._process
        if process.poll() is None:
            process.terminate()
        try:
            status = process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            status = process.wait()
        self._reader.join()
        if process.stdout is not None:
            process.stdout.close()
        return status


def _repair(folder: Path) -> None:
    """Repair what was not closed properly, as opening its stores does."""
    with FolderLock(folder) as lock:
        names = health.stores(folder) if lock.unclean else lock.unrepaired
    for name in sorted(names):
        ChromaStore.open(folder, name=name, create=False).close()


def _free_port(wanted: int | None) -> int:
    """Give the port asked for, or the first free one; raise when there is none."""
    candidates = range(FIRST_PORT, FIRST_PORT + _PORTS_TRIED) if wanted is None else [wanted]
    for port in candidates:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
            return port
    raise StoreUnreachable(
        f"Port {wanted} of {HOST} is taken; leave the port out to take the next free one."
        if wanted
        else f"Ports {FIRST_PORT} to {FIRST_PORT + _PORTS_TRIED - 1} of {HOST} are all taken."
    )
