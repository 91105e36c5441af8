"""What points of a local calibration say of any case: posteriors by phase, and each point before and after.

New measurements are held against it: what lies beyond the band, and what is the likely cause.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Literal, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.knowledge import (
    Calibration,
    LocalCalibration,
    LocalPhase,
    LocalPoint,
    LocalPrior,
    PhasePrior,
)
from gpuplanner_gui.domain.measurement import Measurement, MeasurementSet, accepted
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.evidence.cases import Observation, observations
from gpuplanner_gui.engine.evidence.points import noise_variance, points_of
from gpuplanner_gui.engine.evidence.posterior import EvidenceRows, Posterior, Vocabulary, band_width
from gpuplanner_gui.engine.evidence.training_own import memory_point
from gpuplanner_gui.engine.serving.engine_release import release_numbers

Told = TypeVar("Told", LocalPoint, Observation, Measurement)

MOST_POINTS = 300
"""Most points of a phase; more are thinned evenly, for near ones repeat each other."""
OUTLIER = 3.5
"""Standardised residual beyond which a point is marked."""
MEASURED_SHARE = 0.5
"""A case counts as measured where points take away at least this share of its variance."""


@dataclass(frozen=True)
class PhaseKnowledge:
    """The posterior of one phase."""

    prior: PhasePrior
    points: tuple[LocalPoint, ...]
    vocabulary: Vocabulary
    posterior: Posterior

    def factor(self, rows: EvidenceRows) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """Log factor on the predicted time, what remains of the band's width, and whether that is measured."""
        mean, variance = self.posterior.mean_and_variance(rows)
        width = band_width(self.prior, rows, variance, np.full(len(rows), self.prior.noise_log_sd**2))
        return mean, width, variance < (1.0 - MEASURED_SHARE) * self.posterior.unmeasured_variance(rows)

    def build_of(self, engine: str, model: str = "", accelerator: str = "") -> tuple[str, str]:
        """Release of an engine that plans are for, and a month of its runs; empty without any.

        The newest release that was measured, whatever was imported last. Its month is the newest of this model's runs
        on this accelerator, so that those made earlier than others' still tell all that they can of it.
        """
        release, month, of_case = self._builds.get(engine, ("", "", {}))
        return release, of_case.get((model, accelerator), month)

    @cached_property
    def _builds(self) -> dict[str, tuple[str, str, dict[tuple[str, str], str]]]:
        found: dict[str, tuple[str, str, dict[tuple[str, str], str]]] = {}
        for engine in dict.fromkeys(point.engine for point in self.points):
            own = [point for point in self.points if point.engine == engine]
            release = max((point.release for point in own), key=lambda one: (release_numbers(one), one))
            runs = sorted((point for point in own if point.release == release), key=lambda point: point.month)
            found[engine] = release, runs[-1].month, {(run.model, run.accelerator): run.month for run in runs}
        return found


def local_calibration(
    sets: Sequence[MeasurementSet], context: Context, prior: LocalPrior, check: Callable[[], None] = lambda: None
) -> LocalCalibration:
    """The points that the sets in use hold, each beside its shipped prediction.

    `context` must rest on the shipped calibration alone; `check` may raise to cancel.
    """
    found: list[Observation] = []
    told: set[tuple[object, ...]] = set()
    for set_index, one in enumerate(sets):
        for index, measurement in enumerate(one.measurements if one.is_used else ()):
            run = (measurement.context, measurement.figures)
            if run in told:
                # A run that came in twice would vouch for itself.
                continue
            told.add(run)
            found += [
                replace(observation, set_index=set_index, measurement_index=index)
                for observation in observations(measurement, context.catalog, context.calibration)
            ]
    # Thinned before they are predicted: a file may hold thousands of runs.
    kept = [one for phase in prior.phases for one in thinned([one for one in found if one.phase == phase])]
    held = {(one.context, one.figures): one for one in accepted(tuple(sets))}
    memory = [memory_point(one, context) for one in thinned(list(held.values()))]
    return LocalCalibration(
        prior=prior,
        points=tuple(points_of(kept, context, check)),
        memory=tuple(one for one in memory if one is not None),
    )


def localized(calibration: Calibration, local: LocalCalibration) -> Calibration:
    """The calibration with what own measurements add; unchanged where they add nothing."""
    if not local.points and not local.memory:
        return calibration
    content = msgspec.json.encode((local.points, local.memory))
    digest = hashlib.sha256(calibration.digest.encode() + content).hexdigest()
    return msgspec.structs.replace(calibration, local=local, digest=digest)


@lru_cache(maxsize=8)
def knowledge_of(local: LocalCalibration | None) -> Mapping[LocalPhase, PhaseKnowledge]:
    """The posteriors of the phases of which a local calibration has points, made once; compared by identity."""
    if local is None:
        return {}
    phases: dict[LocalPhase, PhaseKnowledge] = {}
    for name, prior in local.prior.phases.items():
        points = thinned([point for point in local.points if point.phase == name])
        if points:
            phases[name] = phase_knowledge(prior, points)
    return phases


def phase_knowledge(
    prior: PhasePrior, points: Sequence[LocalPoint], asked: Sequence[LocalPoint] = ()
) -> PhaseKnowledge:
    """The posterior of some points of one phase; its vocabulary knows those that are `asked` for as well."""
    vocabulary = Vocabulary([*points, *asked])
    residuals = np.array([point.log_residual for point in points])
    noise = noise_variance(points, prior.noise_log_sd, prior.pools_noise_log_sd)
    posterior = Posterior(prior, vocabulary.rows(points), residuals, noise)
    return PhaseKnowledge(prior, tuple(points), vocabulary, posterior)


def thinned(points: Sequence[Told]) -> list[Told]:
    """An even selection of at most so many points."""
    if len(points) <= MOST_POINTS:
        return list(points)
    chosen = np.unique(np.linspace(0, len(points) - 1, MOST_POINTS).round().astype(int))
    return [points[index] for index in chosen]


@dataclass(frozen=True)
class PointVerdict:
    """A measured case, what the shipped calibration says of it, and what the other points make of that."""

    point: LocalPoint
    after: float
    """Predicted by all points but this one."""
    low80: float
    high80: float
    is_outlier: bool

    @property
    def slowness_before(self) -> float:
        """Measured time over that of the shipped prediction. [1]"""
        return self._slowness(self.point.predicted)

    @property
    def slowness_after(self) -> float:
        """Measured time over what the other points predict. [1]"""
        return self._slowness(self.after)

    @property
    def error_before(self) -> float:
        return abs(self.slowness_before - 1.0)

    @property
    def error_after(self) -> float:
        return abs(self.slowness_after - 1.0)

    def _slowness(self, predicted: float) -> float:
        ratio = self.point.measured / predicted
        return 1.0 / ratio if is_rate(self.point.quantity) else ratio


def verdicts_of(local: LocalCalibration) -> tuple[PointVerdict, ...]:
    """Every point before and after, each judged by the others."""
    found: list[PointVerdict] = []
    for part in knowledge_of(local).values():
        left_out, spread = part.posterior.left_out()
        standard = left_out / spread
        noise = np.full(len(part.points), part.prior.noise_log_sd**2)
        ratio = band_width(part.prior, part.vocabulary.rows(part.points), np.maximum(spread**2 - noise, 0.0), noise)
        for index, point in enumerate(part.points):
            sign = -1.0 if is_rate(point.quantity) else 1.0
            factor = float(np.exp(sign * (point.log_residual - left_out[index])))
            after = point.predicted * factor
            width = float((point.high80 / point.predicted) ** ratio[index])
            is_outlier = bool(abs(standard[index]) > OUTLIER)
            found.append(PointVerdict(point, after, after / width, after * width, is_outlier))
    return tuple(found)


def is_rate(quantity: str) -> bool:
    """True for quantities of which more is faster."""
    return quantity.endswith(("_per_s", "_per_s_per_device"))


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
    known = knowledge_of(local).get(phase)
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
