"""Maps kept on disk between sessions: places and hashes, never a text, a key or a vector."""

import hashlib
import json
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path

import numpy as np

from dashboard.projection import Layout, Settings
from dashboard.projection_plan import Hashes, SavedMap

CACHE_VARIABLE = "MEMLENS_CACHE"
_KEPT_MAPS = 20
_FORMAT = 6


def cache_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Give the folder for what can be made again; MEMLENS_CACHE overrides the system's place."""
    chosen = environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "memlens"
    base = environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "memlens"


def map_name(
    location: str, name: str, scope: Iterable[str], field: str, embedder: str, settings: Settings
) -> str:
    """Give the name a map is kept under: equal for equal store, scope, field and settings."""
    parts = [_FORMAT, location, name, list(scope), field, embedder, asdict(settings)]
    text = json.dumps(parts, ensure_ascii=True, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def hash_references(references: Iterable[tuple[tuple[str, ...], str]]) -> Hashes:
    """Give one number for each reference, the same in every process."""
    return hash_texts(json.dumps([namespace, key]) for namespace, key in references)


def hash_texts(texts: Iterable[str]) -> Hashes:
    """Give one number for each text, the same in every process."""
    digests = b"".join(
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        for text in texts
    )
    return np.frombuffer(digests, dtype=np.uint64)


def save_map(folder: Path, name: str, saved: SavedMap) -> None:
    """Keep a map, in one step; the least recently used maps beyond a limit are dropped."""
    folder.mkdir(parents=True, exist_ok=True)
    layout = saved.layout
    about = {
        "method": layout.method,
        "notes": layout.notes,
        "trust": layout.trust,
        "churn": saved.churn,
        "base": saved.base,
    }
    target = folder / f"{name}.npz"
    draft = target.with_suffix(f".{os.getpid()}.tmp")
    with draft.open("wb") as file:
        np.savez(
            file,
            ids=saved.ids,
            revisions=saved.revisions,
            positions=layout.positions,
            about=np.frombuffer(json.dumps(about).encode(), dtype=np.uint8),
        )
    draft.replace(target)
    kept = sorted(folder.glob("*.npz"), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in kept[_KEPT_MAPS:]:
        old.unlink(missing_ok=True)


def load_map(folder: Path, name: str) -> SavedMap | None:
    """Give the map kept under a name; None when there is none or it cannot be read."""
    path = folder / f"{name}.npz"
    try:
        with np.load(path, allow_pickle=False) as stored:
            about = json.loads(stored["about"].tobytes())
            layout = Layout(
                stored["positions"], about["method"], tuple(about["notes"]), about["trust"]
            )
            saved = SavedMap(
                stored["ids"], stored["revisions"], layout, about["churn"], about["base"]
            )
        path.touch()
    except (OSError, ValueError, KeyError, EOFError):
        return None
    return saved if len(saved.ids) == len(saved.revisions) == len(layout.positions) else None
