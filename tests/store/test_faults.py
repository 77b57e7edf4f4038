"""Full disks, read-only folders, servers and embedders that go away: with the real thing.

Whatever happens, the error is ours and says what to do, nothing stays half visible, and the next
try works.
"""

import itertools
import os
import subprocess
import sys
from collections.abc import Iterator
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
from tests.embeddings_server import EmbeddingsServer, embeddings_server
from tests.store.killed import INDEX

NAMESPACE = ("agents",)
_serial = itertools.count()

mounting = pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0, reason="only root may mount a small disk"
)


class Disk:
    """A small disk of its own."""

    def __init__(self, place: Path) -> None:
        self.place = place
        place.mkdir()

    def mount(self, options: str) -> None:
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(self.place)]
        if subprocess.run(command, check=False, capture_output=True).returncode:
            pytest.skip("this system lets no one mount a disk")

    def remount(self, options: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{options}", str(self.place)], check=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    small = Disk(tmp_path / "disk")
    yield small
    subprocess.run(["umount", "--lazy", str(small.place)], check=False, capture_output=True)


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


@mounting
def test_a_full_disk(disk: Disk) -> None:
    disk.mount("size=3m")
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


@mounting
def test_a_disk_too_full_to_open_a_new_store(disk: Disk) -> None:
    disk.mount("size=100k")
    with pytest.raises(WriteFailed, match="is full"):
        ChromaStore.open(disk.place / "store", index=INDEX)
    disk.remount("size=30m")
    ChromaStore.open(disk.place / "store", index=INDEX).close()


@mounting
def test_a_folder_on_a_read_only_disk_is_refused(disk: Disk) -> None:
    disk.mount("size=30m")
    ChromaStore.open(disk.place / "store", index=INDEX).close()
    disk.remount("ro")
    with pytest.raises(WriteFailed, match="must be writable"):
        ChromaStore.open(disk.place / "store", index=INDEX)


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="permissions do not bind root"
)
def test_a_folder_without_permission_to_write_is_refused(folder: Path) -> None:
    ChromaStore.open(folder, index=INDEX).close()
    folder.chmod(0o555)
    try:
        with pytest.raises(WriteFailed, match="must be writable"):
            ChromaStore.open(folder, index=INDEX)
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
