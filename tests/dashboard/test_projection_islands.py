import numpy as np
import pytest

from dashboard.projection_islands import gathered, islands


def blob(middle: tuple[float, float], count: int, size: float = 1.0) -> np.ndarray:
    noise = np.random.default_rng(count).uniform(-size, size, size=(count, 2))
    return (np.array(middle) + noise).astype(np.float32)


def test_rows_without_a_wide_gap_between_them_are_one_island():
    places = np.vstack([blob((0, 0), 200), blob((1.5, 0), 200), blob((40, 3), 30)])
    numbers = islands(places)
    assert len(set(numbers[:400].tolist())) == 1
    assert set(numbers[400:].tolist()) != set(numbers[:400].tolist())


def test_far_islands_come_near_without_touching():
    places = np.vstack([blob((0, 0), 80), blob((90, 0), 20), blob((92, 1), 15), blob((0, -70), 5)])
    island = np.repeat([0, 1, 2, 3], [80, 20, 15, 5])
    near = gathered(places, island)
    assert np.ptp(near, axis=0).max() < 14
    for one in range(4):
        for other in range(one):
            gaps = np.linalg.norm(near[island == one][:, None] - near[island == other], axis=2)
            assert gaps.min() > 0.02


def test_an_island_keeps_its_shape_and_its_side():
    places = np.vstack([blob((0, 0), 80), blob((90, 0), 20)])
    near = gathered(places, np.repeat([0, 1], [80, 20]))
    np.testing.assert_array_equal(near[:80], places[:80])
    np.testing.assert_allclose(
        near[80:] - near[80:].mean(axis=0), places[80:] - places[80:].mean(axis=0), atol=1e-4
    )
    assert near[80:, 0].min() > near[:80, 0].max() - 0.5


@pytest.mark.parametrize("count", [1, 3])
def test_a_single_island_stays_where_it_is(count: int):
    places = blob((5, 5), count)
    assert gathered(places, np.zeros(count, np.int64)) is places
