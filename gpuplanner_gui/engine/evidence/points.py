"""Observations beside the shipped prediction of them: the points that a local calibration rests on."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.benchmark import Answer, ServingCase, TrainingCase
from gpuplanner_gui.domain.knowledge import SHARES, LocalPhase, LocalPoint
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.evidence.cases import Observation
from gpuplanner_gui.engine.evidence.posterior import model_signature
from gpuplanner_gui.engine.serving.deployments import case_deployments, formats_of_case
from gpuplanner_gui.engine.serving.predict.closed_loop import closed_loop
from gpuplanner_gui.engine.serving.predict.door import serving_answers
from gpuplanner_gui.engine.serving.predict.points import column, one_pass, replicas_of
from gpuplanner_gui.engine.serving.rates import rates_of
from gpuplanner_gui.engine.serving.step import StepTimes, step_of
from gpuplanner_gui.engine.training.predict import case_work, predicted
from gpuplanner_gui.engine.training.step_time import TrainingStep, training_step

PHASE_OF_STEP = ("compute_s", "bandwidth_s", "interconnect_s", "host_s")


def step_shares(parts: StepTimes, total_s: Floats) -> Floats:
    """Shares of a time that holds a step and, for the rest, interruptions; shape (shares, …)."""
    shape = np.shape(total_s)
    own = [np.broadcast_to(getattr(parts, name), shape) / total_s for name in PHASE_OF_STEP]
    return np.stack([*own, np.maximum(1.0 - sum(own), 0.0)])


def serving_shares(
    asked: Sequence[tuple[LocalPhase, ServingCase]], running: Sequence[float], context: Context
) -> list[tuple[float, ...]]:
    """Shares of each served case's time: of a decode step among prefills, or of one prompt's prefill.

    `running` are the sequences that decode at once in one replica.
    """
    groups: dict[tuple[int, str], list[int]] = defaultdict(list)
    for index, (_, case) in enumerate(asked):
        groups[(id(case.model), case.engine)].append(index)
    found = np.zeros((len(SHARES), len(asked)))
    for members in groups.values():
        cases = [_at_batch(asked[index][1], running[index]) for index in members]
        engine = context.calibration.engine(cases[0].engine)
        replicas = case_deployments(cases, [case.layout for case in cases], context, engine)
        loop, rates = closed_loop(cases, replicas), rates_of(engine)
        zero, one = np.zeros(len(cases)), np.ones(len(cases))
        chunks = np.ceil(loop.prompt_tokens / replicas.token_budget)
        chunk = loop.prompt_tokens / chunks
        batch = column(cases, "concurrency") / replicas_of(cases)
        decoding = one_pass(replicas, batch, loop.prompt_tokens + loop.output_tokens / 2, zero, zero, zero)
        reading = one_pass(replicas, zero, zero, one, chunk, (chunks - 1) * chunk / 2)
        decode = step_of(decoding.kernels, decoding.work, decoding.counts, rates)
        alone = step_of(reading.kernels, reading.work, reading.counts, rates)
        is_mixed = np.array([case.load in ("closed_loop", "open_loop", "offline") for case in cases])
        tpot = loop.tpot_s
        of_decode = step_shares(decode, np.where(is_mixed, np.maximum(tpot, decode.total), decode.total))
        of_prefill = step_shares(alone, alone.total)
        is_prefill = np.array([asked[index][0] == "prefill" for index in members])
        found[:, members] = np.where(is_prefill, of_prefill, of_decode)
    return [tuple(column) for column in np.nan_to_num(found).T.tolist()]


def _at_batch(case: ServingCase, running: float) -> ServingCase:
    """The case as a closed loop of so many sequences; a prompt at least, as a pass without any is none."""
    replicas = max(case.layout.replicas, 1.0)
    layout = msgspec.structs.replace(case.layout, replicas=replicas)
    return msgspec.structs.replace(
        case, concurrency=max(running, 1.0) * replicas, layout=layout, prompt_tokens=max(case.prompt_tokens, 1.0),
        output_tokens=max(case.output_tokens, 1.0),
    )  # fmt: skip


def case_step(case: TrainingCase, context: Context) -> TrainingStep:
    """The predicted step of a training run."""
    made = case_work(case, context)
    return training_step(made.work, made.job.rates)


def training_shares(step: TrainingStep) -> Floats:
    """Shares of training steps; shape (shares, layouts)."""
    network = (
        step.tensor_communication_s + step.data_communication_s + step.pipeline_communication_s
        + step.expert_communication_s
    )  # fmt: skip
    own = np.maximum(step.total - step.input_s, 1e-12)
    parts = (step.compute_s, step.bandwidth_s, network, step.host_s, step.bubble_s)
    return np.nan_to_num(np.stack([np.broadcast_to(part, own.shape) / own for part in parts]))


LEAST_TIME_S = 1e-9
FARTHEST_LOG = math.log(1000.0)
"""A residual beyond this is no measurement of the same thing."""


def points_of(
    found: Sequence[Observation], context: Context, check: Callable[[], None] = lambda: None
) -> list[LocalPoint]:
    """Points of observations, in their order; those without a prediction are left out.

    `context` must rest on the shipped calibration alone. `check` is called now and then and may raise to cancel.
    """
    serving = [one for one in found if isinstance(one.case, ServingCase)]
    cases = [one.case for one in serving if isinstance(one.case, ServingCase)]
    answers = dict(zip(map(id, serving), serving_answers(cases, context, check)))
    shares = dict(zip(map(id, serving), shares_of(serving, answers, context)))
    points = []
    for one in found:
        if isinstance(one.case, ServingCase):
            points.append(serving_point(one, one.case, answers[id(one)], shares[id(one)]))
        else:
            check()
            points.append(_training_point(one, one.case, context))
    return [point for point in points if point is not None]


def shares_of(
    found: Sequence[Observation], answers: Mapping[int, Sequence[Answer]], context: Context
) -> list[tuple[float, ...]]:
    """Where each served observation's predicted time goes."""
    running_now = []
    for one in found:
        assert isinstance(one.case, ServingCase)
        values = {answer.metric: answer for answer in answers[id(one)] if answer.value is not None}
        running_now.append(running(one.case, values, _value(values, "tpot_mean")))
    return serving_shares([(one.phase, one.case) for one in found], running_now, context)  # type: ignore[misc]


def serving_point(
    one: Observation, case: ServingCase, answers: Sequence[Answer], shares: tuple[float, ...]
) -> LocalPoint | None:
    """A served case; None where the model has no answer."""
    values = {answer.metric: answer for answer in answers if answer.value is not None}
    asked = values.get(one.metric)
    if asked is None or not asked.value or asked.low80 is None or asked.high80 is None:
        return None
    residual = math.log(one.measured / asked.value) * (-1.0 if one.is_rate else 1.0)
    if abs(residual) > FARTHEST_LOG:
        return None
    step_s = _value(values, "tpot_mean") or asked.value
    time_s = step_s if one.phase == "decode" else _value(values, "ttft_mean") or asked.value
    return LocalPoint(
        phase=one.phase,
        model=model_signature(case.model),
        accelerator=case.accelerator,
        engine=case.engine,
        precision=precision_of(case),
        arrangement=arrangement_of(case),
        release=one.release,
        month=one.month,
        log2_batch=math.log2(max(running(case, values, step_s), 1e-3) / case.layout.devices),
        log2_devices=math.log2(case.layout.devices),
        log2_time=math.log2(max(time_s, LEAST_TIME_S)),
        log2_prompt=log2_tokens(case.prompt_tokens),
        log2_output=log2_tokens(case.output_tokens),
        shares=shares,
        log_residual=residual,
        quantity=one.quantity,
        measured=one.measured,
        predicted=asked.value,
        low80=asked.low80,
        high80=asked.high80,
        set_index=one.set_index,
        measurement_index=one.measurement_index,
    )


def log2_tokens(tokens: float) -> float:
    """Logarithm (base 2) of the tokens of a prompt or an answer, which may be missing."""
    return math.log2(max(tokens, 1.0))


def arrangement_of(case: ServingCase) -> str:
    """How devices share the work beyond tensor and pipeline parallelism."""
    if case.load == "disaggregated":
        return "pools"
    if case.layout.data_parallel > 1:
        return "groups"
    return "experts" if case.layout.expert_parallel > 1 else "one"


def training_arrangement(tensor: int, pipeline: int, context: int, expert: int) -> str:
    """How tensors, layers, sequences and experts of a training run are cut."""
    return f"{tensor}×{pipeline}×{context}×{expert}"


def _value(values: dict[str, Answer], metric: str) -> float:
    answer = values.get(metric)
    return 0.0 if answer is None or answer.value is None else answer.value


def running(case: ServingCase, values: dict[str, Answer], step_s: float) -> float:
    """Sequences that decode at once in one replica: the concurrency, else by Little's law."""
    replicas = max(case.layout.replicas, 1.0)
    if case.concurrency > 0 and case.load != "open_loop":
        return case.concurrency / replicas
    return max(_value(values, "output_tokens_per_s") * step_s / replicas, 1.0)


def precision_of(case: ServingCase) -> str:
    """Format of the feed-forward weights, where most of them are."""
    return formats_of_case(case).expert


def _training_point(one: Observation, case: TrainingCase, context: Context) -> LocalPoint | None:
    step = predicted(msgspec.structs.replace(case, metric="step_time"), context)
    asked = predicted(case, context) if case.metric != "step_time" else step
    if not np.isfinite(asked.value) or asked.value <= 0 or not np.isfinite(step.value):
        return None
    residual = math.log(one.measured / asked.value) * (-1.0 if one.is_rate else 1.0)
    if abs(residual) > FARTHEST_LOG:
        return None
    copies = max(case.devices // (case.tensor_parallel * case.pipeline_parallel * case.context_parallel), 1)
    batch = max(case.global_batch, copies) * case.sequence_length / case.devices
    return LocalPoint(
        phase="training",
        model=model_signature(case.model),
        accelerator=case.accelerator,
        engine=case.framework or context.calibration.training.default_framework,
        precision=case.recipe,
        arrangement=training_arrangement(
            case.tensor_parallel, case.pipeline_parallel, case.context_parallel, case.expert_parallel
        ),
        release=one.release,
        month=one.month,
        log2_batch=math.log2(max(batch, 1.0)),
        log2_devices=math.log2(case.devices),
        log2_time=math.log2(max(step.value, LEAST_TIME_S)),
        log2_prompt=log2_tokens(case.sequence_length),
        shares=tuple(training_shares(case_step(case, context))[:, 0].tolist()),
        log_residual=residual,
        quantity=one.quantity,
        measured=one.measured,
        predicted=asked.value,
        low80=asked.low80,
        high80=asked.high80,
        set_index=one.set_index,
        measurement_index=one.measurement_index,
    )


def noise_variance(points: Sequence[LocalPoint], noise_log_sd: float, pools_noise_log_sd: float) -> Floats:
    """Variance of each point's residual that no other case shares."""
    return np.array([(pools_noise_log_sd if one.arrangement == "pools" else noise_log_sd) ** 2 for one in points])
