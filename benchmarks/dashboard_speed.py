"""Measure what a click in Browse or Search costs the server, in a real browser on a large store.

Run ``python -m benchmarks.dashboard_speed`` from the project's root; ``--store`` takes a folder
that is filled already. Every figure is CPU milliseconds of the server's process (all threads)
between a click and the page standing still; the product's promise is at most 300.
"""

import itertools
import os
import shutil
import statistics
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click
from playwright.sync_api import sync_playwright

from store import ChromaStore, Memory
from tests.browser.conftest import SWITCHES, Visit, dashboard, server_of

PROMISE = 300
Step = Callable[[Visit, int], None]
START = datetime(2025, 1, 1, tzinfo=UTC)
WORDS = ("tea", "train", "garden", "radio", "letter", "river", "bread", "music", "winter", "doctor")


@click.command()
@click.option("--store", type=click.Path(path_type=Path), help="A folder that is filled already.")
@click.option("--memories", default=72_207, show_default=True, help="How many to fill in.")
@click.option("--rounds", default=5, show_default=True, help="How often each click is measured.")
def main(store: Path | None, memories: int, rounds: int) -> None:
    """Print the median, and the worst, of each kind of click."""
    with filled(store, memories) as folder, dashboard(folder) as address:
        for name, costs in measure(address, rounds).items():
            median, worst = statistics.median(costs), max(costs)
            mark = "" if median <= PROMISE else f"  more than {PROMISE}"
            click.echo(f"{name:<22} {median:5.0f} ms   worst {worst:5.0f} ms{mark}")


@contextmanager
def filled(store: Path | None, memories: int) -> Iterator[Path]:
    """Give the store to look at: the one asked for, or a new one that goes away again."""
    if store is not None:
        yield store
        return
    with tempfile.TemporaryDirectory() as folder:
        chosen = Path(folder) / "large"
        with (
            ChromaStore.open(chosen, index=None) as opened,
            click.progressbar(range(0, memories, 2_000), label="Filling a store") as starts,
        ):
            for start in starts:
                opened.write(memory(n) for n in range(start, min(start + 2_000, memories)))
        yield chosen


def memory(number: int) -> Memory:
    """Give one of many short memories in some 6,000 namespaces."""
    text = " ".join(WORDS[(number * step) % len(WORDS)] for step in (1, 5, 7, 11, 13))
    at = START + timedelta(seconds=number)
    namespace = ("chats", f"chat-{number // 24:05}", ("memories", "turns")[number % 2])
    return Memory(namespace, f"m{number % 24}", {"content": text}, at, at)


def measure(address: str, rounds: int) -> dict[str, list[float]]:
    """Click through Browse, then ask in Search, and give what each click cost."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(SWITCHES))
        person = Visit(browser.new_page(viewport={"width": 1440, "height": 900}), address)
        person.open("browse")
        person.page.locator(".st-key-panel-rows button").first.click()
        person.settle()
        costs: dict[str, list[float]] = {}
        for steps, number in itertools.product(STEPS, range(rounds)):
            for name, step in steps.items():
                costs.setdefault(name, []).append(cost(person, step, number))
        for name, mode in SEARCHES.items():
            person.open(f"search?mode={mode}&q=warm")
            person.page.wait_for_selector(FOUND, timeout=300_000)
            costs[name] = [cost(person, _ask, number) for number in range(rounds)]
        browser.close()
    return costs


def cost(person: Visit, step: Step, number: int) -> float:
    """Give the CPU milliseconds the server spent on one step."""
    before = cpu(person.address)
    step(person, number)
    person.settle()
    return cpu(person.address) - before


def cpu(address: str) -> float:
    """Give the CPU milliseconds a dashboard's process has used, as Linux counts them."""
    fields = Path(f"/proc/{server_of(address)}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 1_000 / os.sysconf("SC_CLK_TCK")


def _into(person: Visit, number: int) -> None:
    person.page.locator(".st-key-panel-rows button").nth(number).click()
    person.page.wait_for_selector(".st-key-scope-crumb-2")


def _up(person: Visit, number: int) -> None:
    person.page.locator(".st-key-scope-crumb-1 button").first.click()
    person.page.wait_for_selector(".st-key-scope-crumb-2", state="detached")


def _turn(person: Visit, number: int) -> None:
    person.page.locator(".st-key-listing-pager button", has_text=str(number + 2)).first.click()


def _open(person: Visit, number: int) -> None:
    person.click_row(number + 1)


def _next(person: Visit, number: int) -> None:
    person.page.locator(".st-key-inspector-down button").first.click()


def _find(person: Visit, number: int) -> None:
    person.page.locator(".st-key-panel-find input").fill(f"00{number}")


def _ask(person: Visit, number: int) -> None:
    box = person.page.get_by_label("Search memories")
    box.fill(f"{WORDS[number % len(WORDS)]} and {WORDS[(number + 3) % len(WORDS)]}")
    box.press("Enter")


FOUND = ".st-key-hits-list, .st-key-hits-words"
SEARCHES = {"search by meaning": "meaning", "search for words": "words"}
STEPS: tuple[dict[str, Step], ...] = (
    {"into a namespace": _into, "back up": _up},
    {"turn the page": _turn},
    {"open a memory": _open},
    {"step to the next": _next},
    {"type to find": _find},
)
"""What is measured, in groups that are repeated together."""


if __name__ == "__main__":
    main()
