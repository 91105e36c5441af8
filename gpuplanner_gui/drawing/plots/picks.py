"""What a mark of a plot stands for: the candidate or the scenario that a click on it brings to the front."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray

from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.words.candidates import candidate_text

REACH_PIXELS = 7.0
"""Pixels from a curve within which a click selects it."""


@dataclass(frozen=True)
class Pick:
    """A candidate of the plan at hand, or another scenario of the project."""

    name: str
    workload: str = ""
    candidate: int = -1
    """Index in the workload's table; -1 where the mark stands for a scenario."""
    is_selected: bool = False
    """The candidate is the one that plots speak of already."""
    is_part: bool = False
    """The mark shows something within that candidate, such as one of its operations."""
    part: str = ""
    """The part that the mark names, in words; empty for none."""

    @property
    def leads_somewhere(self) -> bool:
        """Whether a click changes what is looked at."""
        return not self.is_selected

    def words(self) -> str:
        """The tool tip: what the mark stands for and what a click does."""
        if self.candidate < 0:
            return tr("Scenario “{name}”: click to go to it").format(name=self.name)
        if self.is_part:
            return tr("Part of the selected candidate, {name}").format(name=self.name)
        if self.is_selected:
            return tr("{name}: the selected candidate").format(name=self.name)
        if self.part:
            return tr("{part} of {name}: click to select it").format(part=self.part, name=self.name)
        return tr("{name}: click to select it").format(name=self.name)


def candidate_pick(
    results: Results | None, workload: str, candidate: int, is_part: bool = False, part: str = ""
) -> Pick | None:
    """The pick of a candidate of the results on screen; None where they have no such candidate."""
    answer = results.answer(workload) if results is not None else None
    if results is None or answer is None or not 0 <= candidate < len(answer.table.accelerator):
        return None
    name = candidate_text(results.plan, results.catalog, workload, candidate)
    return Pick(name, workload, candidate, candidate == results.candidate(workload), is_part, part)


def selected_pick(results: Results | None, workload: str) -> Pick | None:
    """The pick of a mark that shows a part of the selected candidate."""
    return candidate_pick(results, workload, results.candidate(workload), is_part=True) if results is not None else None


def nearest_curve(curves: Sequence[Any], view: pg.ViewBox, x: float, y: float) -> int:
    """Index of the visible curve near a position of the view; -1 for none within reach.

    Of curves equally near, the last: it is drawn over the others.
    """
    return nearest_line([curve.getData() if curve.isVisible() else (None, None) for curve in curves], view, x, y)


def nearest_line(lines: Sequence[tuple[Any, Any]], view: pg.ViewBox, x: float, y: float) -> int:
    """The same of lines that are given as their places along both axes, None for one that is not there."""
    found, least = -1, REACH_PIXELS
    for place, (across, along) in enumerate(lines):
        if across is None or along is None or not len(across):
            continue
        points = from_there(view, across, along, x, y)
        distance = _distance_to_origin(points[np.isfinite(points).all(axis=1)])
        if distance <= least:
            found, least = place, distance
    return found


def from_there(view: pg.ViewBox, across: Any, along: Any, x: float, y: float) -> NDArray[np.float64]:
    """Points relative to a position of the view, rightward and upward. [pixels]"""
    (left, right), (bottom, top) = view.viewRange()
    wide, high = view.width() / ((right - left) or 1.0), view.height() / ((top - bottom) or 1.0)
    return np.stack([(np.asarray(across) - x) * wide, (np.asarray(along) - y) * high], axis=1)


def _distance_to_origin(points: NDArray[np.float64]) -> float:
    """Distance of the origin from a line through points, or from a single point."""
    if len(points) < 2:
        return float(np.hypot(*points[0])) if len(points) else float("inf")
    start, step = points[:-1], np.diff(points, axis=0)
    length = (step**2).sum(axis=1)
    along = np.clip(-(start * step).sum(axis=1) / np.where(length > 0, length, 1.0), 0.0, 1.0)
    return float(np.hypot(*(start + along[:, None] * step).T).min())
