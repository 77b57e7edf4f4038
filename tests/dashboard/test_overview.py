from datetime import timedelta

import pytest

from dashboard.namespace_tree import Tree
from dashboard.overview import freshness, growth, largest
from store import ChromaStore
from tests.dashboard.conftest import FEW, START, Fill, Open, memory, texts


def test_the_figures_say_how_much_where_and_whether_search_works(open_page: Open, fill: Fill):
    fill(FEW)
    shown = texts(open_page())
    assert "Memories 5" in shown
    assert "Namespaces 4" in shown
    assert "Search by meaning On" in shown


def test_the_latest_changes_are_listed(open_page: Open, fill: Fill):
    fill(FEW)
    [latest] = open_page().dataframe
    assert list(latest.value["Key"]) == ["a1", "t1", "m1", "p2", "p1"]


def test_an_empty_store_says_how_the_first_memory_gets_in(open_page: Open, fill: Fill):
    fill([])
    assert "store.put(" in texts(open_page())


@pytest.fixture
def daily(stores_folder):
    with ChromaStore.open(stores_folder / "overview", index=None) as opened:
        opened.write(memory(("n",), f"k{n}", {"n": n}, n * 24 * 60) for n in range(60))
        yield opened
        opened.remove([found.reference for found in opened.scan()])


def test_growth_is_exact_at_every_point_and_ends_at_the_total(daily):
    curve = growth(daily, 60)
    assert curve.counts[0] == 1
    assert curve.counts[-1] == 60
    assert all(
        moment == START + timedelta(days=count - 1)
        for moment, count in zip(curve.moments, curve.counts, strict=True)
    )


def test_freshness_counts_exactly_what_is_newer(daily):
    found = freshness(daily, 60, now=START + timedelta(days=59, hours=1))
    assert (found.day, found.week, found.month) == (1, 7, 30)


def test_an_empty_store_has_no_growth(stores_folder):
    with ChromaStore.open(stores_folder / "overview-empty", index=None) as opened:
        assert growth(opened, 0).counts == ()
        assert freshness(opened, 0).month == 0


def test_places_are_split_while_they_fit_and_own_memories_are_never_hidden():
    tree = Tree.of({("a", "x"): 9, ("a", "y"): 4, ("b",): 2, ("b", "z"): 1})
    assert [branch.namespace for branch in largest(tree)] == [("a", "x"), ("a", "y"), ("b",)]
    assert [branch.namespace for branch in largest(tree, 2)] == [("a",), ("b",)]
