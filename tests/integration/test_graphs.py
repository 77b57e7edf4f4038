"""Compiled graphs reach the one ChromaStore they were given, whichever way a node asks for it."""

import asyncio
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.messages import AIMessage, ToolCall
from langchain_core.tools import tool
from langgraph.config import get_store
from langgraph.func import entrypoint, task
from langgraph.graph import MessagesState, StateGraph
from langgraph.prebuilt import InjectedStore, ToolNode, ToolRuntime
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore

from store import ChromaStore

USER = ("users", "ada")


class State(TypedDict):
    said: str
    found: list[str]


def one_node(node: Any) -> StateGraph[State]:
    graph = StateGraph(State).add_node("node", node)
    return graph.set_entry_point("node").set_finish_point("node")


def injected(state: State, *, store: BaseStore) -> dict[str, list[str]]:
    return remember(store, state)


def from_runtime(state: State, runtime: Runtime[None]) -> dict[str, list[str]]:
    return remember(runtime.store, state)


def from_config(state: State) -> dict[str, list[str]]:
    return remember(get_store(), state)


def remember(store: BaseStore | None, state: State) -> dict[str, list[str]]:
    assert isinstance(store, ChromaStore)
    found = [item.key for item in store.search(USER, query=state["said"])]
    store.put(USER, state["said"], {"text": state["said"]})
    return {"found": found}


async def injected_async(state: State, *, store: BaseStore) -> dict[str, list[str]]:
    return await remember_async(store, state)


async def from_runtime_async(state: State, runtime: Runtime[None]) -> dict[str, list[str]]:
    return await remember_async(runtime.store, state)


async def from_config_async(state: State) -> dict[str, list[str]]:
    return await remember_async(get_store(), state)


async def remember_async(store: BaseStore | None, state: State) -> dict[str, list[str]]:
    assert isinstance(store, ChromaStore)
    found = [item.key for item in await store.asearch(USER, query=state["said"])]
    await store.aput(USER, state["said"], {"text": state["said"]})
    return {"found": found}


SYNC = [injected, from_runtime, from_config]
ASYNC = [injected_async, from_runtime_async, from_config_async]


@pytest.mark.parametrize("node", SYNC)
def test_a_sync_node_keeps_memories_between_runs(node: Any, memories: ChromaStore) -> None:
    graph = one_node(node).compile(store=memories)
    for said in ("I love green tea", "my sister plays chess"):
        graph.invoke({"said": said, "found": []})
    assert graph.invoke({"said": "what do I drink?", "found": []})["found"] == [
        "I love green tea",
        "my sister plays chess",
    ]


@pytest.mark.parametrize("node", ASYNC)
def test_an_async_node_keeps_memories_between_loops(node: Any, memories: ChromaStore) -> None:
    graph = one_node(node).compile(store=memories)
    for said in ("I love green tea", "my sister plays chess"):
        asyncio.run(graph.ainvoke({"said": said, "found": []}))
    last = asyncio.run(graph.ainvoke({"said": "what do I drink?", "found": []}))
    assert last["found"] == ["I love green tea", "my sister plays chess"]


@pytest.mark.parametrize("node", SYNC)
def test_a_sync_node_works_inside_an_async_run(node: Any, memories: ChromaStore) -> None:
    graph = one_node(node).compile(store=memories)
    asyncio.run(graph.ainvoke({"said": "I love green tea", "found": []}))
    assert memories.get(USER, "I love green tea") is not None


@pytest.mark.parametrize("node", SYNC)
def test_a_subgraph_has_its_parents_store(node: Any, memories: ChromaStore) -> None:
    graph = one_node(one_node(node).compile()).compile(store=memories)
    graph.invoke({"said": "I love green tea", "found": []})
    assert memories.get(USER, "I love green tea") is not None


@pytest.mark.parametrize("node", ASYNC)
def test_an_async_subgraph_has_its_parents_store(node: Any, memories: ChromaStore) -> None:
    graph = one_node(one_node(node).compile()).compile(store=memories)
    asyncio.run(graph.ainvoke({"said": "I love green tea", "found": []}))
    assert memories.get(USER, "I love green tea") is not None


def test_every_way_to_ask_gives_the_very_store(memories: ChromaStore) -> None:
    given: list[object] = []

    def node(state: State, runtime: Runtime[None], *, store: BaseStore) -> None:
        given.extend((store, runtime.store, get_store()))

    graph = one_node(node).add_node("inner", one_node(node).compile()).add_edge("node", "inner")
    graph.compile(store=memories).invoke({"said": "", "found": []})
    assert [store is memories for store in given] == [True] * 6


def test_tools_get_the_store_without_the_models_knowledge(memories: ChromaStore) -> None:
    @tool
    def injected_tool(text: str, store: Annotated[BaseStore, InjectedStore()]) -> str:
        """Keep a text."""
        store.put(USER, "injected", {"text": text})
        return "kept"

    @tool
    def runtime_tool(text: str, runtime: ToolRuntime) -> str:
        """Keep a text."""
        assert runtime.store is memories
        runtime.store.put(USER, "runtime", {"text": text})
        return "kept"

    graph = StateGraph(MessagesState).add_node("tools", ToolNode([injected_tool, runtime_tool]))
    calls = [
        ToolCall(name=name, args={"text": "tea"}, id=name)
        for name in ("injected_tool", "runtime_tool")
    ]
    compiled = graph.set_entry_point("tools").compile(store=memories)
    compiled.invoke({"messages": [AIMessage("", tool_calls=calls)]})
    assert {item.key for item in memories.search(USER)} == {"injected", "runtime"}


def test_fifty_nodes_of_one_step_write_at_once(memories: ChromaStore) -> None:
    def node(number: int) -> Any:
        def write(state: State, *, store: BaseStore) -> None:
            store.put(USER, str(number), {"number": number})

        return write

    graph = StateGraph(State)
    for number in range(50):
        graph.add_node(str(number), node(number)).add_edge("__start__", str(number))
    graph.compile(store=memories).invoke({"said": "", "found": []})
    assert sorted(item.value["number"] for item in memories.search(USER, limit=99)) == [*range(50)]


def test_an_entrypoint_and_its_tasks_share_the_store(memories: ChromaStore) -> None:
    @task
    def keep(text: str) -> None:
        get_store().put(USER, "note", {"text": text})

    @entrypoint(store=memories)
    def workflow(text: str, *, store: BaseStore) -> str:
        keep(text).result()
        item = store.get(USER, "note")
        return "" if item is None else str(item.value["text"])

    assert workflow.invoke("tea") == "tea"
