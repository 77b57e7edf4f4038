"""The memlens command, as a person types it: what it prints, its exit codes, what it leaves."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dashboard.cli import main
from store import ChromaStore
from tests.dashboard.commands import INDEX, contents, lines, memlens, row, started


@pytest.mark.parametrize("command", [(), *((name,) for name in main.commands)])
def test_help_shows_examples_or_options_and_is_quick(command: tuple[str, ...]) -> None:
    program = "import sys; from dashboard.cli import main; main(prog_name='memlens')"
    code = f"import atexit, sys; atexit.register(lambda: print(*sys.modules)); {program}"
    run = subprocess.run(
        [sys.executable, "-c", code, *command, "--help"], capture_output=True, text=True, check=True
    )
    assert run.stdout.startswith("Usage: memlens")
    assert not {"chromadb", "streamlit", "numpy"} & set(run.stdout.splitlines()[-1].split())


def test_help_explains_the_exit_codes() -> None:
    assert re.findall(r"^ +(\d+)  ", memlens("--help").output, re.MULTILINE) == [
        "0",
        "1",
        "2",
        "3",
        "130",
    ]


def test_an_unknown_option_is_a_usage_error() -> None:
    assert memlens("open", "--nonsense").exit_code == 2


def test_search_prints_the_best_first(demo_folder: Path) -> None:
    result = memlens("search", demo_folder, "What does Mira do for a living?", "--limit", "3")
    first = result.stdout.splitlines()[0]
    assert re.match(r"0\.\d\d  users/mira/profile  p01  Mira works as a paediatric nurse", first)
    assert len(result.stdout.splitlines()) == 3


def test_search_prints_json_lines(demo_folder: Path) -> None:
    result = memlens("search", demo_folder, "nurse", "--json", "--namespace", '["users", "mira"]')
    found = [json.loads(text) for text in result.stdout.splitlines()]
    assert [one["namespace"][:2] for one in found] == [["users", "mira"]] * 10
    assert set(found[0]) == {
        "score",
        "path",
        "namespace",
        "key",
        "value",
        "created_at",
        "updated_at",
    }


def test_search_says_when_there_is_nothing_to_find(demo_folder: Path) -> None:
    result = memlens("search", demo_folder, "tea", "--namespace", "users/nobody")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "0 memories there" in result.stderr


def test_search_prints_no_control_characters(new_folder: Path) -> None:
    with ChromaStore.open(new_folder, index=INDEX) as store:
        store.put(("a",), "k", {"text": "red \x1b[31m alert\r\nnow"})
    assert "\x1b" not in memlens("search", new_folder, "alert").stdout


@pytest.mark.parametrize("text", ["users//mira", "/users", '["a"', "[1]"])
def test_a_namespace_that_cannot_be_read_is_a_usage_error(demo_folder: Path, text: str) -> None:
    assert memlens("search", demo_folder, "tea", "--namespace", text).exit_code == 2


def test_a_namespace_that_cannot_exist_is_refused(demo_folder: Path) -> None:
    result = memlens("search", demo_folder, "tea", "--namespace", "user@host.example")
    assert (result.exit_code, len(result.stderr.splitlines())) == (1, 1)


def test_import_makes_a_store_and_says_what_it_did(tmp_path: Path, new_folder: Path) -> None:
    file = lines(tmp_path, row("a", "drinks tea"), row("b", "plays chess"), row("a", "likes tea"))
    result = memlens("import", file, new_folder)
    assert result.exit_code == 0
    assert "Embedding text with local:minilm" in result.stderr
    assert "1 line is replaced by a later line" in result.stderr
    assert f"2 memories in {new_folder}: 2 new, 0 replaced, 0 already there." in result.stderr
    assert "likes tea" in memlens("search", new_folder, "a hot drink", "--limit", "1").stdout


def test_import_again_writes_nothing(tmp_path: Path, new_folder: Path) -> None:
    file = lines(tmp_path, row("a", "drinks tea"), row("b", "plays chess"))
    memlens("import", file, new_folder)
    assert "0 new, 0 replaced, 2 already there" in memlens("import", file, new_folder).stderr


def test_import_takes_the_fields_it_is_given(tmp_path: Path, new_folder: Path) -> None:
    value = {"title": "Tea", "body": {"words": "green"}, "text": "no"}
    file = lines(tmp_path, {"namespace": ["a"], "key": "k", "value": value})
    memlens("import", file, new_folder, "--field", "title", "--field", "body.words")
    with ChromaStore.open(new_folder, create=False) as store:
        assert store.info().fields == ("title", "body.words")


def test_import_without_an_embedder(tmp_path: Path, new_folder: Path) -> None:
    file = lines(tmp_path, row("a", "drinks tea"))
    assert "Without vectors: " in memlens("import", file, new_folder, "--embed", "none").stderr
    with ChromaStore.open(new_folder, index=None, create=False) as store:
        assert (store.count(), store.info().vectors) == (1, 0)


def test_import_into_a_store_keeps_its_fields(tmp_path: Path, new_folder: Path) -> None:
    memlens("import", lines(tmp_path, row("a", "drinks tea")), new_folder)
    other = {"namespace": ["a"], "key": "k", "value": {"content": "plays chess"}}
    file = lines(tmp_path, other, name="other.jsonl")
    assert memlens("import", file, new_folder).exit_code == 0
    result = memlens("import", file, new_folder, "--field", "content")
    assert (result.exit_code, "leave --field out" in result.stderr) == (1, True)


def test_import_into_a_store_of_another_embedder_is_refused(
    tmp_path: Path, new_folder: Path
) -> None:
    file = lines(tmp_path, row("a", "drinks tea"))
    memlens("import", file, new_folder)
    result = memlens("import", file, new_folder, "--embed", "openai:text-embedding-3-small")
    assert (result.exit_code, len(result.stderr.splitlines())) == (1, 1), result.stderr


def test_export_then_import_is_the_same_store(
    demo_folder: Path, new_folder: Path, tmp_path: Path
) -> None:
    file = tmp_path / "all.jsonl.gz"
    assert "Exported 197 memories." in memlens("export", demo_folder, file).stderr
    assert memlens("import", file, new_folder).exit_code == 0
    again = tmp_path / "again.jsonl.gz"
    memlens("export", new_folder, again)
    assert sorted(contents(again)) == sorted(contents(file))


def test_export_to_standard_output_is_nothing_but_lines(demo_folder: Path) -> None:
    result = memlens("export", demo_folder, "-", "--namespace", "users/mira/health")
    assert [json.loads(text)["namespace"] for text in result.stdout.splitlines()] == [
        ["users", "mira", "health"]
    ] * 5


COMMANDS_ON_A_STORE = {
    "open": ("open", "STORE"),
    "search": ("search", "STORE", "tea"),
    "export": ("export", "STORE", "out.jsonl"),
}


@pytest.mark.parametrize("words", COMMANDS_ON_A_STORE.values(), ids=COMMANDS_ON_A_STORE)
@pytest.mark.parametrize("kind", ["missing", "empty", "foreign", "a file"])
def test_what_is_no_store_is_refused_and_nothing_is_created(
    words: tuple[str, ...], kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "place"
    if kind == "a file":
        place.write_text("hello")
    elif kind != "missing":
        place.mkdir()
    if kind == "foreign":
        (place / "notes.txt").write_text("hello")
    before = sorted(tmp_path.rglob("*"))
    result = memlens(*(str(place) if word == "STORE" else word for word in words))
    assert (result.exit_code, len(result.stderr.splitlines())) == (1, 1), result.output
    assert str(place) in result.stderr
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("kind", ["broken line", "foreign folder"])
def test_an_import_that_is_refused_creates_nothing(kind: str, tmp_path: Path) -> None:
    file, place = lines(tmp_path, row("a", "b")), tmp_path / "place"
    if kind == "broken line":
        file.write_text(file.read_text() + "{broken\n")
    else:
        place.mkdir()
        (place / "notes.txt").write_text("hello")
    before = sorted(tmp_path.rglob("*"))
    result = memlens("import", file, place)
    assert result.exit_code == 1, result.output
    assert ("line 2" in result.stderr) == (kind == "broken line")
    assert sorted(tmp_path.rglob("*")) == before


def test_a_store_that_is_open_elsewhere_has_its_own_exit_code(demo_folder: Path) -> None:
    with ChromaStore.open(demo_folder, create=False):
        code = "from dashboard.cli import main; main()"
        run = subprocess.run(
            [sys.executable, "-c", code, "search", demo_folder, "tea"],
            capture_output=True,
            text=True,
        )
    assert (run.returncode, len(run.stderr.splitlines())) == (3, 1), run.stderr
    assert str(os.getpid()) in run.stderr


def test_a_server_that_does_not_answer_has_the_same_exit_code() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
        result = memlens("search", url, "tea")
    assert (result.exit_code, url in result.stderr) == (3, True)


def test_a_server_is_a_store_too(chroma_server: str, tmp_path: Path) -> None:
    file = lines(tmp_path, row("a", "drinks tea"))
    assert memlens("import", file, chroma_server, "--name", "cli").exit_code == 0
    assert "drinks tea" in memlens("search", chroma_server, "tea", "--name", "cli").stdout


def test_an_interrupted_import_continues_when_run_again(tmp_path: Path, new_folder: Path) -> None:
    total = 1200
    rows = (row(f"k{n}", f"fact {n} of many, in words of its own {n * n}") for n in range(total))
    file = lines(tmp_path, *rows)
    with started("import", file, new_folder, stderr=subprocess.PIPE) as child:
        wait_for_memories(new_folder, child)
        child.send_signal(signal.SIGINT)
        said = child.communicate(timeout=60)[1]
    assert child.returncode == 130, said
    assert (said or "").splitlines()[-1].endswith("run the same command again to continue.")
    told = re.search(r"(\d[\d,]*) new", said or "")
    assert told
    new = int(told[1].replace(",", ""))
    assert 0 < new < total
    result = memlens("import", file, new_folder)
    assert f"{total - new:,} new, 0 replaced, {new:,} already there" in result.stderr


def wait_for_memories(new_folder: Path, child: subprocess.Popen[str]) -> None:
    """Until the import has begun to write, which Chroma's files show by growing."""
    database = new_folder / "chroma.sqlite3"
    for _ in range(1200):
        assert child.poll() is None, child.communicate()
        if (new_folder / "chroma.sqlite3").exists() and database.stat().st_size > 400_000:
            return
        time.sleep(0.05)
    raise AssertionError("the import wrote nothing within a minute")
