"""Import and export: memories from and to files of JSON lines, a chunk at a time."""

import gzip
import hashlib
import os
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from typing import Self

from store import files, lines
from store.chroma import ChromaStore
from store.errors import TransferError
from store.lines import Line
from store.memory import Memory, Namespace, Reference

CHUNK = 200
"""An upsert holds the interpreter's lock: larger chunks freeze a process that serves pages."""

Progress = Callable[[int, int], None]
"""Called with how much is done and how much there is."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What an import file holds, all of it checked.

    `repeated` counts lines that a later line for the same memory replaces; `fields` is where the
    values keep their text, ``("$",)`` if that is not sure; `ignored` names the fields of lines
    that a memory does not have.
    """

    memories: int
    repeated: int
    fields: tuple[str, ...]
    ignored: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did: memories new, replaced, and already there as the file has them.

    `stopped` says that it was asked to stop before the end; the same import again continues.
    """

    written: int
    replaced: int
    present: int
    stopped: bool

    @property
    def done(self) -> int:
        """How many of the file's memories the store now holds."""
        return self.written + self.replaced + self.present


@dataclass(slots=True)
class _Tally:
    last: dict[bytes, int] = field(default_factory=dict)
    read: int = 0
    fields: Counter[str] = field(default_factory=Counter)
    ignored: dict[str, None] = field(default_factory=dict)

    def add(self, number: int, line: Line) -> None:
        self.read += 1
        self.last[_digest(line.reference)] = number
        if path := lines.text_path(line.value):
            self.fields[path] += 1
        self.ignored.update(dict.fromkeys(line.ignored))


class ImportFile:
    """A file of memories, one JSON object a line, plain or gzipped; ``-`` is standard input.

    It is read twice: `check` goes through every line and raises TransferError naming the first
    that cannot be stored, then `import_into` writes. Of several lines for one memory the last
    counts. Use it as a context manager.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._name = "standard input" if os.fspath(path) == "-" else os.fspath(path)
        self._raw = files.open_twice(path)
        self._size = os.fstat(self._raw.fileno()).st_size
        self._tally: _Tally | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._raw.close()

    def check(self, progress: Progress | None = None) -> Survey:
        """Check every line and say what the file holds; `progress` counts bytes."""
        tally = self._checked(progress)
        return Survey(
            memories=len(tally.last),
            repeated=tally.read - len(tally.last),
            fields=lines.likely_fields(tally.fields, tally.read),
            ignored=tuple(tally.ignored),
        )

    def _checked(self, progress: Progress | None = None) -> _Tally:
        if self._tally is not None:
            return self._tally
        tally = _Tally()
        for number, line in self._lines():
            tally.add(number, line)
            if progress and tally.read % CHUNK == 0:
                progress(self._raw.tell(), self._size)
        if progress:
            progress(self._size, self._size)
        self._tally = tally
        return tally

    def import_into(
        self,
        store: ChromaStore,
        *,
        progress: Progress | None = None,
        should_stop: Callable[[], bool] = bool,
    ) -> ImportReport:
        """Write what the store does not hold yet; `progress` counts memories.

        Nothing is written when a line of the file cannot be stored. `should_stop` is asked
        between chunks of 200. A repeated import skips what is stored already, value and times
        alike, so that an interrupted one continues where it stopped.
        """
        tally = self._checked()
        counts: Counter[str] = Counter()
        writer = _Writer(store, datetime.now(UTC))
        wanted = self._last_lines(tally)
        while chunk := list(islice(wanted, CHUNK)):
            if should_stop():
                break
            counts.update(writer.write(chunk))
            if progress:
                progress(counts.total(), len(tally.last))
        else:
            writer.finish()
        return ImportReport(
            counts["written"], counts["replaced"], counts["present"], stopped=bool(chunk)
        )

    def _last_lines(self, tally: _Tally) -> Iterator[Line]:
        for number, line in self._lines():
            if tally.last.get(_digest(line.reference)) == number:
                yield line

    def _lines(self) -> Iterator[tuple[int, Line]]:
        number = 0
        with files.unpacked(self._raw) as stream:
            try:
                for number, raw in enumerate(stream, start=1):
                    text = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
                    if text.strip():
                        yield number, lines.parse(text)
            except lines.LineError as exc:
                raise TransferError(
                    f"{self._name}, line {number}: {str(exc).rstrip('.')}; "
                    "nothing of this file was written."
                ) from exc
            except (EOFError, zlib.error, gzip.BadGzipFile) as exc:
                raise TransferError(
                    f"{self._name} is a damaged gzip file (after line {number}: {exc}); "
                    "nothing of it was written."
                ) from exc


class _Writer:
    """Writes chunks, leaving out what is stored already."""

    def __init__(self, store: ChromaStore, now: datetime) -> None:
        self._store = store
        self._now = now
        self._doubtful: list[Memory] = []

    def write(self, chunk: list[Line]) -> Counter[str]:
        old = self._store.read_many([line.reference for line in chunk])
        pairs = list(zip(chunk, old, strict=True))
        fresh = [
            lines.complete(line, old=kept, now=self._now)
            for line, kept in pairs
            if not lines.is_stored(line, kept)
        ]
        if fresh:
            self.finish()
            self._store.write(fresh)
        else:
            self._doubtful = [kept for kept in old if kept is not None]
        new = sum(kept is None for kept in old)
        return Counter(written=new, replaced=len(fresh) - new, present=len(chunk) - len(fresh))

    def finish(self) -> None:
        """Write the last chunk found in place again where its vectors are missing.

        A process that is killed between the two halves of a write leaves memories without their
        vectors; that can only be the chunk after which an import finds nothing in place.
        """
        expected = [memory for memory in self._doubtful if memory.vectors]
        if expected:
            table = self._store.vectors(references=[memory.reference for memory in expected])
            found = set(zip(table.references, table.revisions, strict=True))
            self._store.write(
                memory for memory in expected if (memory.reference, memory.revision) not in found
            )
        self._doubtful = []


def export_to(
    store: ChromaStore,
    path: str | os.PathLike[str],
    *,
    prefix: Namespace = (),
    progress: Progress | None = None,
) -> int:
    """Write every memory at or below `prefix` as a JSON line, and return how many.

    ``-`` is standard output and a name that ends in ``.gz`` is compressed. The file appears under
    its name only when it is complete; one that was there before is replaced then.
    """
    total = store.count(prefix)
    count = 0
    with files.replacing(path) as stream:
        for count, memory in enumerate(store.scan(prefix), start=1):
            stream.write(lines.dump(memory).encode() + b"\n")
            if progress and count % CHUNK == 0:
                progress(count, max(total, count))
    if progress:
        progress(count, count)
    return count


def _digest(reference: Reference) -> bytes:
    # 72,000 references as they are would take ten times the memory.
    return hashlib.blake2b(repr(reference).encode(), digest_size=16).digest()
