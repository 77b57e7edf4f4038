"""Import and export: what a file may hold, what is written, and how an import continues."""

import gzip
import io
import itertools
import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import chromadb
import pytest

from store import ChromaStore, ImportFile, ImportReport, Memory, TransferError, export_to
from tests.store.words import DIMS, Words

serial = itertools.count()
NOON = datetime(2025, 3, 4, 12, 0, 0, 123456, tzinfo=UTC)

VALUES: list[dict[str, Any]] = [
    {"text": "likes tea"},
    {},
    {"tags": [], "n": {"x": 1}, "ok": False, "z": None, "l": [1, "a"], "f": 0.0},
    {"big": 9007199254740993, "small": 1e-300, "whole": 1.0, "int": 1},
    {"text": "línea 1\nlínea 2\u2028 三 \U0001f642 \x1b[31m"},
    {"": {"a b": "odd keys"}},
]


def line(number: int = 0, **fields: Any) -> dict[str, Any]:
    return {"namespace": ["users", "a"], "key": f"k{number}", "value": {"text": "x"}} | fields


def write(path: Path, *rows: dict[str, Any] | str | bytes) -> Path:
    made = [row if isinstance(row, str | bytes) else json.dumps(row) for row in rows]
    path.write_bytes(b"\n".join(row.encode() if isinstance(row, str) else row for row in made))
    return path


def import_file(path: Path | str, store: ChromaStore, **options: Any) -> ImportReport:
    with ImportFile(path) as source:
        return source.import_into(store, **options)


def everything(store: ChromaStore) -> dict[Any, Any]:
    return {
        memory.reference: (
            json.dumps(memory.value),
            memory.created_at,
            memory.updated_at,
            memory.expires_at,
            memory.ttl_minutes,
            memory.index,
        )
        for memory in store.scan()
    }


@pytest.fixture
def embedder() -> Words:
    return Words()


@pytest.fixture
def store(embedder: Words) -> Iterator[ChromaStore]:
    index: Any = {"embed": embedder, "dims": DIMS, "fields": ["text"]}
    name = f"transfer{next(serial)}"
    with ChromaStore.open(chromadb.EphemeralClient(), name=name, index=index) as opened:
        yield opened


@pytest.fixture
def other() -> Iterator[ChromaStore]:
    name = f"transfer{next(serial)}"
    with ChromaStore.open(chromadb.EphemeralClient(), name=name, index=None) as opened:
        yield opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memories.jsonl"


@pytest.mark.parametrize("name", ["all.jsonl", "all.jsonl.gz"])
def test_what_is_exported_comes_back_equal(
    store: ChromaStore, other: ChromaStore, tmp_path: Path, name: str
) -> None:
    store.write(
        Memory(("users", "a/b", f"n{i}"), f"key\n{i}", value, NOON, NOON + timedelta(days=i))
        for i, value in enumerate(VALUES)
    )
    store.write([Memory(("ttl",), "t", {}, NOON, NOON, NOON + timedelta(minutes=5), 5.0)])
    store.put(("put",), "unsearchable", {"text": "x"}, index=False)
    store.put(("put",), "by another field", {"text": "x", "note": "y"}, index=["note"])
    assert export_to(store, tmp_path / name) == len(VALUES) + 3
    import_file(tmp_path / name, other)
    assert everything(other) == everything(store)


def test_a_line_that_does_not_say_what_is_embedded_leaves_that_as_it_was(
    store: ChromaStore, path: Path
) -> None:
    store.put(("users", "a"), "k1", {"text": "x"}, index=False)
    import_file(write(path, line(1, value={"text": "y"})), store)
    found = store.read(("users", "a"), "k1")
    assert (found.value, found.index, found.vectors) == ({"text": "y"}, (), 0)


def test_an_export_has_one_line_a_memory_with_the_documented_fields(
    store: ChromaStore, path: Path
) -> None:
    store.write([Memory(("a",), "k", {"text": "é"}, NOON, NOON)])
    export_to(store, path)
    assert path.read_text("utf-8") == (
        '{"namespace": ["a"], "key": "k", "value": {"text": "é"}, '
        '"created_at": "2025-03-04T12:00:00.123456+00:00", '
        '"updated_at": "2025-03-04T12:00:00.123456+00:00"}\n'
    )


def test_an_export_can_be_of_one_namespace(store: ChromaStore, path: Path) -> None:
    for namespace in (("a",), ("a", "b"), ("ab",)):
        store.put(namespace, "k", {})
    export_to(store, path, prefix=("a",))
    found = [json.loads(row)["namespace"] for row in path.read_text().splitlines()]
    assert sorted(found) == [["a"], ["a", "b"]]


def test_an_export_that_fails_leaves_the_old_file_and_nothing_else(
    store: ChromaStore, path: Path
) -> None:
    path.write_text("old")
    store.put(("a",), "k", {})
    store.close()
    with pytest.raises(Exception, match="closed"):
        export_to(store, path)
    assert [(file.name, file.read_text()) for file in path.parent.iterdir()] == [(path.name, "old")]


def test_an_export_to_a_missing_folder_is_refused(store: ChromaStore, tmp_path: Path) -> None:
    with pytest.raises(TransferError, match=r"none/x\.jsonl cannot be written \(No such file"):
        export_to(store, tmp_path / "none" / "x.jsonl")


BAD_LINES = {
    "not JSON": ('{"namespace": ["a"]', "it is not JSON"),
    "two objects": ('{"a": 1} {"b": 2}', "it is not JSON"),
    "not an object": ("[1, 2]", "it must be a JSON object, not a list"),
    "not UTF-8": (b'{"key": "\xff"}', "it is not UTF-8 text"),
    "NaN": (line(value={"n": float("nan")}), "NaN is not a JSON number"),
    "number too large": ('{"namespace":["a"],"key":"k","value":{"n":1e999}}', "value.n is inf"),
    "nested too deeply": ('{"value": ' + "[" * 100_000, "nested too deeply"),
    "half a surrogate": (line(value={"t": "\ud800"}), "value.t holds half of a surrogate pair"),
    "no namespace": ({"key": "k", "value": {}}, 'the field "namespace" is missing'),
    "no key": ({"namespace": ["a"], "value": {}}, 'the field "key" is missing'),
    "no value": ({"namespace": ["a"], "key": "k"}, 'the field "value" is missing'),
    "text as value": (line(value="text"), '"value" must be a JSON object, not text'),
    "list as value": (line(value=[]), '"value" must be a JSON object, not a list'),
    "null as value": (line(value=None), '"value" must be a JSON object, not null'),
    "text as namespace": (line(namespace="a"), '"namespace" must be a list of labels, not text'),
    "empty namespace": (line(namespace=[]), "at least one label"),
    "dotted label": (line(namespace=["a", "b.c"]), "'b.c'.* must not contain a period"),
    "empty label": (line(namespace=["a", ""]), "must not be empty"),
    "number as label": (line(namespace=["a", 42]), "must be text, got int"),
    "number as key": (line(key=7), '"key" must be text, not a number'),
    "number as time": (line(created_at=1700000000), '"created_at" must be an ISO 8601 time'),
    "no time": (line(updated_at="yesterday"), '"updated_at" must be an ISO 8601 time'),
    "text as ttl": (line(ttl_minutes="5"), "ttl must be a number"),
    "text as index": (line(index="text"), "index must be None, False or a list of field paths"),
}


@pytest.mark.parametrize(("bad", "rule"), BAD_LINES.values(), ids=BAD_LINES)
def test_a_line_that_cannot_be_stored_is_named_and_nothing_is_written(
    store: ChromaStore, path: Path, bad: Any, rule: str
) -> None:
    write(path, *(line(number) for number in range(250)), bad)
    with pytest.raises(TransferError, match=rf"memories\.jsonl, line 251: .*{rule}"):
        import_file(path, store)
    assert store.count() == 0


def test_a_missing_file_is_refused(path: Path) -> None:
    with pytest.raises(TransferError, match="cannot be read"):
        ImportFile(path)


def test_a_damaged_gzip_file_is_refused(store: ChromaStore, path: Path) -> None:
    packed = gzip.compress(b"".join(json.dumps(line(n)).encode() + b"\n" for n in range(500)))
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(TransferError, match="damaged gzip file"):
        import_file(path, store)
    assert store.count() == 0


def test_blank_lines_a_byte_order_mark_and_windows_line_ends_are_read(
    store: ChromaStore, path: Path
) -> None:
    rows = [json.dumps(line(number)) for number in range(3)]
    path.write_bytes(b"\xef\xbb\xbf" + "\r\n\r\n".join([*rows, ""]).encode())
    assert import_file(path, store).written == 3


def test_standard_input_is_read(store: ChromaStore, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = gzip.compress(json.dumps(line()).encode())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(packed)))
    assert import_file("-", store).written == 1


TIMES = {
    "both": ({"created_at": "2025-01-01T00:00Z", "updated_at": "2025-02-01T00:00Z"}, (1, 2)),
    "only created": ({"created_at": "2025-01-01T00:00:00+00:00"}, (1, 1)),
    "only updated": ({"updated_at": "2025-02-01T00:00:00+00:00"}, (2, 2)),
    "no zone": ({"created_at": "2025-01-01T00:00:00"}, (1, 1)),
    "another zone": ({"created_at": "2025-01-01T02:00:00+02:00"}, (1, 1)),
}


@pytest.mark.parametrize(("fields", "months"), TIMES.values(), ids=TIMES)
def test_times_are_kept_and_a_missing_one_is_the_other(
    store: ChromaStore, path: Path, fields: dict[str, str], months: tuple[int, int]
) -> None:
    import_file(write(path, line(**fields)), store)
    memory = store.read(("users", "a"), "k0")
    expected = tuple(datetime(2025, month, 1, tzinfo=UTC) for month in months)
    assert memory is not None
    assert (memory.created_at, memory.updated_at) == expected


def test_without_times_a_memory_is_from_now(store: ChromaStore, path: Path) -> None:
    before = datetime.now(UTC)
    import_file(write(path, line()), store)
    memory = store.read(("users", "a"), "k0")
    assert memory is not None
    assert before - timedelta(seconds=1) <= memory.created_at == memory.updated_at


def test_replacing_without_times_keeps_when_it_was_created(store: ChromaStore, path: Path) -> None:
    store.write([Memory(("users", "a"), "k0", {"text": "old"}, NOON, NOON)])
    import_file(write(path, line()), store)
    memory = store.read(("users", "a"), "k0")
    assert memory is not None
    assert memory.created_at == NOON < memory.updated_at


def test_the_last_line_for_a_memory_counts(store: ChromaStore, path: Path) -> None:
    rows = [line(n % 300, value={"text": str(n)}) for n in range(600)]
    with ImportFile(write(path, *rows)) as source:
        survey = source.check()
        report = source.import_into(store)
    assert (survey.memories, survey.repeated, report.written) == (300, 300, 300)
    assert {int(memory.value["text"]) for memory in store.scan()} == set(range(300, 600))


def test_fields_a_memory_does_not_have_are_reported(path: Path) -> None:
    with ImportFile(write(path, line(score=0.5), line(1, vector=[1]))) as source:
        assert source.check().ignored == ("score", "vector")


FIELDS = {
    "one": ([{"text": "a", "id": "1"}] * 9, ("text",)),
    "two kinds of values": ([{"text": "a"}] * 3 + [{"content": "b"}], ("text", "content")),
    "the likelier of two": ([{"summary": "a", "text": "b"}], ("text",)),
    "a content in a content": ([{"kind": "M", "content": {"content": "a"}}], ("content.content",)),
    "a rare one is left out": ([{"text": "a"}] * 200 + [{"note": "b"}], ("text",)),
    "no text": ([{"text": 1}, {"other": "a"}], ("$",)),
    "mostly no text": ([{"text": "a"}] + [{"n": 1}] * 2, ("$",)),
    "an empty file": ([], ("$",)),
}


@pytest.mark.parametrize(("values", "fields"), FIELDS.values(), ids=FIELDS)
def test_the_fields_with_the_text_are_found(
    path: Path, values: list[dict[str, Any]], fields: tuple[str, ...]
) -> None:
    with ImportFile(write(path, *(line(n, value=v) for n, v in enumerate(values)))) as source:
        assert source.check().fields == fields


def test_an_import_again_writes_nothing(store: ChromaStore, path: Path, embedder: Words) -> None:
    write(path, *(line(n, created_at="2025-01-01T00:00:00Z") for n in range(5)), line(9))
    import_file(path, store)
    before, embedded = everything(store), len(embedder.texts)
    assert import_file(path, store) == ImportReport(0, 0, 6, stopped=False)
    assert (everything(store), len(embedder.texts)) == (before, embedded)


CHANGES = {
    "value": {"value": {"text": "y"}},
    "kind of number": {"value": {"text": "x", "n": 1.0}},
    "created": {"created_at": "2024-01-01T00:00:00Z"},
    "updated": {"updated_at": "2025-06-01T00:00:00Z"},
    "ttl": {"ttl_minutes": 7},
    "index": {"index": ["note"]},
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_memory_that_differs_is_replaced(
    store: ChromaStore, path: Path, change: dict[str, Any]
) -> None:
    times = {"created_at": "2025-01-01T00:00:00Z", "updated_at": "2025-02-01T00:00:00Z"}
    import_file(write(path, line(value={"text": "x", "n": 1}, **times)), store)
    changed = {"value": {"text": "x", "n": 1}} | times | change
    assert import_file(write(path, line(**changed)), store).replaced == 1
    assert import_file(path, store).present == 1


def test_a_stopped_import_continues_where_it_was(
    store: ChromaStore, path: Path, embedder: Words
) -> None:
    write(path, *(line(n, value={"text": f"word{n}"}) for n in range(500)))
    answers = iter([False, True])
    report = import_file(path, store, should_stop=lambda: next(answers))
    assert report == ImportReport(200, 0, 0, stopped=True)
    assert import_file(path, store) == ImportReport(300, 0, 200, stopped=False)
    assert store.count() == 500
    assert len(embedder.texts) == 500


def test_memories_left_without_their_vectors_are_embedded_again(
    store: ChromaStore, path: Path
) -> None:
    write(path, *(line(n, value={"text": f"word{n}"}) for n in range(3)))
    import_file(path, store)
    # What a process killed between the two halves of a write leaves behind.
    vectors = chromadb.EphemeralClient().get_collection(f"{store.info().name}_vectors")
    vectors.delete(ids=vectors.get(include=[])["ids"])
    import_file(path, store)
    assert len(store.vectors().references) == 3


def test_progress_ends_at_the_whole(store: ChromaStore, path: Path) -> None:
    size = write(path, *map(line, range(450))).stat().st_size
    checked: list[tuple[int, int]] = []
    written: list[tuple[int, int]] = []
    with ImportFile(path) as source:
        source.check(lambda done, total: checked.append((done, total)))
        source.import_into(store, progress=lambda done, total: written.append((done, total)))
    assert checked[-1] == (size, size)
    assert written == [(200, 450), (400, 450), (450, 450)]
