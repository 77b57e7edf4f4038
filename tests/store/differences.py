"""Where the contract differs from LangGraph's InMemoryStore on purpose: the one list.

Each entry names the tests that prove it. On InMemoryStore those tests must fail; all others
must pass there too.
"""

import re
from dataclasses import dataclass

import pytest


@dataclass(frozen=True, slots=True)
class Difference:
    """One rule that InMemoryStore breaks, and the tests that show it (all rows, or one)."""

    reason: str
    tests: tuple[str, ...]


def rows(test: str, names: str) -> tuple[str, ...]:
    """Some rows of a test's table."""
    return tuple(f"{test}[{name}]" for name in names.split())


PASSES = "test_a_value_passes_a_filter"

DIFFERENCES: tuple[Difference, ...] = (
    Difference(
        "The same text twice in a batch is an error: it embeds once and counts two places.",
        (
            "test_a_batch_embeds_once_and_each_distinct_text_once",
            "test_the_same_text_may_stand_in_several_items_of_a_batch",
        ),
    ),
    Difference(
        "batch() checks no operation before it applies the others.",
        (
            *rows(
                "test_an_invalid_operation_fails_the_batch_before_anything_is_written",
                "put-namespace put-root get-namespace search-namespace list-namespace "
                "list-match-type value-list value-not-json ttl-text ttl-nan ttl-past-any-date "
                "filter-operator filter-top limit offset list-limit list-offset list-depth",
            ),
            *rows(
                "test_an_invalid_label_is_refused_everywhere",
                " ".join(
                    f"{place}-{label}-batch-put"
                    for place in ("first", "last")
                    for label in ("empty", "period", "nul", "number", "none")
                ),
            ),
            *rows("test_nothing_is_written_to_the_empty_namespace", "batch-put"),
            "test_a_key_that_is_not_text_becomes_its_text_in_a_batch",
        ),
    ),
    Difference(
        "Negative limits, offsets and depths are read as Python slices.",
        (
            "test_a_negative_limit_or_offset_is_a_value_error",
            "test_a_wrong_number_is_a_value_error",
        ),
    ),
    Difference(
        "Any Python object is kept, so what no other store can hold is found out late.",
        (
            "test_a_value_json_cannot_hold_is_refused_by_its_path",
            "test_a_value_that_holds_itself_is_refused",
            *rows("test_anything_but_a_mapping_is_refused", "empty-list pairs"),
        ),
    ),
    Difference(
        "Values are kept and returned as they are, so changing one changes what is stored.",
        (
            "test_changing_a_returned_value_changes_nothing_stored",
            "test_changing_a_value_after_putting_it_changes_nothing_stored",
            "test_results_of_one_batch_share_no_values",
        ),
    ),
    Difference(
        "Vectors are kept without a look at their size or numbers.",
        (
            *rows(
                "test_an_unusable_answer_of_the_embedder_stores_nothing",
                "wrong-size one-wrong-size nan infinity text",
            ),
            *rows("test_the_error_names_what_the_embedder_gave", "wrong-size nan"),
        ),
    ),
    Difference(
        "An overwrite resets created_at, which is read apart from updated_at.",
        (
            "test_an_overwrite_keeps_created_and_moves_updated",
            "test_a_new_item_is_created_when_it_is_updated",
        ),
    ),
    Difference(
        "Vectors of texts that are gone stay, until the item itself is deleted.",
        rows(
            "test_an_overwrite_leaves_no_stale_vector",
            "dropped-field nulled-field shorter-array emptied-array index-false index-empty "
            "other-path back-to-fields",
        ),
    ),
    Difference(
        "Listings stand in the order of insertion, not by time, namespace and key.",
        (
            "test_the_newest_comes_first",
            "test_an_overwritten_item_moves_to_the_front",
            "test_items_written_together_stand_by_namespace_and_key",
            "test_items_of_one_batch_have_one_time_so_their_keys_order_them",
            "test_equal_scores_stand_by_namespace_and_key",
        ),
    ),
    Difference(
        "The offset of a query counts scored items only, so pages repeat the others.",
        ("test_offset_counts_items_without_vectors",),
    ),
    Difference(
        "A query whose vector is all zeros scores NaN.",
        ("test_a_blank_is_a_real_query", "test_a_zero_query_scores_zero_everywhere"),
    ),
    Difference(
        "Reading a namespace makes it, and an emptied one stays.",
        (
            "test_a_batch_lists_only_the_namespaces_from_before",
            "test_the_empty_namespace_may_be_read",
            "test_reading_a_namespace_does_not_make_it",
            "test_a_namespace_vanishes_with_its_last_item",
            "test_threads_that_put_and_delete_leave_nothing_half",
        ),
    ),
    Difference(
        "A namespace given as a list cannot be looked up.",
        ("test_a_list_is_accepted_for_a_namespace",),
    ),
    Difference(
        "Python equality: true is 1, false is 0.",
        rows(
            PASSES,
            "zero-false one-true true-one list-true subset-true eq-true eq-dict-true "
            "eq-list-true ne-true",
        ),
    ),
    Difference(
        "A missing key is different from everything.",
        rows(PASSES, "ne-missing path-missing-ne"),
    ),
    Difference(
        "$gt and its like turn both sides into floats: text and nothing raise, big ints round.",
        rows(
            PASSES,
            "gt-big gt-missing lt-missing gt-null lte-null gt-text gt-words gt-true gte-true "
            "gt-list gt-dict gt-number-text text-gt text-lt text-lt-longer text-gt-digits "
            "date-gte date-lt date-between",
        ),
    ),
    Difference(
        "Filters know neither paths nor $and and $or.",
        rows(
            PASSES,
            "path path-deep path-operator and and-one-key-twice or or-in-and or-with-a-key",
        ),
    ),
    Difference(
        "An unknown operator is found only when a value is compared by it, others are keys.",
        rows(
            "test_an_unknown_operator_is_a_value_error_that_names_it",
            "none-in none-nin none-regex none-beside-a-known-one none-nested none-inside-and "
            "none-top-not none-top-nor none-top-eq none-and-of-a-dict none-or-of-text "
            "some-nested some-inside-and some-top-not some-top-nor some-top-eq "
            "some-and-of-a-dict some-or-of-text",
        ),
    ),
    Difference(
        'No fields are taken for all of the value, and "" is embedded.',
        rows("test_the_configured_fields_are_embedded_one_vector_a_text", "none empty-text"),
    ),
    Difference(
        'A put\'s own index cannot name all of the value, and "" is embedded.',
        rows(
            "test_a_list_on_a_put_replaces_the_configured_fields",
            "whole whole-and-field empty-text",
        ),
    ),
    Difference(
        "The synchronous half cannot use an asynchronous function.",
        rows("test_any_kind_of_embedder_works", "sync-async-function"),
    ),
)


def expected_difference(test: pytest.Function) -> Difference | None:
    """The difference that this run of a test shows, if it is one over the reference store."""
    callspec = getattr(test, "callspec", None)
    if callspec is None or callspec.params.get("backend") != "memory":
        return None
    row = re.sub(r"^memory-?", "", callspec.id)
    shown = {row, re.sub(r"^(sync|async)-?", "", row)}
    names = {test.originalname, *(f"{test.originalname}[{name}]" for name in shown)}
    return next((entry for entry in DIFFERENCES if names & set(entry.tests)), None)
