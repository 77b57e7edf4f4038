"""One memory: what it says, since when, and how it is corrected or deleted."""

import json

import streamlit as st

from dashboard import resources
from dashboard.wording import age
from store import Reference


def inspector(reference: Reference) -> None:
    """Draw one memory with everything that can be done to it."""
    memory = resources.store().read(*reference)
    if memory is None:
        st.info("This memory is no longer in the store.")
        return
    st.code(json.dumps(memory.value, ensure_ascii=False, indent=2), language="json")
    st.caption(f"updated {age(memory.updated_at)}")
