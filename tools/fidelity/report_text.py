"""Reports of fidelity: Markdown tables and shares, CSV, and where they are written."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from tools.repository import ROOT

OUTPUT = ROOT / "build" / "fidelity"
ERROR_HEAD = ["rows", "median error", "90th percentile", "median bias", "in the 80 % band"]
PEER_HEAD = ["tool", "metric", "rows", "its median error", "ours", "its 90th percentile", "ours"]


def percent(value: float) -> str:
    """A share; a dash for none."""
    return f"{100 * value:.1f} %" if math.isfinite(value) else "–"


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines of a table."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def sections(title: str, parts: Iterable[tuple[str, Sequence[str]]]) -> list[str]:
    """Lines of a report; a part without a heading follows the title."""
    lines = [f"# {title}", ""]
    for heading, body in parts:
        lines += [*([f"## {heading}", ""] if heading else []), *body, ""]
    return lines


def error_cells(errors: ArrayLike, is_held: ArrayLike | None = None) -> list[str]:
    """Cells under `ERROR_HEAD` of relative errors; without the last where nothing says which the band held."""
    relative = np.asarray(errors, np.float64)
    size = np.abs(relative)
    figures = [np.median(size), np.quantile(size, 0.9), np.median(relative)]
    figures += [] if is_held is None else [np.asarray(is_held, np.float64).mean()]
    return [str(len(size)), *(percent(float(figure)) for figure in figures)]


def peer_lines(pairs: Mapping[tuple[str, str], Sequence[tuple[float, float]]]) -> list[str]:
    """By tool and metric, the sizes of its errors and of ours on the rows that both answered."""
    rows = []
    for (tool, metric), errors in sorted(pairs.items()):
        theirs, own = np.abs(np.array(errors)).T
        figures = (np.median(theirs), np.median(own), np.quantile(theirs, 0.9), np.quantile(own, 0.9))
        rows.append([tool, metric, str(len(errors)), *(percent(float(figure)) for figure in figures)])
    return markdown(PEER_HEAD, rows)


def report_file(name: str) -> Path:
    """Where a report of this name goes; its folder is made."""
    OUTPUT.mkdir(parents=True, exist_ok=True)
    return OUTPUT / name


def write_report(name: str, lines: Sequence[str], printed_to: str = "") -> None:
    """Write lines, and print them up to the heading that begins the details."""
    report_file(name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines[: lines.index(printed_to)] if printed_to else lines))


def write_rows(path: Path, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table as CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(head)
        writer.writerows(rows)
