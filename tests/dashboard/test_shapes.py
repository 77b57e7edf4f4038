import base64
from datetime import UTC, datetime

import pytest

from dashboard.shapes import binary_size, file_text, is_file, with_file_text

STAMPS = {"created_at": "2025-01-01T00:00:00+00:00", "modified_at": "2025-01-02T00:00:00+00:00"}
NOW = datetime(2025, 6, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"content": ["# Notes", "buy tea"], **STAMPS}, "# Notes\nbuy tea"),
        ({"content": "# Notes\nbuy tea", "encoding": "utf-8", **STAMPS}, "# Notes\nbuy tea"),
        ({"content": "aGk=", "encoding": "base64", **STAMPS}, None),
        ({"content": "just a memory"}, None),
        ({"content": [1], **STAMPS}, None),
    ],
    ids=["lines", "text", "binary", "no file", "not lines"],
)
def test_a_file_reads_as_its_text(value, text):
    assert file_text(value) == text


@pytest.mark.parametrize("content", [["a", "b"], "a\nb"], ids=["lines", "text"])
def test_a_corrected_file_keeps_its_shape_and_says_when_it_changed(content):
    before = {"content": content, **STAMPS}
    after = with_file_text(before, "a\nc", NOW)
    assert is_file(after)
    assert after == {
        "content": ["a", "c"] if isinstance(content, list) else "a\nc",
        "created_at": STAMPS["created_at"],
        "modified_at": NOW.isoformat(),
    }


def test_a_binary_file_is_told_by_its_size():
    picture = {"content": base64.b64encode(b"x" * 100).decode(), "encoding": "base64"}
    assert binary_size(picture) == 100
    assert binary_size({"content": "not base64!", "encoding": "base64"}) is None
    assert binary_size({"content": "text"}) is None
