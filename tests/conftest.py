"""What every test shares: the folder for stores, one real Chroma server, Hypothesis' settings."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The same examples in every run, so that a red build can be repeated; `--hypothesis-profile
# explore` looks further.
settings.register_profile(
    "repeatable",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.register_profile("explore", settings.get_profile("repeatable"), derandomize=False)
settings.load_profile("repeatable")

SHARED_MEMORY = Path("/dev/shm")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--every-row",
        action="store_true",
        help="run every row of the contract's tables over folders and the server, too",
    )


@pytest.fixture(scope="session")
def stores_folder() -> Iterator[Path]:
    """A folder for Chroma's files, in memory where the system offers that.

    Chroma waits for the disk at every write: in memory the suite runs five times as fast.
    """
    in_memory = SHARED_MEMORY.is_dir() and os.access(SHARED_MEMORY, os.W_OK)
    folder = tempfile.mkdtemp(prefix="memlens-tests-", dir=SHARED_MEMORY if in_memory else None)
    yield Path(folder)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def chroma_server(stores_folder: Path) -> Iterator[str]:
    """The URL of a real `chroma run` server on this machine, one for the whole session."""
    chroma = shutil.which("chroma", path=str(Path(sys.executable).parent)) or "chroma"
    port = free_port()
    data, log = stores_folder / "server", stores_folder / "server.log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            [chroma, "run", "--path", data, "--host", "127.0.0.1", "--port", str(port)],
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        url = f"http://127.0.0.1:{port}"
        wait_until_up(f"{url}/api/v2/heartbeat", server)
        yield url
    finally:
        server.kill()
        server.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_up(url: str, server: subprocess.Popen[bytes], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        assert server.poll() is None, "the Chroma server ended before it answered"
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            time.sleep(0.05)
    raise AssertionError(f"no answer from {url} within {seconds} seconds")
