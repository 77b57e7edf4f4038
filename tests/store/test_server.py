"""A folder served to several processes: who holds it, how it ends, what is left behind."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from store import (
    ChromaServer,
    ChromaStore,
    NotAStore,
    StoreLocked,
    StoreNotFound,
    StoreUnreachable,
    check,
)
from store.locking import STATE, FolderLock

SERVE = """
import sys, time
from store import ChromaServer
with ChromaServer(sys.argv[1]) as server:
    print(server.address, server._process.pid, flush=True)
    time.sleep(60)
"""


@pytest.fixture
def folder(stores_folder: Path, request: pytest.FixtureRequest) -> Path:
    """A folder with a store in it."""
    chosen = stores_folder / re.sub(r"\W+", "-", request.node.name)
    with ChromaStore.open(chosen, index=None) as store:
        store.put(("a",), "k", {"n": 1})
    return chosen


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_two_clients_share_a_served_folder(folder: Path) -> None:
    with (
        ChromaServer(folder) as server,
        ChromaStore.open(server.address, index=None) as agent,
        ChromaStore.open(server.address, index=None) as person,
    ):
        agent.put(("a",), "new", {"n": 2})
        assert [person.read(("a",), key).value["n"] for key in ("k", "new")] == [1, 2]  # type: ignore[union-attr]
    with ChromaStore.open(folder, index=None) as store:
        assert store.count() == 2


def test_a_served_folder_is_refused_with_the_line_to_connect(folder: Path) -> None:
    with (
        ChromaServer(folder) as server,
        pytest.raises(StoreLocked, match=re.escape(f"ChromaStore.open({server.address!r})")),
    ):
        ChromaStore.open(folder, index=None)


def test_a_folder_in_use_is_not_served(folder: Path) -> None:
    with ChromaStore.open(folder, index=None), pytest.raises(StoreLocked):
        ChromaServer(folder).__enter__()


def test_a_server_that_ends_well_leaves_a_clean_free_folder(folder: Path) -> None:
    with ChromaServer(folder) as server:
        pid = server._process.pid
    assert not alive(pid)
    assert not (folder / STATE).exists()
    ChromaStore.open(folder, index=None).close()


def test_a_server_that_was_killed_leaves_a_folder_to_be_checked(folder: Path) -> None:
    with ChromaServer(folder) as server:
        server._process.kill()
        server._process.wait()
        assert server.ended() == -signal.SIGKILL
    with FolderLock(folder) as lock:
        assert lock.unclean


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
def test_when_whoever_serves_is_killed_the_server_ends_and_frees_the_folder(folder: Path) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", SERVE, str(folder)], stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    pid = int(parent.stdout.readline().split()[1])
    os.kill(pid, signal.SIGSTOP)
    parent.kill()
    parent.communicate()
    with pytest.raises(StoreLocked):
        FolderLock(folder).__enter__()
    os.kill(pid, signal.SIGCONT)
    lock = once_free(folder)
    unclean = lock.unclean
    lock.release()
    assert unclean


def once_free(folder: Path, seconds: float = 30) -> FolderLock:
    deadline = time.monotonic() + seconds
    while True:
        try:
            return FolderLock(folder).__enter__()
        except StoreLocked:
            assert time.monotonic() < deadline
            time.sleep(0.1)


def test_what_was_not_closed_is_repaired_before_it_is_served(stores_folder: Path) -> None:
    folder = stores_folder / "to-be-repaired"
    with ChromaStore.open(folder) as store:
        store.put(("a",), "k", {"text": "drinks green tea"})
        store._gateway.delete_vectors([one for one, _ in store._gateway.revisions()])
    with FolderLock(folder) as lock:
        lock.begin()
    with ChromaServer(folder) as server, ChromaStore.open(server.address) as agent:
        assert check(agent).clean
        assert agent.match(query="green tea")[0].score is not None


def test_nothing_is_created_where_there_is_no_store(stores_folder: Path) -> None:
    missing = stores_folder / "not-there"
    with pytest.raises(StoreNotFound):
        ChromaServer(missing).__enter__()
    assert not missing.exists()


def test_a_folder_of_something_else_is_refused(stores_folder: Path) -> None:
    folder = stores_folder / "something-else"
    folder.mkdir()
    (folder / "thesis.tex").write_text("x")
    with pytest.raises(NotAStore):
        ChromaServer(folder, create=True).__enter__()
    assert [one.name for one in folder.iterdir()] == ["thesis.tex"]


def test_a_new_folder_is_made_when_asked_for(stores_folder: Path) -> None:
    with (
        ChromaServer(stores_folder / "brand-new", create=True) as server,
        ChromaStore.open(server.address, index=None) as store,
    ):
        assert store.count() == 0


def test_a_port_that_is_taken_is_refused_and_the_folder_is_free_again(folder: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(StoreUnreachable, match="is taken"):
            ChromaServer(folder, port=taken.getsockname()[1]).__enter__()
    ChromaStore.open(folder, index=None).close()
