"""Characters that nobody sees, and that can make a text read as another: shown as escapes.

Joiners stay where a script or an emoji needs them, between two characters beyond ASCII; between
ASCII letters they only make two names look the same. So do the tags behind a flag.
"""

import json
import re
import unicodedata
from collections.abc import Iterator

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"})
# Letters and marks by their category, which no font draws.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_JOINERS = "\u200c\u200d"
_NEEDED = re.compile(
    rf"(?<=[^\x00-\x7f])[{_JOINERS}](?=[^\x00-\x7f])"
    "|\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f"
)


def escaped(text: str) -> str:
    r"""Return the text with each unseen character as in JSON, for example ``\u202e``."""
    spans = [found.span() for found in _NEEDED.finditer(text)]
    needed = {at for start, end in spans for at in range(start, end)}
    return "".join(
        json.dumps(char)[1:-1] if unseen(char) and at not in needed else char
        for at, char in enumerate(text)
    )


def unseen(char: str) -> bool:
    """Tell whether a character draws nothing, or blank space other than a plain space."""
    return char != " " and (char in _BLANK or unicodedata.category(char) in _UNSEEN)


def named(text: str) -> Iterator[str]:
    """Yield the names of the unseen characters of a text, each once; line breaks and tabs aside."""
    hidden = escaped(text.translate({ord(char): " " for char in "\n\r\t"}))
    if hidden == text:
        return
    kept = set(hidden)
    for char in dict.fromkeys(text):
        if unseen(char) and char not in kept and char not in "\n\r\t":
            yield f"U+{ord(char):04X} {unicodedata.name(char, 'CONTROL CHARACTER').lower()}"
