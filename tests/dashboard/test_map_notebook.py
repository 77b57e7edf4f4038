import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from dashboard.notebook import map_of
from store import ChromaStore
from tests.dashboard.conftest import FEW

EXAMPLE = Path(__file__).parents[2] / "examples" / "explore.ipynb"


@pytest.fixture
def store(stores_folder: Path, tmp_path: Path) -> Iterator[ChromaStore]:
    index = {"embed": "local:minilm", "dims": 384, "fields": ["text"]}
    with ChromaStore.open(stores_folder / tmp_path.name, index=index) as opened:
        opened.write(FEW)
        yield opened


def test_a_notebook_gets_the_figure_and_a_table_of_places(store: ChromaStore):
    figure, table = map_of(store, query="What does Mira do for a living?")
    assert set(table["key"]) == {memory.key for memory in FEW}
    assert np.isfinite(table[["x", "y"]].to_numpy()).all()
    assert "Query: What does Mira do" in figure.to_json()


def test_a_scope_and_a_field_can_be_chosen(store: ChromaStore):
    figure, table = map_of(store, ("users", "mira"), colour="field-kind", names=False)
    assert set(table["key"]) == {"p1", "p2", "m1"}
    assert any(trace.name.startswith("profile") for trace in figure.data)


def test_an_empty_scope_gives_an_empty_map(store: ChromaStore):
    figure, table = map_of(store, ("nobody",))
    assert len(table) == 0
    assert figure.to_json()


def test_the_example_notebook_runs_from_top_to_bottom(tmp_path: Path, pytestconfig: pytest.Config):
    cells = json.loads(EXAMPLE.read_text("utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(pytestconfig.cache.mkdir("numba"))}
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
