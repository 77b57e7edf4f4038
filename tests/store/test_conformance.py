"""The public conformance suite: what it says of stores that keep the contract, and that do not."""

import itertools
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.base import BaseStore, IndexConfig, ListNamespacesOp, Op, PutOp, Result
from langgraph.store.memory import InMemoryStore
from langgraph.store.sqlite import SqliteStore
from langgraph.store.sqlite.aio import AsyncSqliteStore

from store import ChromaStore
from store.conformance import Check, Report, compare, verify
from store.conformance.__main__ import main
from tests.store.backends import ephemeral_client

_serial = itertools.count()


@contextmanager
def chroma(*, index: IndexConfig | None) -> Iterator[ChromaStore]:
    name = f"conformance{next(_serial)}"
    with closing(ChromaStore.open(ephemeral_client(), index=index, name=name)) as store:
        yield store


def results(report: Report) -> dict[str, str]:
    return {check.rule: check.status for check in report.checks}


@pytest.fixture(scope="module")
def of_memory() -> Report:
    return verify(InMemoryStore)


# --- what it says of known stores ----------------------------------------------------------------


def test_chroma_store_keeps_every_rule() -> None:
    report = verify(chroma, name="ChromaStore")
    assert report.failures == ()
    assert set(results(report).values()) == {"pass"}
    assert len(report.checks) > 70


def test_chroma_store_in_a_folder_keeps_every_rule(stores_folder: Path) -> None:
    with ChromaStore.open(stores_folder / f"conformance{next(_serial)}", index=None) as store:
        assert verify(store).failures == ()


def test_in_memory_store_breaks_what_the_list_of_differences_says(of_memory: Report) -> None:
    assert {check.section for check in of_memory.failures} == {
        "Batches",
        "Namespaces and keys",
        "Values and times",
        "Listing",
        "Listing namespaces",
        "Filters",
        "Search by meaning",
        "Embedding",
    }
    broken = results(of_memory)
    assert broken["An overwrite keeps created_at and moves updated_at"] == "fail"
    assert broken["An overwrite leaves no vector of a text that is gone"] == "fail"
    assert broken["Threads that write at once lose nothing"] == "pass"
    assert of_memory.counts()["unsupported"] == 3


@contextmanager
def sqlite(*, index: IndexConfig | None) -> Iterator[SqliteStore]:
    if index is not None:
        raise NotImplementedError("no vectors here")
    with SqliteStore.from_conn_string(":memory:") as store:
        store.setup()
        yield store


def test_a_half_or_an_index_that_is_missing_is_unsupported() -> None:
    report = verify(sqlite)
    assert report.subject == "SqliteStore"
    assert results(report)["The asynchronous half works from several event loops at once"] == (
        "unsupported"
    )
    assert results(report)["The score is cosine similarity"] == "unsupported"
    assert results(report)["Times are timezone-aware UTC"] == "fail"
    assert results(report)["Reads of a batch see the state before it"] == "pass"


class AsyncSqlite:
    """AsyncSqliteStore lives in one event loop."""

    def __init__(self, *, index: IndexConfig | None) -> None:
        self._opening = AsyncSqliteStore.from_conn_string(":memory:", index=index)

    async def __aenter__(self) -> BaseStore:
        store = await self._opening.__aenter__()
        await store.setup()
        return store

    async def __aexit__(self, *error: Any) -> None:
        await self._opening.__aexit__(None, None, None)


def test_a_store_of_one_event_loop_is_checked_in_it() -> None:
    report = verify(
        lambda *, index: AsyncSqlite(index=None), name="AsyncSqliteStore", halves=("async",)
    )
    assert results(report)["Results stand in the order of the operations"] == "pass"
    assert results(report)["Threads that write at once lose nothing"] == "skip"


# --- how it works --------------------------------------------------------------------------------


def test_a_store_is_left_as_it_was() -> None:
    with sqlite(index=None) as store:
        store.put(("mine",), "k", {"n": 1})
        before = store.search(())
        verify(store)
        assert store.search(()) == before
        assert store.list_namespaces() == [("mine",)]


def test_rules_that_need_another_embedder_are_skipped_for_a_store() -> None:
    embed = {"embed": lambda texts: [[1.0, float(len(text))] for text in texts], "dims": 2}
    report = verify(InMemoryStore(index=embed))  # type: ignore[arg-type]
    assert results(report)["The score is cosine similarity"] == "skip"
    assert results(report)["Without an index a query is a plain listing without scores"] == "skip"
    assert results(report)["Limit and offset slice one total order"] == "pass"


class Mutant(BaseStore):
    """A good store with one thing wrong."""

    def __init__(self, inner: BaseStore, change: Callable[[Op], Op | None]) -> None:
        self._inner = inner
        self._change = change

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        changed = [self._change(op) for op in ops]
        found = iter(self._inner.batch([op for op in changed if op is not None]))
        return [None if op is None else next(found) for op in changed]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return self.batch(ops)


def drops_deletes(op: Op) -> Op | None:
    return None if isinstance(op, PutOp) and op.value is None else op


def lowers_labels(op: Op) -> Op:
    if isinstance(op, ListNamespacesOp) or not hasattr(op, "key"):
        return op
    return op._replace(key=op.key.lower())


def swallows_filters(op: Op) -> Op:
    return op._replace(filter=None) if hasattr(op, "filter") else op


def stops_at_seven(op: Op) -> Op:
    return op._replace(limit=min(op.limit, 7)) if hasattr(op, "filter") else op


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (drops_deletes, "None as a value deletes; deleting what is missing is a no-op"),
        (lowers_labels, 'Any text is a key, also "" and one of 3,000 characters'),
        (swallows_filters, "Values are compared as JSON: 5 is 5.0, texts are case-sensitive"),
        (stops_at_seven, "A page behind a filter is short only at the end"),
    ],
    ids=["deletes", "keys", "filters", "pages"],
)
def test_a_store_with_one_thing_wrong_is_found_out(
    of_memory: Report, change: Any, rule: str
) -> None:
    assert any(
        check.rule.startswith(rule) for check in verify(Mutant(InMemoryStore(), change)).failures
    )
    assert not any(check.rule.startswith(rule) for check in of_memory.failures)


def test_what_a_store_raises_is_its_result() -> None:
    def fail(op: Op) -> Op:
        raise ZeroDivisionError("broken from within")

    report = verify(Mutant(InMemoryStore(), fail))
    first = report.checks[0]
    assert (first.status, first.message) == ("fail", "raised ZeroDivisionError: broken from within")


def test_progress_tells_each_result_as_it_comes() -> None:
    told: list[Check] = []
    report = verify(InMemoryStore(), progress=told.append)
    assert tuple(told) == report.checks


def test_a_factory_must_give_a_store() -> None:
    with pytest.raises(TypeError, match="BaseStore"):
        verify(lambda *, index: {})


def test_it_needs_no_pytest() -> None:
    code = "import sys, store.conformance; sys.exit('pytest' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


# --- how it reads --------------------------------------------------------------------------------

REPORT = Report(
    "Mine",
    (
        Check("Values", "A value comes back", "pass"),
        Check("Values", "Copies", "fail", "expected [1] | got\n[1, 2]"),
        Check("TTL", "Kept", "unsupported", "supports_ttl is False"),
    ),
)


def test_a_report_is_a_markdown_table() -> None:
    assert REPORT.markdown() == (
        "| section | rule | result | detail |\n"
        "| --- | --- | --- | --- |\n"
        "| Values | A value comes back | pass |  |\n"
        "| Values | Copies | fail | expected [1] \\| got [1, 2] |\n"
        "| TTL | Kept | unsupported | supports_ttl is False |\n"
        "\n"
        "Mine: 1 pass, 1 fail, 1 unsupported\n"
    )


def test_a_report_knows_what_failed() -> None:
    assert not REPORT.passed
    assert [check.rule for check in REPORT.failures] == ["Copies"]
    assert REPORT.counts() == {"pass": 1, "fail": 1, "unsupported": 1, "skip": 0}


def test_reports_stand_side_by_side() -> None:
    other = Report("Other", (Check("Values", "Copies", "pass"),))
    assert compare(REPORT, other).splitlines()[2:] == [
        "| Values | A value comes back | pass | skip |",
        "| Values | Copies | fail | pass |",
        "| TTL | Kept | unsupported | skip |",
    ]


def test_every_rule_has_a_name_of_its_own(of_memory: Report) -> None:
    names = [(check.section, check.rule) for check in of_memory.checks]
    assert len(set(names)) == len(names)
    assert all(rule and "\n" not in rule for _, rule in names)


# --- from a shell --------------------------------------------------------------------------------


def test_the_command_prints_the_report_and_gives_one_for_a_broken_rule(capsys: Any) -> None:
    assert main(["langgraph.store.memory:InMemoryStore", "--half", "sync"]) == 1
    shown = capsys.readouterr()
    assert shown.out.splitlines()[0] == "| section | rule | result | detail |"
    assert "Batches: An empty batch gives an empty list" in shown.err


@pytest.mark.parametrize("target", ["nowhere:store", "langgraph.store.memory:nothing", "store"])
def test_the_command_says_what_it_cannot_load(capsys: Any, target: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main([target])
    assert ended.value.code == 2
    assert target in capsys.readouterr().err
