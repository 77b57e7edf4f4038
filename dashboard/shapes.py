"""Shapes of values that agents' tools agree on and people should not have to decode: files."""

import base64
import binascii
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

_STAMPS = ("created_at", "modified_at")


def is_file(value: Mapping[str, Any]) -> bool:
    """Tell whether a value is a file as deepagents keeps it: content with its times."""
    content = value.get("content")
    lines = isinstance(content, list) and all(isinstance(line, str) for line in content)
    return all(stamp in value for stamp in _STAMPS) and (isinstance(content, str) or lines)


def binary_size(value: Mapping[str, Any]) -> int | None:
    """Return how many bytes a binary file holds; None for text and for anything else."""
    content = value.get("content")
    if value.get("encoding") != "base64" or not isinstance(content, str):
        return None
    try:
        return len(base64.b64decode(content, validate=True))
    except (binascii.Error, ValueError):
        return None


def file_text(value: Mapping[str, Any]) -> str | None:
    """Return a file's text with its line breaks; None when it is binary or no file."""
    if not is_file(value) or value.get("encoding") == "base64":
        return None
    content = value["content"]
    return content if isinstance(content, str) else "\n".join(content)


def with_file_text(
    value: Mapping[str, Any], text: str, now: datetime | None = None
) -> dict[str, Any]:
    """Return the file with another text, in the shape it had, and its modification time set."""
    content = text if isinstance(value["content"], str) else text.split("\n")
    moment = (now or datetime.now(UTC)).isoformat()
    return {**value, "content": content, "modified_at": moment}
