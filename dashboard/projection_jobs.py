"""The maps of one store, made in the background by a thread and the worker process."""

import contextlib
import hashlib
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dashboard.projection import Layout, Settings
from dashboard.projection_cache import (
    hash_references,
    hash_texts,
    load_map,
    map_name,
    save_map,
)
from dashboard.projection_neighbours import Floats
from dashboard.projection_plan import Hashes, Plan, SavedMap, compare
from dashboard.projection_process import WorkerProcess, WorkerStoppedError
from dashboard.projection_vectors import HeldVectors
from store import ChromaStore, Entry, Namespace, StoreError

DEFAULTS = Settings()
REST_SECONDS = 3.0
"""How long a map stays as it is while somebody writes all the time."""


@dataclass(frozen=True, slots=True)
class Request:
    """Which map is wanted: of which memories, of which embedded field, arranged how."""

    scope: Namespace = ()
    field: str = ""
    settings: Settings = DEFAULTS


@dataclass(frozen=True, slots=True)
class StoreMap:
    """A map: row i of `layout` is memory `entries[i]`, whose hashes are in `ids` and `revisions`.

    `version` is equal for equal pictures of equal memories; `token` is the store's state shown.
    """

    entries: tuple[Entry, ...]
    ids: Hashes
    revisions: Hashes
    layout: Layout
    version: str
    token: str


def picture_of(entries: tuple[Entry, ...], layout: Layout, token: str) -> StoreMap:
    """Make the map of memories from where they lie."""
    ids = hash_references(entry.reference for entry in entries)
    revisions = hash_texts(entry.revision for entry in entries)
    return StoreMap(entries, ids, revisions, layout, picture_version(ids, revisions, layout), token)


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

    def __init__(
        self,
        store: ChromaStore,
        folder: Path,
        worker: WorkerProcess,
        *,
        rest: float = REST_SECONDS,
    ) -> None:
        self._rest = rest
        self._store = store
        self._folder = folder
        self._worker = worker
        self._lock = threading.Lock()
        self._wanted: Request | None = None
        self._status = Status()
        self._thread: threading.Thread | None = None
        self._stopped = threading.Event()
        self._vectors = HeldVectors(store)
        self._turn = threading.Lock()
        self._ended = 0.0
        self._warm = False

    def ask(self, request: Request) -> Status:
        """Say how far this map is; begin it when it is new or the store has changed since."""
        token = self._store.token()
        with self._lock:
            status = self._status
            stale = status.map is not None and status.map.token != token
            rested = time.monotonic() - self._ended >= self._rest
            if request != self._wanted:
                self._begin(request, Status(), token)
            elif stale and rested and not status.running and status.problem is None:
                self._begin(request, status, token)
            return self._status

    def warm_up(self) -> None:
        """Let the worker compile what maps need, if no process on this machine has done so yet.

        Asked again it does nothing; the first map waits for it, and then needs not compile.
        """
        with self._lock:
            warm, self._warm = self._warm, True
        if not warm and not self._worker.compiled:
            threading.Thread(target=self._compile, name="memlens-warm-up", daemon=True).start()

    def _compile(self) -> None:
        # Whatever goes wrong here goes wrong again, and is told, when a map is wanted.
        with contextlib.suppress(RuntimeError, OSError):
            for _ in self._worker.run({"kind": "warm-up"}):
                pass

    def retry(self) -> None:
        """Forget a stopped or failed attempt, so that the next `ask` begins again."""
        with self._lock:
            self._wanted = None

    def cancel(self) -> None:
        """Stop arranging; the best picture so far stays."""
        self._stopped.set()
        self._worker.stop()

    def close(self) -> None:
        """End the worker process; nothing more is made."""
        with self._lock:
            self._wanted = None
        self._worker.close()

    def wait(self, timeout: float | None = None) -> None:
        """Wait until nothing is being made."""
        thread = self._thread
        if thread is not None:
            thread.join(timeout)

    def _begin(self, request: Request, status: Status, token: str) -> None:
        if self._status.running:
            self.cancel()
        self._stopped = threading.Event()
        self._wanted = request
        self._status = replace(status, running=True, doing="Looking for changes", done=0, total=0)
        self._thread = threading.Thread(
            target=self._make, args=(request, token, self._stopped), name="memlens-map", daemon=True
        )
        self._thread.start()

    def _make(self, request: Request, token: str, stopped: threading.Event) -> None:
        problem = None
        try:
            with self._turn:
                self._bring_up_to_date(request, token, stopped)
        except WorkerStoppedError:
            problem = "Arranging was stopped; this is the best picture so far."
        except (StoreError, RuntimeError, OSError, ValueError) as error:
            problem = str(error)
        self._ended = time.monotonic()
        self._tell(request, running=False, problem=problem)

    def _bring_up_to_date(self, request: Request, token: str, stopped: threading.Event) -> None:
        entries = tuple(entry for entry in self._store.entries(request.scope) if entry.vectors)
        ids = hash_references(entry.reference for entry in entries)
        revisions = hash_texts(entry.revision for entry in entries)
        name = self._name(request)
        saved = load_map(self._folder, name)
        plan = compare(ids, revisions, saved)
        if saved is not None and plan.kind != "fresh":
            self._show(request, entries, token, replace(saved.layout, positions=plan.known))
        if plan.kind == "same":
            return

        def reading(done: int, total: int) -> None:
            if stopped.is_set():
                raise WorkerStoppedError("reading was stopped")
            self._tell(request, doing="Reading vectors", done=done, total=total)

        matrix = self._vectors.matrix(
            request.scope, request.field, entries, (ids, revisions), reading
        )
        base = len(ids) if saved is None or plan.kind == "fresh" else saved.base
        for layout in self._arrange(request, matrix, plan):
            if saved is not None and layout.trust is None:
                layout = replace(layout, trust=saved.layout.trust)
            self._show(request, entries, token, layout)
            churn = plan.churn if plan.kind == "place" else 0
            if layout.method in ("simple", "umap"):
                save_map(self._folder, name, SavedMap(ids, revisions, layout, churn, base))

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

    def _show(
        self, request: Request, entries: tuple[Entry, ...], token: str, layout: Layout
    ) -> None:
        self._tell(request, map=picture_of(entries, layout, token))

    def _tell(self, request: Request, **changes: Any) -> None:
        with self._lock:
            if self._wanted == request:
                self._status = replace(self._status, **changes)


def picture_version(ids: Hashes, revisions: Hashes, layout: Layout) -> str:
    """Give a text that is equal for equal pictures of equal memories."""
    digest = hashlib.blake2b(layout.method.encode(), digest_size=8)
    for part in (ids, revisions, layout.positions):
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()
