"""What the last change did, with the proof."""

import streamlit as st

from dashboard import state
from dashboard.proof import Check
from dashboard.wording import escape_markdown
from store import Reference

_MARKS = {True: ":material/check:", False: ":material/close:", None: ":material/remove:"}


def report(reference: Reference | None = None) -> None:
    """Draw the last change's report if it belongs here: to this memory, or to none."""
    found = state.report()
    if found is None or found.reference != reference:
        return
    body = f"**{escape_markdown(found.title)}**" + "".join(
        f"  \n{_line(check)}" for check in found.checks
    )
    if any(check.passed is False for check in found.checks):
        st.warning(body, icon=":material/warning:")
    else:
        st.success(body, icon=":material/verified:")


def _line(check: Check) -> str:
    return f"{_MARKS[check.passed]} {escape_markdown(check.name)}: {escape_markdown(check.detail)}"
