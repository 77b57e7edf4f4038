"""The parts of the Overview: figures, growth curve, and where memories are."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dashboard import state
from dashboard.namespace_tree import Branch, Tree
from dashboard.overview import Growth, Outline
from dashboard.wording import escape_markdown, memories_text, namespace_text, plural
from store import StoreInfo

_AREA = "#1a9a9299"
_TICKS = {
    "year": "%b %Y",
    "quarter": "%b %Y",
    "month": "%b %Y",
    "week": "%d %b",
    "date": "%d %b",
    "day": "%d %b",
    "hours": "%H:%M",
    "minutes": "%H:%M",
}
"""How the time axis names its ticks, by what they count."""


def metrics(info: StoreInfo, tree: Tree, outline: Outline) -> None:
    """Draw the figures that say how much there is, how fresh it is, and what search finds."""
    places = sum(branch.own > 0 for branch in tree.branches.values())
    with st.container(horizontal=True, key="metrics"):
        st.metric("Memories", f"{info.memories:,}", border=True)
        st.metric(
            "Namespaces",
            f"{places:,}",
            border=True,
            help=f"Under {plural(len(tree.children(())), 'top-level name')}.",
        )
        st.metric(
            "Changed this week",
            f"{outline.week:,}",
            border=True,
            help=f"Last 24 hours: {outline.day:,} · last 30 days: {outline.month:,}",
        )
        st.metric(
            "Found by meaning",
            "Off" if info.search_off else f"{outline.findable:,}",
            border=True,
            help=escape_markdown(info.search_off or _embedder(info)),
        )
        if outline.expiring or outline.expired:
            st.metric(
                "Expire this week",
                f"{outline.expiring:,}",
                border=True,
                help=f"Already expired and not yet removed: {outline.expired:,}",
            )


def _embedder(info: StoreInfo) -> str:
    fields = ", ".join(info.fields)
    return f"{info.embedder or 'A custom embedder'} reads: {fields}. Vectors: {info.vectors:,}."


def health(info: StoreInfo, outline: Outline) -> None:
    """Say what is not as it should be, and nothing when all is well."""
    lost = info.memories - outline.findable
    if info.search_off is not None:
        st.warning(escape_markdown(info.search_off), icon=":material/search_off:")
    elif lost:
        fields = escape_markdown(" or ".join(f"“{name}”" for name in info.fields))
        st.info(
            f"Search by meaning cannot find {memories_text(lost)} with no text in {fields}, or "
            "written without being indexed.",
            icon=":material/visibility_off:",
        )


def growth_chart(growth: Growth) -> None:
    """Draw how the memories that exist now came in."""
    if len(growth.moments) < 2:
        st.caption("The curve appears with the second memory.")
        return
    frame = pd.DataFrame({"Time": growth.moments, "Memories": growth.counts})
    # Streamlit's own area chart leaves the year out; Altair is what it draws with.
    import altair

    time = altair.X("Time:T", title=None).axis(format=_TICKS, labelOverlap=True)
    tooltip = [altair.Tooltip("Time:T", format="%d %b %Y %H:%M"), "Memories:Q"]
    chart = altair.Chart(frame, height=390).mark_area(color=_AREA)
    st.altair_chart(chart.encode(x=time, y=altair.Y("Memories:Q", title=None), tooltip=tooltip))


def places(branches: Sequence[Branch], total: int) -> None:
    """Draw the largest namespaces as links into Browse."""
    with st.container(key="places", gap=None):
        for branch in branches:
            share = branch.total / max(total, 1)
            st.page_link(
                state.PAGES["browse"],
                label=f"{escape_markdown(namespace_text(branch.namespace))} "
                f":gray[{branch.total:,} · {_percent(share)}]",
                query_params=state.link(scope=branch.namespace),
                width="stretch",
            )
            st.progress(share)
    rest = total - sum(branch.total for branch in branches)
    if rest:
        st.caption(f"{memories_text(rest)} elsewhere")


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.01 else "<1%"
