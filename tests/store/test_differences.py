"""The list of differences names tests that there are, each once."""

import re
from pathlib import Path

from tests.store.differences import DIFFERENCES

FOLDER = Path(__file__).parent


def test_every_difference_names_tests_that_exist() -> None:
    sources = [path.read_text("utf-8") for path in FOLDER.glob("test_contract_*.py")]
    known = {name for source in sources for name in re.findall(r"^def (test_\w+)", source, re.M)}
    named = {test.partition("[")[0] for entry in DIFFERENCES for test in entry.tests}
    assert named - known == set()


def test_no_test_shows_two_differences() -> None:
    named = [test for entry in DIFFERENCES for test in entry.tests]
    assert len(named) == len(set(named))
