"""`memlens reindex`: another embedder or other fields from the command line."""

from pathlib import Path

import pytest

from store import ChromaStore
from tests.dashboard.commands import INDEX, memlens


@pytest.fixture
def folder(new_folder: Path) -> Path:
    with ChromaStore.open(new_folder, index=INDEX) as store:
        store.put(("a",), "k", {"text": "drinks green tea", "title": "beverages"})
    return new_folder


def test_other_fields_are_embedded_and_recorded(folder: Path) -> None:
    result = memlens("reindex", folder, "--embed", "local:minilm", "--field", "title")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "1 memory in" in result.stderr
    assert "title, embedded with local:minilm (384 numbers each)" in result.stderr
    with ChromaStore.open(folder) as store:
        assert store.info().fields == ("title",)
        assert store.match(query="beverages")[0].path == "title"


@pytest.mark.parametrize(
    ("spec", "said"), [("local:nothing", "no local embedder"), ("nothing", "provider:model")]
)
def test_an_embedder_that_is_not_there_is_refused(folder: Path, spec: str, said: str) -> None:
    result = memlens("reindex", folder, "--embed", spec)
    assert (result.exit_code, said in result.stderr) == (1, True)
    with ChromaStore.open(folder) as store:
        assert store.match(query="green tea")[0].path == "text"


def test_a_missing_store_is_refused_and_not_made(stores_folder: Path) -> None:
    result = memlens("reindex", stores_folder / "nowhere", "--embed", "local:minilm")
    assert (result.exit_code, (stores_folder / "nowhere").exists()) == (1, False)
