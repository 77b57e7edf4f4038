"""The filter: conditions a person fills in, and the code an agent would write for them."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from dashboard import filterforms, resources, state
from dashboard.filterforms import KINDS, OPERATORS, Condition, Field, Filter, Form
from dashboard.widgets.search_setup import show
from dashboard.wording import escape_markdown
from store import InvalidFilter, Namespace

PREFIX = "search-filter"
_FORM, _SEEN = f"{PREFIX}-form", f"{PREFIX}-seen"


def filter_picker(current: Filter | None, scope: Namespace) -> None:
    """Draw the filter behind a button that tells how many conditions it has."""
    shown = filterforms.form_of(current)
    count = f" · {len(shown.lines) if shown else 1}" if current else ""
    with st.popover(f"Filter{count}", icon=":material/filter_alt:", key=f"{PREFIX}-popover"):
        if shown is None:
            st.caption("The form cannot show this filter; it is used as it is.")
            st.code(filterforms.as_code(current), language="python")
            st.button("Remove the filter", on_click=state.set_param, args=("filter", None))
        else:
            if st.session_state.get(_SEEN) != current:
                st.session_state[_SEEN], st.session_state[_FORM] = current, shown
            form = st.session_state.setdefault(_FORM, shown)
            # Without a condition nothing is read to name fields that nobody asked for.
            _draw(form, resources.fields(scope) if form.lines else ())


def _draw(form: Form, fields: Sequence[Field]) -> None:
    for at, line in enumerate(form.lines):
        _line(at, line, {field.path: field for field in fields})
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Add a condition",
            key=f"{PREFIX}-add",
            icon=":material/add:",
            on_click=lambda: _keep(_form().added()),
        )
        if len(form.lines) > 1:
            show(f"{PREFIX}-any", form.any_of)
            st.toggle("Any one is enough", key=f"{PREFIX}-any", on_change=_any)
    try:
        st.code(filterforms.as_code(form.filter()), language="python")
    except InvalidFilter as error:
        st.caption(f":material/info: {escape_markdown(str(error))}")


def _line(at: int, line: Condition, known: Mapping[str, Field]) -> None:
    field = known.get(line.field)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall", wrap=False):
        _choice(at, "field", "Field", line.field or None, list(known), new=True, width=150)
        _choice(at, "operator", "Comparison", line.operator, list(OPERATORS), names=OPERATORS)
        _choice(at, "kind", "Type", line.kind, list(KINDS), width=110)
        if line.kind != "null":
            examples = ["true", "false"] if line.kind == "true or false" else []
            if field and field.kind == line.kind:
                examples = list(dict.fromkeys([*examples, *field.examples]))
            _choice(at, "text", "Value", line.text, examples, new=True, width=190)
        st.button(
            "",
            icon=":material/close:",
            key=f"{PREFIX}-{at}-remove",
            help="Remove this condition",
            type="tertiary",
            on_click=lambda: _keep(_form().without(at)),
        )


def _choice(
    at: int,
    part: str,
    label: str,
    value: str | None,
    options: list[str],
    *,
    names: Mapping[Any, str] | None = None,
    new: bool = False,
    width: int = 120,
) -> None:
    key = f"{PREFIX}-{at}-{part}"
    show(key, value)
    st.selectbox(
        label,
        options if value is None or value in options else [*options, value],
        key=key,
        index=None,
        format_func=(lambda option: (names or {}).get(option, option)),
        accept_new_options=new,
        width=width,
        placeholder="…",
        label_visibility="visible" if at == 0 else "collapsed",
        on_change=_take,
        args=(at, part),
    )


def _take(at: int, part: str) -> None:
    kinds = {field.path: field.kind for field in resources.fields(state.scope())}
    _keep(_form().changed(at, part, st.session_state[f"{PREFIX}-{at}-{part}"], kinds))


def _any() -> None:
    form = _form()
    _keep(Form(form.lines, bool(st.session_state[f"{PREFIX}-any"])))


def _form() -> Form:
    form: Form = st.session_state[_FORM]
    return form


def _keep(form: Form) -> None:
    """Keep the form, and search with its filter unless a line cannot be used."""
    st.session_state[_FORM] = form
    try:
        built = form.filter()
    except InvalidFilter:
        return
    st.session_state[_SEEN] = built
    state.set_param("filter", filterforms.as_json(built))
