from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dashboard.wording import (
    age,
    escape_markdown,
    memories_text,
    namespace_text,
    parse_namespace,
    range_text,
    size_text,
)

NOW = datetime(2025, 6, 1, 12, tzinfo=UTC)


@given(st.lists(st.text(), min_size=1).map(tuple))
@example(("a/b", "", " padded ", '"quoted"', "[list]", "\u202ertl", "a\nb"))
def test_a_typed_namespace_reads_back_as_the_labels_it_shows(namespace):
    assert parse_namespace(namespace_text(namespace)) == namespace


@pytest.mark.parametrize("typed", ["users/mira", "users / mira", "  users /mira ", 'users/"mira"'])
def test_people_may_type_a_namespace_loosely(typed):
    assert parse_namespace(typed) == ("users", "mira")


@pytest.mark.parametrize("typed", ['users/"mira', "users/", 'users/"mira"x'])
def test_an_unfinished_namespace_is_refused_with_a_sentence(typed):
    with pytest.raises(ValueError, match=r"(close it|name the last label|put a / between)"):
        parse_namespace(typed)


def test_the_whole_store_has_a_name():
    assert namespace_text(()) == "All memories"


@pytest.mark.parametrize(
    "hostile",
    ["![x](http://evil.example/a.png)", "[a](b)", "<b>", "`c`", "$x$", ":red[x]", ":tada:", "# h"],
)
def test_every_markdown_mark_in_a_label_is_escaped(hostile):
    escaped = escape_markdown(hostile)
    marks = [index for index, char in enumerate(escaped) if char in "![](<>`$:#"]
    assert all(escaped[index - 1] == "\\" for index in marks)


@pytest.mark.parametrize(
    ("passed", "text"),
    [
        (timedelta(seconds=5), "just now"),
        (timedelta(minutes=1), "1 minute ago"),
        (timedelta(hours=26), "1 day ago"),
        (timedelta(days=800), "2 years ago"),
        (timedelta(days=640), "2 years ago"),
        (timedelta(days=-6, hours=-23), "in 7 days"),
        (timedelta(minutes=50), "1 hour ago"),
        (timedelta(hours=-3), "in 3 hours"),
        (timedelta(seconds=-30), "in a moment"),
    ],
)
def test_ages_read_as_people_say_them(passed, text):
    assert age(NOW - passed, NOW) == text


@pytest.mark.parametrize(
    ("offset", "shown", "total", "text"),
    [(0, 50, 1204, "1–50 of 1,204"), (1200, 4, 1204, "1,201–1,204 of 1,204"), (0, 0, 7, "0 of 7")],
)
def test_a_list_says_which_part_it_shows(offset, shown, total, text):
    assert range_text(offset, shown, total) == text


def test_counts_and_sizes_read_as_people_say_them():
    assert [memories_text(1), memories_text(1204), size_text(999), size_text(20_480)] == [
        "1 memory",
        "1,204 memories",
        "999 B",
        "20.5 kB",
    ]
