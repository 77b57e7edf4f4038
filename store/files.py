"""The files an import reads and an export writes: plain, gzipped, or standard streams."""

import gzip
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, BinaryIO, cast

from store.errors import StoreError, TransferError

GZIP_MAGIC = b"\x1f\x8b"


def open_twice(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file, or ``-`` for standard input, so that it can be read more than once."""
    name = os.fspath(path)
    try:
        source = sys.stdin.buffer if name == "-" else Path(name).open("rb")  # noqa: SIM115 -- the caller closes it
    except OSError as exc:
        raise TransferError(f"{name} cannot be read ({exc.strerror}).") from exc
    if name != "-" and source.seekable():
        return cast(BinaryIO, source)
    # Standard input and pipes give their content once, and it is read twice.
    copy = tempfile.TemporaryFile()  # noqa: SIM115 -- the caller closes it
    shutil.copyfileobj(source, copy)
    copy.seek(0)
    return cast(BinaryIO, copy)


@contextmanager
def unpacked(raw: BinaryIO) -> Iterator[IO[bytes]]:
    """Give the content from the start, decompressed if it is gzip by its first bytes."""
    raw.seek(0)
    packed = raw.read(2) == GZIP_MAGIC
    raw.seek(0)
    if not packed:
        yield raw
        return
    with gzip.GzipFile(fileobj=raw) as stream:
        yield cast(IO[bytes], stream)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Give a stream to write to; the file takes its name at the end, or not at all.

    ``-`` is standard output; what is written to a name ending in ``.gz`` is compressed.
    """
    if os.fspath(path) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    final = Path(path).resolve()
    part = final.with_name(f".{final.name}.{os.getpid()}.part")
    try:
        with part.open("xb") as raw:
            if final.suffix == ".gz":
                # mtime=0: the same memories give the same bytes.
                with gzip.GzipFile(fileobj=raw, mode="wb", filename="", mtime=0) as stream:
                    yield cast(IO[bytes], stream)
            else:
                yield raw
            raw.flush()
            os.fsync(raw.fileno())
        part.replace(final)
    except StoreError:
        raise
    except OSError as exc:
        raise TransferError(f"{os.fspath(path)} cannot be written ({exc.strerror}).") from exc
    finally:
        with suppress(FileNotFoundError):
            part.unlink()
