from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from dashboard.curation import (
    Create,
    Delete,
    Edit,
    Expire,
    Move,
    apply,
    common_namespace,
    plan_moves,
    plan_namespace_deletion,
)
from dashboard.proof import listed, prove
from store import ChromaStore
from tests.dashboard.conftest import FEW, MIRA, memory


@pytest.fixture(scope="module")
def kept(stores_folder) -> Iterator[ChromaStore]:
    index = {"embed": "local:minilm", "dims": 384, "fields": ["text"]}
    with ChromaStore.open(stores_folder / "curation", index=index) as opened:
        yield opened


@pytest.fixture
def store(kept: ChromaStore) -> ChromaStore:
    kept.remove([found.reference for found in kept.scan()])
    kept.write(FEW)
    return kept


def read(store: ChromaStore, namespace=MIRA, key="p1"):
    found = store.read(namespace, key)
    assert found is not None
    return found


def agent_writes(store: ChromaStore, text: str) -> None:
    store.put(MIRA, "p1", {"text": text})


def passed(checks) -> dict[str, bool | None]:
    return {check.name: check.passed for check in checks}


def test_an_edit_changes_value_and_time_but_not_the_creation(store):
    before = read(store)
    assert apply(Edit(before, {"text": "Mira is a doctor."}), store).done == 1
    after = read(store)
    assert after.value == {"text": "Mira is a doctor."}
    assert after.created_at == before.created_at
    assert after.updated_at > before.updated_at


@pytest.mark.parametrize("field", ["text", "kind"])
def test_a_change_of_any_field_by_another_person_is_never_overwritten(store, field):
    seen = read(store)
    store.put(MIRA, "p1", {**seen.value, field: "changed by an agent"})
    outcome = apply(Edit(seen, {**seen.value, "text": "mine"}), store)
    assert (outcome.done, len(outcome.conflicts)) == (0, 1)
    assert read(store).value[field] == "changed by an agent"


def test_a_memory_put_as_not_searchable_stays_so_when_edited_and_moved(store):
    store.put(MIRA, "p1", {"text": "a secret"}, index=False)
    apply(Edit(read(store), {"text": "another secret"}), store)
    plan = Move(read(store), MIRA, "moved")
    apply(plan, store)
    assert read(store, key="moved").index == ()
    assert passed(prove(plan, store))["By meaning"] is None
    assert all(
        match.score is None
        for match in store.match(query="another secret", limit=9)
        if match.memory.key == "moved"
    )


def test_an_edit_keeps_the_expiry(store):
    later = datetime.now(UTC).replace(microsecond=0) + timedelta(days=2)
    store.write([replace(read(store), expires_at=later, ttl_minutes=60 * 48)])
    apply(Edit(read(store), {"text": "Mira is a doctor."}), store)
    assert read(store).expires_at == later


def test_after_an_edit_the_proof_says_equal_listed_and_first_for_its_own_text(store):
    plan = Edit(read(store), {"text": "Mira is allergic to peanuts."})
    apply(plan, store)
    checks = prove(plan, store)
    assert [check.detail for check in checks] == [
        "reads back equal",
        "listed",
        "rank 1 of 5 for its own text",
    ]


def test_the_old_text_no_longer_finds_a_corrected_memory_first(store):
    apply(Edit(read(store), {"text": "Mira is allergic to peanuts."}), store)
    [best] = store.match(query="Mira is allergic to peanuts.", limit=1)
    old = store.match(query="Mira works as a nurse.", limit=1)[0]
    assert best.memory.key == "p1"
    assert old.score is not None
    assert old.score < 0.9


def test_an_edit_of_a_memory_changed_since_is_refused_and_says_what_it_is_now(store):
    opened = read(store)
    agent_writes(store, "Mira is a surgeon.")
    outcome = apply(Edit(opened, {"text": "Mira is a doctor."}), store)
    assert outcome.done == 0
    [conflict] = outcome.conflicts
    assert conflict.found.value == {"text": "Mira is a surgeon."}
    assert read(store).value == {"text": "Mira is a surgeon."}


def test_an_edit_of_a_memory_deleted_since_is_refused(store):
    opened = read(store)
    store.delete(*opened.reference)
    [conflict] = apply(Edit(opened, {"text": "x"}), store).conflicts
    assert conflict.found is None
    assert store.read(MIRA, "p1") is None


def test_deleted_memories_are_gone_from_all_three(store):
    plan = Delete((read(store), read(store, key="p2")))
    assert apply(plan, store).done == 2
    assert passed(prove(plan, store)) == {"By key": True, "By listing": True, "By meaning": True}


def test_a_memory_already_gone_is_no_error(store):
    plan = Delete((read(store), read(store, key="p2")))
    store.delete(MIRA, "p2")
    outcome = apply(plan, store)
    assert (outcome.done, outcome.gone) == (1, 1)


def test_a_memory_changed_since_the_list_was_opened_is_kept(store):
    plan = Delete((read(store), read(store, key="p2")))
    agent_writes(store, "Mira is a surgeon.")
    outcome = apply(plan, store)
    assert outcome.done == 1
    assert [conflict.reference for conflict in outcome.conflicts] == [(MIRA, "p1")]
    assert store.read(MIRA, "p1") is not None


@pytest.mark.parametrize(("own", "left"), [(True, 5), (False, 3)], ids=["itself", "with all below"])
def test_deleting_a_namespace_takes_exactly_what_the_plan_names(store, own, left):
    store.write([memory(("users", "mira-2"), "other", "A sibling with the same letters.")])
    plan = plan_namespace_deletion(store, ("users", "mira"), own=own)
    assert apply(plan, store).done == plan.total == 6 - left
    assert store.count() == left
    assert store.read(("users", "mira-2"), "other") is not None
    assert passed(prove(plan, store)) == {"By listing": True}


@pytest.mark.parametrize("key", ["m1", "new"], ids=["changed", "new"])
def test_what_was_written_after_the_plan_survives_the_deletion_of_its_namespace(store, key):
    plan = plan_namespace_deletion(store, ("users", "mira"), own=False)
    store.put(("users", "mira"), key, {"text": "Mira drinks coffee now."})
    outcome = apply(plan, store)
    assert [conflict.found.value["text"] for conflict in outcome.conflicts] == [
        "Mira drinks coffee now."
    ]
    assert [found.key for found in store.scan(("users", "mira"))] == [key]
    assert outcome.done == (2 if key == "m1" else 3)
    assert passed(prove(plan, store)) == {"By listing": False}


def test_deleting_a_long_namespace_reports_progress_and_leaves_nothing(store):
    store.write([memory(("long",), f"k{n}", {"n": n}) for n in range(450)])
    steps = []
    plan = plan_namespace_deletion(store, ("long",), own=False)
    apply(plan, store, progress=lambda done, total: steps.append((done, total)))
    assert store.count(("long",)) == 0
    assert steps[-1] == (450, 450)
    assert len(steps) > 1


def test_creating_never_overwrites(store):
    [conflict] = apply(Create(MIRA, "p1", {"text": "new"}), store).conflicts
    assert conflict.found.value == read(store).value == FEW[0].value


def test_a_created_memory_is_there_with_proof(store):
    plan = Create(("users", "noor"), "n1", {"text": "Noor plays the cello."})
    assert apply(plan, store).done == 1
    assert passed(prove(plan, store)) == {"By key": True, "By listing": True, "By meaning": True}


def test_a_move_keeps_value_and_times_and_empties_the_old_place(store):
    before = read(store)
    plan = Move(before, ("users", "noor"), "moved")
    assert apply(plan, store).done == 1
    after = read(store, ("users", "noor"), "moved")
    assert (after.value, after.created_at, after.updated_at) == (
        before.value,
        before.created_at,
        before.updated_at,
    )
    assert all(check.passed for check in prove(plan, store))


def test_a_move_onto_another_memory_is_refused(store):
    [conflict] = apply(Move(read(store), MIRA, "p2"), store).conflicts
    assert conflict.reference == (MIRA, "p2")
    assert store.count() == 5


def test_an_expiry_can_be_set_and_removed(store):
    later = datetime.now(UTC).replace(microsecond=0) + timedelta(days=1)
    plan = Expire(read(store), later, 24 * 60)
    apply(plan, store)
    assert all(check.passed for check in prove(plan, store))
    apply(Expire(read(store), None, None), store)
    assert read(store).expires_at is None


def test_listed_finds_every_memory_of_a_namespace_and_no_other(store):
    store.write([memory(("keys",), key, {"n": 1}) for key in ("", "a", "B", "é", "~", "0", "ab")])
    assert all(listed(store, (("keys",), key)) for key in ("", "a", "B", "é", "~", "0", "ab"))
    assert not any(listed(store, (("keys",), key)) for key in ("b", "aa", "zz", "\x00"))


@pytest.mark.parametrize(
    ("namespaces", "shared"),
    [
        ([("a", "b"), ("a", "b", "c")], ("a", "b")),
        ([("a", "b"), ("a", "c"), ("a", "b")], ("a",)),
        ([("a",), ("b",)], ()),
        ([("user",), ("user1",)], ()),
        ([], ()),
    ],
)
def test_memories_share_the_longest_namespace_above_all_of_them(namespaces, shared):
    assert common_namespace(memory(namespace, "k", "x") for namespace in namespaces) == shared


def test_moving_renames_a_namespace_or_brings_all_together():
    memories = [memory(("a", "x"), "k", "one"), memory(("a", "y", "z"), "l", "two")]
    apart = plan_moves(memories, ("b",), below=("a",))
    together = plan_moves(memories, ("b",))
    assert [move.namespace for move in apart.moves] == [("b", "x"), ("b", "y", "z")]
    assert [move.namespace for move in together.moves] == [("b",), ("b",)]


def test_moving_to_where_all_are_is_refused():
    with pytest.raises(ValueError, match="there already"):
        plan_moves([memory(("a",), "k", "one")], ("a",), below=("a",))
