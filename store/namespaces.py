"""Namespaces and keys: what is allowed, how a prefix is written, how an id is made."""

import base64
import hashlib
import json
from collections.abc import Iterable, Sequence

from langgraph.store.base import InvalidNamespaceError, MatchCondition

from store.memory import Namespace

MAX_DEPTH = 256
"""Chroma breaks for good past some 5,000 metadata keys in a record; each level is one key."""

_LONGEST_TOKEN = 240


def check_labels(namespace: Sequence[str]) -> Namespace:
    """Return the namespace as a tuple, or raise InvalidNamespaceError naming the bad label."""
    if isinstance(namespace, str) or not isinstance(namespace, Sequence):
        raise InvalidNamespaceError(
            f"A namespace is a tuple of labels such as ('users', '42'), got {namespace!r}."
        )
    for label in namespace:
        _check_label(label, namespace)
    if len(namespace) > MAX_DEPTH:
        raise InvalidNamespaceError(
            f"A namespace has at most {MAX_DEPTH} labels, got {len(namespace)}."
        )
    return tuple(namespace)


def check_writable(namespace: Sequence[str]) -> Namespace:
    """Like `check_labels`, and the empty namespace is refused: nothing is stored at the root."""
    if not namespace:
        raise InvalidNamespaceError("A memory needs a namespace with at least one label, got ().")
    return check_labels(namespace)


def _check_label(label: object, namespace: Sequence[object]) -> None:
    if not isinstance(label, str):
        rule = f"must be text, got {type(label).__name__}; write str({label!r})"
    elif not label:
        rule = "must not be empty"
    elif "." in label:
        rule = "must not contain a period ('.')"
    elif "\x00" in label:
        rule = "must not contain a NUL character"
    elif not _is_unicode(label):
        rule = "must be valid Unicode, it holds half of a surrogate pair"
    else:
        return
    raise InvalidNamespaceError(f"Namespace label {label!r} in {tuple(namespace)!r} {rule}.")


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def prefix_token(namespace: Namespace) -> str:
    """Write a prefix as one text that no other prefix shares; a long one becomes a digest."""
    token = ".".join(
        label.replace("%", "%25").replace(".", "%2E").replace("#", "%23") for label in namespace
    )
    return token if len(token.encode()) <= _LONGEST_TOKEN else f"#{digest(namespace)}"


def prefix_tokens(namespace: Namespace) -> dict[str, str]:
    """Give ``{"p1": ..., "p2": ...}``: the token of the prefix at each depth."""
    return {f"p{depth}": prefix_token(namespace[:depth]) for depth in range(1, len(namespace) + 1)}


def digest(parts: Sequence[str] | str) -> str:
    """Give 22 URL-safe characters of a 128-bit BLAKE2b over an unambiguous form of `parts`."""
    text = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
    raw = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def item_id(namespace: Namespace, key: str) -> str:
    """Give the record id of a memory; the first 22 characters belong to its namespace."""
    return digest(namespace) + digest(key)


def starts_with(namespace: Namespace, prefix: Namespace) -> bool:
    """Tell whether `prefix` is an ancestor of the namespace, or the namespace itself."""
    return namespace[: len(prefix)] == prefix


def matches(namespace: Namespace, conditions: Iterable[MatchCondition]) -> bool:
    """Tell whether all conditions hold; ``*`` in a condition stands for exactly one label."""
    return all(_matches_one(namespace, condition) for condition in conditions)


def _matches_one(namespace: Namespace, condition: MatchCondition) -> bool:
    path = tuple(condition.path)
    if len(path) > len(namespace):
        return False
    end = condition.match_type == "suffix"
    part = namespace[len(namespace) - len(path) :] if end else namespace[: len(path)]
    return all(want in ("*", label) for want, label in zip(path, part, strict=True))


def select(
    namespaces: Iterable[Namespace],
    conditions: Iterable[MatchCondition],
    *,
    max_depth: int | None,
    limit: int | None,
    offset: int,
) -> list[Namespace]:
    """Filter, cut to `max_depth`, make distinct, sort as tuples, and slice, in that order."""
    found = {ns[:max_depth] for ns in namespaces if matches(ns, conditions)}
    stop = None if limit is None else offset + limit
    return sorted(found)[offset:stop]
