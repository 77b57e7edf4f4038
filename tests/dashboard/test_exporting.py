from datetime import UTC, datetime, timedelta
from pathlib import Path

from dashboard.exporting import as_json_lines
from store import ChromaStore, ImportFile, Memory

AT = datetime(2025, 3, 1, 8, 0, 0, 123456, tzinfo=UTC)


def test_what_is_exported_imports_with_everything_a_memory_has(tmp_path: Path, stores_folder: Path):
    ends = datetime.now(UTC) + timedelta(days=400)
    index = {"embed": "local:minilm", "dims": 384, "fields": ["text"]}
    memories = [
        Memory(("a", "🍵"), "k\n", {"text": "tea", "n": 0, "none": None}, AT, AT),
        Memory(("a",), "", {"text": "x", "other": "y"}, AT, AT, ends, 90.5, index=("other",)),
        Memory(("b",), "unsearched", {"text": "z"}, AT, AT, index=()),
    ]
    with ChromaStore.open(stores_folder / "left", index=index) as left:
        left.write(memories)
        before = sorted(left.scan(), key=lambda one: one.reference)
    (tmp_path / "memories.jsonl").write_text(as_json_lines(before), encoding="utf-8")
    with ChromaStore.open(stores_folder / "right", index=index) as right:
        with ImportFile(tmp_path / "memories.jsonl") as file:
            file.import_into(right)
        after = sorted(right.scan(), key=lambda one: one.reference)
    assert [(m.reference, m.value, m.created_at, m.updated_at, m.index) for m in after] == [
        (m.reference, m.value, m.created_at, m.updated_at, m.index) for m in before
    ]
    assert [(m.expires_at, m.ttl_minutes, m.vectors) for m in after] == [
        (m.expires_at, m.ttl_minutes, m.vectors) for m in before
    ]
