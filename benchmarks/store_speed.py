"""Measure the store against raw Chroma calls and LangGraph's own stores, side by side.

Run ``python -m benchmarks.store_speed --sizes 1000,10000,100000`` from the project's root. Every
figure is a median of CPU milliseconds (all threads of this process, and of a peer's server); peers
take turns in each round, so that a busy machine slows all of them alike.
"""

import itertools
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import click
import numpy as np

from benchmarks import peers
from benchmarks.tables import Row, figures_table, growth_lines
from benchmarks.workload import BROAD, NARROW, ROOT, Workload, make

Work = Callable[[], object]
FILLED = "filled.json"


class Bench:
    """The stores that can run here, filled with one workload."""

    def __init__(self, folder: Path, work: Workload, rounds: int) -> None:
        self.folder, self.work, self.rounds = folder, work, rounds
        self.peers: dict[str, peers.Peer] = {}
        self.turn = itertools.count()
        self.rows: list[Row] = []

    def open(self, stack: ExitStack, names: Iterable[str]) -> None:
        """Open stores until the stack is closed; say which ones cannot run here, and why."""
        self.raw = peers.RawChroma(self.folder / "raw", self.work)
        stack.callback(self.raw.close)
        for name in names:
            try:
                self.peers[name] = stack.enter_context(peers.OPENERS[name](self.folder, self.work))
            except peers.Absent as why:
                click.echo(f"{self.work.size:>7,}  left out: {name}, because {why}")

    def _cpu(self, name: str) -> float:
        return peers.cpu(self.peers[name].server if name in self.peers else None)

    def medians(self, works: dict[str, Work], rounds: int) -> dict[str, float]:
        """Give each work's median CPU milliseconds; in every round each takes its turn."""
        taken: dict[str, list[float]] = {name: [] for name in works}
        for work in works.values():
            work()
        for _ in range(rounds):
            for name, work in works.items():
                start = self._cpu(name)
                work()
                taken[name].append((self._cpu(name) - start) * 1_000)
        return {name: statistics.median(times) for name, times in taken.items()}

    def fill(self, names: Iterable[str]) -> dict[str, float]:
        """Load stores in batches of 500, in turns; those kept from a run before stay.

        Gives the CPU milliseconds each memory took.
        """
        done = self.folder / FILLED
        kept = json.loads(done.read_text()) if done.exists() else {}
        missing = [name for name in names if name not in kept or name == "memory"]
        spent = dict.fromkeys(missing, 0.0)
        for start in range(0, self.work.size if missing else 0, 500):
            rows = range(start, min(self.work.size, start + 500))
            puts = [self.work.put(row) for row in rows]
            for name in missing:
                begin = self._cpu(name)
                if name == "raw":
                    self.raw.load(rows)
                else:
                    self.peers[name].store.batch(puts)
                spent[name] += self._cpu(name) - begin
        kept |= {name: taken * 1_000 / self.work.size for name, taken in spent.items()}
        done.write_text(json.dumps(kept))
        return {name: kept[name] for name in names}

    def _note(self, name: str, figures: dict[str, float], against: str, bar: str) -> None:
        self.rows.append(
            {"size": self.work.size, "work": name, "bar": bar, "against": against, **figures}
        )
        ratio = figures["ours"] / max(figures[against], 1e-9)
        parts = "  ".join(f"{peer} {value:.2f}" for peer, value in figures.items())
        click.echo(f"{self.work.size:>7,}  {name:<30} {parts}  | {ratio:.2f}x {against} ({bar})")

    def _works(self, act: Callable[[Any], object]) -> dict[str, Work]:
        """Give the same act on every store."""
        return {
            name: lambda store=peer.store: act(store)  # type: ignore[misc]
            for name, peer in self.peers.items()
        }

    def measure(self) -> None:
        """Fill all stores and measure every kind of work."""
        taken = self.fill([*self.peers, "raw"])
        self._note("batch put, each memory", taken, "raw", "<= 1.43 (0.7x the speed)")
        self.recall()
        self.search()
        self.read()
        self.lists()
        self.spaces()
        self.writes()

    def search(self) -> None:
        """Semantic search over everything, 10 % and 0.1 %."""
        for name, prefix, where, bar in (
            ("search everything", ROOT, None, "<= 1.3"),
            ("search a 10 % prefix", BROAD, {"p2": ".".join(BROAD)}, "<= 0.1"),
            ("search a 0.1 % prefix", NARROW, {"p3": ".".join(NARROW)}, "<= 0.1; 5x SqliteStore"),
        ):

            def ask(store: Any, prefix: tuple[str, ...] = prefix) -> object:
                return store.search(prefix, query=f"question {next(self.turn) % 50}", limit=10)

            works = self._works(ask)
            works["raw"] = lambda where=where: self.raw.query(where)
            self._note(name, self.medians(works, self.rounds), "raw", bar)

    def read(self) -> None:
        """Get by key."""
        works = self._works(lambda store: store.get(self.work.namespace(17), "k17"))
        works["raw"] = lambda: self.raw.get("k17")
        self._note("get by key", self.medians(works, self.rounds), "raw", "<= 1.5")

    def lists(self) -> None:
        """List pages, first and deep."""
        deep = self.work.size // 20
        rounds = max(3, self.rounds // 4)  # raw Chroma takes seconds for some of these
        for name, prefix, where, offset, bar in (
            ("list 0.1 %, first page", NARROW, {"p3": ".".join(NARROW)}, 0, "<= 1; 10 ms"),
            ("list 10 %, first page", BROAD, {"p2": ".".join(BROAD)}, 0, "<= 1"),
            ("list 10 %, deep page", BROAD, {"p2": ".".join(BROAD)}, deep, "<= 1"),
            ("list everything, first page", ROOT, {"p1": ROOT[0]}, 0, "<= 1"),
            ("list everything, deep page", ROOT, {"p1": ROOT[0]}, deep, "<= 1"),
        ):

            def page(store: Any, prefix: tuple[str, ...] = prefix, offset: int = offset) -> object:
                return store.search(prefix, limit=50, offset=offset)

            works = self._works(page)
            works["raw"] = lambda where=where: self.raw.list_below(where)
            self._note(name, self.medians(works, rounds), "raw", bar)

    def spaces(self) -> None:
        """List namespaces and count what each holds; the first use after opening reads it all."""
        works = self._works(lambda store: store.list_namespaces(limit=10_000))
        self._note("list namespaces", self.medians(works, self.rounds), "ours", "<= 50 ms")
        counts: dict[str, Work] = {"ours": self.peers["ours"].store.namespace_counts}
        self._note("counts per namespace", self.medians(counts, self.rounds), "ours", "<= 50 ms")

    def writes(self) -> None:
        """Put one memory that is new."""
        turn = itertools.count(time.time_ns() // 1_000_000)

        def put(store: Any) -> object:
            row = next(turn)
            value = {"text": f"row {row}", "number": row}
            return store.put(("single",), f"k{row}", value, index=["text"])

        def upsert() -> object:
            row = next(turn)
            return self.raw.load(range(row, row + 1))

        works = self._works(put)
        works["raw"] = upsert
        self._note("put one", self.medians(works, self.rounds), "raw", "<= 3")

    def recall(self) -> None:
        """Compare the scores of the ten best with brute force over the vectors."""
        for name, prefix in (("everything", ROOT), ("10 %", BROAD), ("0.1 %", NARROW)):
            rows = self.work.rows_below(prefix)
            vectors, right, asked = self.work.vectors[rows], 0, 0
            for number, question in enumerate(self.work.questions[:20]):
                best = np.sort(vectors @ question)[::-1][:10]
                found = self.peers["ours"].store.search(
                    prefix, query=f"question {number}", limit=10
                )
                right += sum(float(one.score or -2) >= best[-1] - 1e-5 for one in found)
                asked += len(best)
            click.echo(f"{self.work.size:>7,}  recall@10 {name:<20} {right / asked:.3f}  (>= 0.99)")
            self.rows.append(
                {"size": self.work.size, "work": f"recall@10 {name}", "ours": right / asked}
            )


def first_use(bench: Bench) -> None:
    """Measure the first use of a store after opening it: it reads the directory."""
    with peers.ours(bench.folder, bench.work) as again:
        start = time.process_time()
        again.store.namespace_counts()  # type: ignore[attr-defined]
        spent = (time.process_time() - start) * 1_000
    bench._note("first use after opening", {"ours": spent}, "ours", "–")


@contextmanager
def _folder(keep: Path | None, name: str) -> Iterator[Path]:
    if keep is None:
        with tempfile.TemporaryDirectory() as folder:
            yield Path(folder)
        return
    chosen = keep / name
    chosen.mkdir(parents=True, exist_ok=True)
    yield chosen


@click.command()
@click.option("--sizes", default="1000,10000,100000", help="Numbers of memories, smallest first.")
@click.option("--twins", default=0.0, help="Share of memories that repeat one of twenty texts.")
@click.option("--rounds", default=15, help="Rounds a median is taken over.")
@click.option("--recall", is_flag=True, help="Measure only what a search finds.")
@click.option("--keep", type=click.Path(path_type=Path), help="Keep and reuse filled stores here.")
@click.option("--output", type=click.Path(path_type=Path), help="Also write the figures as JSON.")
def main(
    sizes: str, twins: float, rounds: int, recall: bool, keep: Path | None, output: Path | None
) -> None:
    """Measure the store beside its peers and print a table of CPU milliseconds and ratios."""
    rows: list[Row] = []
    counts = [int(one) for one in sizes.split(",")]
    for size in counts:
        with _folder(keep, f"{size}-{twins}") as folder:
            rows += measured(Bench(folder, make(size, twins=twins), rounds), only_recall=recall)
        if output:
            output.write_text(json.dumps(rows, indent=1))
    if recall:
        return
    for size in counts:
        click.echo("\n" + figures_table(rows, size))
    click.echo("\nGrowth exponents, smallest to largest size (1 is linear)")
    click.echo("\n".join(growth_lines(rows)))


def measured(bench: Bench, *, only_recall: bool) -> list[Row]:
    """Give what was measured on one size."""
    with ExitStack() as stack:
        if only_recall:
            bench.open(stack, ["ours"])
            bench.fill(["ours"])
            bench.recall()
            return bench.rows
        bench.open(stack, peers.OPENERS)
        bench.measure()
    first_use(bench)
    return bench.rows


if __name__ == "__main__":
    main()
