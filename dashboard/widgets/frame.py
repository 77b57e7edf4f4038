"""What surrounds every screen: page settings, sidebar, notes, and pages that say what is wrong."""

from pathlib import Path

import streamlit as st

from dashboard import resources, state
from dashboard.findings import repair_lines
from dashboard.settings import DEFAULT_NAME, STORE_VARIABLE
from dashboard.wording import escape_markdown, memories_text
from store import (
    ChromaStore,
    NotAStore,
    StoreError,
    StoreInfo,
    StoreLocked,
    StoreNotFound,
    StoreUnreachable,
)

_SHORT, _BLINK = 0.4, 0.25
_DATA = Path(__file__).parent.parent / "data"
_ABOUT = "**Memlens** shows, searches, corrects and forgets what your agents remember."
_KEYS = {
    "/": "Find or search",
    "J": "Next memory in the list",
    "K": "Previous memory in the list",
    "E": "Edit the open memory",
    "Del": "Delete the open memory",
    "N": "New memory",
    "Esc": "Close the open memory",
    "?": "Show these keys",
}
_TITLES: dict[type[StoreError], str] = {
    StoreNotFound: "There is no store here yet",
    NotAStore: "This is not a Memlens store",
    StoreLocked: "The store is open elsewhere",
    StoreUnreachable: "The server does not answer",
}


def page_config() -> None:
    """Set title, icon and layout of the browser tab."""
    st.set_page_config(
        page_title="Memlens",
        page_icon=_DATA / "mark.svg",
        layout="wide",
        initial_sidebar_state=250,
        menu_items={"About": _ABOUT},
    )
    st.logo(_DATA / "logo.svg", size="large", icon_image=_DATA / "mark.svg")


def style() -> None:
    """Add the few rules the theme has no option for."""
    st.html(_DATA / "style.css")


def keys() -> None:
    """Listen for the keys that a button's shortcut cannot be."""
    st.html(_DATA / "keys.html", unsafe_allow_javascript=True)


def opening() -> None:
    """Wait until the store is open, and say how far that has come when it takes a while."""
    begun = resources.opening()
    if begun.wait(_SHORT):
        return
    shown = st.empty()
    with shown.container(key="opening"):
        st.markdown("### Opening the store")
        bar = st.progress(0.0)
    while not begun.wait(_BLINK):
        done = min(begun.done, begun.total)
        bar.progress(done / max(begun.total, 1), text=_how_far(done, begun.total))
    shown.empty()


def _how_far(done: int, total: int) -> str:
    if not total:
        return "Reading what is stored…"
    return f"It was not closed properly: putting its search right, {done:,} of {total:,} done"


def repaired() -> None:
    """Tell once what was put right when the store was opened."""
    begun = resources.opening()
    report = begun.repaired()
    if report is None:
        return
    with st.container(border=True, key="repaired"):
        st.markdown(":material/build: **This store was not closed properly last time**")
        st.text("\n".join(repair_lines(report)))
        st.button("Understood", key="repaired-seen", on_click=begun.seen)


def sidebar(store: ChromaStore) -> None:
    """Draw which store this is, how much it holds, and whether it is well."""
    info = store.info()
    chosen = resources.settings()
    with st.sidebar.container(key="store-card"):
        st.caption("Store")
        st.markdown(f"**{escape_markdown(chosen.label if chosen else info.location)}**")
        named = "" if info.name == DEFAULT_NAME else f" · {escape_markdown(info.name)}"
        st.caption(f"{memories_text(info.memories)}{named}")
        _health(info)
    with st.sidebar.popover(
        "Keyboard :gray[?]", icon=":material/keyboard:", type="tertiary", key="keyboard"
    ):
        for pressed, does in _KEYS.items():
            st.markdown(f"`{pressed}` &nbsp; {does}")


def _health(info: StoreInfo) -> None:
    if info.search_off is None:
        st.badge("Search is on", icon=":material/check_circle:", color="green")
        st.caption(
            f"{escape_markdown(info.embedder or 'custom embedder')} · {info.dims} dimensions"
        )
        return
    st.badge("Search is off", icon=":material/warning:", color="orange")
    st.caption(escape_markdown(info.search_off))


def notes() -> None:
    """Show what the last action did."""
    for message, icon in state.said():
        st.toast(escape_markdown(message), icon=icon)


def no_store() -> None:
    """Say how to choose a store when none is configured."""
    st.title("Choose a store")
    st.text("Memlens was started without a store to show. Start it with one, for example:")
    st.code("memlens open ./my-store\nmemlens demo", language="bash")
    st.caption(f"Or set `{STORE_VARIABLE}` to a folder or to the address of a `chroma run` server.")


def problem(error: StoreError) -> None:
    """Say in one sentence what went wrong and what to do, and offer another try."""
    st.title(_TITLES.get(type(error), "That did not work"))
    st.warning(escape_markdown(str(error)), icon=":material/info:")
    if st.button("Try again", icon=":material/refresh:", key="try-again"):
        st.rerun()


def failure(error: Exception) -> None:
    """Say that something unforeseen went wrong; the details are in the log."""
    st.title("Something went wrong")
    st.warning(
        f"This page could not be drawn ({type(error).__name__}). Nothing was changed; "
        "the details are in the log of the process that runs the dashboard.",
        icon=":material/error:",
    )
    if st.button("Try again", icon=":material/refresh:", key="try-again"):
        st.rerun()


def first_memory(location: str, name: str) -> None:
    """Say how the first memory gets into an empty store."""
    empty(
        "Nothing is remembered yet",
        "Memories appear here as soon as an agent, or you, writes one.",
        icon=":material/psychology:",
    )
    st.caption("From Python")
    st.code(
        "from store import ChromaStore\n\n"
        f"with ChromaStore.open({location!r}{_name_argument(name)}) as store:\n"
        '    store.put(("users", "mira"), "job", {"text": "Mira is a nurse."})',
        language="python",
    )


def _name_argument(name: str) -> str:
    return "" if name == DEFAULT_NAME else f", name={name!r}"


def empty(title: str, text: str, *, icon: str = ":material/inbox:") -> None:
    """Draw a page or pane with nothing in it, and why."""
    with st.container(border=True, horizontal_alignment="center", key="empty"):
        st.markdown(f"### {icon} {escape_markdown(title)}", text_alignment="center")
        st.text(text, text_alignment="center")
