import pytest

from dashboard.invisible import escaped, named
from dashboard.memories import preview
from dashboard.wording import namespace_text, parse_namespace


@pytest.mark.parametrize(
    "text",
    [
        "👩‍👩‍👧‍👦",
        "👩‍⚕️ 🇳🇱",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "می‌خواهم",
        "क्‍ष",
        "שלום",
        "½",
    ],
)
def test_what_scripts_and_emoji_need_stays(text):
    assert escaped(text) == text
    assert namespace_text((text,)) == text
    assert list(named(text)) == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ev\u202eil", "ev\\u202eil"),
        ("us\u200ders", "us\\u200ders"),
        ("us\u200bers", "us\\u200bers"),
        ("a\x00b", "a\\u0000b"),
        ("a\u00a0b", "a\\u00a0b"),
        ("a\u2066b", "a\\u2066b"),
        ("\u3164", "\\u3164"),
        ("a\U000e0041", "a\\udb40\\udc41"),
    ],
)
def test_what_nobody_sees_is_shown_as_an_escape(text, shown):
    assert escaped(text) == shown
    assert namespace_text((text,)) == f'"{shown}"'
    assert parse_namespace(f'"{shown}"') == (text,)
    assert preview({"text": f"x{text}"}) == f"x{shown}".replace("\\u00a0", " ").strip()


def test_unseen_characters_are_named_once_and_line_breaks_are_none():
    assert list(named("a\n\tb\u202ec\u202e\x07")) == [
        "U+202E right-to-left override",
        "U+0007 control character",
    ]
