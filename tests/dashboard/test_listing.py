import pytest

from dashboard.listing import Listing, matching, page, page_of
from store import ChromaStore
from tests.dashboard.conftest import memory


@pytest.fixture(scope="module")
def store(stores_folder):
    values = [
        {"text": "b", "n": 2, "deep": {"x": 1}},
        {"text": "A", "n": 10.5, "kind": "fact"},
        {"text": "c", "kind": "fact"},
        {"n": -1, "kind": "note"},
        {"n": "many"},
    ]
    with ChromaStore.open(stores_folder / "listing", index=None) as opened:
        opened.write(memory(("a",), f"k{n}", value, n) for n, value in enumerate(values))
        opened.write([memory(("b",), "other", {"n": 0}, 9)])
        yield opened


def keys(references) -> list[str]:
    return [key for _, key in references]


@pytest.mark.parametrize(
    ("order", "descending", "expected"),
    [
        ("n", False, ["k3", "k0", "k1", "k4", "k2"]),
        ("n", True, ["k4", "k1", "k0", "k3", "k2"]),
        ("text", False, ["k1", "k0", "k2", "k4", "k3"]),
        ("deep.x", False, ["k0", "k4", "k3", "k2", "k1"]),
        ("nowhere", False, ["k4", "k3", "k2", "k1", "k0"]),
    ],
    ids=["numbers before texts", "turned around", "texts ignore case", "nested", "unknown field"],
)
def test_any_field_orders_a_list_and_memories_without_it_come_last(
    store, order, descending, expected
):
    listing = Listing(("a",), order=order, descending=descending)
    assert listing.reads_values
    assert keys(matching(store, listing, None)) == expected


def test_a_filter_keeps_the_order_of_the_list(store):
    listing = Listing((), filter="set", order="key", descending=False)
    assert keys(matching(store, listing, {"kind": {"$eq": "fact"}})) == ["k1", "k2"]


def test_a_page_of_known_references_says_how_many_there_are_in_all(store):
    references = matching(store, Listing(("a",), order="n"), None)
    found = page_of(store, references, limit=2, offset=4)
    assert (keys(m.reference for m in found.memories), found.total) == (["k2"], 5)


def test_a_plain_listing_reads_only_its_page(store):
    listing = Listing(("a",), order="created_at", descending=False)
    assert not listing.reads_values
    found = page(store, listing, limit=2, offset=1)
    assert (keys(m.reference for m in found.memories), found.total) == (["k1", "k2"], 5)
