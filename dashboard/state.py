"""What one person is looking at: scope, open memory and query, kept in session and address bar.

The address bar is the truth people can share: `?ns=["users","mira"]&key=p01&q=tea`.

    state.begin("browse")                 called by app.py once per run, before the screen
    state.scope() -> Namespace            the namespace looked at; () is everything
    state.set_scope(namespace)            also closes the open memory, and goes to page 1
    state.selected() -> Reference | None  the memory open in the inspector
    state.select(reference | None)
    state.query() -> str / state.set_query(text)
    state.view() -> View                  the dataclass behind all of these
    state.update(**changes)               change several fields at once
    state.param(name) -> str | None       a screen's own entry of the address bar
    state.set_param(name, text | None)
    state.go(page, scope=..., selected=..., query=...)   show another page next; fit for callbacks
    state.ask(question)                   see widgets.ask_delete
    state.link(scope=..., selected=..., query=...) -> dict[str, str]   for query_params=
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from dashboard.curation import Conflict
from dashboard.proof import Check
from dashboard.views import View, from_params, to_params
from store import Memory, Namespace, Reference

PAGES = {
    "overview": "screens/overview.py",
    "browse": "screens/browse.py",
    "search": "screens/search.py",
    "map": "screens/map.py",
}
_VIEW = "memlens.view"
_SEEN = "memlens.seen"
_NEXT = "memlens.next"
_QUESTION = "memlens.question"
_LISTED = "memlens.listed"
_TICKED = "memlens.ticked"
_DRAFT = "memlens.draft"
_REPORT = "memlens.report"
_TOASTS = "memlens.notes"


@dataclass(frozen=True, slots=True)
class Draft:
    """An edit under way: the memory as it was opened, and the value so far.

    `reviewed` is the value shown for review. `serial` changes when the inputs have to start
    afresh from `value` or `text`, which is the value as JSON while that side is shown.
    """

    before: Memory
    value: dict[str, Any]
    text: str | None = None
    reviewed: dict[str, Any] | None = None
    problem: str = ""
    conflict: Conflict | None = None
    serial: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """What the last change did, shown until something else is opened or done."""

    title: str
    checks: tuple[Check, ...] = ()
    reference: Reference | None = None


@dataclass(frozen=True, slots=True)
class Ticks:
    """The ticked memories of one table; `round` counts how often they were set from outside."""

    references: tuple[Reference, ...] = ()
    round: int = 0


def begin(page: str) -> None:
    """Adopt the address bar: a link opened, Back pressed, or keep the view on a page change."""
    params = st.query_params.to_dict()
    seen = st.session_state.get(_SEEN)
    view = _load()
    came_from_menu = seen is not None and seen[0] != page and not params
    if came_from_menu:
        view = replace(view, extra=(), page=1)
    elif seen is None or seen[1] != params:
        view = from_params(view, params)
    _save(view)
    st.session_state[_SEEN] = (page, st.query_params.to_dict())


def view() -> View:
    """Return the current view."""
    return _load()


def update(**changes: Any) -> None:
    """Change fields of the view, in session and address bar."""
    _save(replace(_load(), **changes))


def scope() -> Namespace:
    """Return the namespace looked at; () is the whole store."""
    return _load().scope


def set_scope(namespace: Namespace) -> None:
    """Look at a namespace: from its first page, with no memory open."""
    set_report(None)
    update(scope=tuple(namespace), selected=None, page=1)


def selected() -> Reference | None:
    """Return the memory open in the inspector."""
    return _load().selected


def select(reference: Reference | None) -> None:
    """Open a memory in the inspector, or close it; an edit under way is given up."""
    if reference != _load().selected:
        set_draft(None)
        set_report(None)
    update(selected=reference)


def query() -> str:
    """Return what is being searched for."""
    return _load().query


def set_query(text: str) -> None:
    """Search for something else."""
    update(query=text)


def param(name: str) -> str | None:
    """Return a screen's own entry of the address bar, or None."""
    return dict(_load().extra).get(name)


def set_param(name: str, text: str | None) -> None:
    """Set a screen's own entry of the address bar; None removes it."""
    kept = {other: value for other, value in _load().extra if other != name}
    if text is not None:
        kept[name] = text
    update(extra=tuple(kept.items()))


def draft() -> Draft | None:
    """Return the edit under way, if it is of the open memory."""
    found: Draft | None = st.session_state.get(_DRAFT)
    return found if found is not None and found.before.reference == selected() else None


def set_draft(draft: Draft | None) -> None:
    """Begin, change or end an edit."""
    st.session_state[_DRAFT] = draft


def report() -> Report | None:
    """Return what the last change did, while it is worth showing."""
    found: Report | None = st.session_state.get(_REPORT)
    return found


def set_report(report: Report | None) -> None:
    """Keep what a change did, or forget it."""
    st.session_state[_REPORT] = report


def list_shown(references: Sequence[Reference]) -> None:
    """Note which memories the page lists, in order, for stepping through them."""
    st.session_state[_LISTED] = tuple(references)


def neighbours() -> tuple[Reference | None, Reference | None]:
    """Return the memories before and after the open one in the list; None at its ends."""
    listed: tuple[Reference, ...] = st.session_state.get(_LISTED, ())
    opened = selected()
    if opened is None or opened not in listed:
        return None, (listed[0] if listed else None)
    at = listed.index(opened)
    return (listed[at - 1] if at else None), (listed[at + 1] if at + 1 < len(listed) else None)


def ticked(table: str) -> tuple[Reference, ...]:
    """Return every memory ticked in a table, also those its rows do not show, oldest tick first."""
    found: Ticks = st.session_state.get(f"{_TICKED}.{table}", Ticks())
    return found.references


def ticks_round(table: str) -> int:
    """Return a number that changes when ticks change by anything but the table itself."""
    found: Ticks = st.session_state.get(f"{_TICKED}.{table}", Ticks())
    return found.round


def note_ticks(table: str, shown: Sequence[Reference], chosen: Sequence[Reference]) -> None:
    """Note which of the shown rows of a table are ticked; what it does not show stays as it was."""
    here, now = frozenset(shown), frozenset(chosen)
    kept = [one for one in ticked(table) if one not in here or one in now]
    references = tuple(dict.fromkeys([*kept, *chosen]))
    st.session_state[f"{_TICKED}.{table}"] = Ticks(references, ticks_round(table))


def set_ticked(table: str, references: Iterable[Reference]) -> None:
    """Tick these memories of a table and no others."""
    kept = tuple(dict.fromkeys(references))
    st.session_state[f"{_TICKED}.{table}"] = Ticks(kept, ticks_round(table) + 1)


def untick(references: Iterable[Reference]) -> None:
    """Take memories that are gone out of the ticks of every table."""
    gone = frozenset(references)
    for name in [name for name in st.session_state if str(name).startswith(f"{_TICKED}.")]:
        table = str(name).removeprefix(f"{_TICKED}.")
        if not gone.isdisjoint(ticked(table)):
            set_ticked(table, [one for one in ticked(table) if one not in gone])


def ask(question: object = None) -> None:
    """Put a question to the person in a dialog from the next run on; None closes it."""
    st.session_state[_QUESTION] = question


def question() -> object:
    """Return the question that is open, or None."""
    found: object = st.session_state.get(_QUESTION)
    return found


def say(message: str, icon: str = ":material/check:") -> None:
    """Queue one plain-text note for the next run, which survives a rerun."""
    st.session_state.setdefault(_TOASTS, []).append((message, icon))


def said() -> list[tuple[str, str]]:
    """Take the queued notes."""
    notes: list[tuple[str, str]] = st.session_state.pop(_TOASTS, [])
    return notes


def go(
    page: str, *, scope: Namespace = (), selected: Reference | None = None, query: str = ""
) -> None:
    """Show another page from the next run on, with such a view; callbacks may call it."""
    st.session_state[_NEXT] = (page, link(scope=scope, selected=selected, query=query))


def going() -> tuple[str, dict[str, str]] | None:
    """Take the page `go` asked for, with its query parameters."""
    asked: tuple[str, dict[str, str]] | None = st.session_state.pop(_NEXT, None)
    return asked


def link(
    *, scope: Namespace = (), selected: Reference | None = None, query: str = ""
) -> dict[str, str]:
    """Return query parameters that restore such a view on any page."""
    return to_params(View(scope=scope, selected=selected, query=query))


def _load() -> View:
    view: View = st.session_state.get(_VIEW) or View()
    return view


def _save(view: View) -> None:
    st.session_state[_VIEW] = view
    params = to_params(view)
    if st.query_params.to_dict() != params:
        st.query_params.from_dict(params)
    if _SEEN in st.session_state:
        st.session_state[_SEEN] = (st.session_state[_SEEN][0], params)
