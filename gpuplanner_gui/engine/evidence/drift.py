"""New measurements against what the calibration says now: what lies beyond the band, and what is the likely cause."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.local_calibration import LocalCalibration, LocalPhase, LocalPoint
from gpuplanner_gui.domain.measurement import Measurement
from gpuplanner_gui.engine.evidence.knowledge import is_rate, knowledge_of

Cause = Literal["none", "engine_version", "network", "host", "memory_pressure", "one_phase", "clocks"]
"""Another version; grows with devices; grows as steps shorten; grows with the batch; one phase alone; all alike."""
FEW = 3
STEEP = 0.05
"""Rise of the log residual per doubling that counts as a trend."""
CORRELATED = 0.6


@dataclass(frozen=True)
class DriftedPoint:
    """A new measurement, what was expected, and whether it lies beyond the band."""

    point: LocalPoint
    expected: float
    low80: float
    high80: float
    log_residual: float
    """Log residual of the time; above 0: slower than expected."""

    @property
    def is_beyond(self) -> bool:
        return not self.low80 <= self.point.measured <= self.high80


@dataclass(frozen=True)
class Drift:
    """All new points and what speaks for a cause."""

    points: tuple[DriftedPoint, ...]
    cause: Cause
    median_log_residual: float
    new_releases: tuple[str, ...] = ()
    """Engine releases that most points outside the band were measured with, if they differ from those in use."""
    known_releases: tuple[str, ...] = ()

    @property
    def beyond(self) -> tuple[DriftedPoint, ...]:
        return tuple(one for one in self.points if one.is_beyond)


def drift(points: Sequence[LocalPoint], local: LocalCalibration | None) -> Drift:
    """Compare new points with the calibration that plans rest on; without one, with the shipped prediction."""
    found = []
    for phase in dict.fromkeys(point.phase for point in points):
        found += _compared(phase, [point for point in points if point.phase == phase], local)
    beyond = [one for one in found if one.is_beyond]
    residuals = np.array([one.log_residual for one in found])
    middle = float(np.median(residuals)) if len(residuals) else 0.0
    new, old = _releases(beyond, local)
    cause: Cause = _cause(found, bool(new)) if beyond else "none"
    return Drift(tuple(found), cause, middle, new, old)


def _releases(
    beyond: Sequence[DriftedPoint], local: LocalCalibration | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Releases that most of what is beyond the band was made with and no measurement in use, and those of these."""
    known: dict[str, dict[str, None]] = {}
    for one in local.points if local is not None else ():
        if one.release:
            known.setdefault(one.engine, {})[one.release] = None
    other = [
        one.point
        for one in beyond
        if one.point.release and one.point.engine in known and one.point.release not in known[one.point.engine]
    ]
    if 2 * len(other) <= len(beyond):
        return (), ()
    old = dict.fromkeys(release for point in other for release in known[point.engine])
    return tuple(dict.fromkeys(point.release for point in other)), tuple(old)


def _compared(phase: LocalPhase, points: list[LocalPoint], local: LocalCalibration | None) -> list[DriftedPoint]:
    known = knowledge_of(local).phase(phase) if local is not None else None
    log, width = np.zeros(len(points)), np.ones(len(points))
    if known is not None:
        log, width, _ = known.factor(known.vocabulary.rows(points))
    found = []
    for index, point in enumerate(points):
        sign = -1.0 if is_rate(point.quantity) else 1.0
        expected = point.predicted * float(np.exp(sign * log[index]))
        reach = float((point.high80 / point.predicted) ** width[index])
        residual = point.log_residual - float(log[index])
        found.append(DriftedPoint(point, expected, expected / reach, expected * reach, residual))
    return found


def _cause(found: Sequence[DriftedPoint], has_new_version: bool) -> Cause:
    """The likeliest cause: a new version first, then a trend, then one phase alone, else clocks and power."""
    if has_new_version:
        return "engine_version"
    residual = np.array([one.log_residual for one in found])
    trends: tuple[tuple[Cause, Floats], ...] = (
        ("network", np.array([one.point.log2_devices for one in found])),
        ("memory_pressure", np.array([one.point.log2_batch for one in found])),
        ("host", np.array([-one.point.log2_time for one in found])),
    )
    strengths = [(_trend(along, residual), name) for name, along in trends]
    strongest = max(strengths, key=lambda item: item[0])
    if strongest[0] > 0:
        return strongest[1]
    phases = {one.point.phase for one in found}
    beyond = {one.point.phase for one in found if one.is_beyond}
    return "one_phase" if len(phases) > 1 and len(beyond) == 1 else "clocks"


def _trend(along: Floats, residual: Floats) -> float:
    """Correlation where residuals rise steeply enough, else 0."""
    if len(along) < FEW or np.ptp(along) < 1.0 or np.std(residual) == 0:
        return 0.0
    slope = float(np.polyfit(along, residual, 1)[0])
    correlation = float(np.corrcoef(along, residual)[0, 1])
    return correlation if slope > STEEP and correlation > CORRELATED else 0.0


MAIN_KERNELS = ("products", "attention")
RISE = 0.05
"""Share of the time by which what is outside the main kernels must rise to be a finding."""


@dataclass(frozen=True)
class OutsideTrend:
    """Time outside the main kernels on the fewest and on the most devices, as shares."""

    fewest_devices: int
    fewest_share: float
    most_devices: int
    most_share: float
    risen: str
    """What rose the most: communication, copies, optimizer, other."""

    @property
    def is_finding(self) -> bool:
        return self.most_share - self.fewest_share > RISE


def outside_main_kernels(measurements: Sequence[Measurement]) -> OutsideTrend | None:
    """How the time outside matrix products and attention changes with devices, from profiles of one job.

    Of several models, accelerators or engines the one where it rises the most; None where each has one count.
    """
    jobs: dict[tuple[str, str, str], dict[int, dict[str, float]]] = {}
    for one in measurements:
        context = one.context
        for found in one.figures:
            if found.quantity == "kernel_share" and context.operation and context.devices:
                job = jobs.setdefault((context.model, context.accelerator, context.engine), {})
                job.setdefault(context.devices, {})[context.operation] = found.value
    trends = [_outside(shares) for shares in jobs.values() if len(shares) > 1]
    return max(trends, key=lambda one: one.most_share - one.fewest_share, default=None)


def _outside(shares: dict[int, dict[str, float]]) -> OutsideTrend:
    """Time outside the main kernels of one job, by devices and kind of kernel."""
    few, many = min(shares), max(shares)
    outside = {count: 1.0 - sum(shares[count].get(name, 0.0) for name in MAIN_KERNELS) for count in (few, many)}
    others = (set(shares[few]) | set(shares[many])) - set(MAIN_KERNELS)
    rises = {name: shares[many].get(name, 0.0) - shares[few].get(name, 0.0) for name in sorted(others)}
    risen = max(rises, key=lambda name: rises[name]) if rises else ""
    return OutsideTrend(few, outside[few], many, outside[many], risen)
