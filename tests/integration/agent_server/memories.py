"""The Agent Server's long-term memory: one ChromaStore for all of its threads."""

from pathlib import Path

from store import ChromaStore

store = ChromaStore.open(
    Path(__file__).parent / "memories",
    ttl={"refresh_on_read": False, "sweep_interval_minutes": 1 / 60},
)
# The server leaves the sweeping of a store of one's own to that store.
store.start_ttl_sweeper()
