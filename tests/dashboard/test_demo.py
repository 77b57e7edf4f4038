"""The demo's memories: the same for the same time, spread out, complete."""

from datetime import UTC, datetime

import pytest

from dashboard.demo import demo_memories
from store import Memory


@pytest.fixture(scope="module")
def demo() -> list[Memory]:
    return demo_memories(datetime(2026, 1, 1, tzinfo=UTC))


def test_the_demo_is_the_same_at_the_same_time(demo: list[Memory]) -> None:
    assert demo == demo_memories(datetime(2026, 1, 1, tzinfo=UTC))
    assert (len(demo), len({memory.reference for memory in demo})) == (197, 197)


def test_the_demo_spreads_over_eighteen_months(demo: list[Memory]) -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    ages = sorted((now - memory.created_at).days for memory in demo)
    assert 500 < ages[-1] < 550
    assert ages[0] < 10
    assert all(memory.created_at <= memory.updated_at <= now for memory in demo)
    assert 15 < sum(memory.created_at < memory.updated_at for memory in demo) < 45
