"""What the store's benchmark found, as tables to read and to keep in README.md."""

import math
from typing import Any

Row = dict[str, Any]

CONTENDERS = {
    "ours": "Memlens",
    "raw": "raw Chroma",
    "memory": "InMemoryStore",
    "sqlite": "SqliteStore",
    "postgres": "PostgresStore",
}


def figures_table(rows: list[Row], size: int) -> str:
    """Give the rows of one size as Markdown: every contender, the ratio and the bar."""
    own = [row for row in rows if row["size"] == size and "against" in row]
    present = [name for name in CONTENDERS if any(name in row for row in own)]
    heads = [f"work, {size:,} memories", *(CONTENDERS[one] for one in present), "ratio", "bar"]
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for row in own:
        cells = [_number(row[name]) if name in row else "–" for name in present]
        cells = [row["work"], *cells, _ratio(row), row["bar"]]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _ratio(row: Row) -> str:
    if row["against"] not in row or row["against"] == "ours":
        return "–"
    return _number(row["ours"] / max(row[row["against"]], 1e-9))


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def growth_lines(rows: list[Row]) -> list[str]:
    """Give for each work the exponent of its cost between the smallest and the largest size."""
    found = []
    for name in dict.fromkeys(row["work"] for row in rows if "against" in row):
        same = [row for row in rows if row["work"] == name and row["ours"] > 0]
        if len(same) > 1:
            span = math.log(same[-1]["size"] / same[0]["size"])
            exponents = {
                peer: math.log(same[-1][peer] / same[0][peer]) / span
                for peer in CONTENDERS
                if same[0].get(peer) and same[-1].get(peer)
            }
            told = "  ".join(f"{peer} {value:.2f}" for peer, value in exponents.items())
            found.append(f"  {name:<30} {told}")
    return found
