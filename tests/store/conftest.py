"""Runs each test of the contract over every backend, through both halves of the interface."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import chromadb
import pytest

from store.places import close_client
from tests.store.backends import CHROMA, MODES, REFERENCE, Place, location, words_index
from tests.store.differences import expected_difference
from tests.store.words import Words

ANSWERED_FROM_THE_DIRECTORY = (
    "test_contract_listing",
    "test_contract_namespaces",
    "test_contract_searching",
)


def pytest_configure(config: pytest.Config) -> None:
    for marker in (
        "backends(*names): the backends a test runs over; by default all",
        "heavy: takes so long that it runs over one backend only, unless --every-row is given",
    ):
        config.addinivalue_line("markers", marker)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep one row of each test where calls take long: over folders, the server, and awaited.

    Every rule still runs over every backend and through both halves, and every row over Chroma.
    """
    if config.getoption("--every-row"):
        return
    seen: set[tuple[str, ...]] = set()
    kept = [item for item in items if is_kept(item, seen)]
    left = set(items) - set(kept)
    config.hook.pytest_deselected(items=[item for item in items if item in left])
    items[:] = kept


def is_kept(item: pytest.Item, seen: set[tuple[str, ...]]) -> bool:
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    backend, mode = str(parameters.get("backend")), str(parameters.get("mode"))
    if backend not in CHROMA:
        return True
    if item.get_closest_marker("heavy"):
        return backend == "ephemeral"
    listed = backend == "warm" and item.path.stem in ANSWERED_FROM_THE_DIRECTORY
    if mode != "async" and (backend == "ephemeral" or listed):
        return True
    test = item.nodeid.partition("[")[0], backend, mode
    if test in seen:
        return False
    seen.add(test)
    return True


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "backend" not in metafunc.fixturenames:
        return
    marker = metafunc.definition.get_closest_marker("backends")
    names = marker.args if marker else (*REFERENCE, *CHROMA)
    if "mode" in metafunc.fixturenames:
        rows = [(name, mode) for name in names for mode in MODES]
        ids = [f"{name}-{mode}" for name, mode in rows]
        metafunc.parametrize(("backend", "mode"), rows, ids=ids, scope="module")
    else:
        metafunc.parametrize("backend", names, scope="module")


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[None]:
    """A test that shows an intended difference must fail on the reference store."""
    difference = expected_difference(pyfuncitem)
    if difference is None:
        return (yield)
    try:
        yield
    except (Exception, pytest.fail.Exception):
        return True
    return pytest.fail(f"InMemoryStore no longer differs: {difference.reason}")


@pytest.fixture(scope="session")
def chroma_client(chroma_server: str) -> Iterator[Any]:
    """A client of the real server, shared: to make one takes a tenth of a second."""
    host, _, port = chroma_server.removeprefix("http://").partition(":")
    client: Any = chromadb.HttpClient(host, int(port))
    yield client
    close_client(client)


@pytest.fixture(scope="module")
def place_at(
    stores_folder: Path, request: pytest.FixtureRequest
) -> Iterator[Callable[[str, Any], Place]]:
    """Make places for stores that live as long as the module."""
    places: list[Place] = []

    def make(backend: str, mode: Any = "sync") -> Place:
        client = request.getfixturevalue("chroma_client") if backend == "http" else None
        places.append(Place(backend, client or location(backend, stores_folder), mode))
        return places[-1]

    yield make
    for place in places:
        place.close()


@pytest.fixture
def place(backend: str, mode: Any, place_at: Callable[[str, Any], Place]) -> Iterator[Place]:
    """Where the store of this test is kept, to open it in a special way or again."""
    place = place_at(backend, mode)
    yield place
    place.close()


@pytest.fixture
def store(place: Place) -> Any:
    """An empty store without a search index."""
    return place.open()


@pytest.fixture
def embedder() -> Words:
    """The embedder of `indexed`."""
    return Words()


@pytest.fixture
def indexed(place: Place, embedder: Words) -> Any:
    """An empty store that embeds the field "text"."""
    return place.open(index=words_index(embedder, ["text"]))
