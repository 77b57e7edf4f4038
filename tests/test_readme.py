"""The README's Python runs as written, and its commands exist."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from dashboard.cli import main

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("code", blocks("python"))
def test_python_prints_what_the_comment_says(code: str, tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning:__main__", "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    said = re.findall(r"print\(.*\)  # (.*)", code)
    assert (run.returncode, run.stdout.splitlines()) == (0, said), run.stderr


def test_every_command_is_in_the_table_and_no_other() -> None:
    assert set(re.findall(r"^\| `memlens (\w+)", README, re.MULTILINE)) == set(main.commands)


def test_every_make_target_named_exists() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = set(re.findall(r"make (\w+)", "\n".join(blocks("console"))))
    assert targets <= set(re.findall(r"^(\w+):", makefile, re.MULTILINE))


@pytest.mark.parametrize("line", "".join(blocks("json")).splitlines())
def test_the_line_shown_can_be_imported(line: str, tmp_path: Path) -> None:
    from store import ImportFile

    path = tmp_path / "line.jsonl"
    path.write_text(line)
    with ImportFile(path) as source:
        assert source.check().memories == 1
