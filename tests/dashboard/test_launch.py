"""`memlens open` and `memlens demo`: the dashboard as a child process."""

import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from store import ChromaStore, StoreLocked
from tests.dashboard.commands import memlens, started, url_said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_open_serves_the_dashboard_until_it_is_stopped(demo_folder: Path, number: int) -> None:
    with started("open", demo_folder) as child:
        url = url_said(child)
        with urllib.request.urlopen(url, timeout=10) as page:
            assert page.status == 200
        child.send_signal(number)
        assert "Memlens stopped." in child.communicate(timeout=30)[0]
    assert child.returncode == 0
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(url, timeout=5)
    ChromaStore.open(demo_folder, create=False).close()


def answers(url: str) -> bool:
    try:
        urllib.request.urlopen(url, timeout=5).close()
    except OSError:
        return False
    return True


def is_locked(folder: Path) -> bool:
    try:
        ChromaStore.open(folder, create=False).close()
    except StoreLocked:
        return True
    return False


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child of its parent's end")
def test_a_killed_command_leaves_no_dashboard_behind(demo_folder: Path) -> None:
    with started("open", demo_folder) as child:
        url = url_said(child)
        child.kill()
        child.wait(30)
    end = time.monotonic() + 30
    while answers(url) or is_locked(demo_folder):
        assert time.monotonic() < end, "the dashboard goes on"
        time.sleep(0.1)


@pytest.mark.parametrize("display", ["", ":0"], ids=["no display", "display"])
def test_a_browser_is_opened_only_where_there_is_a_display(
    demo_folder: Path, tmp_path: Path, display: str
) -> None:
    browser, opened = tmp_path / "browser", tmp_path / "opened"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}\n')
    browser.chmod(0o755)
    environ = {"BROWSER": str(browser), "DISPLAY": display}
    with started("open", demo_folder, environ=environ) as child:
        url = url_said(child)
        for _ in range(300 if display else 5):
            if not opened.exists():
                time.sleep(0.1)
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=30)
    assert (opened.read_text().strip() if opened.exists() else "") == (url if display else "")


def test_the_store_does_not_stand_in_the_process_list(demo_folder: Path) -> None:
    with started("open", demo_folder) as child:
        url_said(child)
        listed = subprocess.run(["ps", "-eo", "ppid,args"], capture_output=True, text=True)
        found = [row for row in listed.stdout.splitlines() if row.split()[0] == str(child.pid)]
        child.terminate()
        child.wait(30)
    assert found
    assert not [row for row in found if str(demo_folder) in row]


def test_open_takes_the_next_port_when_the_first_is_taken(demo_folder: Path) -> None:
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind(("127.0.0.1", 8501))
            taken.listen()
        except OSError:
            pass  # Something else has it, which is what this test needs.
        with started("open", demo_folder) as child:
            assert int(url_said(child).rpartition(":")[2]) > 8501


def test_open_on_a_port_that_is_taken_is_refused(demo_folder: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        result = memlens("open", demo_folder, "--port", str(taken.getsockname()[1]))
    assert (result.exit_code, "leave --port out" in result.stderr) == (1, True)


def test_the_demo_fills_an_empty_folder_once(new_folder: Path) -> None:
    for _ in range(2):
        with started("demo", "--store", new_folder) as child:
            url_said(child)
            child.terminate()
            child.wait(30)
        with ChromaStore.open(new_folder, create=False) as store:
            assert (store.count(), store.info().fields) == (197, ("text",))
            store.delete(("users", "mira", "profile"), "p01")
            store.put(("mine",), "p01", {"text": "kept"})
