"""The dashboard as a child process: start it, say where it is, stop it."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

FIRST_PORT = 8501
_PORTS_TRIED = 100
_START_SECONDS = 120.0
_STOP_SECONDS = 10.0

# The kernel ends the dashboard when its parent is killed, where it can: it holds the folder.
_CODE = """
import ctypes, signal, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)
from streamlit.web.cli import main
main(prog_name="streamlit")
"""


class LaunchError(RuntimeError):
    """The dashboard cannot be started, or ended by itself; the message says which."""


def run_dashboard(
    location: str, *, name: str, host: str, port: int | None, say: Callable[[str], None]
) -> None:
    """Serve the dashboard on a store until Ctrl-C or SIGTERM, then shut it down.

    Without a port it takes the first free one from 8501 on. The store goes to the dashboard by
    environment variables, so that an address never stands in a process list.
    """
    with signals_interrupt():
        try:
            with running_dashboard(location, name=name, host=host, port=port) as (url, child):
                say(f"Memlens is at {url} (Ctrl-C stops it)")
                show(url)
                raise LaunchError(f"The dashboard ended by itself with status {child.wait()}.")
        except KeyboardInterrupt:
            say("Memlens stopped.")


@contextmanager
def running_dashboard(
    location: str, *, name: str, host: str, port: int | None
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Start the dashboard, give its address and process once it answers, and stop it at the end."""
    chosen = free_port(host) if port is None else _require_free(host, port)
    child = _start(location, name, host, chosen)
    try:
        _wait_until_ready(child, host, chosen)
        yield _url(host, chosen), child
    finally:
        _stop(child)


def show(url: str) -> None:
    """Open a browser where there is a screen."""
    if _has_display():
        webbrowser.open(url)


def free_port(host: str) -> int:
    """Give the first free port from 8501 on."""
    for port in range(FIRST_PORT, FIRST_PORT + _PORTS_TRIED):
        if _is_free(host, port):
            return port
    raise LaunchError(
        f"Ports {FIRST_PORT} to {FIRST_PORT + _PORTS_TRIED - 1} are all taken; "
        "choose another with --port."
    )


def _require_free(host: str, port: int) -> int:
    if not _is_free(host, port):
        raise LaunchError(
            f"Port {port} of {host} cannot be used; leave --port out to take the next free one."
        )
    return port


def _is_free(host: str, port: int) -> bool:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def _start(location: str, name: str, host: str, port: int) -> subprocess.Popen[bytes]:
    options = {
        "--server.address": host,
        "--server.port": str(port),
        "--server.headless": "true",
        "--server.fileWatcherType": "none",
        "--logger.level": "warning",
        "--logger.hideWelcomeMessage": "true",
    }
    command = [sys.executable, "-P", "-c", _CODE, "run"]
    command += [str(Path(__file__).with_name("app.py"))]
    command += [part for option in options.items() for part in option]
    return subprocess.Popen(  # noqa: S603 -- a fixed command; nothing of it is a shell's
        command,
        env=os.environ | {"MEMLENS_STORE": location, "MEMLENS_NAME": name},
        stdin=subprocess.DEVNULL,
        # Streamlit reports errors of pages on standard output; they belong on standard error.
        stdout=2,
        # Ctrl-C in a terminal reaches its whole group: the child is to hear it once, from here.
        start_new_session=True,
    )


def _wait_until_ready(child: subprocess.Popen[bytes], host: str, port: int) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while not _answers(host, port):
        status = child.poll()
        if status is not None:
            raise LaunchError(f"The dashboard ended while starting, with status {status}.")
        if time.monotonic() > deadline:
            raise LaunchError(f"The dashboard did not answer within {_START_SECONDS:.0f} seconds.")
        time.sleep(0.1)


def _answers(host: str, port: int) -> bool:
    connection = http.client.HTTPConnection(_reachable(host), port, timeout=5)
    try:
        connection.request("GET", "/_stcore/health")
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _stop(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is not None:
        return
    child.terminate()
    try:
        child.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


@contextmanager
def signals_interrupt() -> Iterator[None]:
    """Let SIGTERM, and the end of the terminal, interrupt as Ctrl-C does."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    caught = [signal.SIGTERM]
    if hasattr(signal, "SIGHUP"):
        caught.append(signal.SIGHUP)
    before = [signal.signal(number, interrupt) for number in caught]
    try:
        yield
    finally:
        for number, handler in zip(caught, before, strict=True):
            signal.signal(number, handler)


def _reachable(host: str) -> str:
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 -- compared only


def _url(host: str, port: int) -> str:
    shown = _reachable(host)
    return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"


def _has_display() -> bool:
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
