"""Measure the map beside umap-learn's defaults, PCA and embedding-atlas' recipe.

Run ``python -m benchmarks.map_speed VECTORS.npy --rows 1000 --rows 10000`` from the project's
root, with the stored vectors of a real store (`store.vectors().matrix`). Each contender works in
a process of its own with an empty compile cache: "fresh" is the first fit including imports,
"warm" the second fit in the same process. Trustworthiness is over 15 neighbours, between 1 and
.5 (chance), of 1,000 rows among all, copies included.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import click
import numpy as np

Fit = Callable[[np.ndarray], np.ndarray]
CONTENDERS = ("ours", "preview", "pca", "add", "refit", "stock", "atlas")


@click.command()
@click.argument("vectors", type=click.Path(path_type=Path, exists=True))
@click.option("--rows", multiple=True, type=int, default=[1_000, 10_000], show_default=True)
@click.option("--only", multiple=True, type=click.Choice(CONTENDERS))
@click.option("--child", hidden=True)
def main(vectors: Path, rows: tuple[int, ...], only: tuple[str, ...], child: str | None) -> None:
    """Print a line for each contender and number of rows."""
    if child:
        print(json.dumps(measured(child, chosen(vectors, rows[0]))))
        return
    for count in rows:
        for name in only or CONTENDERS:
            with tempfile.TemporaryDirectory() as cache:
                command = [sys.executable, "-W", "ignore", "-m", "benchmarks.map_speed"]
                started = time.monotonic()
                ran = subprocess.run(
                    [*command, str(vectors), "--rows", str(count), "--child", name],
                    env={**os.environ, "NUMBA_CACHE_DIR": cache},
                    capture_output=True,
                    text=True,
                    check=False,
                )
            if ran.returncode:
                click.echo(f"{count:>7,} {name:<8} failed: {ran.stderr.strip().splitlines()[-1]}")
                continue
            found = json.loads(ran.stdout.splitlines()[-1])
            found["process wall"] = round(time.monotonic() - started, 1)
            told = "  ".join(f"{key} {value}" for key, value in found.items())
            click.echo(f"{count:>7,} {name:<8} {told}")


def chosen(vectors: Path, count: int) -> np.ndarray:
    """Give as many rows as asked for, drawn at random but always the same."""
    matrix = np.load(vectors)
    rows = np.random.default_rng(0).permutation(len(matrix))[:count]
    return np.ascontiguousarray(matrix[np.sort(rows)], dtype=np.float32)


def measured(name: str, matrix: np.ndarray) -> dict[str, float]:
    """Fit twice; give seconds of CPU and wall, and the trustworthiness of the second fit."""
    found: dict[str, float] = {}
    if name in ("add", "refit"):
        return changed(name, matrix)
    for turn in ("fresh", "warm"):
        cpu, wall = time.process_time(), time.monotonic()
        positions = fit(name)(matrix)
        found[f"{turn} CPU"] = round(time.process_time() - cpu, 2)
        found[f"{turn} wall"] = round(time.monotonic() - wall, 2)
    found["trust"] = trust(matrix, positions)
    found["peak MB"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    return found


def fit(name: str) -> Fit:
    """Give the fit of a contender; what it imports counts into its first run."""
    if name == "stock":
        import umap

        return lambda matrix: umap.UMAP(metric="cosine", random_state=42).fit_transform(matrix)
    if name == "atlas":
        return atlas
    from dashboard.projection import project

    methods = {"ours": "umap", "preview": "preview", "pca": "pca"}
    return lambda matrix: project(matrix, method=methods[name]).positions


def atlas(matrix: np.ndarray) -> np.ndarray:
    """Fit as embedding-atlas does: umap-learn on neighbours its own search found before."""
    import umap
    from umap.umap_ import nearest_neighbors

    known = nearest_neighbors(matrix, 15, "cosine", {}, False, np.random.RandomState(42))
    fitted = umap.UMAP(metric="cosine", n_neighbors=15, precomputed_knn=known, random_state=42)
    return np.asarray(fitted.fit_transform(matrix))


def changed(name: str, matrix: np.ndarray) -> dict[str, float]:
    """Arrange nine tenths (at most 1,000 rows less), then bring in the rest."""
    from dashboard.projection import place_new, project
    from dashboard.projection_align import shift
    from dashboard.projection_worker import rearranged

    added = min(1_000, len(matrix) // 10)
    known = np.full((len(matrix), 2), np.nan, dtype=np.float32)
    known[:-added] = project(matrix[:-added]).positions
    cpu = time.process_time()
    placed = place_new(matrix, known)
    cpu_placed = time.process_time() - cpu
    if name == "add":
        return {
            "added": added,
            "CPU": round(cpu_placed, 2),
            "shift": round(shift(placed.positions, known), 4),
            "trust": trust(matrix, placed.positions),
        }
    moved = rearranged(matrix, placed.positions, known).positions
    return {
        "added": added,
        "CPU": round(time.process_time() - cpu, 2),
        "shift": round(shift(moved, known), 4),
        "trust": trust(matrix, moved),
    }


def trust(matrix: np.ndarray, positions: np.ndarray) -> float:
    """Estimate the trustworthiness of a picture of all rows."""
    from dashboard.projection_neighbours import trustworthiness, unit_rows

    found = trustworthiness(unit_rows(matrix), np.asarray(positions, dtype=np.float32))
    return round(found or 0.0, 4)


if __name__ == "__main__":
    main()
