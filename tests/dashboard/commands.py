"""The memlens command for tests: in this process, or in one of its own."""

import gzip
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from click.testing import CliRunner, Result

from dashboard.cli import main

INDEX = {"embed": "local:minilm", "fields": ["text"]}


def memlens(*words: str | Path, input: str | None = None) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words], input=input)


def lines(folder: Path, *rows: object, name: str = "memories.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def row(key: str, text: str, namespace: tuple[str, ...] = ("users", "mira")) -> dict[str, object]:
    return {"namespace": list(namespace), "key": key, "value": {"text": text}}


def contents(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode().splitlines()


class started:  # noqa: N801 -- reads as a statement: with started("open", ...)
    """The command in a process of its own, ended in any case."""

    def __init__(
        self,
        *words: str | Path,
        stderr: int | IO[str] | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        # As on a terminal: where tests run behind a script, Ctrl-C is ignored from the start.
        listen = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
        code = f"{listen}; from dashboard.cli import main; main()"
        kept = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
        self.child = subprocess.Popen(
            [sys.executable, "-u", "-c", code, *map(str, words)],
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            env=kept | dict(environ or {}),
        )

    def __enter__(self) -> subprocess.Popen[str]:
        return self.child

    def __exit__(self, *_: object) -> None:
        if self.child.poll() is None:
            self.child.kill()
        self.child.communicate()


def url_said(child: subprocess.Popen[str]) -> str:
    assert child.stdout is not None
    for text in child.stdout:
        if found := re.search(r"http://\S+", text):
            return found[0]
    raise AssertionError(f"no address was printed, exit code {child.wait()}")
