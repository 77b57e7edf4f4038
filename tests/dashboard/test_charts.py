import json

import numpy as np
import pytest

from dashboard.charts import GREY, map_figure, point_colours
from dashboard.map_colours import (
    MOST_GROUPS,
    NONE,
    OTHER,
    UNKNOWN,
    Groups,
    Scale,
    best_level,
    by_level,
    by_score,
    by_time,
    by_values,
    group,
)
from dashboard.map_query import place
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
    drawn = [row for trace in figure.data for row in trace.customdata]
    assert sorted(drawn) == list(range(count))
    figure.to_json()


def test_the_legend_names_groups_and_their_sizes_without_obeying_tags():
    colours = group("Kind", ["<b>x</b>", "<b>x</b>", "y"])
    names = [trace.name for trace in figure_of(3, colours).data]
    assert names == ["&lt;b&gt;x&lt;/b&gt; (2)", "y (1)"]


def test_the_same_map_gives_the_same_bytes():
    assert figure_of(500).to_json() == figure_of(500).to_json()


def test_seventy_thousand_memories_fit_into_a_megabyte():
    count = 72_207
    places = np.random.default_rng(0).normal(size=(count, 2)).astype(np.float32)
    figure = figure_of(count, density=density(places))
    assert len(figure.to_json()) <= 1_000_000


def test_numbers_make_a_scale_and_words_make_groups():
    scale = by_values("Turn", [3, None, 9.5], [0, 2, 4], 5)
    assert isinstance(scale, Scale)
    assert (scale.low, scale.high) == ("3", "9.5")
    assert np.isfinite(scale.values).tolist() == [True, False, False, False, True]
    words = by_values("Kind", ["a", None, 4], [0, 2, 4], 5)
    assert isinstance(words, Groups)
    assert set(words.names) == {"a", NONE, "4"}
    assert words.codes.tolist()[1] == words.codes.tolist()[3] == UNKNOWN


def test_truth_values_are_groups_and_not_numbers():
    assert isinstance(by_values("Done", [True, False], [0, 1], 2), Groups)


def test_times_are_coloured_by_rank_and_named_by_day():
    scale = by_time("Created", [0, 10**6, 10**15])
    assert scale.values.tolist() == [0, 0.5, 1]
    assert scale.low == "01 Jan 1970"


def test_a_query_has_lines_to_its_best_hits_and_a_tooltip_that_obeys_no_tags():
    places = np.random.default_rng(0).normal(size=(40, 2)).astype(np.float32)
    asked = place("<b>tea</b>", {row: 0.9 - row / 100 for row in range(30)}, places)
    assert asked is not None
    figure = figure_of(40, by_score(asked.scores, 40), asked=asked)
    star = figure.data[-1]
    assert star.text == ("Query: &lt;b&gt;tea&lt;/b&gt;",)
    assert list(figure.data[-2].customdata) == list(range(10))
    assert places[:10].min() <= asked.x <= places[:10].max()


def test_a_query_without_hits_on_the_map_has_no_place():
    assert place("tea", {}, np.zeros((3, 2), np.float32)) is None
    assert place("tea", {1: 0.9}, np.full((3, 2), np.nan, np.float32)) is None


def test_every_point_has_one_colour_as_text():
    groups = group("Kind", [f"g{i % 14}" for i in range(100)])
    assert len(point_colours(groups, np.arange(100))) == 100
    assert GREY in point_colours(groups, np.arange(100))
    scale = Scale("x", np.array([0, np.nan, 1], np.float32), "", "")
    assert point_colours(scale, np.arange(3))[1] == GREY


def test_a_scale_says_what_its_ends_mean():
    values = np.linspace(0, 1, 5).astype(np.float32)
    figure = figure_of(5, Scale("Created", values, "1 Jan", "5 May"))
    points = json.loads(figure.to_json())["data"][1]
    assert points["marker"]["colorbar"]["ticktext"] == ["1 Jan", "5 May"]
