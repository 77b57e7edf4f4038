"""How names, numbers and times read to people; what Streamlit labels may safely show."""

import json
import re
from datetime import UTC, datetime

from dashboard.invisible import escaped
from store import Namespace

ROOT_NAME = "All memories"
_SEPARATOR = " / "
# Unit, its length in seconds, and from how many seconds on it is used: as tables round ages.
_STEPS = (
    ("year", 31_557_600, 320 * 86_400),
    ("month", 2_629_800, 25.5 * 86_400),
    ("day", 86_400, 21.5 * 3_600),
    ("hour", 3_600, 44.5 * 60),
    ("minute", 60, 44.5),
)


def label_text(label: str) -> str:
    """Return one label as visible text; one that could be misread is quoted like JSON."""
    seen = escaped(label)
    if seen == label == label.strip() and not re.search(r'^["\[]|/|^$', label):
        return label
    return f'"{escaped(json.dumps(label, ensure_ascii=False)[1:-1])}"'


def namespace_text(namespace: Namespace) -> str:
    """Return a namespace as plain text, for example ``users / mira / profile``."""
    return _SEPARATOR.join(label_text(label) for label in namespace) or ROOT_NAME


def below_text(namespace: Namespace, scope: Namespace) -> str:
    """Return the labels of a namespace below a scope; a dash for the scope itself."""
    return namespace_text(namespace[len(scope) :]) if namespace != scope else "–"


def parse_namespace(text: str) -> Namespace:
    """Return the namespace a person typed the way `namespace_text` writes it.

    Raises ValueError with one sentence when a quoted label does not end.
    """
    labels: list[str] = []
    rest = text.strip()
    while rest:
        if rest.startswith('"'):
            try:
                label, end = json.JSONDecoder().raw_decode(rest)
            except ValueError as error:
                raise ValueError(
                    f"The label {rest} begins with a quote that does not end: close it."
                ) from error
            tail = rest[end:].lstrip()
        else:
            label, slash, tail = rest.partition("/")
            label, tail = label.strip(), slash + tail
        labels.append(label)
        if tail and not tail.startswith("/"):
            raise ValueError(f"After the quoted label there is {tail}: put a / between labels.")
        rest = tail[1:].strip()
        if tail and not rest:
            raise ValueError(f"The namespace {text.strip()} ends with a /: name the last label.")
    return tuple(labels)


def escape_markdown(text: str) -> str:
    r"""Return text that Streamlit labels show literally: no links, images, colours or maths.

    Addresses would become links even so; an invisible joiner after their mark prevents it.
    """
    flat = re.sub(r"\s+", " ", text)
    unlinked = re.sub(r"(?i)https?(?=:)|ftp(?=:)|www(?=\.)|@|mailto(?=:)|xmpp(?=:)", _joined, flat)
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|<>~$:^=&])", r"\\\1", unlinked)


def _joined(mark: re.Match[str]) -> str:
    return f"{mark.group()}\u2060"


def span(seconds: float) -> str:
    """Return a duration in its largest unit, rounded, for example ``3 days``."""
    for unit, length, start in _STEPS:
        if seconds >= start:
            return plural(max(1, round(seconds / length)), unit)
    return "a moment"


def age(moment: datetime, now: datetime | None = None) -> str:
    """Return how long ago a moment was, or how far ahead it is."""
    seconds = ((now or datetime.now(UTC)) - moment).total_seconds()
    if abs(seconds) < _STEPS[-1][2]:
        return "just now" if seconds >= 0 else "in a moment"
    return f"{span(seconds)} ago" if seconds > 0 else f"in {span(-seconds)}"


def size_text(count: int) -> str:
    """Return a number of bytes as people read it."""
    if count < 1000:
        return f"{count} B"
    return f"{count / 1000:.1f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"


def plural(count: int, noun: str, many: str | None = None) -> str:
    """Return a count with its noun, for example ``1 memory`` and ``1,204 memories``."""
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"


def memories_text(count: int) -> str:
    """Return ``1 memory`` or ``1,204 memories``."""
    return plural(count, "memory", "memories")


def range_text(offset: int, shown: int, total: int) -> str:
    """Return which part of a list is shown, for example ``1–50 of 1,204``."""
    return f"{offset + 1:,}–{offset + shown:,} of {total:,}" if shown else f"0 of {total:,}"
