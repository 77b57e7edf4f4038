"""Strict equality of JSON values."""

from typing import Any


def same(left: Any, right: Any) -> bool:
    """Whether two JSON values are equal, types included: 1, 1.0 and True are three values."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)
