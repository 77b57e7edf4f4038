"""What can be put into a store, drawn at random: namespaces, keys, values, filters, operations."""

from typing import Any

from hypothesis import strategies as st
from langgraph.store.base import GetOp, ListNamespacesOp, MatchCondition, PutOp, SearchOp

# --- anything that is allowed --------------------------------------------------------------------

labels = st.text(min_size=1, max_size=12).filter(lambda label: not set(label) & {".", "\0"})
namespaces = st.lists(labels, min_size=1, max_size=6).map(tuple)
keys = st.text(max_size=20)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(min_value=-(2**70), max_value=2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
)
json_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)
values = st.dictionaries(st.text(max_size=8), json_values, max_size=5)

# --- few things, so that they meet ---------------------------------------------------------------

few_labels = st.sampled_from(["a", "b", "ab", "A", "*", "a b", "é"])
few_namespaces = st.lists(few_labels, min_size=1, max_size=3).map(tuple)
few_prefixes = st.lists(few_labels, max_size=2).map(tuple)
few_keys = st.sampled_from(["k", "K", "k2", "", "x.y"])
few_numbers = st.sampled_from([0, 1, 1.0, 2, 2.5, -1, True, False, None, "1", "2026-01-02", ""])
few_words = st.lists(
    st.sampled_from(["tea", "green", "coffee", "milk", "walks", "early"]), max_size=4
).map(" ".join)
few_values = st.fixed_dictionaries(
    {},
    optional={
        "text": few_words | st.none(),
        "n": few_numbers | st.fixed_dictionaries({}, optional={"a": few_numbers, "b": few_numbers}),
        "tags": st.lists(few_words | few_numbers, max_size=3),
        "n.a": few_numbers,
    },
)

comparisons = st.dictionaries(
    st.sampled_from(["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"]),
    few_numbers | st.lists(few_numbers, max_size=2),
    min_size=1,
    max_size=2,
)
conditions = (
    few_numbers
    | comparisons
    | st.lists(few_numbers | few_words, max_size=3)
    | st.fixed_dictionaries({}, optional={"a": few_numbers | comparisons, "b": few_numbers})
)
filters: st.SearchStrategy[dict[str, Any]] = st.recursive(
    st.dictionaries(st.sampled_from(["n", "text", "tags", "n.a", "n.b"]), conditions, max_size=2),
    lambda inner: st.fixed_dictionaries(
        {}, optional={"$and": st.lists(inner, max_size=2), "$or": st.lists(inner, max_size=2)}
    ),
    max_leaves=3,
)

indexes = st.sampled_from([None, None, None, False, [], ["text"], ["$"], ["tags[*]", "n.a"]])
slices = {"limit": st.integers(0, 6), "offset": st.integers(0, 4)}
lifetimes = st.sampled_from([None, None, -1.0, 0.0, 0.5, 60.0])
puts = st.builds(PutOp, few_namespaces, few_keys, few_values, index=indexes, ttl=lifetimes)
deletes = st.builds(PutOp, few_namespaces, few_keys, st.none(), index=st.none(), ttl=st.none())
gets = st.builds(GetOp, few_namespaces, few_keys)
listings = st.builds(SearchOp, few_prefixes, st.none() | filters, **slices)
queries = st.builds(SearchOp, few_prefixes, st.none() | filters, query=few_words, **slices)
match_conditions = st.builds(MatchCondition, st.sampled_from(["prefix", "suffix"]), few_namespaces)
namespace_listings = st.builds(
    ListNamespacesOp,
    st.lists(match_conditions, max_size=2).map(tuple),
    max_depth=st.none() | st.integers(1, 3),
    **slices,
)
operations = st.one_of(puts, puts, puts, deletes, gets, listings, queries, namespace_listings)
batches = st.lists(operations, max_size=6)
histories = st.lists(batches, max_size=8)
