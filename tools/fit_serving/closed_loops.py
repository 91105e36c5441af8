"""Fit of closed loops: what engines make of kernels from TPOT, how their clients and queues report TTFT."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.serving_engine import DeviceFamily
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.evidence.certainty import CALIBRATED_ENGINES
from gpuplanner_gui.engine.serving.deployments import case_deployments
from gpuplanner_gui.engine.serving.rates import EngineRates, family_of
from tools.fit_serving.parameters import STEP, Parameter, ParameterSpace, fitted, group_weights, index_of
from tools.fit_serving.tables import MeasuredCase
from tools.observation.closed_loops import ClosedLoopPasses, LoopHabits, loop_passes, observed, steady_loop
from tools.observation.habits import SWEEP, EngineHabits, crowd_share, habits_of
from tools.repository import grouped

T = TypeVar("T")


def neutral_context(catalog: Catalog, calibration: Calibration) -> Context:
    """A context in which no family of devices changes the kernels, so that a fit can."""
    return Context(catalog, msgspec.structs.replace(calibration, families=()))


def joined_passes(cases: Sequence[ServingCase], passes_of: Callable[[Sequence[ServingCase], str], T]) -> T:
    """Passes of cases of many models and engines, in their order."""
    groups = grouped(range(len(cases)), lambda index: (id(cases[index].model), cases[index].engine))
    parts, order = [], []
    for (_, engine), members in groups.items():
        parts.append((passes_of([cases[index] for index in members], engine), len(members)))
        order += members
    whole = joined([part for part, _ in parts], [size for _, size in parts])
    return chosen(whole, np.argsort(np.array(order)))


def joined(parts: Sequence[T], sizes: Sequence[int]) -> T:
    """Equal structs of arrays, each of so many entries, one after the other."""
    first = parts[0]
    if is_dataclass(first) and not isinstance(first, type):
        columns = {field.name: joined([getattr(one, field.name) for one in parts], sizes) for field in fields(first)}
        return type(first)(**columns)
    wide = [np.broadcast_to(_as_array(part), (size,)) for part, size in zip(parts, sizes)]
    return np.concatenate(wide)  # type: ignore[return-value]


def _as_array(part: Any) -> NDArray[Any]:
    return part if isinstance(part, np.ndarray) else np.asarray(part, np.float64)


def chosen(struct: T, index: NDArray[np.int64]) -> T:
    """Some entries of a struct of arrays."""
    if is_dataclass(struct) and not isinstance(struct, type):
        columns = {field.name: chosen(getattr(struct, field.name), index) for field in fields(struct)}
        return type(struct)(**columns)
    return np.asarray(struct)[index]  # type: ignore[return-value]


SPECULATION = "drafts_gain"
"""Gain of cases that may speculate."""
STEP_PARAMETERS = (
    Parameter("product_launch", 0.8, 0.3, by_engine=True, by_family=True),
    Parameter("attention_launch", 0.9, 0.3, by_family=True),
    Parameter("expert_launch", 0.7, 0.4, by_engine=True, by_family=True),
    Parameter("small_launch", 1.0, 0.3, by_engine=True, by_family=True),
    Parameter("collective_factor", 1.1, 0.3, by_engine=True),
    Parameter("exchange_factor", 0.7, 0.3),
    Parameter("prefill_factor", 1.05, 0.15, by_engine=True),
    Parameter("prefill_collective_factor", 0.9, 0.0),
    Parameter("decode_step_host_s", 3e-4, 0.8),
    Parameter("decode_layer_host_s", 4e-6, 0.8, by_engine=True),
    Parameter("expert_layer_host_s", 4e-6, 0.8),
    Parameter("complex_layer_host_s", 6e-6, 1.0),
    Parameter("sequence_host_s", 2e-6, 1.2),
    Parameter("sweep_sequence_host_s", 1e-5, 1.0, by_engine=True),
    Parameter("prefill_step_host_s", 2e-3, 0.6, by_engine=True),
    Parameter("prefill_layer_host_s", 4e-4, 0.6, by_engine=True),
    Parameter("prefill_complex_layer_host_s", 8e-4, 0.8),
    Parameter(SPECULATION, 1.15, 0.2, by_engine=True),
)
"""What TPOT tells; usual values are those of the scratch model and of kernels' floors halved by graphs."""

QUEUE_PARAMETERS = (
    Parameter("usual_admission_steps", 2.0, 1.0, by_engine=True, is_common=False),
    Parameter("crowd_steps", 1.0, 1.5, by_engine=True, is_common=False),
    Parameter("sweep_admission_steps", 1.0, 0.5, by_engine=True),
    Parameter("usual_complex_steps", 2.0, 1.2, by_engine=True),
    Parameter("group_admission_steps", 8.0, 1.2),
    Parameter("request_host_s", 0.012, 0.5, by_engine=True),
    Parameter("prompt_token_host_s", 3e-6, 0.7, by_engine=True),
    Parameter("usual_start_delay_s", 0.01, 1.0, by_engine=True, is_common=False),
    Parameter("sweep_start_delay_s", 0.02, 1.2, by_engine=True, is_common=False),
    Parameter("clump_prompts", 3.0, 0.4, by_engine=True),
    Parameter("arrival_chance", 1.0, 0.5, by_engine=True),
)
"""What TTFT tells."""

STEP_RIDGE = {"common": 0.2, "engine": 2.0, "family": 0.6}
"""Engines differ less from each other than steps differ from kernels timed alone: groups left out say how much."""
STEP_STRENGTH, QUEUE_STRENGTH = 0.1, 0.4
"""Weight of a case against the ridge."""
QUEUE_RIDGE = {"common": 1.0, "engine": 1.0}
SWEEP_ROWS = 10.0
"""Rows of a sweep that tell as much about its drafts as all other sweeps do."""
TPOT_SCALE, TTFT_SCALE = 0.1, 0.15


@dataclass(frozen=True)
class LoopProblem:
    """Measured closed loops of one engine with their passes; arrays in the order of `cases`."""

    engine: str
    cases: tuple[MeasuredCase, ...]
    passes: ClosedLoopPasses
    family: tuple[str, ...]
    is_sweep: NDArray[np.bool_]
    may_speculate: NDArray[np.bool_]
    sweep: tuple[str, ...]
    """Of those whose recipe a release and month tell."""
    log_ttft: Floats
    log_tpot: Floats
    mixes_prefill: bool
    captured_tokens: float
    captured_launch_share: float
    habits: EngineHabits
    """Those that are not fitted."""
    crowd: Floats
    """Share of the steps of a crowd that each case waits."""

    @property
    def recipe_looks_less_often(self) -> bool:
        """Whether those steps are its usual client's recipe, none of the engine as it comes."""
        return self.habits.crowd_growth == 0

    def at(self, index: Integers) -> LoopProblem:
        """Some of the cases."""
        return replace(
            self,
            cases=tuple(self.cases[position] for position in index),
            passes=chosen(self.passes, index),
            family=tuple(self.family[position] for position in index),
            is_sweep=self.is_sweep[index],
            may_speculate=self.may_speculate[index],
            sweep=tuple(self.sweep[position] for position in index),
            log_ttft=self.log_ttft[index],
            log_tpot=self.log_tpot[index],
            crowd=self.crowd[index],
        )


def loop_problem(
    measured: Sequence[MeasuredCase],
    engine: str,
    context: Context,
    families: tuple[DeviceFamily, ...],
    habits: EngineHabits | None = None,
) -> LoopProblem:
    """The closed loops of one engine among measured cases, ready to be fitted."""
    own = tuple(one for one in measured if one.case.engine == engine and one.case.load == "closed_loop")
    facts, habits = context.calibration.engine(engine), habits or habits_of(engine)

    def passes_of(cases: Sequence[ServingCase], name: str) -> ClosedLoopPasses:
        found = case_deployments(cases, [case.layout for case in cases], context, context.calibration.engine(name))
        return loop_passes(cases, found, habits.gathering_steps)

    values: dict[str, list[float]] = {name: [] for name in ("ttft_ms", "tpot_ms")}
    for one in own:
        for question in one.questions:
            values[question.metric].append((question.measured or np.nan) / question.per_si_unit)
    accelerators = context.catalog.accelerators
    return LoopProblem(
        engine=engine,
        cases=own,
        passes=joined_passes([one.case for one in own], passes_of),
        family=tuple(family_of(accelerators[one.case.accelerator], families).family for one in own),
        is_sweep=np.array([one.source.client == SWEEP for one in own]),
        may_speculate=np.array([one.source.may_speculate for one in own]),
        sweep=tuple(sweep_name(one) for one in own),
        log_ttft=np.log(values["ttft_ms"]),
        log_tpot=np.log(values["tpot_ms"]),
        mixes_prefill=facts.mixes_prefill,
        captured_tokens=float(facts.captured_tokens),
        captured_launch_share=facts.captured_launch_share,
        habits=habits,
        crowd=crowd_share(np.array([one.case.concurrency for one in own]), habits),
    )


def sweep_name(one: MeasuredCase) -> str:
    """An engine's sweep; empty where a row is of none."""
    return f"{one.case.engine} {one.source.recipe}" if one.source.recipe else ""


def step_space() -> ParameterSpace:
    """Parameters of steps, for the measured families of devices."""
    return ParameterSpace(STEP_PARAMETERS, CALIBRATED_ENGINES, tuple(one.family for one in measured_families()))


QUEUE_SPACE = ParameterSpace(QUEUE_PARAMETERS, CALIBRATED_ENGINES, ())


def predicted_logs(
    problem: LoopProblem,
    space: ParameterSpace,
    step: Floats,
    queue: Floats,
    moved: tuple[int, float] = (0, 0.0),
    queue_moved: tuple[int, float] = (0, 0.0),
) -> tuple[Floats, Floats]:
    """Logarithms of TTFT and TPOT; one parameter's deviation may be `moved`."""
    count = len(problem.cases)
    engine = np.full(count, CALIBRATED_ENGINES.index(problem.engine))
    family = index_of(problem.family, space.families)
    values = space.values(step, engine, family, moved)
    none = np.full(count, -1)
    gain = np.where(problem.may_speculate, values.pop(SPECULATION), 1.0)
    of_sweep = values.pop("sweep_sequence_host_s")
    values["sequence_host_s"] = np.where(problem.is_sweep, of_sweep, values["sequence_host_s"])
    waits = QUEUE_SPACE.values(queue, engine, none, queue_moved)
    sweep = problem.is_sweep
    is_complex = np.asarray(problem.passes.decode.counts.complex_layers) > 0
    usual_steps = waits["usual_admission_steps"] + np.where(is_complex, waits["usual_complex_steps"], 0.0)
    crowd_steps = waits["crowd_steps"] * problem.crowd
    if problem.recipe_looks_less_often:
        crowd_steps = np.where(sweep, 0.0, crowd_steps)
    rates = EngineRates(
        **values,
        request_host_s=waits["request_host_s"],
        prompt_token_host_s=waits["prompt_token_host_s"],
        admission_steps=waits["sweep_admission_steps"],
        mixes_prefill=problem.mixes_prefill,
        captured_tokens=problem.captured_tokens,
        captured_launch_share=problem.captured_launch_share,
    )
    habits = LoopHabits(
        prompts_per_user=np.full(count, problem.habits.prompts_per_user),
        admission_steps=np.where(sweep, waits["sweep_admission_steps"], usual_steps) + crowd_steps,
        group_admission_steps=waits["group_admission_steps"],
        start_delay_s=np.where(sweep, waits["sweep_start_delay_s"], waits["usual_start_delay_s"]),
        clump_prompts=waits["clump_prompts"],
        arrival_chance=waits["arrival_chance"],
    )
    seen = observed(steady_loop(problem.passes, rates), habits)
    return np.log(seen.ttft_s), np.log(seen.tpot_s / gain)


@dataclass(frozen=True)
class LoopFit:
    """Numbers of a fit: of steps and of queues, common to all engines and by engine."""

    space: ParameterSpace
    step: Floats
    queue: Floats
    sweep_gain: dict[str, float]
    """What drafts gain in a sweep, over their usual gain."""
    sweep_first_token: dict[str, float]
    """TTFT in a sweep over the engine's usual one, as its recipe sets queues up."""

    def logs(self, problem: LoopProblem) -> tuple[Floats, Floats]:
        """Predicted logarithms of TTFT and TPOT."""
        ttft, tpot = predicted_logs(problem, self.space, self.step, self.queue)
        first = np.log([self.sweep_first_token.get(name, 1.0) for name in problem.sweep])
        gains = np.array([self.sweep_gain.get(name, 1.0) for name in problem.sweep])
        return ttft + first, tpot - np.log(np.where(problem.may_speculate, gains, 1.0))


def loop_fit(problems: Sequence[LoopProblem], space: ParameterSpace, start: LoopFit | None = None) -> LoopFit:
    """Fit steps to TPOT, then queues to TTFT, all engines together, then steps again with the queues known."""
    queue = start.queue if start else np.zeros(len(QUEUE_SPACE.slots))
    step = start.step if start else np.zeros(len(space.slots))
    rounds = 1 if start else 2
    for _ in range(rounds):
        step = _step_fit(problems, space, step, queue, 6 if start else 12)
        queue = _queue_fit(problems, space, step, queue, 6 if start else 12)
    gains: dict[str, float] = {}
    first_tokens: dict[str, float] = {}
    for problem in problems:
        usual = space.engine_values(step, CALIBRATED_ENGINES.index(problem.engine))[SPECULATION]
        log_ttft, log_tpot = predicted_logs(problem, space, step, queue)
        # Drafts never lose: the product with the usual gain is at least 1.
        may = problem.may_speculate
        found = _middle_ratios(problem.at(np.flatnonzero(may)), (log_tpot - problem.log_tpot)[may])
        gains |= {name: max(ratio, 1.0 / usual) for name, ratio in found.items()}
        first_tokens |= _middle_ratios(problem, problem.log_ttft - log_ttft)
    return LoopFit(space, step, queue, gains, first_tokens)


def _middle_ratios(problem: LoopProblem, logs: Floats) -> dict[str, float]:
    """The middle ratio of each sweep, drawn to 1 where rows are few."""
    found = {}
    for name in sorted(set(problem.sweep) - {""}):
        own = logs[[one == name for one in problem.sweep]]
        found[name] = float(np.exp(float(np.median(own)) * len(own) / (len(own) + SWEEP_ROWS)))
    return found


def _step_fit(
    problems: Sequence[LoopProblem], space: ParameterSpace, start: Floats, queue: Floats, iterations: int
) -> Floats:
    measured = np.concatenate([problem.log_tpot for problem in problems])
    groups = [f"{one.group} {problem.engine}" for problem in problems for one in problem.cases]

    touched = np.concatenate([_touched(problem, space) for problem in problems])

    def residuals(vector: Floats, moved: tuple[int, float] = (0, 0.0)) -> Floats:
        found = [predicted_logs(problem, space, vector, queue, moved)[1] for problem in problems]
        return np.asarray(np.concatenate(found) - measured)

    weight = STEP_STRENGTH * group_weights(groups)
    scale = np.full(len(measured), TPOT_SCALE)
    slopes = slopes_by_parameter(space, touched, residuals)
    return fitted(residuals, start, weight, scale, space.ridge(STEP_RIDGE), iterations, slopes)


def slopes_by_parameter(
    space: ParameterSpace, touched: NDArray[np.bool_], residuals: Callable[..., Floats]
) -> Callable[[Floats, Floats], Floats]:
    """Slopes of residuals: all numbers that deviate one parameter have its slope, each on the cases it touches."""

    def slopes_at(vector: Floats, at: Floats) -> Floats:
        slopes = np.zeros((len(at), len(vector)))
        columns = grouped(range(len(space.slots)), lambda column: space.slots[column].parameter)
        for parameter, own in columns.items():
            slope = (residuals(vector, (parameter, STEP)) - at) / STEP
            slopes[:, own] = touched[:, own] * slope[:, None]
        return slopes

    return slopes_at


def _touched(problem: LoopProblem, space: ParameterSpace) -> NDArray[np.bool_]:
    engine = np.full(len(problem.cases), CALIBRATED_ENGINES.index(problem.engine))
    return space.touched(engine, index_of(problem.family, space.families))


def _queue_fit(
    problems: Sequence[LoopProblem], space: ParameterSpace, step: Floats, start: Floats, iterations: int
) -> Floats:
    measured = np.concatenate([problem.log_ttft for problem in problems])
    groups = [f"{one.group} {problem.engine} {one.source.client}" for problem in problems for one in problem.cases]
    touched = np.concatenate([_touched(problem, QUEUE_SPACE) for problem in problems])

    def residuals(vector: Floats, moved: tuple[int, float] = (0, 0.0)) -> Floats:
        found = [predicted_logs(problem, space, step, vector, queue_moved=moved)[0] for problem in problems]
        return np.asarray(np.concatenate(found) - measured)

    weight = QUEUE_STRENGTH * group_weights(groups)
    scale = np.full(len(groups), TTFT_SCALE)
    slopes = slopes_by_parameter(QUEUE_SPACE, touched, residuals)
    return fitted(residuals, start, weight, scale, QUEUE_SPACE.ridge(QUEUE_RIDGE), iterations, slopes)


def left_out_fits(problems: Sequence[LoopProblem], space: ParameterSpace, whole: LoopFit) -> dict[str, LoopFit]:
    """For every group, a fit to all others that starts from the fit to all."""
    groups = sorted({one.group for problem in problems for one in problem.cases})
    found = {}
    for group in groups:
        kept = [problem.at(np.flatnonzero([one.group != group for one in problem.cases])) for problem in problems]
        found[group] = loop_fit([one for one in kept if one.cases], space, whole)
    return found


def logs_of(problems: Sequence[LoopProblem], fits: Mapping[str, LoopFit]) -> dict[str, tuple[Floats, Floats]]:
    """Predicted logarithms of every case by the fit that belongs to its group, per engine."""
    found = {problem.engine: (np.zeros(len(problem.cases)), np.zeros(len(problem.cases))) for problem in problems}
    for group, fit in fits.items():
        for problem in problems:
            index = np.flatnonzero([one.group == group for one in problem.cases])
            if len(index):
                ttft, tpot = fit.logs(problem.at(index))
                found[problem.engine][0][index], found[problem.engine][1][index] = ttft, tpot
    return found


def all_loop_problems(cases: Sequence[MeasuredCase], context: Context) -> list[LoopProblem]:
    """The closed loops of every engine, to be fitted."""
    neutral, families = neutral_context(context.catalog, context.calibration), measured_families()
    return [loop_problem(cases, engine, neutral, families) for engine in CALIBRATED_ENGINES]


def measured_families() -> tuple[DeviceFamily, ...]:
    """The families that kernels were timed on, without the factors that the fit is to find."""
    return tuple(
        DeviceFamily(family=name, architectures=(name,), ecosystems=("cuda",)) for name in ("Hopper", "Blackwell")
    )
