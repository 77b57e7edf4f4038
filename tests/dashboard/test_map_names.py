import numpy as np

from dashboard.map_names import clusters, name_groups

HILLS = np.array([[0, 0], [10, 0], [0, 10]])


def hills(count: int) -> np.ndarray:
    noise = np.random.default_rng(0).normal(scale=0.6, size=(count, 2))
    return (HILLS[np.arange(count) % 3] + noise).astype(np.float32)


def test_each_hill_of_density_is_a_group():
    labels = clusters(hills(600))
    for hill in range(3):
        own = labels[hill::3]
        assert (own == np.bincount(own).argmax()).mean() > 0.9
    assert len({np.bincount(labels[hill::3]).argmax() for hill in range(3)}) == 3


def test_rows_without_a_place_are_in_no_group():
    places = hills(30)
    places[4] = np.nan
    assert clusters(places)[4] == -1
    assert (np.delete(clusters(places), 4) >= 0).all()
    assert clusters(np.zeros((0, 2), np.float32)).tolist() == []


def test_groups_are_named_by_words_the_others_do_not_have():
    texts = [
        f"{'green tea ceremony' if i % 3 == 0 else 'fast car engine' if i % 3 == 1 else 'rain'} "
        f"today with friends number {i}"
        for i in range(90)
    ]
    named = name_groups([i % 3 for i in range(90)], texts, hills(90))
    names = {name.name for name in named}
    assert any("tea" in name or "green" in name for name in names)
    assert any("car" in name or "engine" in name for name in names)
    assert not any("today" in name or "friends" in name for name in names)


def test_few_texts_get_no_name():
    assert name_groups([0, 0, 1], ["a tea", "b tea", "c"], hills(3)) == []


def test_the_name_stands_in_the_middle_of_its_group():
    texts = ["green tea" if i % 3 == 0 else f"other thing {i}" for i in range(90)]
    named = name_groups([i % 3 for i in range(90)], texts, hills(90))
    tea = next(one for one in named if "tea" in one.name)
    assert abs(tea.x) < 1
    assert abs(tea.y) < 1
