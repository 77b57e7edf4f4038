"""Deep Agents keep their files in a ChromaStore."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from deepagents import create_deep_agent
from deepagents.backends import StoreBackend
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from store import ChromaStore

FILES = ("ada", "files")


@pytest.fixture
def backend(memories: ChromaStore) -> StoreBackend:
    return StoreBackend(store=memories, namespace=lambda runtime: FILES)


def test_a_file_is_written_read_edited_and_deleted(
    backend: StoreBackend, memories: ChromaStore
) -> None:
    assert backend.write("/notes/tea.md", "green tea\nno sugar\n").error is None
    assert backend.edit("/notes/tea.md", "green", "black").occurrences == 1
    read = backend.read("/notes/tea.md")
    assert read.file_data is not None
    assert read.file_data["content"].startswith("black tea\nno sugar")
    assert backend.delete("/notes/tea.md").error is None
    assert memories.count() == 0


def test_the_async_half_does_the_same(backend: StoreBackend) -> None:
    async def scenario() -> Any:
        await backend.awrite("/notes/tea.md", "green tea")
        await backend.aedit("/notes/tea.md", "green", "black")
        return await backend.aread("/notes/tea.md")

    assert asyncio.run(scenario()).file_data["content"] == "black tea"


def test_files_are_listed_matched_and_searched_past_one_page(backend: StoreBackend) -> None:
    for number in range(120):
        backend.write(f"/notes/{number:03}.md", f"line of {number}")
    backend.write("/other.txt", "line of none")
    entries = backend.ls("/notes").entries
    assert entries is not None
    assert [entry["path"] for entry in entries] == [f"/notes/{n:03}.md" for n in range(120)]
    assert len(backend.glob("/notes/11*.md").matches or ()) == 10
    matches = backend.grep("line of 7", path="/notes").matches
    assert matches is not None
    assert {match["path"] for match in matches} == {
        f"/notes/{n:03}.md" for n in (7, *range(70, 80))
    }


class Scripted(GenericFakeChatModel):
    """Says what the script says; tools are its own business."""

    def bind_tools(self, tools: Sequence[Any], **options: Any) -> "Scripted":
        return self


def agent(memories: ChromaStore, *script: AIMessage) -> Any:
    backend = StoreBackend(namespace=lambda runtime: FILES)
    return create_deep_agent(
        Scripted(messages=iter(script)), backend=backend, store=memories, system_prompt="Write."
    )


def call(tool: str, **arguments: str) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": tool, "args": arguments, "id": tool}])


def test_what_an_agent_writes_in_one_thread_it_reads_in_another(memories: ChromaStore) -> None:
    writer = agent(
        memories,
        call("write_file", file_path="/tea.md", content="Ada drinks green tea"),
        AIMessage("Noted."),
    )
    writer.invoke({"messages": [("user", "Note what I drink.")]})
    item = memories.get(FILES, "/tea.md")
    assert item is not None
    assert item.value["content"] == "Ada drinks green tea"

    reader = agent(memories, call("read_file", file_path="/tea.md"), AIMessage("Green tea."))
    messages = asyncio.run(reader.ainvoke({"messages": [("user", "What do I drink?")]}))["messages"]
    assert "Ada drinks green tea" in str(messages[-2].content)
