"""How a search is set up, as it stands in the address bar: readable text, nothing else.

`?q=tea&mode=words&top=20&min=0.35&filter={"kind":{"$eq":"profile"}}` and, for a second search
beside the first, `&compare=1&q2=coffee&ns2=["users","max"]`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from dashboard.filterforms import as_json, parse
from dashboard.searching import LIMITS, Mode, Search
from dashboard.views import read_labels, write_labels
from store import InvalidFilter, Namespace

View = Literal["list", "table"]
VIEWS: tuple[View, ...] = ("list", "table")
NAMES = ("mode", "view", "top", "min", "filter", "compare", "q2", "ns2")


@dataclass(frozen=True, slots=True)
class Options:
    """Everything about a search but the question and its scope.

    With `compare` a second search stands beside the first; an empty `other_query` is the same
    question, `other_scope` None the same scope.
    """

    mode: Mode = "meaning"
    view: View = "list"
    limit: int = 10
    threshold: float | None = None
    filter: dict[str, Any] | None = None
    compare: bool = False
    other_query: str = ""
    other_scope: Namespace | None = None

    def search(self, query: str, scope: Namespace) -> Search:
        """Return the search for a question in a scope."""
        threshold = self.threshold if self.mode == "meaning" else None
        return Search(query, scope, self.filter, self.limit, threshold)

    def other_search(self, query: str, scope: Namespace) -> Search:
        """Return the second search: what it does not change is as in the first."""
        return self.search(
            self.other_query or query,
            scope if self.other_scope is None else self.other_scope,
        )


def to_params(options: Options) -> dict[str, str | None]:
    """Return the entries of the address bar; None for what is as usual and so left out."""
    return {
        "mode": options.mode if options.mode != "meaning" else None,
        "view": options.view if options.view != "list" else None,
        "top": str(options.limit) if options.limit != 10 else None,
        "min": None if options.threshold is None else f"{options.threshold:.2f}",
        "filter": as_json(options.filter),
        "compare": "1" if options.compare else None,
        "q2": options.other_query or None,
        "ns2": None if options.other_scope is None else write_labels(options.other_scope),
    }


def from_params(params: Mapping[str, str | None]) -> Options:
    """Return the options that the address bar says; an unreadable entry counts as absent."""
    limit = params.get("top") or ""
    return Options(
        mode="words" if params.get("mode") == "words" else "meaning",
        view="table" if params.get("view") == "table" else "list",
        limit=int(limit) if limit in map(str, LIMITS) else 10,
        threshold=_threshold(params.get("min")),
        filter=_filter(params.get("filter")),
        compare=params.get("compare") == "1",
        other_query=params.get("q2") or "",
        other_scope=read_labels(params.get("ns2")),
    )


def _threshold(text: str | None) -> float | None:
    try:
        value = float(text or "nan")
    except ValueError:
        return None
    return value if -1 <= value <= 1 else None


def _filter(text: str | None) -> dict[str, Any] | None:
    try:
        return parse(text or "")
    except InvalidFilter:
        return None
