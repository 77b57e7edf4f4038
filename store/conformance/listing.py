"""Rules about listings of items and of namespaces, for every store."""

from langgraph.store.base import ListNamespacesOp, PutOp

from store.conformance.bench import Bench, Rule, expect, refused

# --- listing -------------------------------------------------------------------------------------


def newest_first(bench: Bench) -> None:
    """A search without a query gives the newest first."""
    for key in "bca":
        bench.put("a", key, {"n": 1})
    bench.put("a", "b", {"n": 2})
    expect(bench.keys("a"), ["b", "a", "c"])


def ties_by_place(bench: Bench) -> None:
    """Items of one time stand by namespace and key."""
    places = [("b", "a"), ("a", "c"), ("a", "B"), ("a", "a")]
    bench.batch([PutOp(bench.ns(label), key, {"n": 1}) for label, key in places])
    found = bench.search()
    ordered = sorted(found, key=lambda item: (item.namespace, item.key))
    ordered.sort(key=lambda item: item.updated_at, reverse=True)
    expect([item.key for item in found], [item.key for item in ordered])


def stable_pages(bench: Bench) -> None:
    """Pages neither repeat nor skip."""
    bench.put_all({f"k{n}": {"n": n} for n in range(23)}, "a")
    pages = [bench.keys("a", limit=5, offset=at) for at in range(0, 30, 5)]
    expect([len(page) for page in pages], [5, 5, 5, 5, 3, 0], "page lengths")
    expect(len({key for page in pages for key in page}), 23, "distinct items")


def full_pages(bench: Bench) -> None:
    """A page behind a filter is short only at the end."""
    bench.put_all({f"k{n}": {"third": n % 3 == 0} for n in range(60)}, "a")
    found = [len(bench.keys("a", filter={"third": True}, limit=8, offset=at)) for at in (0, 8, 16)]
    expect(found, [8, 8, 4], "page lengths")


def limits(bench: Bench) -> None:
    """A limit of zero and an offset past the end give nothing; the default limit is ten."""
    bench.put_all({f"k{n}": {"n": n} for n in range(12)}, "a")
    expect(bench.keys("a", limit=0), [], "limit=0")
    expect(bench.keys("a", offset=12), [], "offset past the end")
    expect(len(bench.keys("a")), 10, "without a limit")


def negative_numbers(bench: Bench) -> None:
    """A negative limit or offset is a ValueError."""
    bench.put("a", "k", {"n": 1})
    for option in ("limit", "offset"):
        with refused(f"search({option}=-1)"):
            bench.search("a", **{option: -1})
        with refused(f"list_namespaces({option}=-1)"):
            bench.namespaces(**{option: -1})


# --- listing namespaces --------------------------------------------------------------------------

NAMESPACES = [("a",), ("a", "b"), ("a", "b", "c"), ("a", "x", "c"), ("ab", "c"), ("u", "1", "n")]


def _fill_namespaces(bench: Bench) -> None:
    bench.batch([PutOp(bench.ns(*labels), "k", {}) for labels in NAMESPACES])


def conditions(bench: Bench) -> None:
    """Prefix and suffix must both hold; * is exactly one label in either."""
    _fill_namespaces(bench)
    expect(bench.namespaces(), sorted(NAMESPACES), "all")
    expect(bench.namespaces("a", "*", "c"), [("a", "b", "c"), ("a", "x", "c")], "a * c")
    expect(bench.namespaces("ab"), [("ab", "c")], "whole labels")
    expect(bench.namespaces("a", suffix=("c",)), [("a", "b", "c"), ("a", "x", "c")], "and suffix")
    expect(bench.namespaces(suffix=("b", "*")), [("a", "b", "c")], "suffix b *")


def cut_and_slice(bench: Bench) -> None:
    """Namespaces are cut to max_depth, made distinct, sorted, then sliced."""
    _fill_namespaces(bench)
    depth = len(bench.root) + 1
    expect(bench.namespaces(max_depth=depth), [("a",), ("ab",), ("u",)], "max_depth")
    found = bench.namespaces(max_depth=depth, offset=1, limit=1)
    expect(found, [("ab",)], "the second")
    expect(bench.namespaces(limit=0), [], "limit=0")


def wrong_depth(bench: Bench) -> None:
    """A max_depth of zero or less is a ValueError."""
    for depth in (0, -1):
        with refused(f"max_depth={depth}"):
            bench.batch([ListNamespacesOp(max_depth=depth)])


def vanishing(bench: Bench) -> None:
    """A namespace vanishes with its last item, and reading does not make one."""
    bench.put(("a", "b"), "k", {})
    bench.put(("a", "c"), "k", {})
    bench.get(("ghost",), "k")
    bench.search("ghost")
    bench.delete(("a", "b"), "k")
    expect(bench.namespaces(), [("a", "c")])


SECTIONS: dict[str, tuple[Rule, ...]] = {
    "Listing": (newest_first, ties_by_place, stable_pages, full_pages, limits, negative_numbers),
    "Listing namespaces": (conditions, cut_and_slice, wrong_depth, vanishing),
}
