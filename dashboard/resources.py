"""The open store and what is cached from it.

resources.settings() -> Settings | None     what MEMLENS_STORE and MEMLENS_NAME say
resources.opening() -> Opening              begins to open the store, once a process
resources.store() -> ChromaStore            waits for it; raises a StoreError
resources.tree() -> namespace_tree.Tree          namespaces with own and descendant counts
resources.listed(listing) -> tuple[Reference, …] a filtered or field-ordered list
resources.background() -> Background | None      how alike unrelated memories are
resources.words() -> WordIndexes                 word indexes by scope
resources.fields(scope) -> list[Field]           what can be filtered by
resources.probes() -> ProbeFile                  the questions saved for this store
resources.maps() -> Maps                         makes maps in the background
resources.warm_map()                             compiles what maps need, in the background
resources.map_drawn(picture) -> Drawn            which rows of a map are drawn, and their texts
resources.map_asked(picture, scope, text)        a query's hits and place on a map
resources.map_names(drawn) -> tuple[Named, …]    the names of a map's groups
resources.map_near(reference) -> tuple[Match, …] the memories most like one of a map
"""

import atexit
import gc
import os
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.curation import Progress
from dashboard.filterforms import Field, observed_fields, parse
from dashboard.listing import Listing, matching
from dashboard.namespace_tree import Tree
from dashboard.nearest import nearest
from dashboard.overview import Outline
from dashboard.overview import outline as summed_up
from dashboard.probes import ProbeFile, probe_file
from dashboard.projection_cache import cache_folder
from dashboard.projection_jobs import Maps, StoreMap
from dashboard.projection_process import WorkerProcess
from dashboard.scoring import Background, measure
from dashboard.settings import Settings, read_settings
from dashboard.store_opening import Opening
from dashboard.wordindexes import WordIndexes
from store import ChromaStore, Match, Namespace, Reference, SearchUnavailable

if TYPE_CHECKING:
    from dashboard.map_drawing import Drawn
    from dashboard.map_names import Named
    from dashboard.map_query import Asked


def settings() -> Settings | None:
    """Return which store is configured, or None."""
    return read_settings(os.environ)


def opening() -> Opening:
    """Return the opening of the configured store, begun now if it was not yet."""
    chosen = settings()
    if chosen is None:
        raise LookupError("no store is configured")
    return _opening(chosen)


def store() -> ChromaStore:
    """Return the configured store; raises StoreError when it cannot be opened.

    A failed opening is not cached: the next run tries again.
    """
    begun = opening()
    try:
        return begun.store()
    except BaseException:
        _opening.clear()
        raise


def tree() -> Tree:
    """Return the namespaces of the store with their counts, as of now."""
    opened = store()
    return _tree(settings(), opened.token(), _store=opened)


def outline() -> Outline:
    """Return how the store grew and how fresh it is, as of the last change or minute."""
    opened = store()
    return _outline(settings(), opened.token(), _store=opened)


def listed(listing: Listing) -> tuple[Reference, ...]:
    """Return where the memories of a listing are that needs every value read, in order."""
    opened = store()
    return _listed(settings(), opened.token(), listing, _store=opened)


def background() -> Background | None:
    """Return how alike unrelated memories of the store are; None when it has too few."""
    opened = store()
    return _background(settings(), opened.token(), _store=opened)


def words() -> WordIndexes:
    """Return the word indexes of the store, one for each scope looked at."""
    opened = store()
    return _words(id(opened), _store=opened)


def fields(scope: Namespace) -> list[Field]:
    """Return the fields of the newest memories in a scope, with examples."""
    opened = store()
    return _fields(settings(), opened.token(), scope, _store=opened)


def probes() -> ProbeFile:
    """Return where the questions saved for this store are kept."""
    return probe_file(store().info())


def maps() -> Maps:
    """Return what makes the maps of this store in the background."""
    opened = store()
    return _maps(id(opened), _store=opened)


def warm_map() -> None:
    """Let what maps need be compiled in the background, once on a machine; returns at once."""
    maps().warm_up()


def map_drawn(picture: StoreMap) -> "Drawn":
    """Return which rows of a map are drawn, and what they say."""
    return _map_drawn(picture.version, _picture=picture, _store=store())


def map_asked(picture: StoreMap, scope: Namespace, text: str) -> "Asked | None":
    """Return a query's hits and place on a map; None without a query or hits on it."""
    if not text.strip():
        return None
    return _map_asked(picture.version, picture.token, scope, text, _picture=picture, _store=store())


def map_names(drawn: "Drawn") -> "tuple[Named, ...]":
    """Return the names of the groups that stand apart on a map."""
    return _map_names(drawn.picture.version, _drawn=drawn)


def map_near(reference: Reference) -> tuple[Match, ...]:
    """Return the memories most like one, best first; none while search by meaning is off."""
    opened = store()
    return _map_near(settings(), opened.token(), reference, _store=opened)


def _release(opening: Opening) -> None:
    atexit.unregister(opening.close)
    opening.close()
    gc.unfreeze()


@st.cache_resource(show_spinner=False, on_release=_release, max_entries=1)
def _opening(chosen: Settings) -> Opening:
    begun = Opening(lambda progress: _open(chosen, progress))
    atexit.register(begun.close)
    return begun


def _open(chosen: Settings, progress: Progress) -> ChromaStore:
    opened = ChromaStore.open(chosen.location, name=chosen.name, create=False, progress=progress)
    try:
        opened.page(limit=1)
    except BaseException:
        opened.close()
        raise
    # Streamlit collects garbage after every run: without this each click would walk through what
    # is known of every memory, which took most of a click's time in a large store.
    gc.collect()
    gc.freeze()
    return opened


@st.cache_resource(show_spinner=False, max_entries=4)
def _tree(chosen: Settings | None, token: str, *, _store: ChromaStore) -> Tree:
    return Tree.of(_store.namespace_counts())


@st.cache_resource(show_spinner="Reading every memory in this scope…", max_entries=4)
def _listed(
    chosen: Settings | None, token: str, listing: Listing, *, _store: ChromaStore
) -> tuple[Reference, ...]:
    return matching(_store, listing, parse(listing.filter or ""))


@st.cache_data(show_spinner=False, max_entries=4, ttl=60)
def _outline(chosen: Settings | None, token: str, *, _store: ChromaStore) -> Outline:
    return summed_up(_store.entries())


@st.cache_data(show_spinner=False, max_entries=4, ttl=3600)
def _background(chosen: Settings | None, token: str, *, _store: ChromaStore) -> Background | None:
    return measure(_store)


@st.cache_resource(show_spinner=False, max_entries=1)
def _words(opened: int, *, _store: ChromaStore) -> WordIndexes:
    return WordIndexes(_store)


@st.cache_data(show_spinner=False, max_entries=16, ttl=3600)
def _fields(
    chosen: Settings | None, token: str, scope: Namespace, *, _store: ChromaStore
) -> list[Field]:
    return observed_fields(_store.page(scope, limit=200).memories)


@st.cache_resource(show_spinner=False, max_entries=1, on_release=Maps.close)
def _maps(opened: int, *, _store: ChromaStore) -> Maps:
    return Maps(_store, cache_folder() / "maps", WorkerProcess())


@st.cache_resource(show_spinner=False, max_entries=3)
def _map_drawn(version: str, *, _picture: StoreMap, _store: ChromaStore) -> "Drawn":
    # Plotly takes a while to import; only a map needs it.
    from dashboard.map_drawing import drawn

    return drawn(_picture, _store)


@st.cache_resource(show_spinner=False, max_entries=8)
def _map_asked(
    version: str,
    token: str,
    scope: Namespace,
    text: str,
    *,
    _picture: StoreMap,
    _store: ChromaStore,
) -> "Asked | None":
    from dashboard.map_query import ask

    return ask(_picture, _store, scope, text)


@st.cache_resource(show_spinner=False, max_entries=3)
def _map_names(version: str, *, _drawn: "Drawn") -> "tuple[Named, ...]":
    from dashboard.map_drawing import names_of

    return tuple(names_of(_drawn))


@st.cache_data(show_spinner=False, max_entries=32, ttl=600)
def _map_near(
    chosen: Settings | None, token: str, reference: Reference, *, _store: ChromaStore
) -> tuple[Match, ...]:
    try:
        return tuple(nearest(_store, reference))
    except SearchUnavailable:
        return ()
