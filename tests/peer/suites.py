"""Which suites are run, and which of their tests are expected to fail, for what reason."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

EXPECTED = Path(__file__).with_name("expected.toml")


@dataclass(frozen=True, slots=True)
class Suite:
    """Tests of one package: where they are, how many there are, how many must pass."""

    package: str
    files: tuple[str, ...]
    total: int
    floor: int
    only: str = ""


@dataclass(frozen=True, slots=True)
class Expected:
    """Tests that fail for one reason, or are left out for one.

    A test that fails may stand for all of its parameters; one left out is named with them.
    """

    package: str
    tests: tuple[str, ...]
    reason: str
    left_out: bool = False

    def covers(self, test: str) -> bool:
        """Tell whether a test is one of them."""
        return test in self.tests or test.partition("[")[0] in self.tests


SUITES = (
    Suite("langgraph-checkpoint", ("tests/test_store.py",), total=117, floor=117),
    Suite(
        "langgraph-checkpoint-sqlite",
        ("tests/test_store.py", "tests/test_async_store.py", "tests/test_ttl.py"),
        total=153,
        floor=140,
    ),
    Suite(
        "langgraph-checkpoint-postgres",
        ("tests/test_store.py", "tests/test_async_store.py"),
        total=299,
        floor=269,
    ),
    Suite(
        "langgraph",
        ("tests/test_pregel.py", "tests/test_pregel_async.py"),
        total=5,
        floor=5,
        only="test_store_injected",
    ),
)


def read_expected(path: Path = EXPECTED) -> list[Expected]:
    """Read the list of expected failures."""
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["expected"]
    return [
        Expected(one["package"], tuple(one["tests"]), one["reason"], one.get("left_out", False))
        for one in entries
    ]


def left_out(suite: Suite, expected: list[Expected]) -> list[str]:
    """Name the tests of a suite that are not run."""
    own = (one for one in expected if one.package == suite.package and one.left_out)
    return [test for one in own for test in one.tests]
