"""Where predicted times go, by resource: what an efficiency of each resource can explain of their error."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.benchmark import ServingCase, TrainingCase
from gpuplanner_gui.domain.local_calibration import SHARES, LocalPhase
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.deployments import case_deployments
from gpuplanner_gui.engine.serving.predict.closed_loop import closed_loop
from gpuplanner_gui.engine.serving.predict.points import column, one_pass, replicas_of
from gpuplanner_gui.engine.serving.rates import rates_of
from gpuplanner_gui.engine.serving.step import StepTimes, step_of
from gpuplanner_gui.engine.training.predict import case_work
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
