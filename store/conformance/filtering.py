"""Rules about filters, for every store: a value, a filter, and whether the value passes."""

from typing import Any

from store.conformance.bench import Bench, Broken, Rule, refused, shown

Case = tuple[dict[str, Any], dict[str, Any], bool]


def _check(bench: Bench, cases: tuple[Case, ...]) -> None:
    bench.put_all({str(n): value for n, (value, _, _) in enumerate(cases)}, "a")
    for n, (value, condition, wanted) in enumerate(cases):
        what = f"{shown(condition)} on {shown(value)}"
        try:
            found = str(n) in bench.keys("a", filter=condition, limit=100)
        except Exception as exc:
            raise Broken(f"{what} raised {type(exc).__name__}: {exc}") from exc
        if found is not wanted:
            raise Broken(f"{what} {'matched' if found else 'did not match'}")


def equality(bench: Bench) -> None:
    """Values are compared as JSON: 5 is 5.0, texts are case-sensitive."""
    _check(
        bench,
        (
            ({"n": 5}, {"n": 5}, True),
            ({"n": 5}, {"n": 5.0}, True),
            ({"n": 5}, {"n": "5"}, False),
            ({"n": "a"}, {"n": "A"}, False),
            ({"n": [1, 2]}, {"n": [1, 2]}, True),
            ({"n": [1, 2]}, {"n": [2, 1]}, False),
            ({"n": 1, "m": 2}, {"n": 1, "m": 2}, True),
            ({"n": 1, "m": 2}, {"n": 1, "m": 3}, False),
        ),
    )


def booleans(bench: Bench) -> None:
    """True is not 1, and false is not 0."""
    _check(
        bench,
        (
            ({"n": 1}, {"n": True}, False),
            ({"n": True}, {"n": 1}, False),
            ({"n": 0}, {"n": False}, False),
            ({"n": True}, {"n": True}, True),
        ),
    )


def nulls(bench: Bench) -> None:
    """None matches null and what is missing."""
    _check(
        bench,
        (
            ({"n": None}, {"n": None}, True),
            ({"m": 1}, {"n": None}, True),
            ({"n": 0}, {"n": None}, False),
        ),
    )


def subsets(bench: Bench) -> None:
    """A dict is a recursive subset, and {} is any dict."""
    _check(
        bench,
        (
            ({"n": {"a": 1, "b": 2}}, {"n": {"a": 1}}, True),
            ({"n": {"a": {"b": 1, "c": 2}}}, {"n": {"a": {"b": 1}}}, True),
            ({"n": {"a": 2}}, {"n": {"a": 1}}, False),
            ({"n": "a"}, {"n": {"a": 1}}, False),
            ({"n": {"a": 1}}, {"n": {}}, True),
            ({"n": 1}, {"n": {}}, False),
        ),
    )


def dotted(bench: Bench) -> None:
    """A dotted key is a literal key or a path."""
    _check(
        bench,
        (
            ({"n.a": 1}, {"n.a": 1}, True),
            ({"n": {"a": 1}}, {"n.a": 1}, True),
            ({"n": {"a": 2}}, {"n.a": 1}, False),
        ),
    )


def exact(bench: Bench) -> None:
    """$eq with a list or a dict is exact equality."""
    _check(
        bench,
        (
            ({"n": {"a": 1}}, {"n": {"$eq": {"a": 1}}}, True),
            ({"n": {"a": 1, "b": 2}}, {"n": {"$eq": {"a": 1}}}, False),
            ({"n": [1, 2]}, {"n": {"$eq": [1, 2]}}, True),
            ({"n": [1, 2, 3]}, {"n": {"$eq": [1, 2]}}, False),
        ),
    )


def different(bench: Bench) -> None:
    """$ne does not match what is missing."""
    _check(
        bench,
        (
            ({"n": 5}, {"n": {"$ne": 6}}, True),
            ({"n": 5}, {"n": {"$ne": 5}}, False),
            ({"m": 1}, {"n": {"$ne": 5}}, False),
        ),
    )


def numbers(bench: Bench) -> None:
    """$gt, $gte, $lt and $lte compare numbers, two at once too."""
    _check(
        bench,
        (
            ({"n": 5}, {"n": {"$gt": 4.99}}, True),
            ({"n": 5}, {"n": {"$gt": 5}}, False),
            ({"n": 5}, {"n": {"$gte": 5}}, True),
            ({"n": 5}, {"n": {"$lt": 5.01}}, True),
            ({"n": 5}, {"n": {"$lte": 4}}, False),
            ({"n": 10}, {"n": {"$gt": 9}}, True),
            ({"n": 5}, {"n": {"$gt": 4, "$lt": 6}}, True),
            ({"n": 7}, {"n": {"$gt": 4, "$lt": 6}}, False),
        ),
    )


def no_numbers(bench: Bench) -> None:
    """$gt and its like never match nor raise on what is missing or no number."""
    strange: tuple[dict[str, Any], ...] = (
        {"m": 1}, {"n": None}, {"n": "9"}, {"n": "abc"}, {"n": True}, {"n": [9]}, {"n": {"a": 9}},
    )  # fmt: skip
    _check(bench, tuple((value, {"n": {"$gt": 0}}, False) for value in strange))


def texts(bench: Bench) -> None:
    """$gt and its like compare texts letter by letter, so ISO dates work."""
    _check(
        bench,
        (
            ({"n": "b"}, {"n": {"$gt": "a"}}, True),
            ({"n": "2026-03-01"}, {"n": {"$gte": "2026-02-28"}}, True),
            ({"n": "2026-03-01"}, {"n": {"$gte": "2026-03-01", "$lt": "2026-04-01"}}, True),
            ({"n": "2026-03-01"}, {"n": {"$lt": "2026-02-28"}}, False),
        ),
    )


def unknown_operators(bench: Bench) -> None:
    """An unknown operator is a ValueError, also with no candidates."""
    bench.put("a", "k", {"n": 1})
    for labels in (("a",), ("nothing",)):
        for condition in ({"n": {"$in": [1]}}, {"n": {"$regex": "a"}}, {"$not": [{"n": 1}]}):
            with refused(f"{condition} below {labels}"):
                bench.search(*labels, filter=condition)


def groups(bench: Bench) -> None:
    """$and and $or with a list of filters work at the top."""
    _check(
        bench,
        (
            ({"a": 1, "b": 2}, {"$and": [{"a": 1}, {"b": 2}]}, True),
            ({"a": 1, "b": 3}, {"$and": [{"a": 1}, {"b": 2}]}, False),
            ({"a": 1, "b": 2}, {"$or": [{"a": 9}, {"b": 2}]}, True),
            ({"a": 1}, {"$or": [{"a": 2}, {"a": 3}]}, False),
        ),
    )


def odd_keys(bench: Bench) -> None:
    """Any key can be filtered by: with spaces, quotes, brackets, or empty."""
    keys = ("a b", "", "a'b", 'a"b', "a[0]", "100%_", "ключ")
    _check(bench, tuple(({key: 1}, {key: 1}, True) for key in keys))


SECTIONS: dict[str, tuple[Rule, ...]] = {
    "Filters": (
        equality,
        booleans,
        nulls,
        subsets,
        dotted,
        exact,
        different,
        numbers,
        no_numbers,
        texts,
        unknown_operators,
        groups,
        odd_keys,
    )
}
