"""Which names the groups of a map carry, and how a language model is asked for others."""

from dataclasses import replace

import streamlit as st

from dashboard import resources
from dashboard.map_drawing import Drawn
from dashboard.map_names import Named
from dashboard.map_naming import EXAMPLES, Namer, NamingError, ask, examples, namer
from dashboard.wording import escape_markdown, plural

_GIVEN, _PROBLEM = "map-given-names", "map-naming-problem"


def names(drawn: Drawn) -> tuple[Named, ...]:
    """Return the names of a map's groups: a model's where it gave one, else their own words."""
    given: dict[str, str] = st.session_state.get(_GIVEN, {})
    return tuple(
        replace(named, name=given.get(named.name, named.name))
        for named in resources.map_names(drawn)
    )


def naming(drawn: Drawn) -> None:
    """Offer to have the groups named by a language model; nothing is drawn without a key."""
    asked, found = namer(), resources.map_names(drawn)
    if asked is None or not found:
        return
    with st.popover("Name by model", icon=":material/auto_awesome:"):
        most = plural(EXAMPLES, "text")
        st.markdown(
            escape_markdown(
                f"Up to {most} of each of the {plural(len(found), 'group')} go to {asked.server} "
                f"({asked.model}), which may cost money. Nothing is sent until you press the "
                "button."
            )
        )
        if st.button("Send and name", key="map-naming-send", type="primary"):
            with st.spinner("Waiting for names…"):
                _ask(asked, drawn, found)
            st.rerun()
        if st.session_state.get(_GIVEN):
            st.button("Back to their own words", key="map-naming-back", on_click=_forget)
        if problem := st.session_state.pop(_PROBLEM, None):
            st.error(escape_markdown(problem), icon=":material/error:")


def _ask(asked: Namer, drawn: Drawn, found: tuple[Named, ...]) -> None:
    try:
        answers = ask(asked, examples(drawn, found))
    except NamingError as error:
        st.session_state[_PROBLEM] = str(error)
        return
    pairs = zip(found, answers, strict=True)
    st.session_state[_GIVEN] = {named.name: answer for named, answer in pairs if answer}


def _forget() -> None:
    st.session_state.pop(_GIVEN, None)
