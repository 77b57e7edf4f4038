import json

import numpy as np
import pytest

from dashboard.charts import map_figure
from dashboard.map_colours import MOST_GROUPS, NONE, OTHER, Scale, best_level, by_level, group
from dashboard.map_view import density, drawn_rows


def references(*namespaces: str) -> list:
    return [(tuple(text.split("/")), f"k{i}") for i, text in enumerate(namespaces)]


def test_groups_come_largest_first_with_their_sizes():
    groups = group("Kind", ["b", "a", "b", "c", "b", "a"])
    assert groups.names == ("b", "a", "c")
    assert groups.counts == (3, 2, 1)
    assert [groups.names[code] for code in groups.codes] == ["b", "a", "b", "c", "b", "a"]


def test_more_groups_than_colours_end_in_one_for_the_rest():
    groups = group("Kind", [f"g{i}" for i in range(30)] + ["g0"])
    assert len(groups.names) == MOST_GROUPS
    assert groups.names[0] == "g0"
    assert groups.names[-1] == OTHER
    assert sum(groups.counts) == 31


def test_a_namespace_too_short_for_the_level_has_no_label():
    assert by_level(references("users/mira", "agents"), 2).names == (NONE, "mira")


def test_the_level_chosen_first_is_one_whose_colours_tell_something():
    turns = [f"chat/c{i}/{'turns' if i % 3 else 'facts'}" for i in range(60)]
    assert best_level(references(*turns)) == 3
    assert best_level(references("one")) == 1
    assert best_level([]) == 1


def figure_of(count: int, colours=None, **options):
    places = np.random.default_rng(0).normal(size=(count, 2)).astype(np.float32)
    numbers = np.arange(count, dtype=np.uint64) * np.uint64(2**40)
    rows = drawn_rows(places, numbers)
    colours = colours or group("Kind", [f"g{i % 4}" for i in range(count)])
    texts = [f"Memory number {row} says a few words about a thing." for row in rows]
    return map_figure(places, rows, texts, colours, **options)


@pytest.mark.parametrize("count", [0, 1, 3, 197])
def test_a_map_draws_every_row_with_its_number(count: int):
    figure = figure_of(count)
    points = next(trace for trace in figure.data if trace.type == "scattergl")
    assert list(points.customdata) == list(range(count))
    figure.to_json()


def test_the_legend_names_groups_and_their_sizes_without_obeying_tags():
    colours = group("Kind", ["<b>x</b>", "<b>x</b>", "y"])
    names = [trace.name for trace in figure_of(3, colours).data if trace.type == "scatter"]
    assert names == ["&lt;b&gt;x&lt;/b&gt; (2)", "y (1)"]


def test_the_same_map_gives_the_same_bytes():
    assert figure_of(500).to_json() == figure_of(500).to_json()


def test_seventy_thousand_memories_fit_into_a_megabyte():
    count = 72_207
    places = np.random.default_rng(0).normal(size=(count, 2)).astype(np.float32)
    figure = figure_of(count, density=density(places))
    assert len(figure.to_json()) <= 1_000_000


def test_a_scale_says_what_its_ends_mean():
    values = np.linspace(0, 1, 5).astype(np.float32)
    figure = figure_of(5, Scale("Created", values, "1 Jan", "5 May"))
    points = json.loads(figure.to_json())["data"][0]
    assert points["marker"]["colorbar"]["ticktext"] == ["1 Jan", "5 May"]
