"""What a check of a store found, in sentences."""

import json
from collections.abc import Iterator, Sequence

from dashboard.notation import format_namespace
from dashboard.wording import memories_text, plural
from store import CheckReport, CompactReport, Problem, ProblemKind, RepairReport

_NAMED = 3

_SAYS: dict[ProblemKind, tuple[str, str, str]] = {
    "missing vectors": ("memory has", "memories have", "no vectors: meaning does not find them"),
    "stale vectors": ("memory has", "memories have", "vectors of an earlier text"),
    "orphan vectors": ("vector belongs", "vectors belong", "to no memory"),
    "wrong size": ("size of vectors is", "sizes of vectors are", "not the recorded one"),
    "unreadable index": ("index", "indexes", "cannot be read; the memories are safe"),
    "unreadable rows": ("row is", "rows are", "no memory that Memlens wrote"),
    "ambiguous labels": ("memory has", "memories have", "a namespace that cannot be written today"),
    "misplaced memories": ("memory is", "memories are", "stored where a read does not look"),
    "registry": ("namespace is", "namespaces are", "listed wrongly"),
    "leftovers": ("collection is", "collections are", "left over from a change of embedder"),
    "unfinished reindexing": ("reindexing was", "reindexings were", "begun and not finished"),
}

_REPAIRED: dict[ProblemKind, str] = {
    "unreadable rows": "--repair takes them out, and keeps them in a file in the folder",
}

_WAYS_OUT: dict[ProblemKind, str] = {
    "missing vectors": "open the store once with its own embedder",
    "stale vectors": "open the store once with its own embedder",
    "wrong size": 'make them anew with "memlens reindex"',
    "unreadable rows": "check the folder itself, with its server stopped, to take them out",
    "ambiguous labels": "they can be read, exported and deleted",
    "misplaced memories": "export and import them into a new store",
    "unfinished reindexing": 'run "memlens reindex" again',
}


def check_lines(report: CheckReport) -> Iterator[str]:
    """Give the result of a check, a line for each problem."""
    held = f"{memories_text(report.memories)}, {plural(report.vectors, 'vector', 'vectors')}"
    yield f"{held}: {'nothing is wrong.' if report.clean else 'there are problems.'}"
    for problem in report.problems:
        yield f"- {problem_text(problem)}"


def problem_text(problem: Problem) -> str:
    """Say what is wrong, where, and what helps."""
    one, many, rest = _SAYS[problem.kind]
    text = f"{plural(problem.count, one, many)} {rest}{_places(problem)}"
    if problem.repairable:
        return f"{text}. {_REPAIRED.get(problem.kind, '--repair puts this right')}."
    return f"{text}; {_WAYS_OUT[problem.kind]}."


def repair_lines(report: RepairReport) -> Iterator[str]:
    """Give what a repair did, and what it left."""
    for one in report.moved:
        yield f"Moved aside, and made anew, the index of {one}."
    if report.embedded:
        yield f"Embedded {memories_text(report.embedded)} again."
    if report.removed:
        yield f"Removed {plural(report.removed, 'vector', 'vectors')} of no memory."
    if report.namespaces:
        yield f"Corrected the list of namespaces in {plural(report.namespaces, 'place', 'places')}."
    if report.strays:
        rows = plural(report.strays, "row", "rows")
        yield f"Took out {rows} that no memory was read from; kept in {report.kept_in}."
    if not report.changed:
        yield "There was nothing to repair."
    for problem in report.left:
        yield f"- {problem_text(problem)}"


def compact_lines(report: CompactReport, texts: Sequence[str]) -> Iterator[str]:
    """Give what compacting came to, and what the search of the files found."""
    before, after = (f"{size / 1e6:,.1f} MB" for size in (report.bytes_before, report.bytes_after))
    yield f"{memories_text(report.memories)} kept; {before} before, {after} now."
    if report.sought:
        sought = plural(report.sought, "deleted text or vector", "deleted texts and vectors")
        still = f"{report.left:,} still there" if report.left else "none there now"
        yield f"Searched the files for {sought} that were there: {still}."
    for text in texts:
        there = "still in the files" if text in report.texts_left else "not in the files"
        yield f"{json.dumps(text, ensure_ascii=False)} is {there}."
    if report.texts_left:
        yield "A memory that holds it, or another collection, keeps it there; delete it first."
    if report.foreign:
        yield f"Left as they are, being no store of Memlens: {', '.join(report.foreign)}."


def _places(problem: Problem) -> str:
    named = [f"{format_namespace(namespace)} {key}" for namespace, key in problem.references]
    named = [*named, *problem.details]
    if not named:
        return ""
    more = f" and {len(named) - _NAMED:,} more" if len(named) > _NAMED else ""
    return f" ({', '.join(named[:_NAMED])}{more})"
