"""Real maps by a real worker process: one process for the whole file, for it compiles at first."""

import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dashboard.projection import Settings
from dashboard.projection_align import MOST_SHIFT, shift
from dashboard.projection_cache import CACHE_VARIABLE
from dashboard.projection_jobs import Maps, Request, Status, StoreMap
from dashboard.projection_neighbours import trustworthiness, unit_rows
from dashboard.projection_process import WorkerProcess, WorkerStoppedError
from store import ChromaStore
from tests.dashboard.conftest import memory

ROWS, GROUPS = 240, 6


def grouped(count: int = ROWS, seed: int = 0) -> np.ndarray:
    """Rows in groups that are far apart, row i in group i % GROUPS."""
    random = np.random.default_rng(seed)
    middles = np.random.default_rng(9).normal(size=(GROUPS, 16)) * 4
    noise = random.normal(size=(count, 16))
    return (middles[np.arange(count) % GROUPS] + noise).astype(np.float32)


@pytest.fixture(scope="module")
def worker(
    tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> Iterator[WorkerProcess]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(CACHE_VARIABLE, str(tmp_path_factory.mktemp("cache")))
        patch.setenv("NUMBA_CACHE_DIR", str(pytestconfig.cache.mkdir("numba")))
        process = WorkerProcess()
        yield process
        process.stop()


def do(worker: WorkerProcess, folder: Path, kind: str, **arrays: np.ndarray) -> list[Any]:
    if "matrix" in arrays:
        blank = np.full((len(arrays["matrix"]), 2), np.nan, np.float32)
        arrays = {"known": blank, **arrays}
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    job = {"folder": str(folder), "kind": kind, "settings": asdict(Settings())}
    return list(worker.run(job))


def pictures(events: list[Any]) -> list[str]:
    return [event["method"] for event in events if event["event"] == "layout"]


def test_a_fresh_map_comes_as_pca_first_and_keeps_groups_together(worker, tmp_path: Path):
    matrix = grouped()
    events = do(worker, tmp_path, "fresh", matrix=matrix)
    assert pictures(events) == ["pca", "umap"]
    assert {event["doing"] for event in events if event["event"] == "progress"} >= {"Arranging"}
    flat = np.load(tmp_path / "positions-umap.npy")
    gaps = np.linalg.norm(flat[:, None] - flat[None], axis=2) + np.eye(ROWS) * 1e9
    assert (gaps.argmin(axis=1) % GROUPS == np.arange(ROWS) % GROUPS).mean() > 0.95
    assert trustworthiness(unit_rows(matrix), flat) > trustworthiness(
        unit_rows(matrix), np.load(tmp_path / "positions-pca.npy")
    )


def test_the_same_rows_give_the_same_map(worker, tmp_path: Path):
    do(worker, tmp_path, "fresh", matrix=grouped())
    first = np.load(tmp_path / "positions-umap.npy")
    do(worker, tmp_path, "fresh", matrix=grouped())
    np.testing.assert_array_equal(first, np.load(tmp_path / "positions-umap.npy"))


def test_a_fresh_map_lies_as_the_places_known_before(worker, tmp_path: Path):
    matrix = grouped()
    do(worker, tmp_path, "fresh", matrix=matrix)
    turned = np.load(tmp_path / "positions-umap.npy")[:, ::-1].copy()
    do(worker, tmp_path, "fresh", matrix=matrix, known=turned)
    assert shift(np.load(tmp_path / "positions-umap.npy"), turned) < 1e-4


def test_new_rows_are_placed_in_their_group_and_old_ones_do_not_move(worker, tmp_path: Path):
    do(worker, tmp_path, "fresh", matrix=grouped())
    known = np.load(tmp_path / "positions-umap.npy")
    more = np.vstack([grouped(), grouped(12, seed=1)])
    blank = np.full((12, 2), np.nan, np.float32)
    events = do(worker, tmp_path, "place", matrix=more, known=np.vstack([known, blank]))
    placed = np.load(tmp_path / "positions-umap.npy")
    assert pictures(events) == ["umap"]
    np.testing.assert_array_equal(placed[:ROWS], known)
    gaps = np.linalg.norm(placed[ROWS:, None] - known[None], axis=2)
    assert (gaps.argmin(axis=1) % GROUPS == np.arange(12) % GROUPS).mean() > 0.8


def test_a_warm_arrangement_stays_close_to_the_old_map(worker, tmp_path: Path):
    do(worker, tmp_path, "fresh", matrix=grouped())
    known = np.load(tmp_path / "positions-umap.npy")
    more = np.vstack([grouped(), grouped(30, seed=1)])
    blank = np.full((30, 2), np.nan, np.float32)
    events = do(worker, tmp_path, "warm", matrix=more, known=np.vstack([known, blank]))
    assert pictures(events) == ["umap", "umap"]
    assert shift(np.load(tmp_path / "positions-umap.npy")[:ROWS], known) <= MOST_SHIFT + 1e-6


def test_a_job_that_fails_says_why_and_the_worker_goes_on(worker, tmp_path: Path):
    with pytest.raises(RuntimeError, match=r"matrix\.npy"):
        do(worker, tmp_path, "fresh")
    assert pictures(do(worker, tmp_path, "fresh", matrix=grouped(3))) == ["simple"]


def test_a_stopped_worker_ends_its_job_and_the_next_job_starts_another(worker, tmp_path: Path):
    np.save(tmp_path / "matrix.npy", grouped())
    np.save(tmp_path / "known.npy", np.full((ROWS, 2), np.nan, np.float32))
    events = worker.run({"folder": str(tmp_path), "kind": "fresh", "settings": {}})
    next(events)
    worker.stop()
    with pytest.raises(WorkerStoppedError):
        list(events)
    assert pictures(do(worker, tmp_path, "fresh", matrix=grouped(3))) == ["simple"]


def test_what_maps_need_is_compiled_once_on_a_machine_before_the_first_map(
    store: ChromaStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    process = WorkerProcess()
    maps = Maps(store, tmp_path / "maps", process)
    maps.warm_up()
    deadline = time.monotonic() + 120
    while not process.compiled and time.monotonic() < deadline:
        time.sleep(0.2)
    assert pictures(do(process, tmp_path, "place", matrix=grouped(), known=grouped(seed=1)[:, :2]))
    compiled = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nb*")}
    assert compiled
    assert pictures(do(process, tmp_path, "fresh", matrix=grouped())) == ["pca", "umap"]
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nb*")} == compiled
    maps.close()


# The maps of a store.


def settled(maps: Maps, request: Request | None = None) -> Status:
    maps.ask(request or Request())
    maps.wait(60)
    return maps.ask(request or Request())


@pytest.fixture
def store(stores_folder: Path, tmp_path: Path) -> Iterator[ChromaStore]:
    def embed(texts: list[str]) -> list[list[float]]:
        return [np.random.default_rng(sum(text.encode())).normal(size=8).tolist() for text in texts]

    index = {"embed": embed, "dims": 8, "fields": ["text", "title"]}
    with ChromaStore.open(stores_folder / tmp_path.name, index=index) as opened:
        yield opened


@pytest.fixture
def maps(store: ChromaStore, worker: WorkerProcess, tmp_path: Path) -> Maps:
    return Maps(store, tmp_path / "maps", worker, rest=0)


def places(picture: StoreMap) -> dict[str, list[float]]:
    rows = picture.layout.positions.tolist()
    return {entry.key: row for entry, row in zip(picture.entries, rows, strict=True)}


def fill(store: ChromaStore, count: int) -> None:
    store.write([memory(("users", "mira"), f"k{i}", f"text {'x' * i}", i) for i in range(count)])


def test_a_map_holds_each_embedded_memory_once(store: ChromaStore, maps: Maps):
    fill(store, 5)
    store.put(("users", "tomas"), "both", {"text": "radio", "title": "old"})
    store.put(("users", "tomas"), "none", {"kind": "x"})
    status = settled(maps)
    assert status.problem is None
    assert status.map is not None
    keys = [entry.key for entry in status.map.entries]
    assert sorted(keys) == ["both", "k0", "k1", "k2", "k3", "k4"]
    assert np.isfinite(status.map.layout.positions).all()


def test_a_scope_has_a_map_of_its_own(store: ChromaStore, maps: Maps):
    fill(store, 3)
    store.put(("users", "tomas"), "t", {"text": "radio"})
    status = settled(maps, Request(scope=("users", "tomas")))
    assert status.map is not None
    assert [entry.key for entry in status.map.entries] == ["t"]


def test_a_map_of_a_field_leaves_out_memories_without_it(store: ChromaStore, maps: Maps):
    fill(store, 3)
    store.put(("users", "tomas"), "t", {"title": "radio"})
    status = settled(maps, Request(field="title"))
    assert status.map is not None
    placed = np.isfinite(status.map.layout.positions).all(axis=1)
    assert [entry.key for entry, here in zip(status.map.entries, placed, strict=True) if here] == [
        "t"
    ]


def test_a_map_made_before_is_shown_again_without_arranging(store, maps: Maps, tmp_path: Path):
    fill(store, 12)
    first = settled(maps).map
    idle = WorkerProcess()
    again = settled(Maps(store, tmp_path / "maps", idle)).map
    assert idle._process is None
    assert first is not None
    assert again is not None
    assert again.version == first.version
    np.testing.assert_array_equal(again.layout.positions, first.layout.positions)


def test_after_a_deletion_the_others_stay_where_they_were(store: ChromaStore, maps: Maps):
    fill(store, 12)
    first = settled(maps).map
    store.delete(("users", "mira"), "k3")
    second = settled(maps).map
    assert first is not None
    assert second is not None
    before = {
        entry.key: row.tolist()
        for entry, row in zip(first.entries, first.layout.positions, strict=True)
    }
    after = {
        entry.key: row.tolist()
        for entry, row in zip(second.entries, second.layout.positions, strict=True)
    }
    before.pop("k3")
    assert after == before


def test_only_what_changed_is_read_again(store: ChromaStore, maps: Maps):
    fill(store, 40)
    first = settled(maps).map
    store.put(("users", "mira"), "k3", {"text": "something else"})
    store.delete(("users", "mira"), "k4")
    second = settled(maps).map
    assert first is not None
    assert second is not None
    before, after = places(first), places(second)
    assert set(before) - set(after) == {"k4"}
    assert {key for key in after if after[key] != before[key]} == {"k3"}
    assert second.layout.trust == first.layout.trust


def test_a_stopped_map_keeps_its_best_picture_and_says_so(store: ChromaStore, maps: Maps):
    fill(store, 3)
    settled(maps)
    store.put(("users", "mira"), "new", {"text": "new"})
    maps.ask(Request())
    maps.cancel()
    maps.wait(60)
    status = maps.ask(Request())
    assert status.map is not None
    if status.problem:  # the little job may have ended before it was stopped
        assert "stopped" in status.problem
    maps.retry()
    assert settled(maps).problem is None
