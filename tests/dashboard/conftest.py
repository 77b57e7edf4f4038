"""The dashboard on a real store in a fresh folder, driven through Streamlit's AppTest."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dashboard import resources
from dashboard.demo import fill_demo
from dashboard.projection_cache import CACHE_VARIABLE
from dashboard.settings import NAME_VARIABLE, STORE_VARIABLE
from store import ChromaStore, Memory
from tests.dashboard.commands import INDEX

APP = Path(__file__).parents[2] / "dashboard" / "app.py"
START = datetime(2025, 3, 1, 8, tzinfo=UTC)

_serial = itertools.count()

Fill = Callable[[Iterable[Memory]], None]
Open = Callable[..., AppTest]


def memory(
    namespace: tuple[str, ...], key: str, value: Mapping[str, Any] | str, minute: int = 0
) -> Memory:
    """A memory written at a known time; a plain string becomes its text."""
    at = START + timedelta(minutes=minute)
    return Memory(
        namespace, key, {"text": value} if isinstance(value, str) else dict(value), at, at
    )


MIRA = ("users", "mira", "profile")
FEW = (
    memory(MIRA, "p1", {"text": "Mira works as a nurse.", "kind": "profile"}, 1),
    memory(MIRA, "p2", {"text": "She grew up in Lisbon.", "kind": "profile"}, 2),
    memory(("users", "mira"), "m1", "Mira drinks green tea every morning.", 3),
    memory(("users", "tomas"), "t1", "Tomas repairs old radios.", 4),
    memory(("agents",), "a1", "Answer in two sentences.", 5),
)


@pytest.fixture(scope="module")
def demo_folder(stores_folder: Path) -> Path:
    """A folder with the demo's memories, one for each file of tests; these only read it."""
    folder = stores_folder / f"demo{next(_serial)}"
    with ChromaStore.open(folder, index=INDEX) as store:
        fill_demo(store)
    return folder


@pytest.fixture
def new_folder(stores_folder: Path) -> Path:
    """Where a store can be made; it does not exist yet."""
    return stores_folder / f"new{next(_serial)}"


@pytest.fixture
def caches(
    stores_folder: Path, monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config
) -> None:
    """Caches of the dashboard in a folder of the tests; what Numba compiled stays for next time."""
    monkeypatch.setenv(CACHE_VARIABLE, str(stores_folder / "cache"))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(pytestconfig.cache.mkdir("numba")))


@pytest.fixture
def folder(stores_folder: Path, caches: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder the dashboard is configured for; nothing is in it yet."""
    chosen = stores_folder / f"dashboard{next(_serial)}"
    monkeypatch.setenv(STORE_VARIABLE, str(chosen))
    monkeypatch.delenv(NAME_VARIABLE, raising=False)
    yield chosen
    st.cache_data.clear()
    st.cache_resource.clear()


@pytest.fixture
def fill(folder: Path) -> Fill:
    """Write memories into the folder, as an agent's process would have before."""

    def write(memories: Iterable[Memory], **options: Any) -> None:
        index = options.pop("index", {"embed": "local:minilm", "dims": 384, "fields": ["text"]})
        with ChromaStore.open(folder, index=index, **options) as opened:
            opened.write(memories)

    return write


@pytest.fixture
def store(folder: Path) -> Callable[[], ChromaStore]:
    """The store the dashboard has open, to look at what it did."""
    return resources.store


@pytest.fixture
def open_page(folder: Path) -> Open:
    """Open a page of the dashboard by name, with the query parameters of a link."""

    def opened(page: str = "overview", /, **params: str) -> AppTest:
        test = AppTest.from_file(str(APP), default_timeout=30)
        for name, text in params.items():
            test.query_params[name] = text
        if page != "overview":
            test.switch_page(f"screens/{page}.py")
        return test.run()

    return opened


def texts(test: AppTest) -> str:
    """Everything a person can read on the page, as one text."""
    kinds = ("title", "header", "subheader", "markdown", "caption", "text", "code")
    boxes = ("info", "success", "warning", "error", "toast")
    parts = [str(element.value) for kind in (*kinds, *boxes) for element in test.get(kind)]
    parts += [f"{metric.label} {metric.value}" for metric in test.metric]
    parts += [button.label for button in test.button]
    return "\n".join(parts)
