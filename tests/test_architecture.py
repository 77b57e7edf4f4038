"""Who may import whom, how long things may be, and what no file may hold."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OURS = {"store", "dashboard", "tests"}

# Values in, values out: these know nothing of disks, networks or Chroma.
PURE = {
    "store.changes",
    "store.directory",
    "store.errors",
    "store.filters",
    "store.lines",
    "store.memory",
    "store.namespaces",
    "store.operations",
    "store.records",
    "store.values",
}
COMMANDS = {
    "dashboard.cli",
    "dashboard.launch",
    "dashboard.maintenance_commands",
    "dashboard.terminal",
}
# A module knows its own layer and those before it; whatever is not named here is logic.
LAYERS = ("logic", "state", "widgets", "screens", "app")

LONGEST_FILE, LONGEST_FUNCTION, LONGEST_SCREEN = 400, 60, 80


def files(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def imports(path: Path) -> Iterator[str]:
    """The modules a file imports, those inside functions too, each by its full name."""
    known = {module(file) for file in (*files("store"), *files("dashboard"))}
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} has a relative import"
            assert node.module
            names = (f"{node.module}.{name.name}" for name in node.names)
            yield from (name if name in known else node.module for name in names)


def top_levels(path: Path) -> set[str]:
    return {name.partition(".")[0] for name in imports(path)}


def layer(name: str) -> str:
    second = name.split(".")[1] if "." in name else "logic"
    if second in ("state", "resources"):
        return "state"
    return second if second in LAYERS else "logic"


def by_module(paths: list[Path]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("path", paths, ids=module)


@by_module(files("store"))
def test_the_store_knows_no_user_interface(path: Path) -> None:
    assert not top_levels(path) & {"streamlit", "pandas", "plotly", "umap", "click", "dashboard"}


@by_module([path for path in files("store") if module(path) in PURE])
def test_pure_modules_of_the_store_know_only_each_other(path: Path) -> None:
    known = {name for name in imports(path) if name.split(".")[0] in ("store", "chromadb")}
    assert known <= PURE | {"store"}


@by_module(files("dashboard"))
def test_the_dashboard_uses_what_the_store_makes_public(path: Path) -> None:
    assert not {name for name in imports(path) if name.startswith("store.")}
    assert "chromadb" not in top_levels(path)


@by_module([path for path in files("dashboard") if layer(module(path)) == "logic"])
def test_logic_knows_no_streamlit(path: Path) -> None:
    assert "streamlit" not in top_levels(path)


@by_module(files("dashboard"))
def test_modules_know_their_own_layer_and_those_below(path: Path) -> None:
    allowed = LAYERS[: LAYERS.index(layer(module(path))) + 1]
    for name in imports(path):
        if name.split(".")[0] == "dashboard":
            assert layer(name) in allowed, f"{module(path)} imports {name}"


@by_module(files("dashboard/screens"))
def test_screens_know_no_screens(path: Path) -> None:
    assert not {name for name in imports(path) if name.startswith("dashboard.screens")}


@by_module([path for path in files("dashboard") if module(path) not in COMMANDS])
def test_only_commands_know_commands(path: Path) -> None:
    assert not COMMANDS & set(imports(path))


def test_no_file_beside_the_app_hides_another_module() -> None:
    # `streamlit run` puts the app's folder first on the path where Python looks for modules.
    beside = (ROOT / "dashboard").iterdir()
    here = {path.stem for path in beside if path.is_dir() or path.suffix == ".py"} - {"__init__"}
    others = set(packages_distributions()) - OURS
    assert not here & (set(sys.stdlib_module_names) | others | OURS)


@by_module([*files("store"), *files("dashboard"), *files("tests")])
def test_files_are_short(path: Path) -> None:
    screen = path.parent.name == "screens"
    lines = len(path.read_text("utf-8").splitlines())
    assert lines <= (LONGEST_SCREEN if screen else LONGEST_FILE)


@by_module([*files("store"), *files("dashboard"), *files("tests")])
def test_functions_are_short(path: Path) -> None:
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            assert length <= LONGEST_FUNCTION, f"{node.name} has {length} lines"


@cache
def tracked_texts() -> dict[str, str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    paths = [ROOT / name for name in listed.split("\0") if name]
    found = {}
    for path in paths:
        if path.is_file() and b"\0" not in path.read_bytes()[:1024]:
            found[str(path.relative_to(ROOT))] = path.read_text("utf-8", "replace")
    return found


def holding(pattern: str, *, but: tuple[str, ...] = ()) -> list[str]:
    texts = tracked_texts().items()
    return [name for name, text in texts if not name.startswith(but) and re.search(pattern, text)]


def test_no_file_names_the_host_of_a_package_registry() -> None:
    # Written in pieces, or this file would be the one that names them.
    hosts = [
        ("pypi", "org"),
        ("python" + "hosted", "org"),
        ("npm" + "js", "com"),
        ("deb.debian", "org"),
    ]
    assert holding("|".join(re.escape(".".join(host)) for host in hosts)) == []


def test_no_file_holds_a_path_of_one_machine() -> None:
    folders = "|".join(("work", "root", "tmp", r"home/\w+"))
    assert holding(rf"""(?:^|[\s"'(=:])/(?:{folders})/\w""", but=("tests/",)) == []
