"""`memlens serve`: one folder for agents and the dashboard at once."""

import re
import signal
import subprocess
import urllib.request
from pathlib import Path

import pytest

from store import ChromaStore
from tests.dashboard.commands import memlens, started


@pytest.fixture
def folder(new_folder: Path) -> Path:
    with ChromaStore.open(new_folder, index={"embed": "local:minilm"}) as store:
        store.put(("a",), "k", {"text": "the first"})
    return new_folder


def addresses(child: "subprocess.Popen[str]", count: int) -> list[str]:
    assert child.stdout is not None
    said = [child.stdout.readline() for _ in range(count)]
    return [re.findall(r"http://[\d.:]+", line)[0] for line in said]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_an_agent_writes_while_the_dashboard_is_open(folder: Path, number: int) -> None:
    with started("serve", folder) as child:
        server, dashboard = addresses(child, 2)
        with ChromaStore.open(server) as agent:
            agent.put(("a",), "new", {"text": "the second"})
        with urllib.request.urlopen(dashboard, timeout=10) as page:
            assert page.status == 200
        child.send_signal(number)
        child.communicate(timeout=60)
    assert child.returncode == 0
    for url in (server, dashboard):
        with pytest.raises(OSError, match="refused"):
            urllib.request.urlopen(url, timeout=5)
    with ChromaStore.open(folder, create=False) as store:
        assert store.match(query="the second")[0].memory.key == "new"


def test_the_first_line_is_what_an_agent_runs(folder: Path) -> None:
    with started("serve", folder, "--no-dashboard") as child:
        assert child.stdout is not None
        line = child.stdout.readline()
        with eval(line, {"ChromaStore": ChromaStore}) as store:
            assert store.count() == 1
        child.terminate()
        assert child.wait(30) == 0


def test_serving_a_folder_in_use_is_refused(folder: Path) -> None:
    with ChromaStore.open(folder):
        result = memlens("serve", folder)
    assert (result.exit_code, "open in this process" in result.stderr) == (3, True)
