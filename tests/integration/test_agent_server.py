"""A running LangGraph server keeps its long-term memory in a ChromaStore."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient
from langgraph_sdk.errors import BadRequestError

from store import ChromaStore
from tests.conftest import free_port, wait_until_up

PROJECT = Path(__file__).parent / "agent_server"
NAMESPACE = ("ada", "drinks")


@pytest.fixture(scope="module")
def project(stores_folder: Path) -> Path:
    """A copy of the server's project, beside which it keeps its memories."""
    return Path(shutil.copytree(PROJECT, stores_folder / "agent_server"))


@pytest.fixture(scope="module")
def server(project: Path) -> Iterator[str]:
    """The address of a real `langgraph dev` on this project, stopped at the end."""
    port = free_port()
    command = [sys.executable, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload"]
    offline = {"LANGSMITH_TRACING": "false", "LANGGRAPH_CLI_NO_ANALYTICS": "1", "NO_COLOR": "1"}
    with (project / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", str(port)],
            cwd=project,
            env={**os.environ, **offline},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        wait_until_up(f"http://127.0.0.1:{port}/ok", process, seconds=120)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def client(server: str) -> Iterator[SyncLangGraphClient]:
    with get_sync_client(url=server) as client:
        yield client


@pytest.fixture(autouse=True)
def clean(client: SyncLangGraphClient) -> Iterator[None]:
    yield
    for item in client.store.search_items((), limit=1000)["items"]:
        client.store.delete_item(item["namespace"], item["key"])


def keys(found: Any) -> list[str]:
    return [item["key"] for item in found["items"]]


def test_an_item_that_was_put_is_got(client: SyncLangGraphClient) -> None:
    client.store.put_item(NAMESPACE, "tea", {"text": "green tea", "cups": 3})
    item = client.store.get_item(NAMESPACE, "tea")
    assert item["value"] == {"text": "green tea", "cups": 3}
    assert item["namespace"] == list(NAMESPACE)


def test_an_item_with_a_ttl_is_swept_when_its_time_is_over(client: SyncLangGraphClient) -> None:
    client.store.put_item(NAMESPACE, "short", {"text": "gone soon"}, ttl=1 / 30)
    client.store.put_item(NAMESPACE, "long", {"text": "stays"}, ttl=60)
    assert client.store.get_item(NAMESPACE, "short", refresh_ttl=False) is not None
    deadline = time.monotonic() + 30
    while keys(client.store.search_items((), refresh_ttl=False)) != ["long"]:
        assert time.monotonic() < deadline, "the item outlived its TTL"
        time.sleep(0.2)


def test_a_search_filters_and_pages(client: SyncLangGraphClient) -> None:
    for cups in range(5):
        client.store.put_item(NAMESPACE, f"day {cups}", {"cups": cups})
    wanted = {"cups": {"$gte": 2}}
    assert keys(client.store.search_items(("ada",), filter=wanted)) == ["day 4", "day 3", "day 2"]
    page = client.store.search_items(("ada",), filter=wanted, limit=1, offset=1)
    assert keys(page) == ["day 3"]


def test_a_search_finds_by_meaning(client: SyncLangGraphClient) -> None:
    client.store.put_item(NAMESPACE, "tea", {"text": "Ada drinks green tea"})
    client.store.put_item(NAMESPACE, "chess", {"text": "Her sister plays chess"})
    found = client.store.search_items((), query="which board game?")
    assert keys(found) == ["chess", "tea"]
    assert found["items"][0]["score"] > found["items"][1]["score"]


def test_a_filter_that_cannot_be_understood_is_the_callers_error(
    client: SyncLangGraphClient,
) -> None:
    client.store.put_item(NAMESPACE, "tea", {"cups": 3})
    with pytest.raises(BadRequestError, match=r"\$in"):
        client.store.search_items((), filter={"cups": {"$in": [3]}})


def test_what_the_server_adds_to_a_filter_holds(server: str, client: SyncLangGraphClient) -> None:
    for key, public in (("a", True), ("b", False), ("c", True)):
        client.store.put_item(NAMESPACE, key, {"public": public, "key": key})
    with get_sync_client(url=server, headers={"x-name": "guest"}) as guest:
        assert keys(guest.store.search_items(())) == ["c", "a"]
        assert keys(guest.store.search_items((), filter={"key": {"$lt": "c"}})) == ["a"]


def test_namespaces_are_listed(client: SyncLangGraphClient) -> None:
    for namespace in (("ada", "drinks"), ("ada", "games", "chess"), ("bob", "drinks")):
        client.store.put_item(namespace, "k", {"n": 1})
    listed = client.store.list_namespaces
    assert listed(prefix=["ada"])["namespaces"] == [["ada", "drinks"], ["ada", "games", "chess"]]
    assert listed(suffix=["drinks"])["namespaces"] == [["ada", "drinks"], ["bob", "drinks"]]
    assert listed(max_depth=1)["namespaces"] == [["ada"], ["bob"]]
    assert listed(limit=1, offset=1)["namespaces"] == [["ada", "games", "chess"]]


def test_an_item_that_was_deleted_is_gone(client: SyncLangGraphClient) -> None:
    client.store.put_item(NAMESPACE, "tea", {"text": "green tea"})
    client.store.delete_item(NAMESPACE, "tea")
    assert client.store.get_item(NAMESPACE, "tea") is None
    assert client.store.list_namespaces()["namespaces"] == []


def test_a_graph_on_the_server_writes_to_the_same_store(client: SyncLangGraphClient) -> None:
    state = client.runs.wait(None, "agent", input={"text": "green tea"})
    assert state == {"text": "green tea", "known": 1}
    assert client.store.get_item(("agent", "notes"), "green tea")["value"] == {"text": "green tea"}


@pytest.mark.usefixtures("server")
def test_the_servers_folder_is_locked_while_it_runs(project: Path) -> None:
    from store import StoreLocked

    with pytest.raises(StoreLocked):
        ChromaStore.open(project / "memories")
