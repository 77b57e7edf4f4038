"""The running dashboard in a real, headless Chromium, on a real store in a folder."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.conftest import free_port, wait_until_up

ROOT = Path(__file__).parents[2]
ARTIFACTS = ROOT / "test-artifacts"
# The switches keep Chromium from calling home, which a closed network refuses noisily.
SWITCHES = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # WebGL without a graphics card.
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """A headless Chromium; without one the tests are skipped, but never in CI.

    It ends with these tests: while Playwright runs, no other test can start an event loop.
    """
    found = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    if found is None:
        reason = "no Chromium on this machine: apt-get install chromium"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=found, args=list(SWITCHES))
        yield opened
        opened.close()


_servers: dict[str, int] = {}


def server_of(address: str) -> int:
    """The process id of the dashboard at an address."""
    return _servers[address]


@contextmanager
def dashboard(store: Path, location: str | None = None) -> Iterator[str]:
    """Run the dashboard on a folder, or on the server that serves it; stop it at the end."""
    port = free_port()
    environment = {**os.environ, "MEMLENS_STORE": location or str(store)}
    log = store.with_suffix(".log")
    with log.open("wb") as output:
        server = subprocess.Popen(
            [
                *(sys.executable, "-m", "streamlit", "run", "dashboard/app.py"),
                *("--server.port", str(port)),
            ],
            cwd=ROOT,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    address = f"http://127.0.0.1:{port}"
    _servers[address] = server.pid
    try:
        wait_until_up(f"{address}/_stcore/health", server)
        yield address
    finally:
        server.terminate()
        server.wait(30)


@dataclass
class Visit:
    """One visitor's page, with everything that went wrong behind it."""

    page: Page
    address: str
    problems: list[str] = field(default_factory=list)

    def open(self, path: str = "") -> None:
        """Go to an address of the dashboard and wait until it is drawn."""
        self.page.goto(f"{self.address}/{path}")
        self.settle()

    def settle(self) -> None:
        """Wait until the script has run; a rerun may start a moment after a click."""
        done = '[data-testid="stApp"][data-test-script-state="notRunning"]'
        self.page.wait_for_selector(done, timeout=60_000)
        for _ in range(3):
            self.page.wait_for_timeout(400)
            self.page.wait_for_selector(done, timeout=60_000)

    def press(self, key: str) -> None:
        """Press the button a screen knows by this key."""
        self.page.locator(f".st-key-{key} button").first.click()
        self.settle()

    def said(self) -> str:
        """The text of all message boxes."""
        return "\n".join(self.page.get_by_test_id("stAlert").all_inner_texts())

    def click_row(self, number: int, across: int = 150) -> None:
        """Click a table's row, in its first cell; the table is drawn on a canvas."""
        table = self.page.get_by_test_id("stDataFrame").first
        table.scroll_into_view_if_needed()
        box = table.bounding_box()
        assert box is not None
        x, y = box["x"] + across, box["y"] + 38 + 35 * number + 17
        # The table follows the pointer as a hand moves it; a click out of nowhere is missed.
        self.page.mouse.move(x - 30, y - 5, steps=5)
        self.page.wait_for_timeout(200)
        self.page.mouse.move(x, y, steps=3)
        self.page.mouse.click(x, y)
        self.settle()

    def shot(self, name: str) -> None:
        """Keep a picture for people to look at."""
        ARTIFACTS.mkdir(exist_ok=True)
        self.page.screenshot(path=ARTIFACTS / f"{name}.png")

    def shots(self, name: str) -> None:
        """Keep a picture in light and one in dark."""
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            self.page.wait_for_timeout(500)
            self.shot(f"{name}-{scheme}")


Visiting = Callable[..., AbstractContextManager[Visit]]


@pytest.fixture
def visiting(browser: Browser) -> Visiting:
    """Visit an address as a person; at the end nothing may have gone wrong in the browser."""

    @contextmanager
    def visit(
        address: str, *, width: int = 1440, height: int = 900, theme: str = "light"
    ) -> Iterator[Visit]:
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=theme,  # type: ignore[arg-type]
        )
        person = Visit(context.new_page(), address)
        _watch(person)
        yield person
        context.close()
        assert person.problems == []

    return visit


def _watch(visit: Visit) -> None:
    host = urlsplit(visit.address).netloc

    def requested(request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.netloc != host:
            visit.problems.append(f"external request: {request.url}")

    def said(message) -> None:
        # On a sub-page Streamlit first asks for /page/_stcore/…, gets a 404 and finds the root.
        if message.type == "error" and "/_stcore/" not in message.location.get("url", ""):
            visit.problems.append(f"console: {message.text}")

    visit.page.on("request", requested)
    visit.page.on("console", said)
    visit.page.on("pageerror", lambda error: visit.problems.append(f"script: {error}"))
