"""The commands that look after a store: serve, check, repair, reindex, compact."""

import sys
import time
from typing import TYPE_CHECKING

import click

from dashboard.terminal import (
    INTERRUPTED,
    REFUSED,
    Refusal,
    plainly,
    progress_bar,
    until_signal,
)

if TYPE_CHECKING:
    from subprocess import Popen

    from langgraph.store.base import IndexConfig

    from store import ChromaServer

_LOOK_EVERY = 0.5

name_option = click.option(
    "--name", default="memories", show_default=True, help="Which store of that folder or server."
)


@click.command(short_help="Serve a folder to agents and the dashboard at once.")
@click.argument("folder", metavar="FOLDER")
@click.option(
    "--port", type=click.IntRange(1, 65535), help="Of Chroma; default: the first free from 8000 on."
)
@click.option(
    "--dashboard-port",
    type=click.IntRange(1, 65535),
    help="Default: the first free from 8501 on.",
)
@click.option("--no-dashboard", is_flag=True, help="Serve agents alone.")
@click.option("--create", is_flag=True, help="Make the folder if it is missing.")
@name_option
@plainly
def serve(
    folder: str,
    port: int | None,
    dashboard_port: int | None,
    no_dashboard: bool,
    create: bool,
    name: str,
) -> None:
    """Serve FOLDER to agents and the dashboard at once, until Ctrl-C.

    A folder can be open in one process at a time. This starts a Chroma server on it, on this
    machine only, opens the dashboard, and prints the line with which an agent connects.

    \b
    Examples:
      memlens serve ./agent-memory
      memlens serve ./agent-memory --no-dashboard --port 9000
    """
    from dashboard.launch import signals_interrupt
    from store import ChromaServer

    with signals_interrupt():
        try:
            with ChromaServer(folder, port=port, create=create) as server:
                click.echo(f'ChromaStore.open("{server.address}")')
                if no_dashboard:
                    click.echo("Agents connect with the line above (Ctrl-C stops it).", err=True)
                    _watch(server)
                else:
                    _serve_dashboard(server, name, dashboard_port)
        except KeyboardInterrupt:
            click.echo("Memlens stopped.", err=True)


def _serve_dashboard(server: "ChromaServer", name: str, port: int | None) -> None:
    from dashboard.launch import running_dashboard, show

    with running_dashboard(server.address, name=name, host="127.0.0.1", port=port) as (url, child):
        click.echo(f"Agents connect with the line above. Memlens is at {url} (Ctrl-C stops both)")
        show(url)
        _watch(server, child)


def _watch(server: "ChromaServer", child: "Popen[bytes] | None" = None) -> None:
    """Wait until a process ends by itself, and say which."""
    while True:
        if (status := server.ended()) is not None:
            said = server.last_words()[-500:]
            raise Refusal(f"The Chroma server ended by itself with status {status}. {said}")
        if child is not None and child.poll() is not None:
            raise Refusal(f"The dashboard ended by itself with status {child.returncode}.")
        time.sleep(_LOOK_EVERY)


@click.command(short_help="Check a store, and repair what can be.")
@click.argument("location", metavar="STORE")
@click.option("--repair", is_flag=True, help="Put right what can be, and say what is left.")
@name_option
@plainly
def check(location: str, repair: bool, name: str) -> None:
    """Check that STORE holds together: indexes, memories, vectors and namespaces.

    Without --repair nothing is changed. Exit code 1 says that something is wrong. Vectors that
    are missing are made again with the embedder that the store records; one that is given in code
    repairs its store by itself when it is opened after a crash.

    \b
    Examples:
      memlens check ./agent-memory
      memlens check ./agent-memory --repair
    """
    from dashboard.findings import check_lines, repair_lines
    from store import check_at, repair_at

    if repair:
        with progress_bar("Repairing") as progress:
            done = repair_at(location, name=name, progress=progress)
        lines, problems = repair_lines(done), done.left
    else:
        found = check_at(location, name=name)
        lines, problems = check_lines(found), found.problems
    for line in lines:
        click.echo(line)
    if problems:
        sys.exit(REFUSED)


@click.command(short_help="Make the vectors of a store anew, with another embedder.")
@click.argument("location", metavar="STORE")
@click.option(
    "--embed",
    required=True,
    metavar="SPEC",
    help="local:minilm, openai:MODEL, or an embedder of LangChain as PROVIDER:MODEL.",
)
@click.option(
    "--field",
    "fields",
    multiple=True,
    metavar="PATH",
    help="A field of the values to embed; can be repeated. Default: the store's own fields.",
)
@name_option
@plainly
def reindex(location: str, embed: str, fields: tuple[str, ...], name: str) -> None:
    """Make the vectors of STORE anew, with another embedder or of other fields.

    Searches use the old vectors until the new ones are complete. An interrupted run continues
    when it is started again.

    \b
    Examples:
      memlens reindex ./agent-memory --embed openai:text-embedding-3-small
      memlens reindex ./agent-memory --embed local:minilm --field text --field title
    """
    from dashboard.wording import memories_text
    from store import reindex

    index: IndexConfig = {"embed": embed}
    if fields:
        index["fields"] = list(fields)
    with progress_bar("Embedding") as progress, until_signal() as stopped:
        report = reindex(location, index=index, name=name, progress=progress, should_stop=stopped)
    if report.stopped:
        raise Refusal(
            f"Stopped after {memories_text(report.embedded)}; the old vectors count still. "
            "Run the same command again to continue.",
            INTERRUPTED,
        )
    told = "the whole of each value" if report.fields == ("$",) else ", ".join(report.fields)
    click.echo(
        f"{memories_text(report.memories)} in {location}: {told}, embedded with {report.embedder} "
        f"({report.dims} numbers each).",
        err=True,
    )


@click.command(short_help="Remove what was deleted from a folder's files.")
@click.argument("folder", metavar="FOLDER")
@click.option(
    "--text",
    "texts",
    multiple=True,
    help="A text that must be gone: the files are searched for it. Can be repeated.",
)
@plainly
def compact(folder: str, texts: tuple[str, ...]) -> None:
    """Write FOLDER anew without what was deleted, and search its files for it.

    Deleting a memory takes it out of every answer at once, but Chroma keeps its text and vectors
    in its files for a while. The folder must not be in use. Interrupted at any moment, it is
    whole. Exit code 1 says that something is still there.

    \b
    Examples:
      memlens compact ./agent-memory
      memlens compact ./agent-memory --text "12 Elm Street"
    """
    from dashboard.findings import compact_lines
    from store import compact

    with progress_bar("Writing anew") as progress:
        report = compact(folder, texts=texts, progress=progress)
    for line in compact_lines(report, texts):
        click.echo(line)
    if report.left or report.texts_left:
        sys.exit(REFUSED)


COMMANDS = (serve, check, reindex, compact)
