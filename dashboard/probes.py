"""Probe questions: searches a person saved for a store, to see what an edit does to them.

They are kept outside the store, where agents cannot find them: one small JSON file a store in
the user's configuration folder (`$XDG_CONFIG_HOME/memlens/probes`, on Windows under `%APPDATA%`),
named by where the store is and what it is called.
"""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from store import Namespace, StoreInfo

MOST = 100
DEPTH = 5


@dataclass(frozen=True, slots=True)
class Probe:
    """A question, where it is asked, and how many hits count."""

    query: str
    scope: Namespace = ()
    depth: int = DEPTH


@dataclass(frozen=True, slots=True)
class ProbeFile:
    """The probes of one store on disk."""

    path: Path
    store: str

    def load(self) -> tuple[Probe, ...]:
        """Return the saved probes in order; none when there is no file or it cannot be read."""
        try:
            content = json.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return ()
        saved = content.get("probes") if isinstance(content, dict) else None
        found = (_probe(one) for one in saved) if isinstance(saved, list) else ()
        return tuple(probe for probe in found if probe is not None)[:MOST]

    def save(self, probes: Sequence[Probe]) -> None:
        """Keep these probes instead of the saved ones; the file is replaced in one step."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        listed = [
            {"query": probe.query, "namespace": list(probe.scope), "depth": probe.depth}
            for probe in probes[:MOST]
        ]
        content = {"store": self.store, "probes": listed}
        draft = self.path.with_suffix(f".{os.getpid()}.tmp")
        draft.write_text(json.dumps(content, ensure_ascii=False, indent=1), encoding="utf-8")
        draft.replace(self.path)

    def add(self, probe: Probe) -> tuple[Probe, ...]:
        """Save one more probe at the end, unless it is there already; return all of them."""
        probes = self.load()
        if probe.query.strip() and probe not in probes:
            probes = (*probes, probe)[-MOST:]
            self.save(probes)
        return probes

    def remove(self, probe: Probe) -> tuple[Probe, ...]:
        """Forget one probe; return the others."""
        probes = tuple(one for one in self.load() if one != probe)
        self.save(probes)
        return probes


def probe_file(info: StoreInfo, environ: Mapping[str, str] = os.environ) -> ProbeFile:
    """Return where the probes of a store are kept."""
    place = info.location
    if urlsplit(place).scheme not in ("http", "https"):
        place = os.path.realpath(place)
    name = f"{place}#{info.name}"
    digest = hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=10).hexdigest()
    return ProbeFile(config_folder(environ) / "probes" / f"{digest}.json", name)


def config_folder(environ: Mapping[str, str]) -> Path:
    """Return the folder for what a user keeps between sessions."""
    base = environ.get("XDG_CONFIG_HOME") or environ.get("APPDATA")
    return (Path(base) if base else Path.home() / ".config") / "memlens"


def _probe(saved: Any) -> Probe | None:
    if not isinstance(saved, dict):
        return None
    query, labels, depth = saved.get("query"), saved.get("namespace", []), saved.get("depth", DEPTH)
    if not isinstance(query, str) or not query.strip() or not isinstance(labels, list):
        return None
    if not all(isinstance(label, str) for label in labels) or not isinstance(depth, int):
        return None
    return Probe(query, tuple(labels), min(max(depth, 1), 50))
