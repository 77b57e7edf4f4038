import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.map_view import (
    chosen_rows,
    clicked_row,
    density,
    drawn_rows,
    frame,
    hover_text,
    in_polygon,
    point_rows,
    visible_rows,
)


def cloud(count: int) -> np.ndarray:
    random = np.random.default_rng(0)
    dense = random.normal(scale=0.3, size=(count - count // 10, 2))
    sparse = random.uniform(-10, 10, size=(count // 10, 2))
    return np.vstack([dense, sparse]).astype(np.float32)


def ids(count: int) -> np.ndarray:
    return np.random.default_rng(1).integers(0, 2**63, count, dtype=np.uint64) * np.uint64(2)


def test_a_small_map_is_drawn_whole_except_rows_without_a_place():
    places = cloud(50)
    places[7] = np.nan
    assert drawn_rows(places, ids(50)).tolist() == [row for row in range(50) if row != 7]


def test_a_large_map_keeps_sparse_places_and_thins_dense_ones():
    places = cloud(20_000)
    rows = drawn_rows(places, ids(20_000), limit=4_000)
    assert len(rows) == 4_000
    assert (rows >= 18_000).mean() > 0.3
    assert len(np.unique(rows)) == 4_000


def test_the_points_drawn_stay_when_other_rows_go():
    places, numbers = cloud(20_000), ids(20_000)
    before = set(drawn_rows(places, numbers, limit=4_000).tolist())
    kept = np.delete(np.arange(20_000), np.arange(0, 20_000, 50))
    after = set(kept[drawn_rows(places[kept], numbers[kept], limit=4_000)].tolist())
    assert len(before & after) / len(after) > 0.9


def test_density_is_highest_where_most_rows_are():
    layer = density(cloud(5_000))
    assert layer is not None
    row, column = np.unravel_index(layer.level.argmax(), layer.level.shape)
    assert abs(layer.x[column]) < 0.5
    assert abs(layer.y[row]) < 0.5
    assert density(np.full((3, 2), np.nan, np.float32)) is None


def test_density_fades_out_before_its_edge():
    level = density(cloud(5_000)).level
    edges = (level[0], level[-1], level[:, 0], level[:, -1])
    assert [int(edge.max()) for edge in edges] == [0, 0, 0, 0]


@pytest.mark.parametrize("count", [0, 1, 2, 300])
def test_the_frame_holds_every_row(count: int):
    places = cloud(max(count, 10))[:count]
    (left, right), (low, high) = frame(places)
    assert left < right
    assert low < high
    assert ((places[:, 0] > left) & (places[:, 0] < right)).all()


def test_a_box_chooses_rows_that_are_not_drawn_too():
    places = np.array([[0, 0], [1, 1], [5, 5], [np.nan, np.nan]], np.float32)
    box = {"box": [{"x": [2, -1], "y": [-1, 2]}], "lasso": [], "points": [{"customdata": 0}]}
    assert chosen_rows(box, places).tolist() == [0, 1]


def test_a_lasso_with_a_dent_leaves_out_what_lies_in_the_dent():
    letter_u = {"x": [0, 0, 3, 3, 2, 2, 1, 1], "y": [3, 0, 0, 3, 3, 1, 1, 3]}
    places = np.array([[0.5, 2], [1.5, 2], [2.5, 2], [1.5, 0.5]], np.float32)
    assert chosen_rows({"lasso": [letter_u]}, places).tolist() == [0, 2, 3]


def test_several_shapes_choose_what_lies_in_any():
    places = np.array([[0, 0], [5, 5], [9, 9]], np.float32)
    boxes = [{"x": [-1, 1], "y": [-1, 1]}, {"x": [8, 10], "y": [8, 10]}]
    assert chosen_rows({"box": boxes}, places).tolist() == [0, 2]


@given(
    st.lists(st.tuples(st.floats(-9, 9), st.floats(-9, 9)), min_size=3, max_size=3),
    st.tuples(st.floats(0.02, 0.96), st.floats(0.02, 0.96)),
)
def test_a_weighted_mean_of_corners_lies_in_a_triangle(corners, shares):
    (x0, y0), (x1, y1), (x2, y2) = corners
    area = abs((x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0))
    if area < 0.5:
        return
    first, second = shares[0], (1 - shares[0]) * shares[1]
    third = 1 - first - second
    if third < 0.02 or second < 0.02:
        return
    inside = [first * x0 + second * x1 + third * x2, first * y0 + second * y1 + third * y2]
    outside = [2 * x0 - inside[0], 2 * y0 - inside[1]]
    found = in_polygon(np.array([inside, outside], np.float32), [x0, x1, x2], [y0, y1, y2])
    assert found.tolist() == [True, False]


@pytest.mark.parametrize("customdata", [4, [4], [[4]], 4.0])
def test_a_click_names_its_row(customdata):
    assert point_rows({"points": [{"customdata": customdata}], "box": [], "lasso": []}) == [4]


def test_a_click_on_something_without_a_row_names_none():
    assert point_rows({"points": [{}, {"customdata": "x"}]}) == []


def test_a_click_is_told_from_what_was_drawn_around_before():
    around = np.array([2, 5])
    assert clicked_row({"points": [{"customdata": 5}]}, around) == 5
    assert clicked_row({"points": [{"customdata": 9}]}, around) == 9
    assert clicked_row({"points": [{"customdata": 2}, {"customdata": 5}]}, around) is None
    assert clicked_row({"points": [{"customdata": 2}]}, np.array([2])) is None
    assert clicked_row({"points": []}, np.array([], np.intp)) is None


def test_tags_in_a_text_are_shown_and_not_obeyed():
    shown = hover_text('<a href="javascript:alert(1)">me & you</a>')
    assert "<a" not in shown
    assert "&lt;a" in shown
    assert "me &amp; you" in shown


def test_a_long_text_is_cut_and_broken_into_lines():
    shown = hover_text("word " * 200)
    lines = shown.split("<br>")
    assert 3 <= len(lines) <= 4
    assert all(len(line) <= 45 for line in lines)
    assert shown.endswith("…")


@pytest.mark.parametrize("text", ["", "\n\t ", "\u202e\x00"])
def test_a_text_of_nothing_visible_gives_nothing(text: str):
    assert hover_text(text) == ""


def test_rows_of_a_group_hidden_by_the_legend_are_not_chosen():
    codes = np.array([0, 0, 1, 1, -1], np.int8)
    chosen, drawn = np.arange(5), np.array([0, 2])
    both = {"points": [{"customdata": 0}, {"customdata": 2}]}
    assert visible_rows(both, chosen, drawn, codes).tolist() == [0, 1, 2, 3, 4]
    first = {"points": [{"customdata": 0}]}
    assert visible_rows(first, chosen, drawn, codes).tolist() == [0, 1]


def test_rows_of_a_group_known_to_be_hidden_are_not_chosen_though_none_of_them_is_drawn():
    codes = np.array([0, 0, 1], np.int8)
    event = {"points": [{"customdata": 0}]}
    found = visible_rows(event, np.arange(3), np.array([0]), codes, known={1})
    assert found.tolist() == [0, 1]
