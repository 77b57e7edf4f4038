"""One opener at a time: the lock on a folder, in one process and between processes."""

import gc
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from store import ChromaStore, StoreLocked
from store.locking import STATE, FolderLock

CODE = """
import sys, time
from store import ChromaStore
store = ChromaStore.open(sys.argv[1], index=None)
store.put(("a",), "k", {"n": 1})
print("open", flush=True)
if sys.argv[2] == "wait":
    time.sleep(60)
"""


@pytest.fixture
def folder(stores_folder: Path, request: pytest.FixtureRequest) -> Path:
    chosen = stores_folder / f"locking-{abs(hash(request.node.name))}" / "store"
    chosen.mkdir(parents=True)
    return chosen


def other_process(folder: Path, then: str) -> "subprocess.Popen[str]":
    """A process that opens the store, writes, and waits or ends without closing it."""
    child = subprocess.Popen(
        [sys.executable, "-c", CODE, str(folder), then], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "open\n"
    return child


def relative(folder: Path) -> str:
    return os.path.relpath(folder)


def through_a_link(folder: Path) -> str:
    link = folder.parent / "link"
    link.symlink_to(folder)
    return str(link)


def with_a_detour(folder: Path) -> str:
    return f"{folder}/../{folder.name}/"


@pytest.mark.parametrize("spelling", [str, relative, through_a_link, with_a_detour])
def test_a_folder_opens_once_whatever_it_is_called(
    folder: Path, spelling: Callable[[Path], str]
) -> None:
    with (
        ChromaStore.open(folder, index=None),
        pytest.raises(StoreLocked, match=r"open in this process already; .* run 'memlens serve "),
    ):
        ChromaStore.open(spelling(folder), index=None)


def test_another_process_is_named_with_the_way_out(folder: Path) -> None:
    child = other_process(folder, "wait")
    try:
        with pytest.raises(StoreLocked, match=rf"open in process {child.pid} on .*memlens serve"):
            ChromaStore.open(folder, index=None)
    finally:
        child.kill()
        child.communicate()


def test_the_lock_of_a_killed_process_is_taken_over(folder: Path) -> None:
    child = other_process(folder, "wait")
    child.send_signal(signal.SIGKILL)
    child.communicate()
    with ChromaStore.open(folder, index=None) as store:
        assert store.get(("a",), "k") is not None


def test_a_program_that_ends_without_closing_leaves_a_clean_folder(folder: Path) -> None:
    child = other_process(folder, "end")
    child.communicate()
    assert child.returncode == 0
    assert not (folder / STATE).exists()


def test_a_store_nobody_refers_to_frees_its_folder(folder: Path) -> None:
    ChromaStore.open(folder, index=None)
    gc.collect()
    ChromaStore.open(folder, index=None).close()


def test_a_store_may_be_opened_in_one_thread_and_closed_in_another(folder: Path) -> None:
    opened: list[ChromaStore] = []
    thread = threading.Thread(target=lambda: opened.append(ChromaStore.open(folder, index=None)))
    thread.start()
    thread.join()
    opened[0].close()
    ChromaStore.open(folder, index=None).close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_forked_child_does_not_free_what_its_parent_holds(folder: Path) -> None:
    with FolderLock(folder) as lock:
        child = os.fork()
        if child == 0:
            lock.release()
            os._exit(0)
        os.waitpid(child, 0)
        with pytest.raises(StoreLocked):
            FolderLock(folder).__enter__()


def test_an_unclean_end_is_told_to_the_next_holder(folder: Path) -> None:
    with FolderLock(folder) as lock:
        lock.begin()
    with FolderLock(folder) as lock:
        assert lock.unclean
        lock.end(unclean=False)
    with FolderLock(folder) as lock:
        assert not lock.unclean


def test_a_state_cut_short_counts_as_unclean(folder: Path) -> None:
    (folder / STATE).write_text('{"unclean": fal')
    with FolderLock(folder) as lock:
        assert lock.unclean


def test_who_serves_a_folder_is_named(folder: Path) -> None:
    with FolderLock(folder) as lock:
        lock.describe("http://127.0.0.1:8000")
        with pytest.raises(StoreLocked, match=r"ChromaStore.open\(.http://127.0.0.1:8000"):
            FolderLock(folder).__enter__()
