"""The verdict on one suite: what its tests did against what was expected of them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from tests.peer.suites import Expected, Suite, left_out


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a suite went; without surprises it is as expected."""

    tests: int
    with_store: int
    passed: int
    excepted: int
    surprises: tuple[str, ...]


def judge(
    suite: Suite,
    outcomes: Mapping[str, str],
    with_store: Collection[str],
    expected: list[Expected],
) -> Verdict:
    """Compare outcomes with expectations: every difference, either way, is a surprise."""
    own = [one for one in expected if one.package == suite.package and not one.left_out]
    absent = left_out(suite, expected)
    passed = {test for test, outcome in outcomes.items() if outcome == "passed"}
    excepted = {test for test in outcomes if any(one.covers(test) for one in own)}
    surprises = [f"{test} {outcomes[test]}" for test in outcomes if test not in passed | excepted]
    surprises += [f"{test} passed, and was expected to fail" for test in passed & excepted]
    surprises += [
        f"{named} is expected to fail and is no test of the suite"
        for one in own
        for named in one.tests
        if not any(test == named or test.partition("[")[0] == named for test in outcomes)
    ]
    if len(outcomes) + len(absent) != suite.total:
        before = suite.total - len(absent)
        surprises.append(f"{len(outcomes)} tests ran where there were {before} before")
    if len(passed) < suite.floor:
        surprises.append(f"{len(passed)} tests passed where at least {suite.floor} must")
    return Verdict(
        len(outcomes) + len(absent),
        len(set(with_store) & outcomes.keys()),
        len(passed - excepted),
        len(excepted - passed) + len(absent),
        tuple(sorted(surprises)),
    )
