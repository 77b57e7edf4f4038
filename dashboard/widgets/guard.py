"""Parts that rerun by themselves say what is wrong themselves, as the frame does for pages."""

import functools
from collections.abc import Callable
from typing import ParamSpec

import streamlit as st

from dashboard.wording import escape_markdown
from store import StoreError

P = ParamSpec("P")


def guarded(draw: Callable[P, None]) -> Callable[P, None]:
    """Show a store's error as one sentence in the part's own place."""

    @functools.wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            draw(*args, **kwargs)
        except StoreError as error:
            st.warning(escape_markdown(str(error)), icon=":material/info:")

    return drawn
