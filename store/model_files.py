"""The model files that installed packages carry, read without running the packages' code."""

import hashlib
from importlib.util import find_spec
from pathlib import Path

from store.errors import EmbeddingError


def installed_file(package: str, name: str) -> Path | None:
    """Find a file inside an installed package, None when either is missing."""
    spec = find_spec(package)
    for folder in (spec and spec.submodule_search_locations) or ():
        file = Path(folder) / name
        if file.is_file():
            return file
    return None


def read_verified(package: str, name: str, sha256: str, *, install: str) -> bytes:
    """Give the content of a file, once it is known to be the expected one.

    Raises EmbeddingError when it is missing or another, with what to `install`.
    """
    file = installed_file(package, name)
    if file is None:
        raise EmbeddingError(f"The model file {package}/{name} is missing; install {install}.")
    content = file.read_bytes()
    if hashlib.sha256(content).hexdigest() != sha256:
        raise EmbeddingError(
            f"The model file {package}/{name} is not the expected one; reinstall {install}."
        )
    return content
