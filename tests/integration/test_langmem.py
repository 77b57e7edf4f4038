"""LangMem's tools manage and search memories in a ChromaStore."""

import asyncio
import json
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.graph import MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langmem import create_manage_memory_tool, create_search_memory_tool

from store import ChromaStore

NAMESPACE = ("memories", "{user}")
ADA = {"configurable": {"user": "ada"}}
BOB = {"configurable": {"user": "bob"}}

Run = Callable[[str, dict[str, Any], dict[str, Any]], str]


def run_sync(memories: ChromaStore) -> Run:
    graph = tools_graph(memories)
    return lambda *call: answer(graph.invoke(request(*call[:2]), call[2]))


def run_async(memories: ChromaStore) -> Run:
    graph = tools_graph(memories)
    return lambda *call: answer(asyncio.run(graph.ainvoke(request(*call[:2]), call[2])))


def tools_graph(memories: ChromaStore) -> Any:
    tools = [create_manage_memory_tool(NAMESPACE), create_search_memory_tool(NAMESPACE)]
    graph = StateGraph(MessagesState).add_node("tools", ToolNode(tools))
    return graph.set_entry_point("tools").set_finish_point("tools").compile(store=memories)


def request(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    call = {"name": tool, "args": arguments, "id": "1", "type": "tool_call"}
    return {"messages": [AIMessage("", tool_calls=[call])]}


def answer(state: dict[str, Any]) -> str:
    last = state["messages"][-1]
    assert isinstance(last, ToolMessage)
    assert last.status == "success"
    return str(last.content)


@pytest.fixture(params=[run_sync, run_async])
def run(request: pytest.FixtureRequest, memories: ChromaStore) -> Run:
    made: Run = request.param(memories)
    return made


def create(run: Run, content: str, user: dict[str, Any] = ADA) -> UUID:
    return UUID(run("manage_memory", {"content": content}, user).rpartition(" ")[2])


def search(run: Run, query: str, user: dict[str, Any] = ADA, **options: Any) -> list[Any]:
    found: list[Any] = json.loads(run("search_memory", {"query": query, **options}, user))
    return [item["value"]["content"] for item in found]


def test_what_was_created_is_found_by_meaning(run: Run) -> None:
    create(run, "My sister plays chess on Sundays")
    create(run, "Ada prefers green tea over coffee")
    assert search(run, "what does she like to drink?", limit=1) == [
        "Ada prefers green tea over coffee"
    ]


def test_an_update_replaces_what_is_found(run: Run) -> None:
    key = create(run, "Ada prefers green tea")
    update = {"action": "update", "id": str(key), "content": "Ada prefers black coffee"}
    run("manage_memory", update, ADA)
    assert search(run, "tea or coffee?") == ["Ada prefers black coffee"]


def test_what_was_deleted_is_gone(run: Run, memories: ChromaStore) -> None:
    key = create(run, "Ada prefers green tea")
    run("manage_memory", {"action": "delete", "id": str(key)}, ADA)
    assert search(run, "tea") == []
    assert memories.count() == 0


def test_people_do_not_find_each_others_memories(run: Run) -> None:
    create(run, "Ada prefers green tea", ADA)
    create(run, "Bob prefers black coffee", BOB)
    assert search(run, "drinks", BOB) == ["Bob prefers black coffee"]


def test_a_filter_and_pages_reach_the_store(run: Run) -> None:
    for number in range(5):
        create(run, f"note {number}")
    pages = [search(run, "note", limit=2, offset=offset) for offset in (0, 2, 4)]
    assert [len(page) for page in pages] == [2, 2, 1]
    assert {note for page in pages for note in page} == {f"note {number}" for number in range(5)}
    assert search(run, "note", filter={"content": "note 3"}) == ["note 3"]
