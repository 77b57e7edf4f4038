"""The map of 72,207 memories in a real browser: junk is found, lassoed and deleted."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from store import ChromaStore, Memory
from tests.browser.conftest import Visit, Visiting, dashboard, server_of
from tests.browser.test_map import PLACES, arranged, draw_around

ROWS, JUNK, TEXTS, DIMS = 72_207, 207, 18_000, 16
KEPT = ROWS - JUNK
AT = datetime(2025, 3, 1, tzinfo=UTC)
JUNK_AT = ("imports", "broken")


def embed(texts: list[str]) -> list[list[float]]:
    """Give each text its own meaning, near one of thirty; all junk means nearly the same."""
    random = np.random.default_rng(0)
    themes = random.normal(size=(30, DIMS)) * 2
    own = random.normal(size=(TEXTS, DIMS)) * 0.7
    junk = random.normal(size=DIMS) * 4 + random.normal(size=(JUNK, DIMS)) * 0.3
    numbers = [int(text.split()[1]) for text in texts]
    return [
        (junk[number] if text.startswith("junk") else themes[number % 30] + own[number]).tolist()
        for text, number in zip(texts, numbers, strict=True)
    ]


def memories() -> Iterator[Memory]:
    """Each text was remembered by four people; some lines of a broken import are among them."""
    for number in range(KEPT):
        text = f"memory {number % TEXTS} of a person"
        yield Memory(("users", f"u{number // TEXTS}"), f"m{number}", {"text": text}, AT, AT)
    for number in range(JUNK):
        yield Memory(JUNK_AT, f"j{number}", {"text": f"junk {number} null;null;0x00"}, AT, AT)


@pytest.fixture(scope="module")
def folder(stores_folder: Path) -> Path:
    made = stores_folder / "large-map"
    index = {"embed": embed, "dims": DIMS, "fields": ["text"]}
    with ChromaStore.open(made, index=index) as store:
        store.write(memories())
    return made


def test_junk_among_72207_memories_is_lassoed_and_deleted_everywhere(
    folder: Path,
    stores_folder: Path,
    pytestconfig: pytest.Config,
    monkeypatch: pytest.MonkeyPatch,
    visiting: Visiting,
):
    monkeypatch.setenv("MEMLENS_CACHE", str(stores_folder / "large-map-cache"))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(pytestconfig.cache.mkdir("numba")))
    with dashboard(folder) as address, visiting(address) as visit:
        visit.open("map")
        arranged(visit)
        assert "Map of 72,207 memories" in said_of(visit)
        junk = visit.page.evaluate(PLACES, "junk")
        assert 0 < len(junk) <= JUNK
        cpu = seconds_of_cpu(server_of(address))
        draw_around(visit, junk, margin=18)
        visit.page.wait_for_selector(".st-key-map-clear", timeout=60_000)
        visit.settle()
        visit.shot("map-72207-lasso")
        assert seconds_of_cpu(server_of(address)) - cpu < 3
        chosen = int(visit.page.locator(".st-key-map-bar").inner_text().split()[0])
        # Where the map puts junk close to something else, the lasso takes that in, too.
        assert JUNK <= chosen < 2 * JUNK
        left = f"{ROWS - chosen:,}"
        visit.press("map-delete")
        visit.press("confirm-delete")
        arranged(visit)
        assert f"Map of {left} memories" in said_of(visit)
        assert visit.page.evaluate(PLACES, "junk") == []
        assert not visit.page.locator(".st-key-map-bar").count()
        assert f"{chosen} memories deleted" in visit.said()
        assert f"{left} memories" in visit.page.get_by_test_id("stSidebar").inner_text()
        visit.shot("map-72207-deleted")
        visit.open("browse")
        assert f"of {left}" in visit.page.locator(".st-key-listing-head").inner_text()
    with ChromaStore.open(folder, create=False, index={"embed": embed, "dims": DIMS}) as store:
        assert (store.count(), store.count(JUNK_AT)) == (ROWS - chosen, 0)
        assert not [hit for hit in store.search((), query="junk 7 null") if hit.key[0] == "j"]


def said_of(visit: Visit) -> str:
    """What the map says it shows."""
    return str(visit.page.get_by_test_id("stPlotlyChart").get_attribute("aria-label"))


def seconds_of_cpu(process: int) -> float:
    """The time a process has worked so far, its threads included."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
