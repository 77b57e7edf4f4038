"""How the commands talk: refusals, progress, signals, and matches as lines."""

import functools
import json
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, ParamSpec

import click

if TYPE_CHECKING:
    from store import Match, Namespace

P = ParamSpec("P")

REFUSED, UNAVAILABLE, INTERRUPTED = 1, 3, 130


class Refusal(click.ClickException):
    """One sentence on standard error, and the exit code that goes with it."""

    def __init__(self, message: str, exit_code: int = REFUSED) -> None:
        super().__init__(message)
        # click declares it for the class, reads it from the exception.
        self.exit_code = exit_code  # type: ignore[misc]

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the sentence as it is."""
        click.echo(self.format_message(), file=file, err=file is None)


def plainly(command: Callable[P, None]) -> Callable[P, None]:
    """Turn the errors a person can act on into one sentence and an exit code."""

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            with _refusing():
                command(*args, **kwargs)
        except KeyboardInterrupt as exc:
            raise Refusal("Interrupted.", INTERRUPTED) from exc

    return wrapped


@contextmanager
def _refusing() -> Iterator[None]:
    from langgraph.store.base import InvalidNamespaceError

    from dashboard.launch import LaunchError
    from store import StoreError, StoreLocked, StoreUnreachable

    try:
        yield
    except (StoreLocked, StoreUnreachable) as exc:
        raise Refusal(str(exc), UNAVAILABLE) from exc
    except (StoreError, LaunchError, InvalidNamespaceError) as exc:
        raise Refusal(str(exc)) from exc


def read_namespace(_: click.Context, __: click.Parameter, text: str) -> "Namespace":
    """Read a namespace from the command line: labels joined by slashes, or a JSON list."""
    from dashboard.notation import parse_namespace

    try:
        return parse_namespace(text)
    except ValueError as exc:
        raise click.BadParameter(str(exc)) from exc


@contextmanager
def progress_bar(label: str, *, counted: bool = True) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on standard error; give what moves it, as (done, total).

    Where standard error is no terminal nothing is shown: a log needs only the sentences.
    """
    hidden = not sys.stderr.isatty()
    with click.progressbar(
        length=0, label=label, file=sys.stderr, hidden=hidden, show_pos=counted, show_percent=True
    ) as bar:

        def progress(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        yield progress


@contextmanager
def until_signal() -> Iterator[Callable[[], bool]]:
    """Give what tells whether Ctrl-C was pressed; pressing it again interrupts at once."""
    asked: list[int] = []

    def ask(number: int, _: object) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(number)

    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, ask) for number in numbers]
    try:
        yield lambda: bool(asked)
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def json_line(match: "Match") -> str:
    """Write a match as one JSON object."""
    memory = match.memory
    return json.dumps(
        {
            "score": match.score,
            "path": match.path,
            "namespace": list(memory.namespace),
            "key": memory.key,
            "value": memory.value,
            "created_at": memory.created_at.isoformat(),
            "updated_at": memory.updated_at.isoformat(),
        },
        ensure_ascii=False,
    )


def text_line(match: "Match") -> str:
    """Write a match as one line for people."""
    from dashboard.memories import preview
    from dashboard.notation import format_namespace

    memory = match.memory
    place = f"{format_namespace(memory.namespace)}  {memory.key}"
    line = f"{match.score:.2f}  {place}  {preview(memory.value)}"
    # A memory may hold terminal control sequences; they are not to reach the terminal.
    shown = "".join(mark if mark.isprintable() else " " for mark in line)
    return shown[: shutil.get_terminal_size().columns] if sys.stdout.isatty() else shown
