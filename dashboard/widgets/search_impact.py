"""What a planned edit or deletion does to the saved questions, shown before it is applied."""

from collections.abc import Sequence

import streamlit as st

from dashboard import resources
from dashboard.impact import MOST_CHANGES, Change, Impact, impacts, summary
from dashboard.wording import escape_markdown
from store import EmbeddingError, SearchUnavailable


def impact_preview(changes: Sequence[Change]) -> None:
    """Draw, for each saved question, its top memories before and after the changes.

    Draws nothing when no question is saved or search by meaning is off.
    """
    probes = resources.probes().load()
    if not probes:
        return
    if len(changes) > MOST_CHANGES:
        st.caption(
            f"What this does to the saved questions is foretold for up to {MOST_CHANGES:,} "
            f"memories, not for {len(changes):,}."
        )
        return
    try:
        with st.skeleton(height=40):
            found = impacts(resources.store(), probes, changes)
    except (SearchUnavailable, EmbeddingError) as error:
        st.caption(escape_markdown(f"Saved questions were not asked: {error}"))
        return
    differing = [impact for impact in found if impact.differs]
    with st.expander(
        escape_markdown(summary(found)), icon=":material/quiz:", expanded=bool(differing)
    ):
        for impact in differing:
            _before_and_after(impact)
        for impact in found:
            if not impact.differs:
                st.caption(f"{escape_markdown(impact.probe.query)}: the same {len(impact.before)}")


def _before_and_after(impact: Impact) -> None:
    st.markdown(f"**{escape_markdown(impact.probe.query)}**")
    for name, lines in (("Now", impact.lines_now), ("Afterwards", impact.lines_then)):
        with st.container(gap="xxsmall"):
            st.caption(name)
            for line in lines or ["Nothing is found."]:
                st.text(line)
