"""Opening a store in the background, so that a page can say how far a repair has come.

opening = Opening(lambda progress: ChromaStore.open("folder", progress=progress))
while not opening.wait(0.2):
    print(opening.done, opening.total)
store = opening.store()
"""

import threading
from collections.abc import Callable

from dashboard.curation import Progress
from store import ChromaStore, RepairReport


class Opening:
    """A store that is being opened, is open, or could not be.

    `done` and `total` are memories or vectors while a store that was not closed properly is
    repaired; `total` is 0 before that and for all other stores.
    """

    def __init__(self, open_store: Callable[[Progress], ChromaStore]) -> None:
        self.done = 0
        self.total = 0
        self._open_store = open_store
        self._result: ChromaStore | BaseException | None = None
        self._seen: RepairReport | None = None
        self._thread = threading.Thread(target=self._run, name="memlens-opening", daemon=True)
        self._thread.start()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end of the opening at most so long; tell whether it has ended."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def store(self) -> ChromaStore:
        """Return the open store, when it is; raises what opening it raised."""
        self.wait()
        if isinstance(self._result, ChromaStore):
            return self._result
        raise self._result or RuntimeError("Opening the store ended without a result.")

    def repaired(self) -> RepairReport | None:
        """Return what was put right when the store was opened, until someone has seen it."""
        report = self.store().repaired
        told = report is None or report is self._seen or not (report.changed or report.left)
        return None if told else report

    def seen(self) -> None:
        """Note that someone has read what was repaired."""
        self._seen = self.store().repaired

    def close(self) -> None:
        """Close the store, if it came to be open."""
        self.wait()
        if isinstance(self._result, ChromaStore):
            self._result.close()

    def _run(self) -> None:
        try:
            self._result = self._open_store(self._progress)
        except BaseException as error:  # raised again where the store is asked for
            self._result = error

    def _progress(self, done: int, total: int) -> None:
        self.done, self.total = done, total
