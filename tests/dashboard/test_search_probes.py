"""Probe questions are kept beside the user's settings, never inside the store."""

from pathlib import Path

import pytest

from dashboard.probes import MOST, Probe, ProbeFile, config_folder, probe_file
from store import StoreInfo

TEA = Probe("who likes tea?", ("users", "mira"), 3)


def info(location: str, name: str = "memories") -> StoreInfo:
    return StoreInfo(location, name, 0, 0, None, None, (), None)


def in_folder(folder: Path) -> ProbeFile:
    return probe_file(info("/some/store"), {"XDG_CONFIG_HOME": str(folder)})


def test_probes_come_back_as_they_were_saved(tmp_path: Path) -> None:
    saved = (TEA, Probe("哪里？"), Probe("<b>bold</b>"))
    in_folder(tmp_path).save(saved)
    assert in_folder(tmp_path).load() == saved


def test_without_a_file_there_are_none_and_none_is_made(tmp_path: Path) -> None:
    assert in_folder(tmp_path).load() == ()
    assert list(tmp_path.iterdir()) == []


def test_a_probe_is_added_once_and_can_be_forgotten(tmp_path: Path) -> None:
    file = in_folder(tmp_path)
    file.add(TEA)
    assert file.add(TEA) == (TEA,)
    assert file.add(Probe("  ")) == (TEA,)
    assert file.remove(TEA) == ()
    assert file.load() == ()


def test_the_newest_are_kept_when_there_are_too_many(tmp_path: Path) -> None:
    file = in_folder(tmp_path)
    file.save([Probe(f"q{at}") for at in range(MOST)])
    assert file.add(TEA)[-1] == TEA
    assert len(file.load()) == MOST


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", '{"probes": 5}', '{"probes": [1, {"query": 2}, {"query": "a", "depth": "x"}]}'],
)
def test_a_broken_file_counts_as_none(tmp_path: Path, content: str) -> None:
    file = in_folder(tmp_path)
    file.path.parent.mkdir(parents=True)
    file.path.write_text(content)
    assert file.load() == ()


def test_each_store_has_its_own(tmp_path: Path) -> None:
    environ = {"XDG_CONFIG_HOME": str(tmp_path)}
    files = {
        probe_file(one, environ).path
        for one in (info("/a"), info("/b"), info("/a", "other"), info("http://localhost:8000"))
    }
    assert len(files) == 4
    assert probe_file(info("/a/../a"), environ) == probe_file(info("/a"), environ)


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"XDG_CONFIG_HOME": "/x"}, Path("/x/memlens")),
        ({"APPDATA": "/w"}, Path("/w/memlens")),
        ({}, Path.home() / ".config" / "memlens"),
    ],
)
def test_the_folder_follows_the_systems_convention(environ: dict[str, str], expected: Path) -> None:
    assert config_folder(environ) == expected
