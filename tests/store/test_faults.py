"""Full disks, read-only folders, servers and embedders that go away: with the real thing.

Whatever happens, the error is ours and says what to do, nothing stays half visible, and the next
try works.
"""

import itertools
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from langgraph.store.base import PutOp

from store import (
    ChromaServer,
    ChromaStore,
    EmbeddingError,
    StoreUnreachable,
    WriteFailed,
    check,
    repair,
)
from store.locking import LOCK
from tests.embeddings_server import EmbeddingsServer, embeddings_server
from tests.store.disks import Disk, bound_by_permissions, disk_at
from tests.store.killed import INDEX

NAMESPACE = ("agents",)
_serial = itertools.count()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    with disk_at(tmp_path / "disk") as small:
        yield small


@pytest.fixture
def folder(stores_folder: Path) -> Path:
    return stores_folder / f"faults{next(_serial)}"


def batch(number: int) -> dict[str, str]:
    return {f"{number}-{place}": f"text {number} {place} {'x' * 200}" for place in range(20)}


def write(store: ChromaStore, texts: dict[str, str]) -> None:
    store.batch(PutOp(NAMESPACE, key, {"text": text}) for key, text in texts.items())


def assert_held(store: ChromaStore, texts: dict[str, str]) -> None:
    """Everything is there, found by its own text, and nothing is half there."""
    held = {memory.key: memory.value["text"] for memory in store.scan()}
    assert {key: held.get(key) for key in texts} == texts
    for key in list(texts)[:: max(1, len(texts) // 10)]:
        assert store.match(query=texts[key], limit=1)[0].memory.key == key
    assert check(store).problems == ()


def write_until_it_fails(store: ChromaStore, held: dict[str, str]) -> int:
    """Write batches and note what was acknowledged; give the number of the one that failed."""
    for number in itertools.count():
        try:
            write(store, batch(number))
        except WriteFailed as exc:
            assert "is full" in str(exc)  # noqa: PT017
            return number
        held |= batch(number)
    raise AssertionError


def test_a_full_disk(disk: Disk) -> None:
    disk.in_memory("size=3m")
    held: dict[str, str] = {}
    with ChromaStore.open(disk.place / "store", index=INDEX) as store:
        number = write_until_it_fails(store, held)
        assert store.get(NAMESPACE, "0-0") is not None
        with pytest.raises(WriteFailed, match="make room and try again"):
            write(store, batch(number))
        disk.remount("size=30m")
        write(store, batch(number))
        assert_held(store, held | batch(number))
    with ChromaStore.open(disk.place / "store", index=INDEX) as store:
        assert store.repaired is None
        assert_held(store, held | batch(number))


def test_a_disk_too_full_to_open_a_new_store(disk: Disk) -> None:
    disk.in_memory("size=100k")
    with pytest.raises(WriteFailed, match="is full"):
        ChromaStore.open(disk.place / "store", index=INDEX)
    disk.remount("size=30m")
    ChromaStore.open(disk.place / "store", index=INDEX).close()


def test_a_folder_on_a_read_only_disk_is_refused(disk: Disk) -> None:
    disk.in_memory("size=30m")
    ChromaStore.open(disk.place / "store", index=INDEX).close()
    disk.remount("ro")
    with pytest.raises(WriteFailed, match="must be writable"):
        ChromaStore.open(disk.place / "store", index=INDEX)


def test_a_disk_that_turns_read_only_while_the_store_is_open(disk: Disk) -> None:
    disk.in_file(60_000_000)
    held: dict[str, str] = {}
    with ChromaStore.open(disk.place / "store", index=INDEX) as store:
        for number in range(4):
            write(store, batch(number))
            held |= batch(number)
        disk.fail()
        for number in (4, 5):
            with pytest.raises(WriteFailed, match="is read-only"):
                write(store, batch(number))
        with pytest.raises(WriteFailed, match="is read-only"):
            store.delete(NAMESPACE, "0-0")
        assert {one.key: one.value["text"] for one in store.scan()} == held
    disk.heal()
    with ChromaStore.open(disk.place / "store", index=INDEX) as store:
        assert_held(store, held)
        write(store, batch(4))
        assert_held(store, held | batch(4))


OPENING = """
import sys
from store import ChromaStore, WriteFailed
try:
    ChromaStore.open(sys.argv[1], index=None)
except WriteFailed as exc:
    print(exc)
"""


def test_a_folder_without_permission_to_write_is_refused(folder: Path) -> None:
    ChromaStore.open(folder, index=INDEX).close()
    (folder / LOCK).chmod(0o444)
    folder.chmod(0o555)
    try:
        command = [*bound_by_permissions(), sys.executable, "-c", OPENING, str(folder)]
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        assert "must be writable" in told
    finally:
        folder.chmod(0o755)


def test_a_server_killed_while_writing_and_started_again(folder: Path) -> None:
    held: dict[str, str] = {}
    with ChromaServer(folder, create=True) as server:
        port = int(server.address.rpartition(":")[2])
        agent = ChromaStore.open(server.address, index=INDEX)
        for number in range(5):
            write(agent, batch(number))
            held |= batch(number)
        server._process.kill()
        with pytest.raises(StoreUnreachable, match="stopped answering"):
            write(agent, batch(5))
        with pytest.raises(StoreUnreachable):
            agent.get(NAMESPACE, "0-0")
    with agent, ChromaServer(folder, port=port):
        write(agent, batch(5))
        repair(agent)
        assert_held(agent, held | batch(5))


def test_a_write_that_the_server_lost_half_way_is_completed(folder: Path) -> None:
    """The server goes between a memory and its vectors."""
    with ChromaServer(folder, create=True) as server:
        port = int(server.address.rpartition(":")[2])
        agent = ChromaStore.open(server.address, index=INDEX)
        write(agent, batch(0))
        put_vectors = agent._gateway.put_vectors

        def kill_first(vectors: object) -> None:
            server._process.kill()
            server._process.wait()
            put_vectors(vectors)  # type: ignore[arg-type]

        agent._gateway.put_vectors = kill_first  # type: ignore[method-assign]
        with pytest.raises(StoreUnreachable):
            write(agent, batch(1))
        agent._gateway.put_vectors = put_vectors  # type: ignore[method-assign]
    with agent, ChromaServer(folder, port=port):
        assert_held(agent, batch(0) | batch(1))


def test_a_deletion_of_many_that_the_server_lost_half_way_is_continued(folder: Path) -> None:
    keys = [f"k{number}" for number in range(500)]
    with ChromaServer(folder, create=True) as server:
        port = int(server.address.rpartition(":")[2])
        agent = ChromaStore.open(server.address, index=INDEX)
        write(agent, {key: f"text {key}" for key in keys})
        delete_items = agent._gateway.delete_items

        def kill_later(ids: Sequence[str]) -> None:
            if agent._gateway._items.count() < len(keys) - 100:
                server._process.kill()
                server._process.wait()
            delete_items(ids)

        agent._gateway.delete_items = kill_later  # type: ignore[method-assign]
        references = [(NAMESPACE, key) for key in keys]
        with pytest.raises(StoreUnreachable):
            agent.remove(references)
        agent._gateway.delete_items = delete_items  # type: ignore[method-assign]
    with agent, ChromaServer(folder, port=port):
        left = agent.count()
        assert 0 < left < len(keys)
        assert agent.remove(references) == left
        assert (agent.count(), agent.list_namespaces()) == (0, [])
        repair(agent)
        assert check(agent).clean


@pytest.fixture
def embeddings() -> Iterator[EmbeddingsServer]:
    with embeddings_server() as server:
        yield server


def test_an_embedder_that_goes_away(
    folder: Path, embeddings: EmbeddingsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    monkeypatch.setenv("OPENAI_BASE_URL", embeddings.base_url)
    with ChromaStore.open(
        folder, index={"embed": "openai:small", "dims": 8, "fields": ["text"]}
    ) as store:
        write(store, batch(0))
        embeddings.behaviours.extend([_down] * 20)
        with pytest.raises(EmbeddingError):
            write(store, batch(0) | batch(1))
        assert store.count() == len(batch(0))
        embeddings.behaviours.clear()
        write(store, batch(1))
        assert_held(store, batch(0) | batch(1))


def _down(request: object) -> tuple[int, dict[str, str], bytes]:
    return 400, {"content-type": "application/json"}, b'{"error": {"message": "down"}}'
