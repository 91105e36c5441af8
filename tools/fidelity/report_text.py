"""Reports of fidelity: Markdown tables and shares, CSV, scatter plots, and where they are written."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from gpuplanner_gui.domain.arrays import Floats
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


Placed = Callable[[float], float]

SIZE, MARGIN = 560.0, 64.0
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Okabe and Ito's, told apart by readers who are colour-blind."""
GUIDES = ((1.0, "#444444"), (1.25, "#aaaaaa"), (0.8, "#aaaaaa"))
"""Equal, and 25 % above and 20 % below."""


def scatter_svg(title: str, unit: str, series: Mapping[str, tuple[Floats, Floats]]) -> str:
    """Points (measured, predicted) of each series, all positive, with lines where both agree."""
    every = np.concatenate([np.concatenate(pair) for pair in series.values()])
    low, high = math.floor(math.log10(every.min())), math.ceil(math.log10(every.max()))
    span = max(high - low, 1)

    def across(value: float) -> float:
        return MARGIN + (math.log10(value) - low) / span * SIZE

    def down(value: float) -> float:
        return MARGIN + SIZE - (math.log10(value) - low) / span * SIZE

    whole = SIZE + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole:g} {whole:g}" font-family="sans-serif">',
        f'<rect width="{whole:g}" height="{whole:g}" fill="white"/>',
        f'<text x="{MARGIN:g}" y="{MARGIN / 2:g}" font-size="18">{escape(title)}</text>',
        f'<clipPath id="frame"><rect x="{MARGIN:g}" y="{MARGIN:g}" width="{SIZE:g}" height="{SIZE:g}"/></clipPath>',
    ]
    parts += _axes(low, low + span, unit, across, down)
    start, end = 10.0**low, 10.0 ** (low + span)
    for factor, colour in GUIDES:
        ends = f'x1="{across(start):.1f}" y1="{down(start * factor):.1f}" x2="{across(end):.1f}"'
        parts.append(f'<line {ends} y2="{down(end * factor):.1f}" stroke="{colour}" clip-path="url(#frame)"/>')
    for index, (name, (measured, predicted)) in enumerate(series.items()):
        colour = COLOURS[index % len(COLOURS)]
        dots = "".join(f'<circle cx="{across(x):.1f}" cy="{down(y):.1f}" r="2"/>' for x, y in zip(measured, predicted))
        parts.append(f'<g fill="{colour}" fill-opacity="0.35">{dots}</g>')
        at = MARGIN + 20 + 20 * index
        parts.append(f'<circle cx="{MARGIN + 16:g}" cy="{at - 5:g}" r="5" fill="{colour}"/>')
        parts.append(f'<text x="{MARGIN + 28:g}" y="{at:g}" font-size="14">{escape(name)} ({len(measured)})</text>')
    return "\n".join([*parts, "</svg>", ""])


def _axes(low: int, high: int, unit: str, across: Placed, down: Placed) -> list[str]:
    parts = [f'<rect x="{MARGIN:g}" y="{MARGIN:g}" width="{SIZE:g}" height="{SIZE:g}" fill="none" stroke="#888888"/>']
    for power in range(low, high + 1):
        value = 10.0**power
        below, beside = MARGIN + SIZE + 18, MARGIN - 6
        parts.append(
            f'<text x="{across(value):.1f}" y="{below:g}" font-size="12" text-anchor="middle">{value:g}</text>'
        )
        parts.append(
            f'<text x="{beside:g}" y="{down(value) + 4:.1f}" font-size="12" text-anchor="end">{value:g}</text>'
        )
    middle, edge = MARGIN + SIZE / 2, SIZE + 2 * MARGIN - 18
    parts.append(f'<text x="{middle:g}" y="{edge:g}" font-size="14" text-anchor="middle">measured, {unit}</text>')
    turn = f'transform="rotate(-90 18 {middle:g})"'
    parts.append(f'<text x="18" y="{middle:g}" font-size="14" text-anchor="middle" {turn}>predicted, {unit}</text>')
    return parts


def write_scatter(path: Path, title: str, unit: str, series: Mapping[str, tuple[Floats, Floats]]) -> None:
    """Draw the positive, finite points of each series that has any."""
    shown = {}
    for name, (measured, predicted) in series.items():
        is_shown = np.isfinite(measured) & np.isfinite(predicted) & (measured > 0) & (predicted > 0)
        if is_shown.any():
            shown[name] = (measured[is_shown], predicted[is_shown])
    path.write_text(scatter_svg(title, unit, shown), encoding="utf-8")
