"""The namespaces of a store as a tree, with own and descendant counts."""

from collections.abc import Mapping
from dataclasses import dataclass

from dashboard.wording import namespace_text
from store import Namespace


@dataclass(frozen=True, slots=True)
class Branch:
    """One row of the tree: how many memories are in a namespace itself, and at or below it."""

    namespace: Namespace
    own: int
    total: int
    children: int


@dataclass(frozen=True, slots=True)
class Tree:
    """All namespaces of a store, ancestors included, sorted by their labels."""

    branches: Mapping[Namespace, Branch]
    below: Mapping[Namespace, tuple[Namespace, ...]]
    paths: tuple[tuple[str, Namespace], ...]

    @classmethod
    def of(cls, counts: Mapping[Namespace, int]) -> "Tree":
        """Build the tree from the own count of each namespace."""
        totals: dict[Namespace, int] = {(): 0}
        for namespace, count in counts.items():
            for depth in range(len(namespace) + 1):
                prefix = namespace[:depth]
                totals[prefix] = totals.get(prefix, 0) + count
        below: dict[Namespace, list[Namespace]] = {}
        for namespace in sorted(totals):
            if namespace:
                below.setdefault(namespace[:-1], []).append(namespace)
        branches = {
            namespace: Branch(
                namespace, counts.get(namespace, 0), total, len(below.get(namespace, ()))
            )
            for namespace, total in totals.items()
        }
        ordered = sorted(filter(None, totals), key=lambda one: (len(one), one))
        return cls(
            branches,
            {parent: tuple(found) for parent, found in below.items()},
            tuple((namespace_text(namespace).casefold(), namespace) for namespace in ordered),
        )

    def branch(self, namespace: Namespace) -> Branch:
        """Return a namespace's counts; all zero when nothing is stored there."""
        return self.branches.get(namespace) or Branch(namespace, 0, 0, 0)

    def children(self, namespace: Namespace) -> list[Branch]:
        """Return the namespaces one level below, by label."""
        return [self.branches[found] for found in self.below.get(namespace, ())]

    def find(self, text: str, limit: int = 50) -> tuple[list[Branch], int]:
        """Return the namespaces whose path holds every word of the text, and how many there are."""
        words = text.casefold().split()
        found = [namespace for path, namespace in self.paths if all(map(path.__contains__, words))]
        return [self.branches[namespace] for namespace in found[:limit]], len(found)
