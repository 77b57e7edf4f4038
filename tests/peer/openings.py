"""Where the stores of a run are kept: in memory, in folders, or on a Chroma server of their own."""

import functools
import itertools
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

import chromadb

from store import ChromaStore

opened = itertools.count()
"""Moves on whenever a store opens, so that a test that never had one can be told apart."""

Place = Literal["memory", "folder", "server"]
_MEMORY = Path("/dev/shm")

_cleanup = ExitStack()


def open_store(conn_string: str, place: Place, *, index: Any, ttl: Any) -> ChromaStore:
    """Open the store that a connection string names; in one place it has the same memories."""
    next(opened)
    name = f"s{abs(hash(conn_string))}"
    match place:
        case "memory":
            return ChromaStore(chromadb.EphemeralClient(), index=index, ttl=ttl, name=name)
        case "folder":
            return ChromaStore.open(folder() / name, index=index, ttl=ttl)
        case "server":
            return ChromaStore.open(server(), index=index, ttl=ttl, name=name)


@functools.cache
def folder() -> Path:
    """A folder for this run, in memory where the system offers that; gone after `clean_up`."""
    path = tempfile.mkdtemp(prefix="memlens-peer-", dir=_MEMORY if _MEMORY.is_dir() else None)
    _cleanup.callback(shutil.rmtree, path, ignore_errors=True)
    return Path(path)


@functools.cache
def server() -> str:
    """The address of a Chroma server for this run, stopped by `clean_up`."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    run = "import sys; from chromadb.cli.cli import app; sys.argv[0] = 'chroma'; app()"
    options = ["--path", str(folder() / "server"), "--host", "127.0.0.1", "--port", str(port)]
    with (folder() / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", run, "run", *options], stdout=log, stderr=log
        )
    _cleanup.callback(process.wait)
    _cleanup.callback(process.kill)
    url = f"http://127.0.0.1:{port}"
    deadline = time.monotonic() + 60
    while True:
        try:
            urllib.request.urlopen(f"{url}/api/v2/heartbeat", timeout=2).close()
            return url
        except OSError:
            if time.monotonic() > deadline or process.poll() is not None:
                raise
            time.sleep(0.1)


def clean_up() -> None:
    """Stop the server and delete what the stores left behind."""
    _cleanup.close()
