"""Rules about search by meaning, and about which texts are embedded.

`PLAIN` needs a store without an index, `INDEXED` one with any, and `WORDS` one with the bench's
own embedder over the field "text".
"""

import math
from typing import Any

from langgraph.store.base import PutOp

from store.conformance.bench import Bench, Broken, Rule, expect, expect_close, refused, shown

TEXT = ["text"]


def query_without_index(bench: Bench) -> None:
    """Without an index a query is a plain listing without scores."""
    bench.put_all({"a": {"text": "tea"}, "b": {"text": "coffee"}}, "a")
    found = {item.key: item.score for item in bench.search("a", query="tea")}
    expect(found, {"a": None, "b": None})


# --- any embedder --------------------------------------------------------------------------------

TEXTS = {
    "tea": "She drinks green tea every morning.",
    "train": "The night train to Vienna leaves at nine.",
    "allergy": "He is allergic to peanuts.",
    "dog": "Their dog is afraid of thunder.",
}


def _put_texts(bench: Bench, *labels: str) -> None:
    bench.put_all({key: {"text": text} for key, text in TEXTS.items()}, *labels, index=TEXT)


def own_text_first(bench: Bench) -> None:
    """A text finds its own item first; scores are in [-1, 1], best first."""
    _put_texts(bench, "a")
    for key, text in TEXTS.items():
        found = bench.search("a", query=text)
        expect(len(found), len(TEXTS), "items")
        expect(found[0].key, key, f"first for {text!r}")
        scores = [item.score for item in found]
        if any(score is None or not -1.0001 <= score <= 1.0001 for score in scores):
            raise Broken(f"scores are {scores}")
        expect(scores, sorted(scores, reverse=True), "order of the scores")


def scope_before_ranking(bench: Bench) -> None:
    """Prefix and filter apply before ranking, so that a far item is found."""
    near = {f"k{n}": {"text": f"Green tea, cup {n}.", "far": False} for n in range(40)}
    bench.put_all(near, "near", index=TEXT)
    bench.put("far", "k", {"text": "A motorway at night.", "far": True}, index=TEXT)
    expect(bench.keys("far", query="green tea", limit=3), ["k"], "by prefix")
    expect(bench.keys(query="green tea", filter={"far": True}, limit=3), ["k"], "by filter")


def one_place_each(bench: Bench) -> None:
    """An item with many vectors takes one place."""
    tags = [f"green tea, cup {n}" for n in range(6)]
    bench.put("a", "six", {"tags": tags}, index=["tags[*]"])
    for n in range(4):
        bench.put("a", f"one{n}", {"tags": [f"black tea, cup {n}"]}, index=["tags[*]"])
    for limit in (2, 5, 10):
        found = bench.keys("a", query="green tea", limit=limit)
        expect(len(set(found)), min(limit, 5), f"distinct items with limit={limit}")
        expect(len(found), len(set(found)), f"items with limit={limit}")


def slices_of_one_order(bench: Bench) -> None:
    """Limit and offset slice one total order."""
    bench.put_all({f"k{n}": {"text": f"cup number {n}"} for n in range(30)}, "a", index=TEXT)
    every = bench.keys("a", query="cup number 7", limit=100)
    expect(len(every), 30, "items in all")
    pages = [bench.keys("a", query="cup number 7", limit=10, offset=at) for at in (0, 10, 20, 30)]
    expect([key for page in pages for key in page], every, "the pages together")


def unscored_last(bench: Bench) -> None:
    """Items without vectors follow the scored ones with no score, and offset counts them."""
    _put_texts(bench, "a")
    bench.put_all({f"off{n}": {"text": "tea"} for n in range(5)}, "a", index=False)
    every = bench.search("a", query="tea", limit=100)
    expect([item.score is None for item in every], [False] * 4 + [True] * 5, "without a score")
    pages = [bench.keys("a", query="tea", limit=3, offset=at) for at in (0, 3, 6, 9)]
    expect([len(page) for page in pages], [3, 3, 3, 0], "page lengths")
    expect(len({key for page in pages for key in page}), 9, "distinct items")


def empty_query(bench: Bench) -> None:
    """An empty query is a plain listing."""
    _put_texts(bench, "a")
    found = bench.search("a", query="")
    expect({item.score for item in found}, {None}, "scores")
    expect(len(found), len(TEXTS), "items")


def corrected(bench: Bench) -> None:
    """A corrected item is found by its new text and no more by its old one."""
    bench.put("a", "k", {"text": TEXTS["tea"]}, index=TEXT)
    bench.put("a", "k", {"text": TEXTS["train"]}, index=TEXT)
    new = bench.search("a", query=TEXTS["train"])[0].score
    old = bench.search("a", query=TEXTS["tea"])[0].score
    if new is None or old is None or new - old < 0.05:
        raise Broken(f"the new text scores {new}, the old one {old}")


def taken_out(bench: Bench) -> None:
    """index=False takes an item out of the index, a delete out of every search."""
    _put_texts(bench, "a")
    bench.put("a", "tea", {"text": TEXTS["tea"]}, index=False)
    bench.delete("a", "dog")
    found = {item.key: item.score for item in bench.search("a", query=TEXTS["tea"])}
    expect(found.keys(), {"tea", "train", "allergy"}, "items")
    expect(found["tea"], None, "score of an item put with index=False")


# --- the bench's embedder ------------------------------------------------------------------------


def cosine_scores(bench: Bench) -> None:
    """The score is cosine similarity."""
    bench.put_all({"both": {"text": "green tea"}, "one": {"text": "tea"}}, "a")
    found = {item.key: item.score for item in bench.search("a", query="tea")}
    expect_close(found["one"], 1.0, "the same text")
    expect_close(found["both"], math.sqrt(0.5), "one word of two")


def best_vector_counts(bench: Bench) -> None:
    """An item's score is the best over its vectors."""
    bench.put("a", "k", {"tags": ["night train", "tea", "dog"]}, index=["tags[*]"])
    expect_close(bench.search("a", query="tea")[0].score, 1.0)


def ties(bench: Bench) -> None:
    """Equal scores stand by namespace and key."""
    places = [("b", "a"), ("a", "c"), ("a", "B"), ("a", "a")]
    for label, key in places:
        bench.put(label, key, {"text": "tea"})
    found = [(item.namespace[-1], item.key) for item in bench.search(query="tea")]
    expect(found, sorted(places))


def zero_vectors(bench: Bench) -> None:
    """A vector of zeros scores 0.0, on either side."""
    bench.put_all({"zero": {"text": " "}, "tea": {"text": "tea"}}, "a")
    scores = {item.key: item.score for item in bench.search("a", query="tea")}
    expect_close(scores["zero"], 0.0, "a stored zero")
    for item in bench.search("a", query=" "):
        expect_close(item.score, 0.0, "a zero query")


PATHS: dict[str, tuple[list[str], list[str]]] = {
    "a nested field": (["n.a"], ["deep"]),
    "the first": (["list[0]"], ["one"]),
    "the last": (["list[-1]"], ["two"]),
    "each": (["list[*]"], ["one", "two"]),
    "a field of each": (["rows[*].t"], ["x", "y"]),
    "several": (["{text,n.a}"], ["tea", "deep"]),
    "all": (["$"], ['{"empty": "", "list": ["one", "two"], "n": {"a": "deep"}, "null": null, '
                    '"rows": [{"t": "x"}, {"t": "y"}], "text": "tea"}']),
    "nothing": (["missing", "null", "empty"], []),
}  # fmt: skip
VALUE: dict[str, Any] = {
    "text": "tea",
    "n": {"a": "deep"},
    "list": ["one", "two"],
    "rows": [{"t": "x"}, {"t": "y"}],
    "null": None,
    "empty": "",
}


def paths(bench: Bench) -> None:
    """A put's own index replaces the fields: paths, [0], [-1], [*], {a,b} and $."""
    for name, (index, wanted) in PATHS.items():
        bench.words.calls.clear()
        bench.put("a", name, VALUE, index=index)
        expect(sorted(_texts(bench)), sorted(wanted), name)


def _texts(bench: Bench) -> list[str]:
    return [text for call in bench.words.calls for text in call]


def configured_fields(bench: Bench) -> None:
    """Without an index of its own a put embeds the configured fields."""
    bench.words.calls.clear()
    bench.put("a", "k", VALUE)
    expect(_texts(bench), ["tea"])


STALE: dict[str, tuple[list[str], dict[str, Any], list[str] | bool, dict[str, Any]]] = {
    "a dropped field": (["t", "u"], {"t": "new", "u": "old"}, ["t", "u"], {"t": "new"}),
    "a shorter array": (["t[*]"], {"t": ["new", "old"]}, ["t[*]"], {"t": ["new"]}),
    "index=False": (["t"], {"t": "old"}, False, {"t": "old"}),
    "another path": (["u"], {"t": "new", "u": "old"}, ["t"], {"t": "new", "u": "old"}),
}


def no_stale_vectors(bench: Bench) -> None:
    """An overwrite leaves no vector of a text that is gone."""
    for name, (index, value, index_after, value_after) in STALE.items():
        bench.put(name, "k", value, index=index)
        expect_close(bench.search(name, query="old")[0].score, 1.0, f"{name}, before")
        bench.put(name, "k", value_after, index=index_after)
        score = bench.search(name, query="old")[0].score
        if score is not None and score > 1e-4:
            raise Broken(f"{name}: the old text still scores {score:.3f}")


def embeds_once(bench: Bench) -> None:
    """A batch embeds once, each distinct text once, and none that it overwrites itself."""
    bench.words.calls.clear()
    texts = {"a": "tea", "b": "coffee", "c": "tea"}
    ops = [PutOp(bench.ns("a"), key, {"text": text}) for key, text in texts.items()]
    bench.batch([PutOp(bench.ns("a"), "b", {"text": "superseded"}), *ops])
    expect([sorted(call) for call in bench.words.calls], [["coffee", "tea"]], "calls")


def same_text_twice(bench: Bench) -> None:
    """The same text in several items of a batch works."""
    bench.put_all({key: {"text": "green tea"} for key in "abc"}, "a")
    for item in bench.search("a", query="green tea"):
        expect_close(item.score, 1.0, item.key)
    expect(len(bench.search("a", query="green tea")), 3, "items")


UNUSABLE: dict[str, Any] = {
    "too few vectors": lambda vectors: vectors[:-1],
    "vectors of another size": lambda vectors: [vector[:-1] for vector in vectors],
    "NaN": lambda vectors: [[math.nan, *vector[1:]] for vector in vectors],
}


def unusable_vectors(bench: Bench) -> None:
    """Too few vectors, another size or NaN from the embedder is an error; nothing is stored."""
    bench.put("a", "known", {"text": "old words"})
    for name, answer in UNUSABLE.items():
        bench.words.answer = answer
        try:
            with refused(name, Exception):
                bench.put_all({"known": {"text": "other"}, "new": {"text": "more"}}, "a")
        finally:
            bench.words.answer = None
        found = [(item.key, item.value["text"]) for item in bench.search("a")]
        if found != [("known", "old words")]:
            raise Broken(f"after {name} the store holds {shown(found)}")


PLAIN: dict[str, tuple[Rule, ...]] = {"Search by meaning": (query_without_index,)}
INDEXED: dict[str, tuple[Rule, ...]] = {
    "Search by meaning": (
        own_text_first,
        scope_before_ranking,
        one_place_each,
        slices_of_one_order,
        unscored_last,
        empty_query,
        corrected,
        taken_out,
    )
}
WORDS: dict[str, tuple[Rule, ...]] = {
    "Search by meaning": (cosine_scores, best_vector_counts, ties, zero_vectors),
    "Embedding": (
        configured_fields,
        paths,
        no_stale_vectors,
        embeds_once,
        same_text_twice,
        unusable_vectors,
    ),
}
