"""TTL: how long an item lives, what keeps it alive, and what its end looks like."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from langgraph.store.base import GetOp, PutOp, SearchOp

from tests.store.backends import CHROMA, Place, words_index
from tests.store.words import Words

pytestmark = pytest.mark.backends(*CHROMA)

NS = ("a",)
VALUE = {"text": "tea"}


def minutes_left(store: Any, key: str = "k") -> float | None:
    """Minutes from the last write to the expiry."""
    memory = store.read(NS, key)
    left: timedelta | None = memory.expires_at and memory.expires_at - memory.updated_at
    return None if left is None else left / timedelta(minutes=1)


def test_the_store_says_that_it_supports_ttl(place: Place) -> None:
    store = place.open()
    assert getattr(store, "inner", store).supports_ttl is True


# --- how long ------------------------------------------------------------------------------------


def test_without_a_default_an_item_never_expires(store: Any) -> None:
    store.put(NS, "k", VALUE)
    assert minutes_left(store) is None


def test_a_ttl_is_minutes_from_the_write(store: Any) -> None:
    store.put(NS, "k", VALUE, ttl=90)
    assert minutes_left(store) == pytest.approx(90)


def test_half_a_minute_is_thirty_seconds(store: Any) -> None:
    store.put(NS, "k", VALUE, ttl=0.5)
    assert minutes_left(store) == pytest.approx(0.5)
    assert store.read(NS, "k").ttl_minutes == 0.5


def test_an_omitted_ttl_is_the_default(place: Place) -> None:
    store = place.open(ttl={"default_ttl": 7.5})
    store.put(NS, "k", VALUE)
    assert minutes_left(store) == pytest.approx(7.5)


def test_none_is_never_even_with_a_default(place: Place) -> None:
    store = place.open(ttl={"default_ttl": 7.5})
    store.put(NS, "k", VALUE, ttl=None)
    assert minutes_left(store) is None


@pytest.mark.parametrize(
    ("first", "second"), [(60, 30), (60, None), (None, 30)], ids=["shorter", "never", "first"]
)
def test_a_second_put_replaces_the_ttl(
    store: Any, first: float | None, second: float | None
) -> None:
    store.put(NS, "k", VALUE, ttl=first)
    store.put(NS, "k", VALUE, ttl=second)
    assert minutes_left(store) == (None if second is None else pytest.approx(second))
    store.get(NS, "k")
    assert store.read(NS, "k").ttl_minutes == second
    assert (store.read(NS, "k").expires_at is None) is (second is None)


@pytest.mark.parametrize("ttl", [0, -1, -0.5])
def test_zero_and_less_is_gone_at_the_next_sweep(store: Any, ttl: float) -> None:
    store.put(NS, "k", VALUE, ttl=ttl)
    assert store.sweep_ttl() == 1
    assert store.get(NS, "k") is None


# --- expired and not yet swept -------------------------------------------------------------------

READS: dict[str, Callable[[Any], Any]] = {
    "get": lambda store: [store.get(NS, "k")] if store.get(NS, "k") else [],
    "search": lambda store: store.search(NS),
    "filter": lambda store: store.search((), filter=VALUE),
    "query": lambda store: store.search(NS, query="tea"),
    "namespaces": lambda store: store.list_namespaces(),
}


@pytest.mark.parametrize("read", READS)
def test_an_expired_item_is_returned_until_it_is_swept(place: Place, read: str) -> None:
    store = place.open(index=words_index(Words(), ["text"]))
    store.put(NS, "k", VALUE, ttl=-1)
    assert len(READS[read](store)) == 1


@pytest.mark.parametrize("read", READS)
def test_omit_expired_hides_it_from_every_read(place: Place, read: str) -> None:
    store = place.open(index=words_index(Words(), ["text"]), ttl={"omit_expired": True})
    store.put(NS, "k", VALUE, ttl=-1)
    assert len(READS[read](store)) == 0


@pytest.mark.parametrize("read", READS)
def test_omit_expired_hides_nothing_else(place: Place, read: str) -> None:
    store = place.open(index=words_index(Words(), ["text"]), ttl={"omit_expired": True})
    store.put(NS, "k", VALUE, ttl=60)
    store.put(NS, "gone", VALUE, ttl=-1)
    assert len(READS[read](store)) == 1


@pytest.mark.parametrize("query", [None, "tea"], ids=["listing", "query"])
def test_omitted_items_take_no_place_in_a_page(place: Place, query: str | None) -> None:
    store = place.open(index=words_index(Words(), ["text"]), ttl={"omit_expired": True})
    store.batch([PutOp(NS, f"k{n}", VALUE, ttl=-1.0 if n % 2 else None) for n in range(20)])
    pages = [store.search(NS, query=query, limit=4, offset=at) for at in (0, 4, 8)]
    assert [len(page) for page in pages] == [4, 4, 2]


@pytest.mark.parametrize("config", [{}, {"omit_expired": True}], ids=["shown", "hidden"])
@pytest.mark.parametrize("read", ["get", "search", "query"])
def test_a_read_does_not_revive_an_expired_item(place: Place, read: str, config: Any) -> None:
    store = place.open(index=words_index(Words(), ["text"]), ttl=config)
    store.put(NS, "k", VALUE, ttl=0.0005)
    time.sleep(0.04)
    READS[read](store)
    assert store.read(NS, "k").expires_at < datetime.now(UTC)
    assert store.sweep_ttl() == 1


# --- refreshing ----------------------------------------------------------------------------------

REFRESHING: dict[str, Callable[..., Any]] = {
    "get": lambda store, **options: store.get(NS, "k", **options),
    "search": lambda store, **options: store.search(NS, **options),
    "filter": lambda store, **options: store.search((), filter=VALUE, **options),
    "query": lambda store, **options: store.search(NS, query="tea", **options),
}


def was_refreshed(store: Any, read: Callable[[], Any]) -> bool:
    store.put(NS, "k", VALUE, ttl=60)
    before = store.read(NS, "k")
    time.sleep(0.002)
    read()
    after = store.read(NS, "k")
    assert after.updated_at == before.updated_at
    return bool(after.expires_at > before.expires_at)


@pytest.mark.parametrize("read", REFRESHING)
@pytest.mark.parametrize(
    ("config", "refresh_ttl", "refreshed"),
    [
        (None, None, True),
        ({}, None, True),
        ({"refresh_on_read": True}, None, True),
        ({"refresh_on_read": False}, None, False),
        ({"refresh_on_read": False}, True, True),
        ({"refresh_on_read": True}, False, False),
        (None, False, False),
    ],
    ids=["none", "empty", "on", "off", "off-but-asked", "on-but-refused", "refused"],
)
def test_a_read_refreshes_when_the_operation_says_so(
    place: Place, read: str, config: Any, refresh_ttl: bool | None, refreshed: bool
) -> None:
    store = place.open(index=words_index(Words(), ["text"]), ttl=config)
    assert (
        was_refreshed(store, lambda: REFRESHING[read](store, refresh_ttl=refresh_ttl)) is refreshed
    )


@pytest.mark.parametrize("op", [GetOp(NS, "k"), SearchOp(NS)], ids=["get", "search"])
def test_operations_in_a_batch_refresh_too(store: Any, op: Any) -> None:
    assert was_refreshed(store, lambda: store.batch([op]))
    assert not was_refreshed(store, lambda: store.batch([op._replace(refresh_ttl=False)]))


def test_only_returned_items_are_refreshed(store: Any) -> None:
    store.put(NS, "old", VALUE, ttl=60)
    store.put(NS, "k", VALUE, ttl=60)
    before = store.read(NS, "old").expires_at
    assert [item.key for item in store.search(NS, limit=1)] == ["k"]
    assert store.read(NS, "old").expires_at == before


def test_a_refreshed_item_does_not_move_to_the_front(store: Any) -> None:
    store.put(NS, "old", VALUE, ttl=60)
    store.put(NS, "new", VALUE, ttl=60)
    store.get(NS, "old")
    assert [item.key for item in store.search(NS)] == ["new", "old"]


def test_a_refresh_gives_the_full_ttl_again(store: Any) -> None:
    store.put(NS, "k", VALUE, ttl=60)
    time.sleep(0.002)
    before = datetime.now(UTC)
    store.get(NS, "k")
    end = store.read(NS, "k").expires_at
    assert before <= end - timedelta(minutes=60) <= datetime.now(UTC)


def test_an_item_without_a_ttl_gets_none_by_reading(place: Place) -> None:
    store = place.open(ttl={"default_ttl": 60})
    store.put(NS, "k", VALUE, ttl=None)
    store.get(NS, "k")
    assert store.read(NS, "k").expires_at is None


def test_a_refreshed_item_keeps_its_value_and_is_found(place: Place) -> None:
    store = place.open(index=words_index(Words(), ["text"]))
    store.put(NS, "k", VALUE, ttl=60)
    store.get(NS, "k")
    found = store.search(NS, query="tea")
    assert [(item.value, item.score) for item in found] == [(VALUE, pytest.approx(1.0))]


def test_looking_at_a_memory_refreshes_nothing(store: Any) -> None:
    assert not was_refreshed(store, lambda: (store.read(NS, "k"), store.page(), [*store.scan()]))


# --- sweeping ------------------------------------------------------------------------------------


def test_a_sweep_gives_the_count_and_takes_only_what_expired(store: Any) -> None:
    store.batch([PutOp(NS, f"gone{n}", VALUE, ttl=-1) for n in range(5)])
    store.put(NS, "later", VALUE, ttl=60)
    store.put(NS, "never", VALUE)
    assert store.sweep_ttl() == 5
    assert {item.key for item in store.search(NS)} == {"later", "never"}
    assert store.sweep_ttl() == 0


def test_a_sweep_lets_a_namespace_vanish(store: Any) -> None:
    store.put(("a", "b"), "k", VALUE, ttl=-1)
    store.put(("a", "c"), "k", VALUE)
    store.sweep_ttl()
    assert store.list_namespaces() == [("a", "c")]


def until(holds: Callable[[], bool], seconds: float = 5) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end and not holds():
        time.sleep(0.01)
    return holds()


TICK = 0.0005


@pytest.mark.backends("ephemeral", "folder", "http")
def test_the_sweeper_sweeps_until_it_is_stopped(place: Place) -> None:
    store = place.open(ttl={"sweep_interval_minutes": TICK})  # type: ignore[typeddict-item]
    store.put(NS, "k", VALUE, ttl=-1)
    store.start_ttl_sweeper()
    assert until(lambda: store.read(NS, "k") is None)
    assert store.stop_ttl_sweeper(timeout=5) is True
    store.put(NS, "k", VALUE, ttl=-1)
    time.sleep(TICK * 60 * 4)
    assert store.read(NS, "k") is not None


@pytest.mark.backends("ephemeral", "folder", "http")
def test_an_interval_can_be_given_when_starting(place: Place) -> None:
    store = place.open(ttl={})
    assert store.start_ttl_sweeper(TICK).done()
    store = place.open(ttl={"default_ttl": 5})
    store.put(NS, "k", VALUE, ttl=-1)
    store.start_ttl_sweeper(TICK)
    assert until(lambda: store.read(NS, "k") is None)


@pytest.mark.backends("ephemeral", "folder", "http")
def test_cancelling_the_sweepers_future_stops_it(place: Place) -> None:
    store = place.open(ttl={"default_ttl": 5})
    assert store.start_ttl_sweeper(TICK).cancel()
    time.sleep(TICK * 60 * 2)
    store.put(NS, "k", VALUE, ttl=-1)
    time.sleep(TICK * 60 * 4)
    assert store.read(NS, "k") is not None


def test_without_a_ttl_configuration_no_sweeper_starts(store: Any) -> None:
    future = store.start_ttl_sweeper()
    assert future.result(timeout=1) is None
    assert store.stop_ttl_sweeper() is True


@pytest.mark.backends("ephemeral", "folder", "http")
def test_closing_the_store_stops_the_sweeper(place: Place) -> None:
    store = place.open(ttl={"default_ttl": 5})
    future = store.start_ttl_sweeper(TICK)
    place.close()
    assert future.result(timeout=5) is None
