"""Which store the dashboard shows, read from the environment."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

STORE_VARIABLE = "MEMLENS_STORE"
NAME_VARIABLE = "MEMLENS_NAME"
DEFAULT_NAME = "memories"


@dataclass(frozen=True, slots=True)
class Settings:
    """A place (folder path or server address) and the store's name there."""

    location: str
    name: str

    @property
    def is_server(self) -> bool:
        """Tell whether the place is a Chroma server rather than a folder."""
        return urlsplit(self.location).scheme in {"http", "https"}

    @property
    def label(self) -> str:
        """The short name people know the place by: a folder's name or a server's address."""
        if self.is_server:
            return urlsplit(self.location).netloc
        return Path(self.location).expanduser().resolve().name or self.location


def read_settings(environ: Mapping[str, str]) -> Settings | None:
    """Return the configured store, or None when the environment names none."""
    location = environ.get(STORE_VARIABLE, "").strip()
    if not location:
        return None
    return Settings(location, environ.get(NAME_VARIABLE, "").strip() or DEFAULT_NAME)
