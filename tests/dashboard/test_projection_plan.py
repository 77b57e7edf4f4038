from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dashboard.projection import Layout, Settings
from dashboard.projection_align import MOST_SHIFT, align, eased, shift
from dashboard.projection_cache import (
    cache_folder,
    hash_references,
    hash_texts,
    load_map,
    map_name,
    save_map,
)
from dashboard.projection_plan import SavedMap, compare


def points(count: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(count, 2)).astype(np.float32)


def saved(count: int, churn: int = 0) -> SavedMap:
    ids = np.arange(100, 100 + count, dtype=np.uint64)
    return SavedMap(ids, ids * 7, Layout(points(count), "umap", ("A note.",), 0.9), churn)


def test_without_a_saved_map_everything_is_arranged_anew():
    assert compare(np.arange(3, dtype=np.uint64), np.arange(3, dtype=np.uint64), None).kind == (
        "fresh"
    )


def test_the_same_rows_in_another_order_keep_their_places():
    old = saved(200)
    order = np.random.default_rng(1).permutation(200)
    plan = compare(old.ids[order], old.revisions[order], old)
    assert plan.kind == "same"
    np.testing.assert_array_equal(plan.known, old.layout.positions[order])


def test_after_a_deletion_the_others_keep_their_places():
    old = saved(200)
    plan = compare(old.ids[50:], old.revisions[50:], old)
    assert plan.kind == "same"
    np.testing.assert_array_equal(plan.known, old.layout.positions[50:])


def test_a_row_that_was_moved_keeps_its_place_under_its_new_id():
    old = saved(200)
    ids = old.ids.copy()
    ids[[3, 9]] += np.uint64(1_000)
    plan = compare(ids, old.revisions, old)
    assert (plan.kind, plan.churn) == ("same", 0)
    np.testing.assert_array_equal(plan.known, old.layout.positions)


def test_a_new_row_that_says_what_a_row_still_there_says_is_placed():
    old = saved(200)
    ids = np.append(old.ids, np.uint64(1))
    plan = compare(ids, np.append(old.revisions, old.revisions[7]), old)
    assert plan.kind == "place"
    assert np.flatnonzero(np.isnan(plan.known[:, 0])).tolist() == [200]


def test_added_and_changed_rows_are_placed_among_the_others():
    old = saved(200)
    ids = np.append(old.ids, np.uint64(5))
    revisions = np.append(old.revisions, np.uint64(5))
    revisions[3] += 1
    plan = compare(ids, revisions, old)
    assert plan.kind == "place"
    assert np.flatnonzero(np.isnan(plan.known[:, 0])).tolist() == [3, 200]
    assert plan.churn == 2


@pytest.mark.parametrize(
    ("count", "earlier", "added", "kind"),
    [
        (200, 0, 20, "place"),
        (200, 15, 20, "warm"),
        (200, 0, 300, "fresh"),
        (20, 0, 1, "place"),
        (2, 0, 1, "fresh"),
    ],
    ids=["few", "few after many", "mostly new", "one to a small map", "too few in all"],
)
def test_how_much_is_arranged_anew_hangs_on_what_changed(count, earlier, added, kind):
    old = saved(count, churn=earlier)
    more = np.arange(added, dtype=np.uint64)
    plan = compare(np.append(old.ids, more), np.append(old.revisions, more), old)
    assert plan.kind == kind


def test_a_map_that_has_doubled_bit_by_bit_is_arranged_from_scratch():
    old = saved(190)
    grown = SavedMap(old.ids, old.revisions, old.layout, churn=0, base=100)
    more = np.arange(15, dtype=np.uint64)
    ids, revisions = np.append(old.ids, more), np.append(old.revisions, more)
    assert compare(ids, revisions, grown).kind == "fresh"
    assert compare(ids[:195], revisions[:195], grown).kind == "place"


def test_old_places_never_move_by_more_than_a_fiftieth_of_the_width_at_the_median():
    old = points(50)
    start = np.vstack([old, points(5, seed=1)])
    known = np.vstack([old, np.full((5, 2), np.nan, np.float32)])
    far = eased(points(55, seed=2), start, known)
    assert shift(far, known) == pytest.approx(MOST_SHIFT, rel=1e-3)
    near = start + np.float32(0.001)
    np.testing.assert_array_equal(eased(near, start, known), near)


def test_alignment_undoes_a_turn_a_mirror_a_scale_and_a_shift():
    old = points(50)
    turn = np.array([[0, -1], [-1, 0]], dtype=np.float32)
    moved = old @ turn * 3 + np.float32(4)
    np.testing.assert_allclose(align(moved, old), old, atol=1e-4)
    assert shift(align(moved, old), old) < 1e-5 < shift(moved, old)


def test_alignment_looks_only_at_rows_that_have_an_old_place():
    old = points(50)
    old[40:] = np.nan
    moved = points(50) + np.float32(2)
    np.testing.assert_allclose(align(moved, old)[:40], old[:40], atol=1e-4)


def test_a_saved_map_comes_back_as_it_was(tmp_path: Path):
    old = replace(saved(30, churn=4), base=9)
    save_map(tmp_path, "one", old)
    found = load_map(tmp_path, "one")
    assert found is not None
    np.testing.assert_array_equal(found.ids, old.ids)
    np.testing.assert_array_equal(found.layout.positions, old.layout.positions)
    assert (found.churn, found.base, found.layout.notes, found.layout.trust) == (
        4,
        9,
        ("A note.",),
        0.9,
    )


@pytest.mark.parametrize("content", [None, b"", b"not a map"], ids=["missing", "empty", "foreign"])
def test_a_map_that_cannot_be_read_counts_as_none(tmp_path: Path, content: bytes | None):
    if content is not None:
        (tmp_path / "one.npz").write_bytes(content)
    assert load_map(tmp_path, "one") is None


def test_only_the_maps_used_last_are_kept(tmp_path: Path):
    for number in range(25):
        save_map(tmp_path, f"map{number}", saved(2))
    assert len(list(tmp_path.glob("*.npz"))) == 20


def test_nothing_of_a_memory_is_written_but_numbers(tmp_path: Path):
    ids = hash_references([(("users", "mira"), "a secret key")])
    save_map(tmp_path, "one", SavedMap(ids, ids, Layout(points(1), "simple")))
    content = (tmp_path / "one.npz").read_bytes()
    assert b"mira" not in content
    assert b"secret" not in content


def test_every_parameter_gives_a_map_of_its_own():
    base = ("folder", "memories", ("users",), "text", "local:minilm", Settings())
    others = [
        ("other", *base[1:]),
        (*base[:2], ("users", "mira"), *base[3:]),
        (*base[:3], "title", *base[4:]),
        (*base[:4], "openai:x", base[5]),
        (*base[:5], Settings(neighbours=30)),
    ]
    names = {map_name(*parts) for parts in (base, *others)}
    assert len(names) == len(others) + 1
    assert map_name(*base) in names


def test_references_that_look_alike_joined_have_different_numbers():
    ids = hash_references([(("a", "b"), "c"), (("a",), "b/c"), (("a b",), "c")])
    assert len(set(ids.tolist())) == 3
    assert hash_texts([]).shape == (0,)


def test_the_cache_folder_follows_the_system_and_can_be_chosen(tmp_path: Path):
    assert cache_folder({"MEMLENS_CACHE": str(tmp_path)}) == tmp_path
    assert cache_folder({}).name == "memlens"
