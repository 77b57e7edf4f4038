from datetime import timedelta

from dashboard.namespace_tree import Tree
from dashboard.overview import growth, largest, outline
from store import Entry
from tests.dashboard.conftest import FEW, START, Fill, Open, memory, texts


def test_the_figures_say_how_much_where_and_whether_search_works(open_page: Open, fill: Fill):
    fill(FEW)
    shown = texts(open_page())
    assert "Memories 5" in shown
    assert "Namespaces 4" in shown
    assert "Found by meaning 5" in shown


def test_the_latest_changes_are_listed(open_page: Open, fill: Fill):
    fill(FEW)
    [latest] = open_page().dataframe
    assert list(latest.value["Key"]) == ["a1", "t1", "m1", "p2", "p1"]


def test_an_empty_store_says_how_the_first_memory_gets_in(open_page: Open, fill: Fill):
    fill([])
    assert "store.put(" in texts(open_page())


def entry(day: float, *, expires: float | None = None, vectors: int = 1) -> Entry:
    at = int((START + timedelta(days=day)).timestamp() * 1e6)
    over = None if expires is None else int((START + timedelta(days=expires)).timestamp() * 1e6)
    return Entry(("n",), f"k{day}", at, at, None, over, "", vectors)


def test_growth_counts_what_there_was_at_each_time_and_ends_at_the_total():
    created = [entry(day).created for day in range(60)]
    curve = growth(created)
    assert curve.counts[0] == 1
    assert curve.counts[-1] == 60
    assert curve.moments[-1] == START + timedelta(days=59)
    assert all(
        count == sum(at <= moment.timestamp() * 1e6 for at in created)
        for moment, count in zip(curve.moments, curve.counts, strict=True)
    )


def test_the_outline_counts_exactly_what_is_newer_findable_and_expiring():
    entries = [entry(day) for day in range(60)]
    entries += [entry(0, expires=50, vectors=0), entry(0, expires=61), entry(0, expires=99)]
    found = outline(entries, now=START + timedelta(days=59, hours=1))
    assert (found.day, found.week, found.month) == (1, 7, 30)
    assert (found.findable, found.expiring, found.expired) == (62, 1, 1)


def test_an_empty_store_has_an_empty_outline():
    found = outline([])
    assert (found.growth.counts, found.month, found.findable) == ((), 0, 0)


def test_memories_that_search_cannot_find_are_pointed_out(open_page: Open, fill: Fill):
    fill([*FEW, memory(("n",), "k", {"count": 1})])
    page = open_page()
    assert "cannot find 1 memory" in page.info[0].value


def test_places_are_split_while_they_fit_and_own_memories_are_never_hidden():
    tree = Tree.of({("a", "x"): 9, ("a", "y"): 4, ("b",): 2, ("b", "z"): 1})
    assert [branch.namespace for branch in largest(tree)] == [("a", "x"), ("a", "y"), ("b",)]
    assert [branch.namespace for branch in largest(tree, 2)] == [("a",), ("b",)]
