"""What is said beside a map: how far it can be trusted, and what is not or oddly drawn."""

import streamlit as st

from dashboard.projection import Layout
from dashboard.wording import escape_markdown


def notes(layout: Layout, unmapped: int) -> None:
    """Say how far the picture can be trusted, and what is not or oddly drawn."""
    remarks = [trust_text(layout.trust, layout.method), *layout.notes]
    if unmapped:
        remarks.append(f"{unmapped:,} without a vector cannot be drawn: search cannot find them.")
    st.caption(escape_markdown(" ".join(remarks)))


def trust_text(trust: float | None, method: str) -> str:
    """Say in words what nearness on this map means."""
    warning = "Distance on a flat map is not similarity"
    if method == "preview":
        return f"{warning}; this is a preview, places will still shift."
    if trust is None:
        return f"{warning}."
    words = next(
        text
        for least, text in (
            (0.93, "neighbours here are nearly always neighbours in meaning"),
            (0.85, "neighbours here are mostly neighbours in meaning"),
            (0.75, "neighbours here are often, not always, neighbours in meaning"),
            (-1.0, "neighbours here are neighbours in meaning only in part"),
        )
        if trust >= least
    )
    return f"{warning}: {words} (trustworthiness {trust:.2f})."
