"""The maps of one store, made in the background by a thread and the worker process."""

import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dashboard.projection import Layout, Settings
from dashboard.projection_cache import (
    SavedMap,
    hash_references,
    hash_texts,
    load_map,
    map_name,
    save_map,
)
from dashboard.projection_neighbours import Floats
from dashboard.projection_plan import Plan, compare
from dashboard.projection_process import WorkerProcess, WorkerStoppedError
from store import ChromaStore, Namespace, Reference, StoreError, VectorTable

DEFAULTS = Settings()


@dataclass(frozen=True, slots=True)
class Request:
    """Which map is wanted: of which memories, of which embedded field, arranged how."""

    scope: Namespace = ()
    field: str = ""
    settings: Settings = DEFAULTS


@dataclass(frozen=True, slots=True)
class StoreMap:
    """A map: row i of `layout` is `references[i]`. Every picture has another `version`."""

    references: tuple[Reference, ...]
    layout: Layout
    version: str
    token: str


@dataclass(frozen=True, slots=True)
class Status:
    """How far a map is: `map` is the best picture yet, `problem` why there is no better one."""

    map: StoreMap | None = None
    doing: str = ""
    done: int = 0
    total: int = 0
    running: bool = False
    problem: str | None = None


class Maps:
    """Makes the map that was asked for last; every method returns at once unless it says so."""

    def __init__(self, store: ChromaStore, folder: Path, worker: WorkerProcess) -> None:
        self._store = store
        self._folder = folder
        self._worker = worker
        self._lock = threading.Lock()
        self._wanted: Request | None = None
        self._status = Status()
        self._thread: threading.Thread | None = None
        self._pictures = 0

    def ask(self, request: Request) -> Status:
        """Say how far this map is; begin it when it is new or the store has changed since."""
        token = self._store.token()
        with self._lock:
            status = self._status
            stale = status.map is not None and status.map.token != token
            if request != self._wanted:
                self._begin(request, Status(), token)
            elif stale and not status.running and status.problem is None:
                self._begin(request, status, token)
            return self._status

    def retry(self) -> None:
        """Forget a stopped or failed attempt, so that the next `ask` begins again."""
        with self._lock:
            self._wanted = None

    def cancel(self) -> None:
        """Stop arranging; the best picture so far stays."""
        self._worker.stop()

    def wait(self, timeout: float | None = None) -> None:
        """Wait until nothing is being made."""
        thread = self._thread
        if thread is not None:
            thread.join(timeout)

    def _begin(self, request: Request, status: Status, token: str) -> None:
        if self._status.running:
            self._worker.stop()
        self._wanted = request
        self._status = replace(status, running=True, doing="Reading vectors", done=0, total=0)
        self._thread = threading.Thread(
            target=self._make, args=(request, token), name="memlens-map", daemon=True
        )
        self._thread.start()

    def _make(self, request: Request, token: str) -> None:
        problem = None
        try:
            self._bring_up_to_date(request, token)
        except WorkerStoppedError:
            problem = "Arranging was stopped; this is the best picture so far."
        except (StoreError, RuntimeError, OSError, ValueError) as error:
            problem = str(error)
        self._tell(request, running=False, problem=problem)

    def _bring_up_to_date(self, request: Request, token: str) -> None:
        table = self._store.vectors(request.scope, progress=self._reading(request))
        rows = rows_of_field(table, request.field)
        references = tuple(table.references[row] for row in rows)
        ids = hash_references(references)
        revisions = hash_texts(table.revisions[row] for row in rows)
        name = self._name(request)
        saved = load_map(self._folder, name)
        plan = compare(ids, revisions, saved)
        if saved is not None and plan.kind != "fresh":
            self._show(request, references, replace(saved.layout, positions=plan.known), token)
        if plan.kind == "same":
            return
        for layout in self._arrange(request, table.matrix[rows], plan):
            self._show(request, references, layout, token)
            churn = plan.churn if plan.kind == "place" else 0
            if layout.method in ("simple", "umap"):
                save_map(self._folder, name, SavedMap(ids, revisions, layout, token, churn))

    def _arrange(self, request: Request, matrix: Floats, plan: Plan) -> Iterator[Layout]:
        with tempfile.TemporaryDirectory(prefix="memlens-map-") as named:
            folder = Path(named)
            np.save(folder / "matrix.npy", matrix)
            np.save(folder / "known.npy", plan.known)
            job = {"folder": named, "kind": plan.kind, "settings": asdict(request.settings)}
            for event in self._worker.run(job):
                if event["event"] == "progress":
                    self._tell(
                        request, doing=event["doing"], done=event["done"], total=event["total"]
                    )
                else:
                    yield Layout(
                        np.load(folder / event["file"]),
                        event["method"],
                        tuple(event["notes"]),
                        event["trust"],
                    )

    def _name(self, request: Request) -> str:
        info = self._store.info()
        return map_name(
            info.location,
            info.name,
            request.scope,
            request.field,
            info.embedder or "",
            request.settings,
        )

    def _reading(self, request: Request) -> Callable[[int, int], None]:
        return lambda done, total: self._tell(request, done=done, total=total)

    def _show(
        self, request: Request, references: tuple[Reference, ...], layout: Layout, token: str
    ) -> None:
        self._pictures += 1
        version = f"{self._pictures}-{layout.method}"
        self._tell(request, map=StoreMap(references, layout, version, token))

    def _tell(self, request: Request, **changes: Any) -> None:
        with self._lock:
            if self._wanted == request:
                self._status = replace(self._status, **changes)


def rows_of_field(table: VectorTable, path: str) -> npt.NDArray[np.intp]:
    """Give the rows of one embedded field, or of each memory's first one when `path` is empty.

    A memory with several vectors of that field counts once.
    """
    seen: set[Reference] = set()
    rows = []
    for row, (reference, own) in enumerate(zip(table.references, table.paths, strict=True)):
        if reference not in seen and (not path or own == path):
            seen.add(reference)
            rows.append(row)
    return np.array(rows, dtype=np.intp)
