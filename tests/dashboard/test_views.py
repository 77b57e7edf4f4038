import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.views import PAGE_SIZES, View, from_params, to_params

NAMESPACES = st.lists(st.text()).map(tuple)


@given(
    st.builds(
        View,
        scope=NAMESPACES,
        selected=st.none() | st.tuples(NAMESPACES, st.text()),
        query=st.text(),
        page=st.integers(1, 10**6),
        own=st.booleans(),
        order=st.sampled_from(["updated_at", "key", "kind"]),
        descending=st.booleans(),
        size=st.sampled_from(PAGE_SIZES),
        extra=st.just((("filter", "{}"),)),
    )
)
def test_a_link_restores_the_view(view):
    assert from_params(View(), to_params(view)) == view


def test_the_usual_view_has_an_empty_address():
    assert to_params(View()) == {}


def test_a_link_is_plain_text_people_can_read():
    view = View(scope=("users", "mira"), selected=(("users", "mira", "profile"), "p1"), query="tea")
    assert to_params(view) == {
        "ns": '["users","mira"]',
        "key": "p1",
        "in": '["users","mira","profile"]',
        "q": "tea",
    }


@pytest.mark.parametrize("scope", ["users", "[1]", "{", "null", '{"a":1}', "[null]"])
def test_an_unreadable_scope_counts_as_everything(scope):
    assert from_params(View(), {"ns": scope}).scope == ()


@pytest.mark.parametrize("page", ["0", "-1", "x", "9" * 30, ""])
def test_an_unreadable_page_counts_as_the_first(page):
    assert from_params(View(), {"page": page}).page == 1


def test_entries_of_other_screens_are_kept():
    params = {"mode": "words", "filter": json.dumps({"kind": "a"})}
    assert to_params(from_params(View(), params)) == params
