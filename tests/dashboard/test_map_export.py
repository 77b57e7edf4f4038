import csv
import io
import json

import numpy as np

from dashboard.exporting import as_json_lines
from dashboard.map_colours import group
from dashboard.map_export import as_csv, as_svg
from dashboard.projection import Layout
from dashboard.projection_jobs import StoreMap, picture_of
from store import Entry
from tests.dashboard.conftest import memory


def picture() -> StoreMap:
    entries = tuple(
        Entry(("users", "mira"), key, 0, 0, None, None, "r", 1) for key in ("a", "=1+1", "c")
    )
    places = np.array([[1, 2], [3, 4], [np.nan, np.nan]], np.float32)
    return picture_of(entries, Layout(places, "umap"), "token")


def test_csv_has_a_line_for_each_memory_and_no_formula():
    lines = list(csv.DictReader(io.StringIO(as_csv(picture()))))
    assert [line["key"] for line in lines] == ["a", "'=1+1", "c"]
    assert lines[0]["x"] == "1.00000"
    assert lines[2]["x"] == ""
    assert json.loads(lines[0]["namespace"]) == ["users", "mira"]


def test_svg_has_a_point_for_each_row_drawn():
    shown = picture()
    colours = group("Kind", ["x", "y", "x"])
    svg = as_svg(shown.layout.positions, np.array([0, 1]), colours)
    assert svg.startswith("<svg")
    assert svg.count("<use ") == 2


def test_exported_memories_can_be_read_line_by_line():
    lines = as_json_lines([memory(("a",), "k", "line\nbreak"), memory(("b",), "l", "ü")])
    found = [json.loads(line) for line in lines.splitlines()]
    assert [one["value"]["text"] for one in found] == ["line\nbreak", "ü"]
    assert found[0]["namespace"] == ["a"]
