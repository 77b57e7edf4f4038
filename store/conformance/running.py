"""Rules about lifetimes, threads and event loops."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from langgraph.store.base import PutOp

from store.conformance.bench import Bench, Broken, Rule, expect, refused

# --- TTL -----------------------------------------------------------------------------------------


def ttl_is_kept(bench: Bench) -> None:
    """An item with a lifetime is there before its end, and None is for ever."""
    bench.put("a", "hour", {"n": 1}, ttl=60)
    bench.put("a", "ever", {"n": 2}, ttl=None)
    expect(sorted(bench.keys("a")), ["ever", "hour"])


def refresh_moves_no_time(bench: Bench) -> None:
    """Reading an item with a lifetime does not move updated_at."""
    bench.put("a", "k", {"n": 1}, ttl=60)
    first = bench.get("a", "k")
    bench.search("a")
    second = bench.get("a", "k")
    expect(second.updated_at, first.updated_at)


def ttl_refused(bench: Bench) -> None:
    """A store without TTL refuses a lifetime with NotImplementedError."""
    try:
        bench.put("a", "k", {"n": 1}, ttl=60)
    except NotImplementedError:
        return
    raise Broken("it was accepted")


def wrong_ttl(bench: Bench) -> None:
    """A lifetime that is no number is refused before anything is written."""
    for ttl in ("soon", float("nan")):
        with refused(f"ttl={ttl!r}", ValueError, TypeError):
            bench.put("a", "k", {"n": 1}, ttl=ttl)
        expect(bench.get("a", "k"), None, "stored")


# --- threads and loops ---------------------------------------------------------------------------


def threads(bench: Bench) -> None:
    """Threads that write at once lose nothing."""
    places = [(str(thread), f"k{n}") for thread in range(4) for n in range(5)]
    for label, key in places:
        bench.note(PutOp(bench.ns(label), key, {}))

    def put(thread: int) -> None:
        for n in range(5):
            bench.store.put(bench.ns(str(thread)), f"k{n}", {"n": n})

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(put, range(4)))
    expect(len(bench.search(limit=100)), 20, "items")


def event_loops(bench: Bench) -> None:
    """The asynchronous half works from several event loops at once."""

    async def talk(label: str) -> Any:
        await bench.store.aput(bench.ns(label), "k", {"label": label})
        return await bench.store.aget(bench.ns(label), "k")

    labels = [f"loop{n}" for n in range(3)]
    for label in labels:
        bench.note(PutOp(bench.ns(label), "k", {}))
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda label: asyncio.run(talk(label)), labels))
    expect([item.value["label"] for item in found], labels)


def cancelled(bench: Bench) -> None:
    """A cancelled caller leaves the store usable."""

    async def talk() -> Any:
        ops = [PutOp(bench.ns("a"), f"k{n}", {"text": f"cup {n}"}) for n in range(50)]
        for op in ops:
            bench.note(op)
        task = asyncio.create_task(bench.store.abatch(ops))
        await asyncio.sleep(0.001)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await bench.store.aput(bench.ns("a"), "after", {"n": 1})
        return await bench.store.aget(bench.ns("a"), "after")

    bench.note(PutOp(bench.ns("a"), "after", {}))
    expect(bench.run(talk()).value, {"n": 1})


TTL: dict[str, tuple[Rule, ...]] = {"TTL": (ttl_is_kept, refresh_moves_no_time, wrong_ttl)}
NO_TTL: dict[str, tuple[Rule, ...]] = {"TTL": (ttl_refused,)}
SYNC: dict[str, tuple[Rule, ...]] = {"Threads and event loops": (threads,)}
ASYNC: dict[str, tuple[Rule, ...]] = {"Threads and event loops": (event_loops, cancelled)}
