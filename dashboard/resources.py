"""The open store and what is cached from it.

resources.settings() -> Settings | None     what MEMLENS_STORE and MEMLENS_NAME say
resources.store() -> ChromaStore            opened once a process; raises a StoreError
resources.tree() -> namespace_tree.Tree          namespaces with own and descendant counts
"""

import atexit
import os

import streamlit as st

from dashboard.namespace_tree import Tree
from dashboard.overview import Freshness, Growth, freshness, growth
from dashboard.settings import Settings, read_settings
from store import ChromaStore


def settings() -> Settings | None:
    """Return which store is configured, or None."""
    return read_settings(os.environ)


def store() -> ChromaStore:
    """Return the configured store; raises StoreError when it cannot be opened.

    A failed opening is not cached: the next run tries again.
    """
    chosen = settings()
    if chosen is None:
        raise LookupError("no store is configured")
    return _open(chosen)


def tree() -> Tree:
    """Return the namespaces of the store with their counts, as of now."""
    opened = store()
    return _tree(settings(), opened.token(), _store=opened)


def outline() -> tuple[Growth, Freshness]:
    """Return how the store grew and how fresh it is, as of now."""
    opened = store()
    return _outline(settings(), opened.token(), _store=opened)


def _release(opened: ChromaStore) -> None:
    atexit.unregister(opened.close)
    opened.close()


@st.cache_resource(show_spinner="Opening the store…", on_release=_release, max_entries=1)
def _open(chosen: Settings) -> ChromaStore:
    opened = ChromaStore.open(chosen.location, name=chosen.name, create=False)
    atexit.register(opened.close)
    return opened


@st.cache_resource(show_spinner=False, max_entries=4)
def _tree(chosen: Settings | None, token: str, *, _store: ChromaStore) -> Tree:
    return Tree.of(_store.namespace_counts())


@st.cache_data(show_spinner=False, max_entries=4, ttl=3600)
def _outline(
    chosen: Settings | None, token: str, *, _store: ChromaStore
) -> tuple[Growth, Freshness]:
    total = _store.count()
    return growth(_store, total), freshness(_store, total)
