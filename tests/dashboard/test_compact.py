"""`memlens compact`: what is said, and the exit code that goes with it."""

import re
from pathlib import Path

import pytest

from store import ChromaStore
from tests.dashboard.commands import INDEX, memlens


@pytest.fixture
def folder(new_folder: Path) -> Path:
    with ChromaStore.open(new_folder, index=INDEX) as store:
        store.put(("a",), "k", {"text": "the code of the safe is nine-four-seven"})
        store.put(("a",), "kept", {"text": "drinks green tea"})
        store.delete(("a",), "k")
    return new_folder


def test_what_was_deleted_is_said_to_be_gone(folder: Path) -> None:
    result = memlens("compact", folder, "--text", "nine-four-seven")
    assert result.exit_code == 0
    assert "1 memory kept" in result.stdout
    assert re.search(
        r"Searched the files for \d+ deleted texts? .*: none there now\.", result.stdout
    )
    assert '"nine-four-seven" is not in the files.' in result.stdout


def test_a_text_that_is_still_there_ends_with_one(folder: Path) -> None:
    result = memlens("compact", folder, "--text", "green tea")
    assert (result.exit_code, '"green tea" is still in the files' in result.stdout) == (1, True)


def test_a_folder_in_use_is_refused(folder: Path) -> None:
    with ChromaStore.open(folder):
        assert memlens("compact", folder).exit_code == 3
