"""What an edit or a deletion would do to saved questions, foretold without writing."""

from collections.abc import Iterator

import chromadb
import pytest

from dashboard.impact import Change, Impact, impacts, summary
from dashboard.probes import Probe
from store import ChromaStore, Reference
from tests.store.words import Words

TEA = Probe("green tea", depth=2)


def at(key: str) -> Reference:
    return ("pets",), key


@pytest.fixture
def store() -> Iterator[ChromaStore]:
    client = chromadb.EphemeralClient()
    for collection in client.list_collections():
        client.delete_collection(collection.name)
    with ChromaStore.open(client, index={"embed": Words(), "fields": ["text"]}) as opened:
        for key, text in {"1": "green tea", "2": "black tea", "3": "green horse shoe"}.items():
            opened.put(("pets",), key, {"text": text})
        yield opened


def foretell(store: ChromaStore, *changes: Change, probe: Probe = TEA) -> Impact:
    return impacts(store, [probe], changes)[0]


def top(store: ChromaStore, probe: Probe = TEA) -> list[tuple[Reference, float]]:
    found = store.match(probe.scope, query=probe.query, limit=probe.depth)
    return [(match.memory.reference, round(match.score or 0, 5)) for match in found]


CHANGES = [
    [Change(at("1"), None)],
    [Change(at("1"), {"text": "coffee"})],
    [Change(at("3"), {"text": "green tea leaf"})],
    [Change(at("3"), {"text": "green tea"}, index=False)],
    [Change(at("1"), {"other": "green tea"})],
    [Change(at("2"), {"text": "x", "more": "green tea"}, index=["more"])],
    [Change(at("new"), {"text": "green tea set"})],
    [Change(at("1"), None), Change(at("2"), None)],
    [Change((("elsewhere",), "1"), {"text": "green tea"})],
]


@pytest.mark.parametrize("scope", [(), ("pets",)])
@pytest.mark.parametrize("changes", CHANGES)
def test_the_foretold_top_is_the_top_after_the_change(
    store: ChromaStore, changes: list[Change], scope: tuple[str, ...]
) -> None:
    probe = Probe("green tea", scope, 2)
    before = top(store, probe)
    impact = foretell(store, *changes, probe=probe)
    assert (
        [(one.reference, round(one.score, 5)) for one in impact.before]
        == before
        == top(store, probe)
    )
    for change in changes:
        store.put(*change.reference, change.value, index=change.index)  # type: ignore[arg-type]
    assert [(one.reference, round(one.score, 5)) for one in impact.after] == top(store, probe)


def test_who_enters_and_who_leaves_is_told(store: ChromaStore) -> None:
    impact = foretell(store, Change(at("1"), None))
    assert [placed.reference for placed in impact.left] == [at("1")]
    assert [placed.reference for placed in impact.entered] == [at("3")]
    assert impact.lines_now[0] == "1. green tea  1.000 (leaves)"
    assert impact.lines_then == ["1. black tea  0.500 (was 2)", "2. green horse shoe  0.408 (new)"]


def test_a_changed_text_is_marked_where_it_stays(store: ChromaStore) -> None:
    impact = foretell(store, Change(at("1"), {"text": "green tea leaf"}))
    assert impact.lines_then[0] == "1. green tea leaf  0.816 (new text)"
    impact = foretell(store, Change(at("2"), {"text": "green black green tea tea tea"}))
    assert impact.lines_then[1].endswith("(new text)")


def test_an_edit_that_no_question_meets_changes_nothing(store: ChromaStore) -> None:
    store.put(("pets",), "4", {"text": "bicycle"})
    found = impacts(store, [TEA], [Change(at("4"), {"text": "motorbike"})])
    assert not found[0].differs
    assert summary(found) == "The saved question would be answered as now."


def test_the_summary_counts_changed_and_poorer_answers(store: ChromaStore) -> None:
    probes = [TEA, Probe("horse", depth=1)]
    found = impacts(store, probes, [Change(at("1"), None)])
    assert summary(found) == (
        "1 of 2 saved questions would be answered differently; 1 would lose a memory from the top."
    )
    assert summary([]) == "No questions are saved for this store."
