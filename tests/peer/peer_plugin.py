"""The pytest plugin under which other people's store tests meet ChromaStore.

It puts stand-ins where those tests import LangGraph's own stores from, before any test module is
imported, and writes down how each test ended and whether it had a ChromaStore at all.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import handles
import langgraph.store.memory
import langgraph.store.postgres
import langgraph.store.sqlite
import langgraph.store.sqlite.aio
import openings
import psycopg
import pytest
import stand_ins

langgraph.store.memory.InMemoryStore = stand_ins.InMemoryStandIn
langgraph.store.sqlite.SqliteStore = stand_ins.SqliteStandIn
langgraph.store.sqlite.AsyncSqliteStore = stand_ins.AsyncSqliteStandIn
langgraph.store.sqlite.aio.AsyncSqliteStore = stand_ins.AsyncSqliteStandIn
langgraph.store.postgres.PostgresStore = stand_ins.PostgresStandIn
langgraph.store.postgres.AsyncPostgresStore = stand_ins.AsyncPostgresStandIn
psycopg.Connection = handles.Connection
psycopg.AsyncConnection = handles.AsyncConnection

_outcomes: dict[str, str] = {}
_with_store: set[str] = set()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    before = next(openings.opened)
    result = yield
    if next(openings.opened) > before + 1:
        _with_store.add(item.nodeid)
    return result


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" or report.outcome != "passed":
        _outcomes[report.nodeid] = report.outcome


def pytest_sessionfinish() -> None:
    openings.clean_up()
    found = {"outcomes": _outcomes, "with_store": sorted(_with_store)}
    Path(os.environ["MEMLENS_PEER_REPORT"]).write_text(json.dumps(found), encoding="utf-8")
