"""A scatter plot of predicted against measured values on logarithmic axes, as plain SVG."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path

import numpy as np

from gpuplanner_gui.domain.arrays import Floats

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
