import pytest

from dashboard.memories import embedded_text, kind, preview, size

FILE = {"content": ["# Notes", "buy tea"], "created_at": "2025-01-01", "modified_at": "2025-01-02"}


@pytest.mark.parametrize(
    ("value", "fields", "shown"),
    [
        ({"text": "drinks tea", "kind": "habit"}, (), "drinks tea"),
        ({"id": "x" * 40, "content": "drinks tea"}, (), "drinks tea"),
        ({"text": "old", "fact": "new"}, ("fact",), "new"),
        ({"user": {"bio": "a nurse"}, "text": "old"}, ("user.bio",), "a nurse"),
        ({"kind": "Profile", "content": {"name": "Mira", "age": 3}}, (), "Mira"),
        (FILE, (), "# Notes buy tea"),
        ({"topic": "tea", "note_long": "drinks tea every morning"}, (), "drinks tea every morning"),
        ({"count": 0, "ok": False}, (), '{"count": 0, "ok": false}'),
        ({"text": "  "}, (), '{"text": " "}'),
        ({}, (), "(empty)"),
        ({"content": "QUJD", "encoding": "base64"}, (), "(binary file, 3 B)"),
    ],
    ids=[
        "text", "content", "embedded field wins", "nested embedded field", "langmem schema",
        "file of lines", "longest text", "no text: the JSON", "blank text: the JSON", "empty",
        "binary",
    ],
)  # fmt: skip
def test_the_preview_is_what_the_memory_is_about(value, fields, shown):
    assert preview(value, fields) == shown


def test_a_long_text_is_cut_with_an_ellipsis():
    shown = preview({"text": "word " * 10_000})
    assert len(shown) <= 240
    assert shown.endswith("…")


def test_the_embedded_text_is_the_first_embedded_field_with_text():
    assert embedded_text({"a": "", "b": "tea"}, ("a", "b")) == "tea"
    assert embedded_text({"b": 1, "a": "x"}, ("$",)) == '{"a": "x", "b": 1}'
    assert embedded_text({"a": "x"}, ("b",)) == ""


@pytest.mark.parametrize(
    ("value", "name"), [({"kind": "habit"}, "habit"), ({"type": "x"}, "x"), ({"kind": 3}, "")]
)
def test_the_kind_is_what_the_memory_says(value, name):
    assert kind(value) == name


def test_the_size_counts_bytes_not_characters():
    assert size({"t": "é"}) == len('{"t": "é"}'.encode())
