"""The process that arranges maps: `python -m dashboard.projection_worker`.

It reads one JSON line per job from its input and writes JSON lines: progress, each picture as it
is ready (its positions in a file of the job's folder), and the end. It ends with its input.
"""

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dashboard.projection import (
    Layout,
    Settings,
    lay_out,
    place_new,
    project,
    stages,
)
from dashboard.projection_align import align, eased
from dashboard.projection_neighbours import Floats, Progress
from dashboard.projection_rows import prepare

_NICENESS = 5
Emit = Callable[[Mapping[str, Any]], None]


def run_job(job: Mapping[str, Any], emit: Emit) -> None:
    """Do one job, telling `emit` of progress and of each picture.

    `job` names a "folder" with `matrix.npy` and `known.npy`, the places there were, and has
    "settings" and a "kind": "fresh" makes every picture from the quickest to the best, turned
    to lie as the known places do; "place" puts the rows that are NaN in `known.npy` among the
    others; "warm" does so and then arranges all of them anew, close to where they were.
    """
    folder = Path(job["folder"])
    settings = Settings(**job["settings"])
    matrix, known = np.load(folder / "matrix.npy"), np.load(folder / "known.npy")

    def progress(doing: str, done: int, total: int) -> None:
        emit({"event": "progress", "doing": doing, "done": done, "total": total})

    if job["kind"] == "fresh":
        start = None
        prepared = prepare(matrix)
        for method in stages(len(prepared.unit)):
            layout = lay_out(
                prepared, settings=settings, method=method, start=start, progress=progress
            )
            start = layout.positions
            aligned = align(layout.positions, known)
            _hand_over(replace(layout, positions=aligned), folder, emit)
        return
    layout = place_new(matrix, known, settings=settings, progress=progress)
    _hand_over(layout, folder, emit)
    if job["kind"] == "warm":
        layout = rearranged(matrix, layout.positions, known, settings, progress)
        _hand_over(layout, folder, emit)


def rearranged(
    matrix: Floats,
    placed: Floats,
    known: Floats,
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> Layout:
    """Arrange all rows anew from where they were `placed`, so that the `known` hardly move."""
    layout = project(matrix, settings=settings, method="warm", start=placed, progress=progress)
    positions = eased(align(layout.positions, known), placed, known)
    return replace(layout, positions=positions)


def _hand_over(layout: Layout, folder: Path, emit: Emit) -> None:
    name = f"positions-{layout.method}.npy"
    np.save(folder / name, layout.positions)
    about = {"method": layout.method, "notes": list(layout.notes), "trust": layout.trust}
    emit({"event": "layout", "file": name, **about})


def warm_up() -> None:
    """Import and compile everything a map needs, so that the first one does not wait for it."""
    rows = np.random.default_rng(0).normal(size=(64, 8)).astype(np.float32)
    known = project(rows).positions
    known[-2:] = np.nan
    place_new(rows, known)


def main() -> None:
    """Serve jobs until the input ends."""
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    # Whatever libraries print must not get between the lines of the protocol.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def emit(event: Mapping[str, Any]) -> None:
        answers.write(json.dumps(event) + "\n")
        answers.flush()

    for line in sys.stdin:
        job = json.loads(line)
        try:
            if job.get("kind") == "warm-up":
                warm_up()
            else:
                run_job(job, emit)
            emit({"event": "end"})
        except (ValueError, ArithmeticError, MemoryError, OSError) as error:
            emit({"event": "error", "message": f"{type(error).__name__}: {error}"})


if __name__ == "__main__":
    main()
