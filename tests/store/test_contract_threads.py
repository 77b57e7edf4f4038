"""Threads, event loops, cancellation, and LangGraph's own ways to hand a store around."""

import asyncio
import operator
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.config import get_store
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import GetOp, PutOp, SearchOp

from tests.store.backends import Place, words_index
from tests.store.words import Words

NS = ("a",)

pytestmark = pytest.mark.backends("memory", "ephemeral", "folder", "http")


@pytest.fixture
def live(backend: str, place_at: Callable[[str], Place]) -> Iterator[Any]:
    """A store that embeds "text", called directly."""
    place = place_at(backend)
    yield place.open(index=words_index(Words(), ["text"]))
    place.close()


def test_threads_lose_no_write(live: Any) -> None:
    def put(thread: int) -> None:
        for n in range(5):
            live.put(("a", str(thread)), f"k{n}", {"text": f"t{thread} n{n}"})

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(put, range(8)))
    assert len(live.search((), limit=100)) == 40
    assert len(live.list_namespaces()) == 8
    assert live.search((), query="t7 n4", limit=1)[0].namespace == ("a", "7")


def test_threads_on_one_key_leave_one_whole_item(live: Any) -> None:
    def put(thread: int) -> None:
        for n in range(4):
            live.put(NS, "k", {"text": f"thread{thread} turn{n}", "by": [thread, n]})

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(put, range(4)))
    (kept,) = live.search(())
    thread, n = kept.value["by"]
    assert kept.value["text"] == f"thread{thread} turn{n}"
    assert live.search((), query=kept.value["text"])[0].score == pytest.approx(1.0)


def test_threads_that_put_and_delete_leave_nothing_half(live: Any) -> None:
    def work(thread: int) -> None:
        for n in range(5):
            live.put(NS, f"k{n}", {"text": f"tea {thread}"})
            live.delete(NS, f"k{n}")

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(4)))
    assert live.search(()) == live.search((), query="tea") == []
    assert live.list_namespaces() == []


def test_readers_beside_a_writer_see_whole_items(live: Any) -> None:
    live.batch([PutOp(NS, f"k{n}", {"text": f"old tea {n}", "n": [0, 0]}) for n in range(10)])
    done = threading.Event()
    seen: list[Any] = []

    def read() -> None:
        while not done.is_set():
            seen.extend(live.search((), query="tea", limit=20))
            seen.extend(item for item in live.batch([GetOp(NS, "k3")]) if item)

    with ThreadPoolExecutor(3) as threads:
        readers = [threads.submit(read) for _ in range(2)]
        for turn in range(1, 6):
            live.batch(
                [PutOp(NS, f"k{n}", {"text": f"tea {n}", "n": [turn, turn]}) for n in range(10)]
            )
        done.set()
        for reader in readers:
            reader.result()
    assert seen
    assert all(item.value["n"][0] == item.value["n"][1] for item in seen)


def test_one_store_works_from_several_event_loops_at_once(live: Any) -> None:
    async def talk(loop: int) -> list[Any]:
        await live.aput(("a", str(loop)), "k", {"text": f"loop{loop}"})
        return list(await live.asearch((), query=f"loop{loop}", limit=1))

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda loop: asyncio.run(talk(loop)), range(4)))
    assert [items[0].namespace for items in found] == [("a", str(loop)) for loop in range(4)]


def test_both_halves_see_the_same(live: Any) -> None:
    live.put(NS, "k", {"text": "tea"})
    assert asyncio.run(live.aget(NS, "k")) == live.get(NS, "k")
    asyncio.run(live.adelete(NS, "k"))
    assert live.get(NS, "k") is None


def test_calls_gathered_in_one_loop_are_all_done(live: Any) -> None:
    words = ["tea", "coffee", "water", "milk", "bread", "butter", "salt", "apple"]

    async def talk() -> list[Any]:
        await asyncio.gather(*(live.aput(NS, word, {"text": word}) for word in words))
        searches = (live.asearch(NS, query=word, limit=1) for word in words)
        return list(await asyncio.gather(*searches))

    assert [found[0].key for found in asyncio.run(talk())] == words


@pytest.mark.backends("ephemeral", "folder", "http")
def test_an_event_loop_goes_on_while_chroma_works(live: Any) -> None:
    async def talk() -> int:
        ticks = 0
        ops = [PutOp(NS, f"k{n}", {"text": f"number{n}"}) for n in range(600)]
        work = asyncio.create_task(live.abatch(ops))
        while not work.done():
            await asyncio.sleep(0.001)
            ticks += 1
        return ticks

    assert asyncio.run(talk()) > 3


class Waiting(Words):
    """Waits in `aembed_documents` until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = asyncio.Event()
        self.go_on = asyncio.Event()

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        self.asked.set()
        await self.go_on.wait()
        return await super().aembed_documents(texts)


def test_cancelled_while_embedding_nothing_is_stored(
    backend: str, place_at: Callable[[str], Place]
) -> None:
    embedder = Waiting()
    place = place_at(backend)
    store = place.open(index=words_index(embedder, ["text"]))

    async def talk() -> None:
        task = asyncio.create_task(store.aput(NS, "k", {"text": "tea"}))
        await embedder.asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        embedder.go_on.set()
        assert await store.aget(NS, "k") is None
        await store.aput(NS, "other", {"text": "tea"})

    asyncio.run(talk())
    assert [item.key for item in store.search((), query="tea")] == ["other"]
    place.close()


@pytest.mark.backends("ephemeral", "folder", "http")
@pytest.mark.parametrize("delay", [0, 0.001, 0.005, 0.02])
def test_a_cancelled_caller_leaves_the_store_usable(live: Any, delay: float) -> None:
    async def talk() -> None:
        ops = [PutOp(NS, f"k{n}", {"text": f"number{n}"}) for n in range(200)]
        task = asyncio.create_task(live.abatch([*ops, SearchOp((), query="tea")]))
        await asyncio.sleep(delay)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await live.aput(NS, "after", {"text": "still here"})

    asyncio.run(talk())
    assert live.search((), query="still here", limit=1)[0].key == "after"
    live.put(NS, "k0", {"text": "written over"})
    assert live.search((), query="written over", limit=1)[0].key == "k0"


# --- LangGraph -----------------------------------------------------------------------------------


class State(TypedDict):
    seen: Annotated[list[Any], operator.add]


def look(state: State, runtime: Runtime) -> State:
    assert runtime.store is not None
    runtime.store.put(NS, "sync", {"text": "from a node"})
    return {"seen": [runtime.store, get_store()]}


async def alook(state: State, runtime: Runtime) -> State:
    assert runtime.store is not None
    await runtime.store.aput(NS, "async", {"text": "from a node"})
    return {"seen": [runtime.store, get_store()]}


def graph_of(*nodes: Any) -> Any:
    graph = StateGraph(State)
    names = [f"node{n}" for n in range(len(nodes))]
    for name, node in zip(names, nodes, strict=True):
        graph.add_node(name, node)
    for start, end in zip([START, *names], [*names, END], strict=True):
        graph.add_edge(start, end)
    return graph


def test_a_graph_gives_its_nodes_the_same_store(live: Any) -> None:
    inner = graph_of(look).compile()
    seen = graph_of(look, inner).compile(store=live).invoke({"seen": []})["seen"]
    assert len(seen) >= 4
    assert all(store is live for store in seen)
    assert live.get(NS, "sync").value == {"text": "from a node"}


def test_a_graph_gives_its_asynchronous_nodes_the_same_store(live: Any) -> None:
    inner = graph_of(alook).compile()
    graph = graph_of(alook, inner).compile(store=live)
    seen = asyncio.run(graph.ainvoke({"seen": []}))["seen"]
    assert len(seen) >= 4
    assert all(store is live for store in seen)
    assert live.get(NS, "async").value == {"text": "from a node"}
