"""The catalog: what is stored where, kept true across processes, with the registry behind it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import uuid4

from store import changes, namespaces
from store.directory import Directory
from store.errors import StoreError
from store.gateway import MARK_IDS, Gateway
from store.memory import Entry, Namespace
from store.records import Record

SMALL_SCOPE = 2_000
"""A scope read in one call while the directory is not loaded yet."""

_COLD_READS = 8


@dataclass(frozen=True, slots=True)
class View:
    """A directory of everything (`whole`), or of one scope with all its values."""

    directory: Directory
    whole: bool


class Catalog:
    """Answers where memories are without scanning; not thread-safe by itself.

    `exclusive` says that nobody else can write (a locked folder): marks are neither read nor
    written then.
    """

    def __init__(self, gateway: Gateway, *, exclusive: bool) -> None:
        self._gateway = gateway
        self._exclusive = exclusive
        self._full: Directory | None = None
        self._names: set[Namespace] | None = None
        self._marks: Mapping[str, str] = {}
        self._log = changes.WriterLog()
        self._cold_reads = 0
        self._writes = 0
        self._born = uuid4().hex

    # --- reading -----------------------------------------------------------------------------

    def token(self) -> str:
        """Give a text that changes whenever anything stored changes."""
        if not self._exclusive:
            self._notice(self._gateway.marks())
        marks = namespaces.digest(sorted(self._marks.values())) if self._marks else ""
        return f"{self._born}-{self._writes}-{marks}"

    def loaded(self) -> Directory | None:
        """Give the directory if it is in memory, brought up to date."""
        if self._full is not None and not self._exclusive:
            self._notice(self._gateway.marks())
        return self._full

    def directory(self) -> Directory:
        """Give the directory of everything; the first call reads the whole store once."""
        current = self.loaded()
        if current is not None:
            return current
        if not self._exclusive:
            self._marks = self._gateway.marks()  # before the scan: a change during it is seen later
        full = Directory()
        for page in self._gateway.scan():
            for identity, record in page.items():
                full.put(identity, record)
        self._full = full
        self._reconcile(full)
        return full

    def _reconcile(self, full: Directory) -> None:
        """Register what an interrupted write left unregistered; items are the truth."""
        registered = self._gateway.names()
        missing = full.spaces.keys() - registered
        self._gateway.add_names(missing)
        if self._exclusive:
            self._gateway.drop_names(registered - full.spaces.keys())
        self._names = None

    def view(self, prefix: Namespace, *, own: bool = False) -> View:
        """Give a directory for a scope, without loading everything when the scope is small."""
        current = self.loaded()
        if current is None and prefix and self._cold_reads < _COLD_READS:
            self._cold_reads += 1
            records = self._gateway.below(prefix, SMALL_SCOPE + 1)
            if len(records) <= SMALL_SCOPE:
                # A long prefix is stored as a digest and an old row may be ambiguous: look again.
                kept = {
                    one: record
                    for one, record in records.items()
                    if namespaces.starts_with(record.entry.namespace, prefix)
                }
                return View(Directory(kept), whole=False)
        return View(self.directory(), whole=True)

    def names(self) -> Iterable[Namespace]:
        """Give every namespace that holds a memory."""
        current = self.loaded()
        if current is not None:
            return current.spaces.keys()
        if not self._exclusive:
            self._notice(self._gateway.marks())
        if self._names is None:
            self._names = self._gateway.names()
        return self._names

    def _notice(self, marks: Mapping[str, str]) -> None:
        """Bring what is in memory up to date with the marks just read."""
        if marks == self._marks:
            return
        changed = changes.changed_ids(self._marks, marks)
        self._marks = dict(marks)
        self._names = None
        self._writes += 1
        if self._full is None:
            return
        if changed is None:
            self._full = None
            return
        found = self._gateway.read(list(changed))
        for identity in changed:
            if identity in found:
                self._full.put(identity, found[identity])
            else:
                self._full.drop(identity)

    def gone(self, identity: str) -> None:
        """Note that a memory in the directory turned out not to be stored any more."""
        if self._full is not None:
            self._full.drop(identity)

    # --- writing -----------------------------------------------------------------------------

    def current(self, ids: Sequence[str]) -> dict[str, Record]:
        """Give the records among `ids` as they are now, right before a write."""
        if self._exclusive:
            return self._gateway.read(ids)
        found, marks = self._gateway.read_with_marks(ids)
        self._notice(marks)
        self._log.claim(marks, MARK_IDS)
        return found

    def register(self, wanted: Iterable[Namespace]) -> None:
        """Register namespaces not seen yet; before their items, so that none is ever unlisted."""
        if self._names is None:
            self._names = self._gateway.names()
        unseen = set(wanted) - self._names
        if unseen:
            self._gateway.add_names(unseen)
            self._names |= unseen

    def put(self, records: Mapping[str, Record], old: Mapping[str, Record]) -> None:
        """Write items over the `old` ones, with this writer's mark."""
        expiring = {one for one, record in old.items() if record.entry.ttl is not None}
        with self._uncertain():
            self._gateway.put_items(records, self._mark(list(records)), expiring=expiring)
        if self._full is not None:
            for identity, record in records.items():
                self._full.put(identity, record)

    def delete(self, old: Mapping[str, Record]) -> None:
        """Delete items, and the registry's entry of a namespace that held nothing else."""
        with self._uncertain():
            self._gateway.delete_items(list(old))
            mark = self._mark(list(old))
            if mark is not None:
                self._gateway.put_mark(mark)
        if self._full is not None:
            for identity in old:
                self._full.drop(identity)
        self._unregister({record.entry.namespace for record in old.values()})

    def refresh(self, entries: Mapping[str, Entry]) -> None:
        """Write new expiries."""
        self._gateway.put_expiries(
            {one: entry.expires for one, entry in entries.items() if entry.expires is not None}
        )
        if not self._exclusive:
            self._notice(marks := self._gateway.marks())
            self._log.claim(marks, MARK_IDS)
        mark = self._mark(list(entries))
        if mark is not None:
            self._gateway.put_mark(mark)
        if self._full is not None:
            for identity, entry in entries.items():
                self._full.move(identity, entry)

    @contextmanager
    def _uncertain(self) -> Iterator[None]:
        """Forget the directory when a write fails: nobody knows how far it came."""
        try:
            yield
        except StoreError:
            self.forget()
            raise

    def forget(self) -> None:
        """Forget what is in memory: it is read anew when it is asked for."""
        self._full = None
        self._names = None
        self._writes += 1

    def _mark(self, ids: Sequence[str]) -> tuple[str, str] | None:
        self._writes += 1
        if self._exclusive:
            return None
        mark = self._log.next(ids)
        self._marks = {**self._marks, mark[0]: mark[1]}
        return mark

    def _unregister(self, touched: Iterable[Namespace]) -> None:
        empty = [namespace for namespace in touched if not self._holds_any(namespace)]
        if empty:
            self._gateway.drop_names(empty)
            if self._names is not None:
                self._names -= set(empty)

    def _holds_any(self, namespace: Namespace) -> bool:
        if self._full is not None:
            return namespace in self._full.spaces
        return self._gateway.holds_any(namespace)
