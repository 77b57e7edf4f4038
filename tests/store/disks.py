"""Small disks of their own, really mounted: they can be full, and they can turn read-only.

Only root on Linux may mount. Elsewhere these tests are skipped; in CI that is a failure.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest


def cannot(reason: str) -> NoReturn:
    """Leave a test out, but never in CI."""
    (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    raise AssertionError


def _run(*command: str | Path) -> bool:
    try:
        return not subprocess.run(command, check=False, capture_output=True).returncode
    except FileNotFoundError:
        return False


class Disk:
    """A disk that is mounted at `place` when a test says what kind it needs."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._image = place.with_name(f"{place.name}.image")
        place.mkdir()

    def in_memory(self, options: str) -> None:
        """Mount a disk that is gone when it is unmounted; `options` such as ``size=3m``."""
        if not _run("mount", "-t", "tmpfs", "-o", options, "tmpfs", self.place):
            cannot("this system lets no one mount a disk")

    def in_file(self, size: int) -> None:
        """Make and mount a disk that keeps what is on it and turns read-only when it fails."""
        with self._image.open("wb") as image:
            image.truncate(size)
        if not _run("mkfs.ext4", "-q", "-F", self._image):
            cannot("there is no mkfs.ext4")
        self._mount_file()

    def _mount_file(self) -> None:
        if not _run("mount", "-o", "loop,errors=remount-ro", self._image, self.place):
            cannot("this system lets no one mount a file as a disk")

    def remount(self, options: str) -> None:
        """Mount it anew with other options while nothing is open."""
        subprocess.run(["mount", "-o", f"remount,{options}", str(self.place)], check=True)

    def fail(self) -> None:
        """Let it fail under what is open on it: as a broken disk, it is read-only from now on."""
        self.remount("abort")

    def heal(self) -> None:
        """Check and mount a failed disk again, as a restart of the machine does."""
        subprocess.run(["umount", str(self.place)], check=True)
        checked = subprocess.run(["e2fsck", "-fy", self._image], check=False, capture_output=True)
        assert checked.returncode in (0, 1), checked.stdout
        self._mount_file()

    def unmount(self) -> None:
        """Take it away."""
        _run("umount", "--lazy", self.place)


@contextmanager
def disk_at(place: Path) -> Iterator[Disk]:
    """Give a disk that is taken away at the end."""
    if sys.platform != "linux" or os.geteuid() != 0:
        cannot("only root on Linux may mount a disk")
    disk = Disk(place)
    try:
        yield disk
    finally:
        disk.unmount()


def bound_by_permissions() -> Sequence[str]:
    """Give how to start a program that may not write where permissions forbid it, also as root."""
    if sys.platform == "win32":
        cannot("Windows knows no such permissions")
    if os.geteuid() != 0:
        return ()
    command = ("setpriv", "--bounding-set=-dac_override")
    if not _run(*command, "true"):
        cannot("there is no setpriv, and root is not bound by permissions")
    return command
