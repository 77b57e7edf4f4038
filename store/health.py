"""The health of a closed folder: which collections cannot be read, and putting them aside.

Items live in Chroma's SQLite file and need no index: with theirs moved away, Chroma starts an
empty one and every memory is still there. Vectors whose index is gone are made again from items.
"""

import json
import logging
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from store import database, index_files, places
from store.database import StoredCollection
from store.errors import StoreDamaged
from store.locking import ASIDE, FolderLock

_SECONDS = 1_800

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Health:
    """What looking at a folder found: why which collections cannot be read, and its stores."""

    faults: Mapping[str, str]
    stores: frozenset[str]


def look_after(folder: Path, lock: FolderLock) -> Mapping[str, str]:
    """Make a locked, closed folder readable before it is opened; give what was wrong with what.

    After an unclean end, or where files of an index are visibly cut short, everything is read in
    a process of its own. An index that cannot be read is moved aside; the stores are noted in the
    lock as to be repaired, because vectors may be missing. A collection of vectors that is given
    (see `holds_vectors`) is an empty shell now.

    Raises:
        StoreDamaged: The memories themselves cannot be read.
    """
    if not (folder / places.DATABASE).exists():
        return {}
    ours = [one for one in database.collections(folder) if one.ours]
    cut = _faults_of_files(folder, ours, thorough=lock.unclean)
    if not lock.unclean and not cut:
        return {}
    lock.note_unrepaired(lock.unrepaired | _stores(ours))
    faults = examine(folder, lock).faults
    move_aside(folder, ours, faults)
    again = _probe(folder, lock, [name for name in faults if not holds_vectors(name)])
    for name, fault in again.items():
        raise StoreDamaged(
            f"The collection {name!r} in {folder} cannot be read: {fault}; restore the folder from "
            "a backup, or import an export into a new store."
        )
    return faults


def stores(folder: Path) -> frozenset[str]:
    """Give the names of the stores in a locked, closed folder."""
    if not (folder / places.DATABASE).exists():
        return frozenset()
    return _stores([one for one in database.collections(folder) if one.ours])


def examine(folder: Path, lock: FolderLock) -> Health:
    """Read every collection of our stores in a locked, closed folder; nothing is changed.

    The process that reads keeps the lock, should this one be killed meanwhile.

    Raises:
        StoreDamaged: The database itself is damaged.
    """
    database.check(folder)
    ours = [one for one in database.collections(folder) if one.ours]
    faults = _faults_of_files(folder, ours, thorough=True)
    faults |= _probe(folder, lock, [one.name for one in ours if one.name not in faults])
    return Health(faults, _stores(ours))


def move_aside(folder: Path, ours: Sequence[StoredCollection], faults: Mapping[str, str]) -> None:
    """Move the indexes of these collections out of Chroma's sight; their records stay."""
    for one in ours:
        source = folder / one.segment
        if one.name not in faults or not source.exists():
            continue
        _logger.warning("The index of %s cannot be read (%s)", one.name, faults[one.name])
        (folder / ASIDE).mkdir(exist_ok=True)
        number = len(list((folder / ASIDE).iterdir()))
        source.rename(folder / ASIDE / f"{number}-{one.name}-{one.segment}")


def aside(folder: Path, name: str) -> Path | None:
    """Give where the files of a collection's index were moved last; None if they never were."""
    pattern = re.compile(rf"(\d+)-{re.escape(name)}-[0-9a-f-]{{36}}")
    found = [one for one in (folder / ASIDE).glob("*") if pattern.fullmatch(one.name)]
    return max(found, key=lambda one: int(one.name.partition("-")[0]), default=None)


def _faults_of_files(
    folder: Path, ours: Sequence[StoredCollection], *, thorough: bool
) -> dict[str, str]:
    found = {
        one.name: index_files.fault(folder / one.segment, thorough=thorough)
        for one in ours
        if (folder / one.segment).is_dir()
    }
    return {name: fault for name, fault in found.items() if fault is not None}


def _probe(folder: Path, lock: FolderLock, names: Sequence[str]) -> dict[str, str]:
    """Read collections in a process of its own, and again without each one that crashes it."""
    remaining, faults = list(names), dict[str, str]()
    while remaining:
        status, lines = _run_probe(folder, lock, remaining)
        done = {str(name): fault for name, *rest in lines for fault in rest}
        faults |= {name: fault for name, fault in done.items() if fault is not None}
        remaining = [name for name in remaining if name not in done]
        if not remaining:
            break
        if not lines:
            raise StoreDamaged(f"{folder} cannot be opened: Chroma ended with status {status}.")
        name = remaining.pop(0)
        faults[name] = f"reading it ends the reader, with status {status}"
    return faults


def _run_probe(
    folder: Path, lock: FolderLock, names: Sequence[str]
) -> tuple[int, list[list[str | None]]]:
    script = str(Path(__file__).with_name("probe.py"))
    command = [sys.executable, "-P", script, str(os.getpid()), str(folder), *names]
    try:
        run = subprocess.run(  # noqa: S603 -- a fixed command; nothing of it is a shell's
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            timeout=_SECONDS,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            check=False,
            pass_fds=lock.inherited,
        )
    except subprocess.TimeoutExpired as exc:
        raise StoreDamaged(
            f"Reading {folder} did not end within {_SECONDS // 60} minutes."
        ) from exc
    return run.returncode, [json.loads(line) for line in run.stdout.splitlines()]


def holds_vectors(name: str) -> bool:
    """Tell whether a collection of ours holds vectors, by its name."""
    return name.rpartition("_")[2].startswith("vectors")


def _stores(ours: Sequence[StoredCollection]) -> frozenset[str]:
    return frozenset(one.name.removesuffix("_items") for one in ours if one.name.endswith("_items"))
