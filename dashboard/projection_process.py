"""The worker process seen from the dashboard: one, started when needed, that can be stopped."""

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dashboard.projection_cache import cache_folder

_ROOT = Path(__file__).parent.parent


class WorkerStoppedError(RuntimeError):
    """The worker process ended before its job did: it was stopped, or it died."""


class WorkerProcess:
    """Runs jobs in a process of its own, one at a time; safe to call from any thread."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._guard = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._closed = False

    @property
    def compiled(self) -> bool:
        """Whether compiled code from an earlier process is at hand."""
        return any(_compiled_code().rglob("*.nbi"))

    def run(self, job: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """Do a job and give its events as they come; waits for the job before it.

        Raises WorkerStoppedError when the process ends, and RuntimeError with what the job failed
        of. A job whose events are not read to the end is stopped.
        """
        with self._turn:
            ended = False
            process = self._started()
            try:
                for event in _events(process, job):
                    ended = event["event"] in ("end", "error")
                    if event["event"] == "error":
                        raise RuntimeError(event["message"])
                    if not ended:
                        yield event
            finally:
                if not ended:
                    self.stop()
            if not ended:
                raise WorkerStoppedError("the worker process was stopped")

    def stop(self) -> None:
        """End the process at once, whatever it is doing; the next job starts another."""
        with self._guard:
            process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            _close(process)

    def close(self) -> None:
        """End the process for good; a job that is about to begin is told that it was stopped."""
        self._closed = True
        self.stop()

    def _started(self) -> subprocess.Popen[str]:
        with self._guard:
            if self._closed:
                raise WorkerStoppedError("the worker process was stopped")
            if self._process is not None and self._process.poll() is None:
                return self._process
            if self._process is not None:
                _close(self._process)
            folder = cache_folder()
            folder.mkdir(parents=True, exist_ok=True)
            with (folder / "worker.log").open("wb") as log:
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "dashboard.projection_worker"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    text=True,
                    encoding="utf-8",
                    cwd=_ROOT,
                    env={**os.environ, "NUMBA_CACHE_DIR": str(_compiled_code())},
                )
            return self._process


def _compiled_code() -> Path:
    return Path(os.environ.get("NUMBA_CACHE_DIR") or cache_folder() / "numba")


def _events(process: subprocess.Popen[str], job: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Give a job's events up to its end, or up to the end of the process."""
    if process.stdin is None or process.stdout is None:
        return
    try:
        process.stdin.write(json.dumps(job) + "\n")
        process.stdin.flush()
        for line in process.stdout:
            event = json.loads(line)
            yield event
            if event["event"] in ("end", "error"):
                return
    except (OSError, ValueError):
        # A pipe broken by the end of the process, or closed, or a line cut off by it.
        return


def _close(process: subprocess.Popen[str]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
