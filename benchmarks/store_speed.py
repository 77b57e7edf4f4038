"""Measure the store against raw Chroma calls and LangGraph's own stores, side by side.

Run ``python -m benchmarks.store_speed --sizes 1000,10000,100000`` from the project's root. Every
figure is a median of CPU milliseconds of this process (all threads); peers take turns in each
round, so that a busy machine slows all of them alike.
"""

import itertools
import json
import math
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click
import numpy as np

from benchmarks import peers
from benchmarks.workload import BROAD, NARROW, ROOT, make

Work = Callable[[], object]
Row = dict[str, Any]


def median_cpu(works: dict[str, Work], rounds: int) -> dict[str, float]:
    """Give each work's median CPU milliseconds; in every round each takes its turn."""
    taken: dict[str, list[float]] = {name: [] for name in works}
    for work in works.values():
        work()
    for _ in range(rounds):
        for name, work in works.items():
            start = time.process_time()
            work()
            taken[name].append((time.process_time() - start) * 1_000)
    return {name: statistics.median(times) for name, times in taken.items()}


class Bench:
    """All stores filled with one workload."""

    def __init__(self, stack: ExitStack, size: int, twins: float, rounds: int) -> None:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        self.work = make(size, twins=twins)
        self.rounds = rounds
        self.raw = peers.RawChroma(folder / "raw", self.work)
        stack.callback(self.raw.close)
        self.ours = stack.enter_context(peers.our_store(folder, self.work))
        self.memory = stack.enter_context(peers.memory_store(folder, self.work))
        self.sqlite = stack.enter_context(peers.sqlite_store(folder, self.work))
        self.turn = itertools.count()
        self.rows: list[Row] = []

    def fill(self) -> None:
        """Load every store in batches of 500, in turns."""
        size, times = self.work.size, {"ours": 0.0, "raw": 0.0, "sqlite": 0.0}
        for start in range(0, size, 500):
            rows = range(start, min(size, start + 500))
            puts = [self.work.put(row) for row in rows]
            steps: dict[str, Work] = {
                "ours": lambda puts=puts: self.ours.batch(puts),
                "raw": lambda rows=rows: self.raw.load(rows),
            }
            if self.sqlite is not None:
                steps["sqlite"] = lambda puts=puts: self.sqlite.batch(puts)
            for name, step in steps.items():
                begin = time.process_time()
                step()
                times[name] += time.process_time() - begin
            self.memory.batch(puts)
        per = {name: spent * 1_000 / size for name, spent in times.items()}
        self._note("batch put (each)", per, "raw", ">= 0.7x speed of raw")

    def _note(self, name: str, figures: dict[str, float], against: str, bar: str) -> None:
        self.rows.append(
            {"size": self.work.size, "work": name, "bar": bar, "against": against, **figures}
        )
        ratio = figures["ours"] / max(figures[against], 1e-9)
        parts = "  ".join(f"{peer} {value:.2f}" for peer, value in figures.items())
        click.echo(f"{self.work.size:>7,}  {name:<34} {parts}  | {ratio:.2f}x {against} ({bar})")

    def _question(self) -> str:
        return f"question {next(self.turn) % 50}"

    def _search(self, store: Any, prefix: tuple[str, ...]) -> Work:
        return lambda: store.search(prefix, query=self._question(), limit=10)

    def measure(self) -> None:
        """Measure every kind of work."""
        self.search()
        self.read()
        self.lists()
        self.writes()
        self.recall()

    def _stores(self) -> Iterable[tuple[str, Any]]:
        yield "ours", self.ours
        if self.sqlite is not None:
            yield "sqlite", self.sqlite
        if self.work.size <= 10_000:  # it compares in pure Python: seconds a query beyond this
            yield "memory", self.memory

    def search(self) -> None:
        """Semantic search over everything, 10 % and 0.1 %."""
        for name, prefix, where, bar in (
            ("search everything", ROOT, None, "<= 1.3x raw query"),
            ("search 10 % prefix", BROAD, {"p2": ".".join(BROAD)}, "<= 0.1x raw where"),
            ("search 0.1 % prefix", NARROW, {"p3": ".".join(NARROW)}, "<= 0.1x raw where"),
        ):
            works = {peer: self._search(store, prefix) for peer, store in self._stores()}
            works["raw"] = lambda where=where: self.raw.query(where)
            rounds = self.rounds if where is None else max(3, self.rounds // 3)
            self._note(name, median_cpu(works, rounds), "raw", bar)

    def read(self) -> None:
        """Get by key."""
        works: dict[str, Work] = {
            peer: lambda store=store: store.get(self.work.namespace(17), "k17")
            for peer, store in self._stores()
        }
        works["raw"] = lambda: self.raw.get("k17")
        self._note("get by key", median_cpu(works, self.rounds), "raw", "<= 1.5x raw get")

    def lists(self) -> None:
        """List pages, namespaces and counts."""
        deep = self.work.size // 20
        for name, prefix, where, offset in (
            ("list 0.1 %, first page", NARROW, {"p3": ".".join(NARROW)}, 0),
            ("list 10 %, first page", BROAD, {"p2": ".".join(BROAD)}, 0),
            ("list 10 %, deep page", BROAD, {"p2": ".".join(BROAD)}, deep),
            ("list everything, deep page", ROOT, {"p1": ROOT[0]}, deep),
        ):
            works: dict[str, Work] = {
                peer: lambda store=store, prefix=prefix, offset=offset: store.search(
                    prefix, limit=50, offset=offset
                )
                for peer, store in self._stores()
            }
            works["raw"] = lambda where=where: self.raw.list_below(where)
            self._note(
                name, median_cpu(works, max(3, self.rounds // 4)), "raw", "<= raw get(where)"
            )
        works = {
            peer: lambda store=store: store.list_namespaces(limit=10_000)
            for peer, store in self._stores()
        }
        self._note("list namespaces", median_cpu(works, self.rounds), "ours", "<= 50 CPU-ms")
        counts: dict[str, Work] = {"ours": self.ours.namespace_counts}
        self._note("counts per namespace", median_cpu(counts, self.rounds), "ours", "<= 50 CPU-ms")

    def writes(self) -> None:
        """Put one memory."""
        turn = itertools.count()

        def put(store: Any) -> Work:
            def one() -> None:
                row = next(turn)
                store.put(("single",), f"k{row}", {"text": f"row {row}", "number": row})

            return one

        works = {peer: put(store) for peer, store in self._stores()}
        works["raw"] = lambda: self.raw.load(range(self.work.size, self.work.size + 1))
        self._note("put one", median_cpu(works, self.rounds), "raw", "<= 3x raw upsert")

    def recall(self) -> None:
        """Compare the scores of the ten best with brute force over the vectors."""
        for name, prefix in (("everything", ROOT), ("10 %", BROAD), ("0.1 %", NARROW)):
            rows = self.work.rows_below(prefix)
            vectors, right, asked = self.work.vectors[rows], 0, 0
            for number, question in enumerate(self.work.questions[:20]):
                best = np.sort(vectors @ question)[::-1][:10]
                found = self.ours.search(prefix, query=f"question {number}", limit=10)
                right += sum(float(one.score or -2) >= best[-1] - 1e-5 for one in found)
                asked += len(best)
            click.echo(f"{self.work.size:>7,}  recall@10 {name:<24} {right / asked:.3f}  (>= 0.99)")
            self.rows.append(
                {"size": self.work.size, "work": f"recall@10 {name}", "ours": right / asked}
            )


def print_growth(rows: list[Row]) -> None:
    """Print how the cost of each work grows: the exponent between the smallest and largest size."""
    click.echo("\nGrowth exponents (CPU of ours, smallest to largest size; 1 is linear)")
    for name in dict.fromkeys(row["work"] for row in rows):
        same = [row for row in rows if row["work"] == name and row["ours"] > 0]
        if len(same) > 1 and not name.startswith("recall"):
            first, last = same[0], same[-1]
            span = math.log(last["size"] / first["size"])
            click.echo(f"  {name:<34} {math.log(last['ours'] / first['ours']) / span:.2f}")


@click.command()
@click.option("--sizes", default="1000,10000,100000", help="Numbers of memories, smallest first.")
@click.option("--twins", default=0.0, help="Share of memories that repeat one of twenty texts.")
@click.option("--rounds", default=15, help="Rounds a median is taken over.")
@click.option("--output", type=click.Path(), help="Also write the figures as JSON.")
def main(sizes: str, twins: float, rounds: int, output: str | None) -> None:
    """Measure the store beside its peers and print a table of CPU milliseconds and ratios."""
    rows: list[Row] = []
    for size in map(int, sizes.split(",")):
        with ExitStack() as stack:
            bench = Bench(stack, size, twins, rounds)
            bench.fill()
            bench.measure()
            rows += bench.rows
    print_growth(rows)
    if output:
        Path(output).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
