"""The memories nearest to the one pinned on the map: by true similarity, wherever they lie."""

from dataclasses import dataclass

from dashboard import resources
from dashboard.map_pin import Pinned, pin
from dashboard.memories import preview
from dashboard.projection_jobs import StoreMap
from store import Reference


@dataclass(frozen=True, slots=True)
class Near:
    """A memory pinned on the map with the nearest ones there, and what they say, itself first."""

    pinned: Pinned
    texts: tuple[str, ...]


def nearest_to(picture: StoreMap, reference: Reference | None) -> Near | None:
    """Find what is nearest to the open memory; None when it has no place on this map."""
    memory = resources.store().read(*reference) if reference else None
    if memory is None:
        return None
    found = resources.map_near(memory.reference)
    pinned = pin(picture, memory.reference, found)
    if pinned is None:
        return None
    fields = resources.store().info().fields
    on_map = {picture.entries[row].reference for row, _ in pinned.near}
    shown = [match.memory for match in found if match.memory.reference in on_map]
    return Near(pinned, tuple(preview(one.value, fields) for one in (memory, *shown)))
