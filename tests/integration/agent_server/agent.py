"""An agent that remembers what it is told, and counts what it knows."""

from typing import TypedDict

from langgraph.graph import StateGraph
from langgraph.store.base import BaseStore


class State(TypedDict):
    text: str
    known: int


async def remember(state: State, *, store: BaseStore) -> dict[str, int]:
    await store.aput(("agent", "notes"), state["text"], {"text": state["text"]})
    return {"known": len(await store.asearch(("agent",)))}


graph = (
    StateGraph(State)
    .add_node("remember", remember)
    .set_entry_point("remember")
    .set_finish_point("remember")
    .compile()
)
