"""An agent killed again and again, at random, while it opens and while Chroma saves, loses nothing.

Forty times a process that writes is ended with SIGKILL. After each the folder is opened, which
repairs it, and held against what the process had acknowledged to a log outside.
"""

import json
import multiprocessing
import random
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from store import ChromaStore, check, epochs, gateway
from store.locking import ASIDE, FolderLock
from tests.store.killed import INDEX, KEYS, embed, namespace_of, write_until_killed

KILLS = 40
SAVED_EVERY = 100

Process = multiprocessing.process.BaseProcess
Start = Callable[[int], Process]

pytestmark = pytest.mark.skipif(
    "forkserver" not in multiprocessing.get_all_start_methods(), reason="needs SIGKILL and fork"
)


class Model:
    """What the store must hold; a write that was not acknowledged may have happened or not."""

    def __init__(self) -> None:
        self.texts: dict[int, str | None] = dict.fromkeys(range(KEYS))
        self.doubtful: dict[int, set[str | None]] = {}
        self.acknowledged = self.embedded = 0

    def read(self, log: Path) -> None:
        batch: dict[int, str | None] = {}
        self.doubtful = {}
        if not log.exists():
            return
        for line in log.read_text().splitlines():
            kind, *rest = json.loads(line)
            if kind == "try":
                batch[rest[0]] = rest[1]
            else:
                self.texts |= batch
                self.acknowledged += 1
                batch = {}
        self.doubtful = {key: {self.texts[key], text} for key, text in batch.items()}
        log.unlink()

    def compare(self, store: ChromaStore) -> None:
        held = {int(memory.key): memory.value["text"] for memory in store.scan()}
        for key in range(KEYS):
            allowed = self.doubtful.get(key, {self.texts[key]})
            assert held.get(key) in allowed, (key, held.get(key), allowed)
            self.texts[key] = held.get(key)


def kill_at(moment: Callable[[], bool], process: Process) -> None:
    deadline = time.monotonic() + 20
    while not moment():
        assert process.is_alive(), "the agent ended by itself"
        assert time.monotonic() < deadline, "the agent never came that far"
    process.kill()
    process.join()


def after(seconds: float, log: Path) -> Callable[[], bool]:
    """Some time after the first write was tried."""
    started: list[float] = []

    def moment() -> bool:
        time.sleep(0.001)
        if not started and log.exists() and log.stat().st_size:
            started.append(time.monotonic())
        return bool(started) and time.monotonic() - started[0] > seconds

    return moment


def early(seconds: float) -> Callable[[], bool]:
    """While the store is being opened, looked after and repaired, or soon after that."""
    end = time.monotonic() + seconds

    def moment() -> bool:
        time.sleep(0.001)
        return time.monotonic() > end

    return moment


def saving(folder: Path, log: Path, delay: float) -> Callable[[], bool]:
    """While an index is being saved: its header was just written, the rest follows."""
    begun = after(0.05, log)
    before: dict[Path, int] = {}

    def moment() -> bool:
        if not before:
            if begun():
                before.update((one, one.stat().st_mtime_ns) for one in headers(folder))
            return False
        if all(one.stat().st_mtime_ns == seen for one, seen in before.items()):
            return False
        time.sleep(delay)
        return True

    return moment


def headers(folder: Path) -> list[Path]:
    """The first file of each index; one that was never saved yet has no index_metadata.pickle."""
    return [one.parent / "header.bin" for one in folder.glob("*-*/index_metadata.pickle")]


@pytest.fixture
def folder(stores_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store whose indexes are saved ten times as often as Chroma does by itself."""
    for index in (gateway.ITEMS_INDEX, epochs.VECTORS_INDEX):
        monkeypatch.setitem(index["hnsw"], "sync_threshold", SAVED_EVERY)
        monkeypatch.setitem(index["hnsw"], "batch_size", SAVED_EVERY // 2)
    chosen = stores_folder / "killed"
    ChromaStore.open(chosen, index=INDEX).close()
    return chosen


@pytest.fixture
def log(stores_folder: Path) -> Path:
    return stores_folder / "killed.log"


@pytest.fixture
def start(folder: Path, log: Path) -> Start:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.store.killed"])

    def started(seed: int) -> Process:
        process = context.Process(target=write_until_killed, args=(folder, log, seed), daemon=True)
        process.start()
        return process

    return started


def test_forty_kills_lose_no_acknowledged_memory(folder: Path, log: Path, start: Start) -> None:
    model, choose = Model(), random.Random(4)
    for number in range(KILLS):
        # The first round fills the store, so that there is an index to be saved again.
        aimed = number % 2 == 1 and headers(folder)
        pause = choose.choice([0, 0, 0.0005, 0.002])
        if number % 4 == 2:
            with FolderLock(folder) as lock:
                lock.begin()
            moment = early(choose.uniform(0, 3))
        else:
            moment = saving(folder, log, pause) if aimed else after(choose.uniform(0, 1.5), log)
        kill_at(moment, start(number))
        model.read(log)
        with ChromaStore.open(folder, index=INDEX) as store:
            assert store.repaired is not None
            model.embedded += store.repaired.embedded
            model.compare(store)
            assert check(store).problems == ()
            assert_own_vectors(store)
            for key in choose.sample(range(KEYS), 20) + list(model.doubtful)[:10]:
                assert_found(store, key, model.texts[key])
    torn = len(list((folder / ASIDE).iterdir())) if (folder / ASIDE).exists() else 0
    print(f"{model.acknowledged} batches, {torn} indexes torn, {model.embedded} embedded again")
    assert model.acknowledged > KILLS


def assert_own_vectors(store: ChromaStore) -> None:
    """Every memory has the vector of its own text, wherever that was saved or rescued from."""
    table = store.vectors()
    texts = [memory.value["text"] for memory in store.read_many(table.references) if memory]
    assert len(texts) == len(table.references)
    lengths = np.linalg.norm(table.matrix, axis=1)
    likeness = np.einsum("ij,ij->i", table.matrix, np.array(embed(texts))) / lengths
    assert likeness.min() > 0.999


def assert_found(store: ChromaStore, key: int, text: str | None) -> None:
    if text is not None:
        found = store.search(namespace_of(key)[:1], query=text, limit=1)
        assert [(one.key, one.value) for one in found] == [(str(key), {"text": text})]
