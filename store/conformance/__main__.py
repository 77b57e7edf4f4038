"""Run the suite from a shell: `python -m store.conformance package.module:store_or_factory`."""

import argparse
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from store.conformance.bench import Half
from store.conformance.report import Check
from store.conformance.run import verify


def main(arguments: list[str] | None = None) -> int:
    """Print the report as Markdown; give 1 when a rule is broken, else 0."""
    parser = argparse.ArgumentParser(prog="python -m store.conformance", description=__doc__)
    parser.add_argument(
        "target", help="where the store, its class or a factory is: package.module:attribute"
    )
    parser.add_argument(
        "--half", choices=("sync", "async"), help="check only this half of the interface"
    )
    options = parser.parse_args(arguments)
    target = _load(parser, options.target)
    halves: tuple[Half, ...] = (options.half,) if options.half else ("sync", "async")
    report = verify(target, halves=halves, progress=_tell)
    print(report.markdown())
    return 0 if report.passed else 1


def _load(parser: argparse.ArgumentParser, target: str) -> Any:
    module, colon, attribute = target.partition(":")
    if not colon:
        parser.error(f"{target!r} is not of the form package.module:attribute")
    sys.path.insert(0, str(Path.cwd()))
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as exc:
        parser.error(f"{target!r} cannot be loaded: {exc}")


def _tell(check: Check) -> None:
    print(f"{check.status:<12} {check.section}: {check.rule}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
