"""The `memlens` command: open the dashboard, search, import and export memories.

Chroma and Streamlit take seconds to import: each command imports what it needs when it runs.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from dashboard.maintenance_commands import COMMANDS
from dashboard.terminal import (
    INTERRUPTED,
    Refusal,
    json_line,
    plainly,
    progress_bar,
    read_namespace,
    text_line,
    until_signal,
)

if TYPE_CHECKING:
    from store import ImportReport, Namespace, Survey

EXIT_CODES = """\
\b
Exit codes:
  0    done
  1    refused: one sentence says what is wrong and what to do
  2    the command line is wrong
  3    the store is in use elsewhere, or its server does not answer
  130  interrupted
"""


name_option = click.option(
    "--name", default="memories", show_default=True, help="Which store of that folder or server."
)
port_option = click.option(
    "--port", type=click.IntRange(1, 65535), help="Default: the first free port from 8501 on."
)
namespace_option = click.option(
    "--namespace",
    callback=read_namespace,
    default="",
    metavar="LABELS",
    help='Only at or below this namespace: users/mira, or \'["a/b", "c"]\' for odd labels.',
)


@click.group(epilog=EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="memlens")
def main() -> None:
    """See, search, correct and forget what your LangGraph agents remember.

    STORE is a folder, or the address of a running Chroma server such as http://localhost:8000.
    A folder can be open in one process at a time: stop the agent first, or give both the server
    that "memlens serve FOLDER" starts.

    \b
    Examples:
      memlens demo
      memlens open ./agent-memory
      memlens search ./agent-memory "what does she eat?" --namespace users/mira
      memlens export ./agent-memory backup.jsonl.gz
      memlens import backup.jsonl.gz ./copy
    """


for maintenance in COMMANDS:
    main.add_command(maintenance)


@main.command()
@click.option(
    "--store",
    "location",
    default="demo-store",
    show_default=True,
    metavar="FOLDER",
    help="Where the demo store is; it is created and filled if it is empty.",
)
@port_option
@plainly
def demo(location: str, port: int | None) -> None:
    """Open the dashboard on 197 memories of invented people."""
    from dashboard.demo import INDEX_FIELDS, fill_demo
    from dashboard.opening import open_or_create

    store, _ = open_or_create(location, name="memories", fields=INDEX_FIELDS)
    with store:
        filled = fill_demo(store)
    if filled:
        click.echo(f"{location} now holds {filled} memories of invented people.")
    _serve(location, "memories", "127.0.0.1", port)


@main.command("open")
@click.argument("location", metavar="STORE")
@port_option
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on. The dashboard has no login: others who reach it can edit.",
)
@name_option
@plainly
def open_(location: str, port: int | None, host: str, name: str) -> None:
    """Open the dashboard on a store, until Ctrl-C.

    Nothing is created: a folder that is missing, or holds no store, is refused.

    \b
    Examples:
      memlens open ./agent-memory
      memlens open http://localhost:8000 --name support-bot
    """
    from store import ChromaStore

    ChromaStore.open(location, name=name, create=False).close()
    if host not in ("127.0.0.1", "::1", "localhost"):
        click.echo(f"Whoever can reach {host} can now read and edit these memories.", err=True)
    _serve(location, name, host, port)


@main.command()
@click.argument("location", metavar="STORE")
@click.argument("query")
@namespace_option
@click.option("--limit", type=click.IntRange(1), default=10, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, value included.")
@name_option
@plainly
def search(
    location: str, query: str, namespace: "Namespace", limit: int, as_json: bool, name: str
) -> None:
    """Search a store by meaning.

    Prints the cosine similarity (1 is the same meaning), the namespace, the key and the text,
    best first. Searching changes nothing in the store.

    \b
    Examples:
      memlens search ./agent-memory "What does Mira do for a living?"
      memlens search ./agent-memory allergies --namespace users/mira --json
    """
    from dashboard.wording import memories_text
    from store import ChromaStore

    with ChromaStore.open(location, name=name, create=False) as store:
        matches = store.match(namespace, query=query, limit=limit)
        found = [match for match in matches if match.score is not None]
        if not found:
            there = memories_text(store.count(namespace))
            click.echo(f"Nothing found: {there} there, none can be compared.", err=True)
    for match in found:
        click.echo(json_line(match) if as_json else text_line(match))


@main.command("import", short_help="Import memories from a file into a store.")
@click.argument("file", metavar="FILE")
@click.argument("location", metavar="STORE")
@click.option(
    "--field",
    "fields",
    multiple=True,
    metavar="PATH",
    help="A field of the values to embed, such as text or content.title; can be repeated. "
    "Default: where the file's values keep their text.",
)
@click.option(
    "--embed",
    metavar="SPEC",
    help="Embedder of a new store: local:minilm (default), openai:MODEL, or none.",
)
@name_option
@plainly
def import_(
    file: str, location: str, fields: tuple[str, ...], embed: str | None, name: str
) -> None:
    """Import memories from FILE into STORE, which is created if it is missing.

    FILE holds one JSON object a line, plain or gzipped; "-" is standard input. A line has
    "namespace" (a list of labels), "key" and "value" (an object), and may have "created_at",
    "updated_at" (ISO 8601), "expires_at" and "ttl_minutes". Every line is checked before
    anything is written. Memories the store has already are left alone, so an import that was
    interrupted continues when it is run again.

    \b
    Examples:
      memlens import backup.jsonl.gz ./agent-memory
      memlens import facts.jsonl ./facts --field text --field title
      cat facts.jsonl | memlens import - ./facts --embed openai:text-embedding-3-small
    """
    from dashboard.opening import open_or_create
    from store import ImportFile

    with ImportFile(file) as source:
        with progress_bar(f"Checking {Path(file).name}", counted=False) as progress:
            survey = source.check(progress)
        _tell_survey(survey)
        store, new = open_or_create(
            location,
            name=name,
            embed=embed,
            fields=fields or survey.fields,
            fields_required=bool(fields),
        )
        with store, until_signal() as stopped:
            info = store.info()
            if info.search_off:
                click.echo(f"Without vectors: {info.search_off}", err=True)
            elif new:
                click.echo(f"Embedding {_told_fields(info.fields)} with {info.embedder}.", err=True)
            with progress_bar("Importing") as progress:
                report = source.import_into(store, progress=progress, should_stop=stopped)
    _tell_report(report, survey, location)


@main.command(short_help="Export the memories of a store to a file.")
@click.argument("location", metavar="STORE")
@click.argument("file", metavar="FILE")
@namespace_option
@name_option
@plainly
def export(location: str, file: str, namespace: "Namespace", name: str) -> None:
    """Export the memories of STORE to FILE, one JSON object a line.

    A name ending in .gz is compressed; "-" is standard output. FILE appears when it is complete.
    "memlens import" reads it back without loss.

    \b
    Examples:
      memlens export ./agent-memory backup.jsonl.gz
      memlens export ./agent-memory - --namespace users/mira | head
    """
    from dashboard.wording import memories_text
    from store import ChromaStore, export_to

    with (
        ChromaStore.open(location, name=name, create=False) as store,
        progress_bar("Exporting") as progress,
    ):
        count = export_to(store, file, prefix=namespace, progress=progress)
    click.echo(f"Exported {memories_text(count)}.", err=True)


def _serve(location: str, name: str, host: str, port: int | None) -> None:
    from dashboard.launch import run_dashboard

    run_dashboard(location, name=name, host=host, port=port, say=click.echo)


def _told_fields(fields: tuple[str, ...]) -> str:
    return "the whole of each value" if fields == ("$",) else ", ".join(fields)


def _tell_survey(survey: "Survey") -> None:
    from dashboard.wording import plural

    if survey.repeated:
        repeated = plural(survey.repeated, "line is", "lines are")
        click.echo(f"{repeated} replaced by a later line for the same memory.", err=True)
    if survey.ignored:
        names = ", ".join(survey.ignored)
        click.echo(f"Left out, because memories have no such fields: {names}.", err=True)


def _tell_report(report: "ImportReport", survey: "Survey", location: str) -> None:
    from dashboard.wording import memories_text

    told = (
        f"{memories_text(report.done)} in {location}: {report.written:,} new, "
        f"{report.replaced:,} replaced, {report.present:,} already there"
    )
    if report.stopped:
        raise Refusal(
            f"Stopped with {told}, of {survey.memories:,}; run the same command again to continue.",
            INTERRUPTED,
        )
    click.echo(f"{told}.", err=True)
