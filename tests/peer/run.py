"""Runs LangGraph's own store tests against ChromaStore: `make peer`.

The tests come from the source distributions of the installed versions and stay in `.peer/`,
which git ignores. What they did is compared with `expected.toml`: a test that fails without
being listed there, and one that passes although it is listed, both make this fail.
"""

import json
import os
import subprocess
import sys
import tarfile
import time
from importlib.metadata import version
from pathlib import Path

from tests.peer.suites import SUITES, Expected, Suite, left_out, read_expected
from tests.peer.verdict import Verdict, judge

PLUGIN = Path(__file__).parent
ROOT = PLUGIN.parents[1]
KEPT = ROOT / ".peer"


def main(packages: list[str]) -> int:
    """Run the suites (all, or those of the packages named); give the exit code."""
    expected = read_expected()
    suites = [suite for suite in SUITES if not packages or suite.package in packages]
    verdicts = [(suite, check(suite, expected)) for suite in suites]
    print(table(verdicts))
    print_reasons(suites, expected)
    for suite, verdict in verdicts:
        for surprise in verdict.surprises:
            print(f"UNEXPECTED in {suite.package}: {surprise}")
        if verdict.surprises:
            print(f"  what the tests said is in {log_of(suite).relative_to(ROOT)}")
    return int(any(verdict.surprises for _, verdict in verdicts))


def check(suite: Suite, expected: list[Expected]) -> Verdict:
    """Fetch a suite's tests unless they are here, run them, and judge."""
    started = time.monotonic()
    print(f"{suite.package} {version(suite.package)}: ", end="", flush=True)
    report = run(suite, fetch(suite.package), left_out(suite, expected))
    verdict = judge(suite, report["outcomes"], report["with_store"], expected)
    print(f"{verdict.tests} tests in {time.monotonic() - started:.0f} s", flush=True)
    return verdict


def fetch(package: str) -> Path:
    """Give the folder with the tests of the installed version, downloading them if needed."""
    folder = KEPT / f"{package}-{version(package)}"
    if not (folder / "tests").is_dir():
        KEPT.mkdir(exist_ok=True)
        pip = [sys.executable, "-m", "pip", "download", "-qq", "--disable-pip-version-check"]
        source = ["--no-deps", "--no-binary", ":all:", "--dest", str(KEPT)]
        subprocess.run([*pip, *source, f"{package}=={version(package)}"], check=True)
        name = f"{package.replace('-', '_')}-{version(package)}"
        unpack(KEPT / f"{name}.tar.gz", folder)
    return folder


def unpack(archive: Path, folder: Path) -> None:
    """Unpack the tests and their settings; the package itself is the installed one."""
    with tarfile.open(archive) as packed:
        for member in packed.getmembers():
            _, _, member.name = member.name.partition("/")
            if member.name == "pyproject.toml" or member.name.startswith("tests/"):
                packed.extract(member, folder, filter="data")


def run(suite: Suite, folder: Path, absent: list[str]) -> dict[str, dict[str, str]]:
    """Run pytest in a suite's folder with our plugin; give what the plugin wrote down."""
    report = KEPT / f"{suite.package}.json"
    report.unlink(missing_ok=True)
    options = ["-p", "peer_plugin", "-p", "no:cacheprovider", "-v", "--tb=short"]
    # Their options ask for plugins that say nothing about a store.
    options += ["-o", "addopts=", "-o", "asyncio_default_fixture_loop_scope=function"]
    options += ["-k", suite.only] if suite.only else []
    options += [f"--deselect={test}" for test in absent]
    with log_of(suite).open("wb") as log:
        subprocess.run(
            [sys.executable, "-m", "pytest", *options, *suite.files],
            cwd=folder,
            env=environment(report),
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    if not report.exists():
        raise SystemExit(f"pytest did not start; see {log_of(suite).relative_to(ROOT)}")
    found: dict[str, dict[str, str]] = json.loads(report.read_text(encoding="utf-8"))
    return found


def environment(report: Path) -> dict[str, str]:
    """Give what the tests' process sees: our plugin, this checkout's store, no containers."""
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(PLUGIN), str(ROOT)]),
        "MEMLENS_PEER_REPORT": str(report),
        "NO_DOCKER": "true",
        "LANGSMITH_TRACING": "false",
    }


def log_of(suite: Suite) -> Path:
    """Give where pytest's output goes."""
    return KEPT / f"{suite.package}.log"


def table(verdicts: list[tuple[Suite, Verdict]]) -> str:
    """Draw the verdicts: `with store` counts the tests that opened a ChromaStore."""
    heads = ("suite", "version", "tests", "with store", "passed", "expected", "unexpected")
    rows = [
        (
            suite.package,
            version(suite.package),
            verdict.tests,
            verdict.with_store,
            verdict.passed,
            verdict.excepted,
            len(verdict.surprises),
        )
        for suite, verdict in verdicts
    ]
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in (heads, *rows)]
    return "\n".join(["", lines[0], "|---" * len(heads) + "|", *lines[1:], ""])


def print_reasons(suites: list[Suite], expected: list[Expected]) -> None:
    """Say which tests are expected to fail or left out, and why."""
    packages = {suite.package for suite in suites}
    for one in expected:
        if one.package in packages:
            names = ", ".join(test.rpartition("::")[2] for test in one.tests)
            what = "left out" if one.left_out else "expected to fail"
            print(f"{what} in {one.package}: {names}: {one.reason}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
