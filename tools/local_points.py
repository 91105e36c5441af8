"""How much a few points of a group help the rest of it, under a prior."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from gpuplanner_gui.domain.benchmark import TrainingCase
from gpuplanner_gui.domain.knowledge import LocalPhase, LocalPoint, PhasePrior
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.evidence.cases import Observation, is_prompt_alone, month_of
from gpuplanner_gui.engine.evidence.points import noise_variance, points_of
from gpuplanner_gui.engine.evidence.posterior import Posterior, Vocabulary, share_left, width_of
from tools.fit_serving.closed_loops import (
    LoopProblem,
    all_loop_problems,
    left_out_fits,
    logs_of,
    loop_fit,
    step_space,
)
from tools.fit_serving.tables import measured_cases
from tools.fit_training.fit import left_out_errors, material

LEAST_ROWS = 10
"""Rows of a group that is judged: five to learn from and five to test on."""

ROUNDED_S = 5.001e-6
"""Half of the last digit where sources state milliseconds with two: copies of a run are apart by no more."""


@dataclass(frozen=True)
class GroupedPoints:
    """Points of one phase and their groups."""

    points: list[LocalPoint]
    groups: list[str]

    def by_group(self) -> dict[str, np.ndarray]:
        found: dict[str, list[int]] = defaultdict(list)
        for index, name in enumerate(self.groups):
            found[name].append(index)
        return {name: np.array(members) for name, members in found.items() if len(members) >= LEAST_ROWS}


def told_once(grouped: GroupedPoints) -> GroupedPoints:
    """Each run once: sources list some several times, which would tell of themselves.

    Points of a group are one run where set-up and load are the same and the figures too, or where these agree as far
    as sources round them and no build contradicts another; the one that states its build stays.
    """
    alike: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for index, (point, group) in enumerate(zip(grouped.points, grouped.groups)):
        load = (point.log2_batch, point.log2_devices, point.log2_prompt, point.log2_output)
        alike[(group, point.engine, point.precision, point.arrangement, *load)].append(index)
    kept = []
    for members in alike.values():
        told: list[int] = []
        for index in sorted(members, key=lambda one: -_stated(grouped.points[one])):
            if not any(_one_run(grouped.points[index], grouped.points[other]) for other in told):
                told.append(index)
        kept += told
    chosen = sorted(kept)
    return GroupedPoints([grouped.points[index] for index in chosen], [grouped.groups[index] for index in chosen])


def _one_run(left: LocalPoint, right: LocalPoint) -> bool:
    if left.measured == right.measured:
        return True
    builds = ((left.release, right.release), (left.month, right.month))
    return abs(left.measured - right.measured) <= ROUNDED_S and all(a == b or not (a and b) for a, b in builds)


def _stated(point: LocalPoint) -> int:
    return bool(point.release) + bool(point.month)


def run_of(case: TrainingCase) -> bytes:
    """What makes a run: sources state several figures of one, which would tell of each other."""
    return msgspec.json.encode(msgspec.structs.replace(case, case_id="", metric="step_time", flop_convention="causal"))


MOST_TESTED = 150
FEWEST_TESTED = 5
Array = np.ndarray


@dataclass(frozen=True)
class Fold:
    """Points to learn from and points to test on."""

    group: str
    count: int
    learned: Array
    tested: Array


@dataclass(frozen=True)
class Outcome:
    """Median errors of a fold's tested points, and the share in the band."""

    fold: Fold
    before: float
    after: float
    needed: Array
    """Of the stated band, what would have held each tested point."""
    left: Array
    """Of the variance with the points over that without."""

    def in_band(self, least_width: float) -> float:
        """Share of tested points in a band of at least such a width."""
        return float(np.mean(self.needed <= width_of(self.left, least_width)))


def folds(
    grouped: GroupedPoints, counts: Sequence[int], draws: int, seed: int, most_tested: int = MOST_TESTED
) -> list[Fold]:
    """Random draws of so many points out of every group, the rest, or many of it, to test on."""
    chance = np.random.default_rng(seed)
    found = []
    for name, members in grouped.by_group().items():
        for count in counts:
            if len(members) < count + FEWEST_TESTED:
                continue
            for _ in range(draws if count else 1):
                learned = chance.choice(members, count, replace=False)
                tested = np.setdiff1d(members, learned)
                if len(tested) > most_tested:
                    tested = chance.choice(tested, most_tested, replace=False)
                found.append(Fold(name, count, learned, tested))
    return found


def outcome(prior: PhasePrior, grouped: GroupedPoints, fold: Fold) -> Outcome:
    """Learn from a fold's points and test on the others."""
    learned = [grouped.points[index] for index in fold.learned]
    tested = [grouped.points[index] for index in fold.tested]
    residuals = np.array([point.log_residual for point in tested])
    vocabulary = Vocabulary(learned)
    noise = noise_variance(learned, prior.noise_log_sd, prior.pools_noise_log_sd)
    posterior = Posterior(prior, vocabulary.rows(learned), np.array([one.log_residual for one in learned]), noise)
    asked = vocabulary.rows(tested)
    mean, variance = posterior.mean_and_variance(asked)
    test_noise = noise_variance(tested, prior.noise_log_sd, prior.pools_noise_log_sd)
    left = share_left(prior, asked, variance, test_noise) if len(learned) else np.ones(len(tested))
    stated = np.array([np.log(point.high80 / point.predicted) for point in tested])
    return Outcome(
        fold,
        float(np.median(np.abs(np.expm1(-residuals)))),
        float(np.median(np.abs(np.expm1(mean - residuals)))),
        np.abs(residuals - mean) / stated,
        left,
    )


def by_group(outcomes: Sequence[Outcome], least_width: float) -> dict[tuple[str, int], tuple[float, float, float]]:
    """Mean over draws: error before and after, share in the band."""
    found: dict[tuple[str, int], list[tuple[float, float, float]]] = {}
    for one in outcomes:
        key = (one.fold.group, one.fold.count)
        found.setdefault(key, []).append((one.before, one.after, one.in_band(least_width)))
    return {key: tuple(np.mean(many, axis=0).tolist()) for key, many in found.items()}


def left_out_points(context: Context) -> dict[LocalPhase, GroupedPoints]:
    """Closed loops and training steps beside the prediction of a fit without their group. Takes some minutes."""
    return _loops(context) | {"training": steps_left_out(context)}


def steps_left_out(context: Context) -> GroupedPoints:
    """Step times of training beside the prediction of a fit without their group, one figure of each run."""
    runs: dict[bytes, int] = {}
    known = material(context)
    for index in np.flatnonzero(known.is_scored):
        runs.setdefault(run_of(known.rows[index].case), int(index))
    errors = left_out_errors(known)
    observed = [
        Observation(
            "training", "step_time", float(known.step_s[index]),
            msgspec.structs.replace(known.rows[index].case, metric="step_time"), "step_time", measurement_index=index,
            release=document_of(known.rows[index].row),
        )
        for index in runs.values()
    ]  # fmt: skip
    grouped = GroupedPoints([], [])
    for point in points_of(observed, context):
        place = point.measurement_index
        grouped.points.append(_predicted_by(point, math.log(point.measured) + float(errors[place])))
        grouped.groups.append(known.rows[place].group)
    return grouped


def document_of(row: dict[str, str]) -> str:
    """What stands for a training row's release, which few sources state: the document that it was published in."""
    return f"{row['source']} {row['source_locator']}"


def _loops(context: Context) -> dict[LocalPhase, GroupedPoints]:
    """TPOT and TTFT of every closed loop, each run once."""
    cases, _ = measured_cases("serving", context.catalog, context.calibration)
    problems, space = all_loop_problems(cases, context), step_space()
    predicted = logs_of(problems, left_out_fits(problems, space, loop_fit(problems, space)))
    found: dict[LocalPhase, GroupedPoints] = {
        "decode": GroupedPoints([], []),
        "prefill": GroupedPoints([], []),
    }
    for problem in problems:
        ttft, tpot = predicted[problem.engine]
        for phase, quantity, logs, measured in (
            ("prefill", "ttft_mean", ttft, problem.log_ttft),
            ("decode", "tpot_mean", tpot, problem.log_tpot),
        ):
            _add(found[phase], phase, quantity, problem, logs, measured, context)  # type: ignore[index, arg-type]
    return {phase: told_once(grouped) for phase, grouped in found.items()}


def _add(
    grouped: GroupedPoints,
    phase: LocalPhase,
    quantity: str,
    problem: LoopProblem,
    logs: np.ndarray,
    measured: np.ndarray,
    context: Context,
) -> None:
    """Points of one phase, with the left-out prediction in place of the shipped one."""
    observed = [
        Observation(
            phase,
            quantity,
            math.exp(value),
            one.case,
            quantity,
            measurement_index=index,
            release=one.row.get("backend_version", ""),
            month=month_of(one.row.get("measured_on", "")),
        )
        for index, (one, value) in enumerate(zip(problem.cases, measured))
        if np.isfinite(value) and (phase != "prefill" or is_prompt_alone(one.case))
    ]
    for point in points_of(observed, context):
        index = point.measurement_index
        grouped.points.append(_predicted_by(point, float(logs[index])))
        grouped.groups.append(problem.cases[index].group)


def _predicted_by(point: LocalPoint, log_predicted: float) -> LocalPoint:
    value, reach = math.exp(log_predicted), point.high80 / point.predicted
    return msgspec.structs.replace(
        point,
        predicted=value,
        low80=value / reach,
        high80=value * reach,
        log_residual=math.log(point.measured) - log_predicted,
        log2_time=log_predicted / math.log(2.0),
        measurement_index=0,
    )
