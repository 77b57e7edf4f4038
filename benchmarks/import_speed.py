"""Measure an import of real texts with the default embedder: who takes the time, and the memory.

Run ``python -m benchmarks.import_speed CORPUS.jsonl.gz`` from the project's root, with a file that
``memlens import`` takes. Seconds are CPU seconds of all threads; the memory is the largest the
process ever had.
"""

import itertools
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from benchmarks.workload import DIMS
from store import ChromaStore, ImportFile
from store.embedder import Embedder
from store.gateway import Gateway

MEASURED: dict[str, tuple[Any, tuple[str, ...]]] = {
    "embedding": (Embedder, ("embed_documents",)),
    "Chroma, writing vectors": (Gateway, ("put_vectors",)),
    "Chroma, writing memories": (Gateway, ("put_items", "add_names")),
    "Chroma, reading": (Gateway, ("read", "read_vectors", "names")),
}


@click.command()
@click.argument("corpus", type=click.Path(path_type=Path, exists=True))
@click.option("--store", type=click.Path(path_type=Path), help="Import into this folder; keep it.")
@click.option("--first", type=int, help="Import only so many lines.")
def main(corpus: Path, store: Path | None, first: int | None) -> None:
    """Import CORPUS and say where the CPU time went and how much memory it took."""
    with tempfile.TemporaryDirectory() as folder:
        source = corpus if first is None else beginning(corpus, first, Path(folder))
        spent: Counter[str] = Counter()
        began = time.process_time()
        with timed(spent):
            memories = imported(source, store or Path(folder) / "store")
        total = time.process_time() - began
    spent["everything else"] = total - spent.total()
    click.echo(f"{memories:,} memories in {total:.0f} CPU-s")
    for name, seconds in spent.items():
        click.echo(f"  {name:<26} {seconds:7.1f} s  {seconds / total:6.1%}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    click.echo(f"  memory at most {peak:,.0f} MB")


def imported(source: Path, folder: Path) -> int:
    """Import as ``memlens import`` does, and give how many memories the store has."""
    with ImportFile(source) as file:
        fields = list(file.check().fields)
        index: Any = {"embed": "local:minilm", "dims": DIMS, "fields": fields}
        with ChromaStore.open(folder, index=index) as store:
            file.import_into(store)
            return store.count()


def beginning(corpus: Path, lines: int, folder: Path) -> Path:
    """Give a file with the first lines of a corpus."""
    import gzip

    opened = gzip.open if corpus.suffix == ".gz" else open
    chosen = folder / "corpus.jsonl"
    with opened(corpus, "rb") as stream:
        chosen.write_bytes(b"".join(itertools.islice(stream, lines)))
    return chosen


@contextmanager
def timed(spent: Counter[str]) -> Iterator[None]:
    """Add up what the calls in `MEASURED` take while this lasts."""
    before = {
        (owner, name): getattr(owner, name) for owner, names in MEASURED.values() for name in names
    }
    for kind, (owner, names) in MEASURED.items():
        for name in names:
            setattr(owner, name, _counting(spent, kind, before[owner, name]))
    try:
        yield
    finally:
        for (owner, name), function in before.items():
            setattr(owner, name, function)


def _counting(spent: Counter[str], kind: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def counted(*args: Any, **options: Any) -> Any:
        start = time.process_time()
        try:
            return function(*args, **options)
        finally:
            spent[kind] += time.process_time() - start

    return counted


if __name__ == "__main__":
    main()
