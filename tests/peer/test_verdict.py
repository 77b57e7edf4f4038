from tests.peer.suites import SUITES, Expected, Suite, read_expected
from tests.peer.verdict import judge

SUITE = Suite("theirs", ("tests/test_store.py",), total=3, floor=2)
RAN = {"t.py::one": "passed", "t.py::two[a]": "passed", "t.py::two[b]": "failed"}


def surprises(*tests: str, outcomes: dict[str, str] = RAN) -> tuple[str, ...]:
    expected = [Expected("theirs", tests, "a reason")] if tests else []
    return judge(SUITE, outcomes, [], expected).surprises


def test_what_fails_as_expected_is_no_surprise() -> None:
    assert surprises("t.py::two[b]") == ()


def test_a_failure_that_nobody_expects_is_a_surprise() -> None:
    assert surprises() == ("t.py::two[b] failed",)


def test_a_pass_that_nobody_expects_is_a_surprise() -> None:
    assert surprises("t.py::two") == ("t.py::two[a] passed, and was expected to fail",)


def test_a_skip_counts_as_not_passed() -> None:
    assert surprises("t.py::two[b]", outcomes={**RAN, "t.py::one": "skipped"}) == (
        "1 tests passed where at least 2 must",
        "t.py::one skipped",
    )


def test_an_expectation_about_no_test_is_a_surprise() -> None:
    assert surprises("t.py::two[b]", "t.py::gone") == (
        "t.py::gone is expected to fail and is no test of the suite",
    )


def test_tests_that_no_longer_run_are_a_surprise() -> None:
    assert surprises("t.py::two[b]", outcomes={k: RAN[k] for k in list(RAN)[1:]}) == (
        "1 tests passed where at least 2 must",
        "2 tests ran where there were 3 before",
    )


def test_a_test_that_is_left_out_counts_as_one_that_does_not_pass() -> None:
    expected = [Expected("theirs", ("t.py::two[b]",), "a reason", left_out=True)]
    verdict = judge(SUITE, {k: RAN[k] for k in list(RAN)[:2]}, [], expected)
    assert (verdict.tests, verdict.passed, verdict.excepted, verdict.surprises) == (3, 2, 1, ())


def test_every_expected_failure_belongs_to_a_suite_and_has_a_reason() -> None:
    packages = {suite.package for suite in SUITES}
    assert all(one.package in packages and one.reason.strip() for one in read_expected())
