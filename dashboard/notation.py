"""Namespaces as a person types them: labels joined by ``/``, or a JSON list of labels."""

import json

from dashboard.invisible import escaped
from store import Namespace


def parse_namespace(text: str) -> Namespace:
    """Read ``users/mira`` or ``["users", "mira"]``; empty text is the root, above everything.

    A label that holds ``/`` itself, or a first label that starts with ``[``, needs the JSON form.
    Raises ValueError with a sentence for text that is neither.
    """
    if not text.strip():
        return ()
    if text.lstrip().startswith("["):
        return _from_json(text)
    labels = tuple(text.split("/"))
    if not all(labels):
        raise ValueError(
            f'The namespace "{text}" has an empty label; write labels joined by single slashes, '
            "such as users/mira."
        )
    return labels


def format_namespace(namespace: Namespace) -> str:
    """Write a namespace so that `parse_namespace` reads it back, as short as can be."""
    joined = "/".join(namespace)
    try:
        if escaped(joined) == joined and parse_namespace(joined) == namespace:
            return joined
    except ValueError:
        pass  # The short form would not be read back, so the JSON form it is.
    return escaped(json.dumps(namespace, ensure_ascii=False))


def _from_json(text: str) -> Namespace:
    try:
        labels = json.loads(text)
    except ValueError as exc:
        raise ValueError(
            f'The namespace {text} is not a JSON list of labels; write it like ["users", "mira"].'
        ) from exc
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise ValueError(f"The namespace {text} must be a list of text labels.")
    return tuple(labels)
