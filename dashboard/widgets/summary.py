"""The parts of the Overview: figures, growth curve, and where memories are."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dashboard import state
from dashboard.namespace_tree import Branch, Tree
from dashboard.overview import Freshness, Growth
from dashboard.wording import escape_markdown, memories_text, namespace_text, plural
from store import StoreInfo

_AREA = "#1a9a9299"


def metrics(info: StoreInfo, tree: Tree, freshness: Freshness) -> None:
    """Draw the figures that say how much there is, how fresh it is, and whether search works."""
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
            f"{freshness.week:,}",
            border=True,
            help=f"Last 24 hours: {freshness.day:,} · last 30 days: {freshness.month:,}",
        )
        st.metric(
            "Search by meaning",
            "On" if info.search_off is None else "Off",
            border=True,
            help=escape_markdown(info.search_off or _embedder(info)),
        )


def _embedder(info: StoreInfo) -> str:
    fields = ", ".join(info.fields)
    return f"{info.embedder or 'A custom embedder'} reads: {fields}. Vectors: {info.vectors:,}."


def growth_chart(growth: Growth) -> None:
    """Draw how the memories that exist now came in."""
    if len(growth.moments) < 2:
        st.caption("The curve appears with the second memory.")
        return
    frame = pd.DataFrame({"Time": growth.moments, "Memories": growth.counts})
    st.area_chart(frame, x="Time", y="Memories", x_label="", y_label="", height=280, color=_AREA)


def places(branches: Sequence[Branch], total: int) -> None:
    """Draw the largest namespaces as links into Browse."""
    with st.container(key="places", gap=None):
        for branch in branches:
            share = branch.total / max(total, 1)
            st.page_link(
                state.PAGES["browse"],
                label=f"{escape_markdown(namespace_text(branch.namespace))} "
                f":gray[{branch.total:,} · {share:.0%}]",
                query_params=state.link(scope=branch.namespace),
                width="stretch",
            )
            st.progress(share)
    rest = total - sum(branch.total for branch in branches)
    if rest:
        st.caption(f"{memories_text(rest)} elsewhere")
