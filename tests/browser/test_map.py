"""The map in a real browser: points of WebGL, a lasso, and what follows."""

import csv
import io
import re
import struct
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from store import ChromaStore, Memory
from tests.browser.conftest import Visit, Visiting, dashboard

ROWS, JUNK, DIMS = 1_500, 60, 24
AT = datetime(2025, 3, 1, tzinfo=UTC)
A_PIXEL = 0.01
"""A hand that clicks may move the map by less than this."""

# Where points lie on the screen, for those whose tooltip begins with a word.
PLACES = """(word) => {
  const plot = document.querySelector('.js-plotly-plot'), layout = plot._fullLayout;
  const at = plot.getBoundingClientRect();
  const found = [];
  plot._fullData.filter(trace => trace.type === 'scattergl' && trace.text).forEach(trace => {
    trace.text.forEach((text, i) => {
      if (text.startsWith(word)) found.push([
        at.left + layout.xaxis._offset + layout.xaxis.d2p(trace.x[i]),
        at.top + layout.yaxis._offset + layout.yaxis.d2p(trace.y[i]), trace.customdata[i]]);
    });
  });
  return found;
}"""
RANGES = """() => {
  const layout = document.querySelector('.js-plotly-plot')._fullLayout;
  return [...layout.xaxis.range, ...layout.yaxis.range];
}"""

# How many points stand out, the numbers beside a pinned one, the groups switched off.
MARKED = """() => document.querySelector('.js-plotly-plot')._fullData
  .reduce((sum, trace) => sum + (trace.selectedpoints ?? []).length, 0)"""
LABELS = """() => document.querySelector('.js-plotly-plot')._fullData
  .filter(trace => trace.mode === 'markers+text').flatMap(trace => trace.text.filter(Boolean))"""
HIDDEN = """() => document.querySelector('.js-plotly-plot')._fullData
  .filter(trace => trace.visible === 'legendonly').map(trace => trace.meta)"""


def fill(folder: Path) -> None:
    """Memories of random meaning, and among them junk that means nearly the same."""
    random = np.random.default_rng(0)
    groups = random.normal(size=(8, DIMS)) * 1.5
    junk = random.normal(size=DIMS) * 4

    def embed(texts: list[str]) -> list[list[float]]:
        return [
            (junk + random.normal(size=DIMS) * 0.2).tolist()
            if text.startswith("junk")
            else (groups[int(text.split()[1]) % 8] + random.normal(size=DIMS)).tolist()
            for text in texts
        ]

    with ChromaStore.open(
        folder, index={"embed": embed, "dims": DIMS, "fields": ["text"]}
    ) as store:
        texts = [f"memory {i} of a person" for i in range(ROWS)]
        texts += [f"junk {i} lorem ipsum" for i in range(JUNK)]
        store.write(
            Memory(("agents", f"a{i % 3}"), f"k{i}", {"text": text}, AT, AT)
            for i, text in enumerate(texts)
        )


@pytest.fixture(scope="module")
def address(stores_folder: Path, pytestconfig: pytest.Config) -> Iterator[str]:
    folder = stores_folder / "map"
    fill(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMLENS_CACHE", str(stores_folder / "browser-cache"))
        patch.setenv("NUMBA_CACHE_DIR", str(pytestconfig.cache.mkdir("numba")))
        with dashboard(folder) as opened:
            yield opened


def arranged(visit: Visit) -> None:
    """Wait for the last picture of the map."""
    visit.page.wait_for_selector(".js-plotly-plot .gl-canvas", timeout=180_000)
    deadline = time.monotonic() + 180
    while visit.page.locator(".st-key-map-progress").count() and time.monotonic() < deadline:
        visit.page.wait_for_timeout(300)
    visit.settle()


def zoom(visit: Visit) -> list[float]:
    """Look at the middle of the map; give the ranges of its axes."""
    box = visit.page.locator(".js-plotly-plot .nsewdrag").bounding_box()
    assert box is not None
    visit.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    visit.page.mouse.wheel(0, -60)
    visit.page.wait_for_timeout(1500)
    ranges: list[float] = visit.page.evaluate(RANGES)
    return ranges


def click(visit: Visit, place: list[float]) -> None:
    """Click a point as a hand does."""
    x, y = place[:2]
    visit.page.mouse.move(x - 30, y - 30)
    visit.page.mouse.move(x, y, steps=5)
    visit.page.wait_for_timeout(300)
    visit.page.mouse.click(x, y)


def colour_by(visit: Visit, name: str) -> None:
    """Choose other colours."""
    visit.page.locator(".st-key-map-colour").click()
    visit.page.get_by_role("option", name=f"Colour: {name}").click()
    visit.settle()


def draw_around(visit: Visit, places: list[list[float]], margin: float = 9) -> None:
    """Draw a lasso around places on the screen."""
    visit.page.get_by_role("radio", name="Lasso").click()
    xs, ys = [place[0] for place in places], [place[1] for place in places]
    left, right, top, bottom = (
        min(xs) - margin,
        max(xs) + margin,
        min(ys) - margin,
        max(ys) + margin,
    )
    mouse = visit.page.mouse
    mouse.move(left, top)
    mouse.down()
    for x, y in ((right, top), (right, bottom), (left, bottom), (left, top)):
        mouse.move(x, y, steps=4)
    mouse.up()


def test_a_lasso_around_junk_deletes_it_from_store_table_and_map(address: str, visiting: Visiting):
    with visiting(address) as visit:
        visit.open("map")
        arranged(visit)
        junk = visit.page.evaluate(PLACES, "junk")
        assert len(junk) == JUNK
        x, y = np.mean(junk, axis=0)[:2]
        visit.page.mouse.move(x, y)
        visit.page.mouse.wheel(0, -60)
        visit.page.wait_for_timeout(600)
        junk, zoomed = visit.page.evaluate(PLACES, "junk"), visit.page.evaluate(RANGES)
        draw_around(visit, junk)
        visit.shot("map-lasso")
        visit.page.wait_for_selector(".st-key-map-clear")
        visit.settle()
        assert f"{JUNK} memories chosen" in visit.page.locator(".st-key-map-bar").inner_text()
        assert visit.page.evaluate(RANGES) == pytest.approx(zoomed)
        visit.shot("map-lasso")
        colour_by(visit, "Created")
        assert visit.page.evaluate(RANGES) == pytest.approx(zoomed)
        assert visit.page.evaluate(MARKED) == JUNK
        visit.press("map-delete")
        visit.press("confirm-delete")
        arranged(visit)
        assert visit.page.evaluate(PLACES, "junk") == []
        assert visit.page.evaluate(RANGES) == pytest.approx(zoomed)
        assert f"{ROWS:,} memories" in visit.page.get_by_test_id("stSidebar").inner_text()
        visit.open("browse")
        assert f"of {ROWS:,}" in visit.page.locator(".st-key-listing-head").inner_text()


def test_a_click_pins_a_memory_and_draws_lines_to_its_nearest(address: str, visiting: Visiting):
    with visiting(address, theme="dark") as visit:
        visit.open("map")
        arranged(visit)
        zoomed = zoom(visit)
        point = visit.page.evaluate(PLACES, "memory 7 ")[0]
        click(visit, point)
        visit.page.wait_for_selector(".st-key-inspector", timeout=30_000)
        visit.settle()
        assert "key=k" in visit.page.url
        assert visit.page.evaluate(RANGES) == pytest.approx(zoomed, abs=A_PIXEL)
        listed = visit.page.locator(".st-key-nearest-panel-rows button:visible").all_inner_texts()
        scores = [float(text.split()[-1]) for text in listed]
        assert len(scores) == 5
        assert scores == sorted(scores, reverse=True)
        assert visit.page.evaluate(LABELS) == [f"{score:.2f}" for score in scores]
        visit.shot("map-pinned-dark")
        visit.press("inspector-close")
        assert not visit.page.evaluate(LABELS)
        assert visit.page.evaluate(RANGES) == pytest.approx(zoomed, abs=A_PIXEL)


def test_a_group_hidden_in_the_legend_stays_hidden_when_a_memory_is_pinned(
    address: str, visiting: Visiting
):
    with visiting(address) as visit:
        visit.open("map?colour=level-2")
        arranged(visit)
        visit.page.locator(".js-plotly-plot .legendtoggle").first.click()
        visit.page.wait_for_timeout(1500)
        (hidden,) = visit.page.evaluate(HIDDEN)
        shown = visit.page.evaluate(PLACES, "memory")
        click(visit, max(shown, key=lambda place: place[0]))
        visit.page.wait_for_selector(".st-key-inspector", timeout=30_000)
        visit.settle()
        assert visit.page.evaluate(HIDDEN) == [hidden]


def test_the_view_can_be_taken_away_as_table_drawing_and_picture(address: str, visiting: Visiting):
    with visiting(address) as visit:
        visit.open("map")
        arranged(visit)
        shown = re.search(r"([\d,]+) memories", visit.page.get_by_test_id("stSidebar").inner_text())
        count = int(shown[1].replace(",", ""))
        visit.page.get_by_role("button", name="Export").click()
        lines = list(csv.DictReader(io.StringIO(taken(visit, ".st-key-map-csv button").decode())))
        assert len(lines) == count
        assert all(np.isfinite([float(line["x"]), float(line["y"])]).all() for line in lines)
        drawing = ElementTree.fromstring(taken(visit, ".st-key-map-svg button"))
        assert len(drawing.findall(".//{*}use")) == count
        visit.page.keyboard.press("Escape")
        picture = taken(visit, '.modebar-btn[data-title*="PNG"]')
        assert picture.startswith(b"\x89PNG")
        assert struct.unpack(">II", picture[16:24])[1] == 2 * 650


def taken(visit: Visit, button: str) -> bytes:
    """Click what downloads a file; give what is in it."""
    with visit.page.expect_download() as waiting:
        visit.page.locator(button).first.click()
    return Path(waiting.value.path()).read_bytes()
