"""The dashboard's frame: pages, sidebar, and what is shown when the store cannot be opened."""

import logging
from pathlib import Path

import streamlit as st

from dashboard import resources, state
from dashboard.widgets import frame
from dashboard.widgets.dialogs import open_dialog
from store import StoreError

_log = logging.getLogger(__name__)
_HERE = Path(__file__).parent


def pages() -> dict[str, st.Page]:
    """Return the pages by name, in the order of the menu."""
    described = {
        "overview": ("Overview", ":material/dashboard:"),
        "browse": ("Browse", ":material/folder_open:"),
        "search": ("Search", ":material/search:"),
        "map": ("Map", ":material/scatter_plot:"),
    }
    return {
        name: st.Page(
            _HERE / state.PAGES[name], title=title, icon=icon, url_path=name, default=not index
        )
        for index, (name, (title, icon)) in enumerate(described.items())
    }


def main() -> None:
    """Draw the frame, then the page inside it."""
    frame.page_config()
    offered = pages()
    page = st.navigation(list(offered.values()))
    frame.style()
    asked = state.going()
    if asked is not None:
        st.switch_page(offered[asked[0]], query_params=asked[1])
    state.begin(next(name for name, one in offered.items() if one == page))
    if resources.settings() is None:
        frame.no_store()
        return
    try:
        frame.opening()
        frame.sidebar(resources.store())
        frame.repaired()
        page.run()
        open_dialog()
        frame.notes()
        frame.keys()
        resources.warm_map()
    except StoreError as error:
        _log.warning("%s", error)
        frame.problem(error)
    except Exception as error:
        _log.exception("The page failed")
        frame.failure(error)


main()
