"""The files of one of Chroma's indexes: are they whole, or was their saving interrupted?

Chroma saves an index in place: header.bin, data_level0.bin, length.bin, link_lists.bin, then
index_metadata.pickle. A process that dies in between leaves files that do not belong together;
some of these mixtures make the reader crash, so they are looked at here before Chroma does.
"""

import pickletools
import struct
from pathlib import Path

_HEADER = struct.Struct("<i6Qii3QdQ")
_DATA = ("header.bin", "data_level0.bin", "length.bin", "link_lists.bin")
_NAMES = "index_metadata.pickle"
_VERSION = 1


def fault(folder: Path, *, thorough: bool = False) -> str | None:
    """Say what is wrong with an index's files; None if they are whole, or none is saved yet.

    A quick look compares sizes; a thorough one reads what can be read without Chroma.
    """
    if not (folder / _NAMES).exists():
        return None  # Chroma starts a new index then, and fills it from its log.
    try:
        found = _sizes(folder)
        if found is None and thorough:
            found = _order(folder) or _links(folder) or _names(folder)
    except OSError as exc:
        return f"{exc.filename and Path(exc.filename).name} cannot be read ({exc.strerror})"
    return found


def _header(folder: Path) -> tuple[int, int, int] | None:
    """Give the version, the number of vectors and the bytes of each; None if it is cut short."""
    raw = (folder / "header.bin").read_bytes()
    if len(raw) < _HEADER.size:
        return None
    fields = _HEADER.unpack_from(raw)
    return fields[0], fields[3], fields[4]


def _sizes(folder: Path) -> str | None:
    header = _header(folder)
    if header is None:
        return "header.bin is cut short"
    version, count, size = header
    if version != _VERSION:
        return f"header.bin has version {version}"
    for name, wanted in (("data_level0.bin", count * size), ("length.bin", count * 4)):
        if (folder / name).stat().st_size < wanted:
            return f"{name} is shorter than header.bin says"
    if not (folder / "link_lists.bin").exists():
        return "link_lists.bin is missing"
    return None if (folder / _NAMES).stat().st_size else f"{_NAMES} is empty"


def _order(folder: Path) -> str | None:
    """The pickle is written last: an older one was left over when saving was interrupted."""
    times = [(folder / name).stat().st_mtime_ns for name in _DATA]
    last = (folder / _NAMES).stat().st_mtime_ns
    return "saving was interrupted" if last < max(times) else None


def _links(folder: Path) -> str | None:
    header, raw = _header(folder), (folder / "link_lists.bin").read_bytes()
    place = 0
    for _ in range(header[1] if header else 0):
        if place + 4 > len(raw):
            return "link_lists.bin is cut short"
        place += 4 + int.from_bytes(raw[place : place + 4], "little")
    return "link_lists.bin is cut short" if place > len(raw) else None


def _names(folder: Path) -> str | None:
    """Walk the pickle without running it: what is cut short does not reach its end."""
    try:
        with (folder / _NAMES).open("rb") as stream:
            for _ in pickletools.genops(stream):
                pass
    except ValueError:
        return f"{_NAMES} is cut short"
    return None
