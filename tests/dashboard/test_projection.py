import numpy as np
import pytest

from dashboard.projection import pca, project, stages
from dashboard.projection_neighbours import nearest, trustworthiness, unit_rows
from dashboard.projection_rows import EXTENT, SIMPLE, gather, prepare, spread


def rows(count: int, dims: int = 12, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(count, dims)).astype(np.float32)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, SIMPLE])
def test_few_rows_get_finite_places_without_umap(count: int):
    layout = project(rows(count))
    assert layout.positions.shape == (count, 2)
    assert np.isfinite(layout.positions).all()
    assert layout.method == ("simple" if count else "empty")


def test_one_row_lies_at_the_origin_and_two_at_the_ends_of_a_line():
    assert project(rows(1)).positions.tolist() == [[0, 0]]
    assert project(rows(2)).positions.tolist() == [[-EXTENT / 2, 0], [EXTENT / 2, 0]]


def test_few_rows_come_with_a_word_about_it():
    assert "so few" in " ".join(project(rows(5)).notes)


def test_rows_that_are_all_the_same_become_one_disc_of_apart_points():
    layout = project(np.ones((40, 8), np.float32))
    assert len(np.unique(layout.positions, axis=0)) == 40
    assert np.ptp(layout.positions, axis=0).max() < EXTENT / 2
    assert "All 40 have the same vector" in layout.notes[0]


def test_copies_lie_beside_the_row_they_copy():
    matrix = rows(10)
    layout = project(np.vstack([matrix, matrix[3] * 2]))
    place = layout.positions
    gaps = np.linalg.norm(place[:10] - place[10], axis=1)
    assert gaps.argmin() == 3
    assert 0 < gaps[3] < EXTENT / 20


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_row_with_a_value_that_is_no_number_is_left_out_and_named(value: float):
    matrix = rows(6)
    matrix[2, 4] = value
    layout = project(matrix)
    assert np.isnan(layout.positions[2]).all()
    assert np.isfinite(np.delete(layout.positions, 2, axis=0)).all()
    assert "1 memory is left out" in layout.notes[0]


def test_rows_of_zeros_are_drawn_apart_at_the_lower_left():
    matrix = rows(8)
    matrix[:2] = 0
    place = project(matrix).positions
    assert np.isfinite(place).all()
    assert (place[:2].max(axis=0) < place[2:].min(axis=0)).all()
    assert not np.array_equal(place[0], place[1])


@pytest.mark.parametrize("matrix", [np.zeros((4, 3)), np.full((4, 3), np.nan), np.zeros((3, 0))])
def test_rows_without_any_direction_still_give_a_picture(matrix: np.ndarray):
    layout = project(matrix)
    assert layout.positions.shape == (len(matrix), 2)
    assert layout.notes


def test_length_does_not_matter_only_direction():
    matrix = rows(12)
    scaled = matrix * np.arange(1, 13)[:, None].astype(np.float32)
    np.testing.assert_allclose(project(matrix).positions, project(scaled).positions, atol=1e-3)


def test_pca_finds_the_widest_directions_in_the_same_way_every_time():
    unit = unit_rows(rows(300))
    flat = pca(unit)
    centred = unit - unit.mean(axis=0)
    shares = np.linalg.svd(centred, compute_uv=False)[:2] ** 2
    spreads = flat.astype(np.float64).var(axis=0)
    assert spreads[1] / spreads[0] == pytest.approx(shares[1] / shares[0], rel=0.1)
    assert np.array_equal(flat, pca(unit))
    assert np.ptp(flat, axis=0).max() == pytest.approx(EXTENT)


@pytest.mark.parametrize(("height", "width"), [(7, 5), (40, 900), (1100, 1500), (3, 2000)])
def test_the_nearest_rows_are_those_a_full_sort_finds(height: int, width: int):
    ours, among = unit_rows(rows(height, seed=1)), unit_rows(rows(width, seed=2))
    indices, similarities = nearest(ours, among, 6)
    scores = ours @ among.T
    expected = np.argsort(-scores, axis=1, kind="stable")[:, :6]
    np.testing.assert_array_equal(indices, expected)
    np.testing.assert_allclose(similarities, np.take_along_axis(scores, expected, axis=1))


def test_a_row_is_not_its_own_neighbour_and_there_are_never_more_than_there_are():
    unit = unit_rows(rows(4))
    indices, _ = nearest(unit, unit, 9, exclude_self=True)
    assert indices.shape == (4, 3)
    assert all(row not in found for row, found in enumerate(indices.tolist()))


def test_trust_is_full_for_a_flat_world_and_half_for_chance():
    angles = np.linspace(0, 3, 400)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    assert trustworthiness(circle, circle) == pytest.approx(1, abs=0.001)
    anywhere = rows(400, 2, seed=3)
    assert trustworthiness(circle, anywhere) == pytest.approx(0.5, abs=0.05)


def test_too_few_rows_have_no_trust():
    assert trustworthiness(unit_rows(rows(20)), rows(20, 2)) is None


def test_gathering_undoes_spreading():
    prepared = prepare(np.vstack([rows(20), rows(20)[:7], np.zeros((2, 12), np.float32)]))
    flat = rows(20, 2, seed=5)
    np.testing.assert_allclose(gather(prepared, spread(prepared, flat)), flat, atol=1e-6)


def test_quick_pictures_come_before_good_ones():
    assert stages(10) == ("simple",)
    assert stages(200) == ("pca", "umap")
    assert stages(70_000) == ("pca", "preview", "umap")
