"""What a conformance run found: one result a rule, printable as Markdown."""

from collections import Counter
from dataclasses import dataclass
from typing import Literal

Status = Literal["pass", "fail", "unsupported", "skip"]
"""`unsupported`: the store says that it does not offer this. `skip`: it could not be checked."""


Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Check:
    """One rule and how the store kept it; `message` says what went wrong or was missing."""

    section: str
    rule: str
    status: Status
    message: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """What `verify` found about one store."""

    subject: str
    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Tell whether no rule was broken; what is unsupported or skipped is not broken."""
        return not self.failures

    @property
    def failures(self) -> tuple[Check, ...]:
        """The broken rules."""
        return tuple(check for check in self.checks if check.status == "fail")

    def counts(self) -> dict[Status, int]:
        """Give how many rules had each result."""
        found = Counter(check.status for check in self.checks)
        return {status: found[status] for status in ("pass", "fail", "unsupported", "skip")}

    def summary(self) -> str:
        """Say the counts in one line."""
        counts = (f"{number} {status}" for status, number in self.counts().items() if number)
        return f"{self.subject}: {', '.join(counts)}"

    def markdown(self) -> str:
        """Write every rule as a row of a Markdown table, with what went wrong."""
        rows: list[Row] = [
            (check.section, check.rule, check.status, check.message) for check in self.checks
        ]
        return f"{_table(('section', 'rule', 'result', 'detail'), rows)}\n\n{self.summary()}\n"

    def __str__(self) -> str:
        return self.markdown()


def compare(*reports: Report) -> str:
    """Write reports side by side as a Markdown table: a row a rule, a column a store."""
    status = {
        (report.subject, check.section, check.rule): check.status
        for report in reports
        for check in report.checks
    }
    places = list(dict.fromkeys((one.section, one.rule) for r in reports for one in r.checks))
    rows: list[Row] = [
        (*place, *(status.get((report.subject, *place), "skip") for report in reports))
        for place in places
    ]
    return _table(("section", "rule", *(report.subject for report in reports)), rows)


def _table(head: Row, rows: list[Row]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
