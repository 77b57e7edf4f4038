"""Stores for the tests with LangGraph's ecosystem, which has an environment of its own."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from store import ChromaStore

# `make integration` installs what these tests need; elsewhere they are not collected.
collect_ignore_glob = [] if find_spec("langmem") else ["test_*.py"]

# What these packages do to each other is theirs to change; each line names who does it.
THEIR_WARNINGS = (
    "ignore:Importing Send from langgraph.constants",  # trustcall, imported by langmem
)


def pytest_configure(config: pytest.Config) -> None:
    for warning in THEIR_WARNINGS:
        config.addinivalue_line("filterwarnings", warning)


@pytest.fixture
def memories(stores_folder: Path, request: pytest.FixtureRequest) -> Iterator[ChromaStore]:
    """A new store in a folder, searched with the packaged model."""
    with ChromaStore.open(stores_folder / f"integration-{request.node.name}") as store:
        yield store
