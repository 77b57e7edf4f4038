"""What an agent is given: the hits of a search as one text for its prompt, and its length."""

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Literal

from dashboard.searching import Hit
from dashboard.wordsearch import texts

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Style = Literal["texts", "values"]
STYLES: tuple[Style, ...] = ("texts", "values")
HEADER = "Relevant memories:"
COUNTED_BY = "counted by the tokenizer of MiniLM; your agent's model counts a little differently"


def recall_text(hits: Sequence[Hit], *, style: Style = "texts", fields: Sequence[str] = ()) -> str:
    """Return the text a recall step puts before the question: one line a memory, best first.

    "texts" gives the embedded fields, "values" the whole value as JSON. No hits give "".
    """
    if not hits:
        return ""
    lines = (f"- {_line(hit, style, fields)}" for hit in hits)
    return "\n".join([HEADER, *lines])


def count_tokens(text: str) -> int:
    """Return the number of tokens of a text by MiniLM's tokenizer."""
    return len(_tokenizer().encode(text, add_special_tokens=False).ids) if text else 0


def summary(text: str, hits: Sequence[Hit]) -> str:
    """Return how long the text is, in words."""
    noun = "memory" if len(hits) == 1 else "memories"
    return (
        f"{len(hits)} {noun}, {count_tokens(text):,} tokens ({COUNTED_BY}), {len(text):,} letters."
    )


def _line(hit: Hit, style: Style, fields: Sequence[str]) -> str:
    value = hit.memory.value
    if style == "texts":
        wanted = [*fields, hit.path or ""]
        found = [text for path, text in texts(value) if path in wanted and text.strip()]
        if found:
            return " ".join("\n".join(found).split())
    return json.dumps(value, ensure_ascii=False)


@cache
def _tokenizer() -> "Tokenizer":
    from tokenizers import Tokenizer

    definition = files("store").joinpath("models/minilm/tokenizer.json")
    tokenizer = Tokenizer.from_str(definition.read_text(encoding="utf-8"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
