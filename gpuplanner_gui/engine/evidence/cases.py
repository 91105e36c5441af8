"""Imported measurements as the cases that the shipped model predicts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import get_args

from gpuplanner_gui.domain.benchmark import (
    UNKNOWN,
    PoolLayout,
    ProductFormat,
    ServingCase,
    ServingMetric,
    TrainingCase,
    TrainingMetric,
)
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.knowledge import Calibration, LocalPhase
from gpuplanner_gui.domain.measurement import Figure, Measurement, MeasurementContext, missing_context
from gpuplanner_gui.domain.model import Precision
from gpuplanner_gui.domain.training_workload import TrainingRecipe
from gpuplanner_gui.engine.model.parameters import model_parameters


@dataclass(frozen=True)
class Observation:
    """One figure of a measurement with the case that predicts it."""

    phase: LocalPhase
    quantity: str
    measured: float
    case: ServingCase | TrainingCase
    metric: str
    is_rate: bool = False
    """Higher is faster: the residual of the time has the other sign."""
    set_index: int = 0
    measurement_index: int = 0
    release: str = ""
    month: str = ""


SERVED: dict[LocalPhase, tuple[tuple[str, str, bool], ...]] = {
    "decode": (
        ("tpot", "tpot_mean", False),
        ("itl", "itl_mean", False),
        ("decode_tokens_per_s", "decode_tokens_per_s", True),
        ("output_tokens_per_s", "output_tokens_per_s", True),
        ("total_tokens_per_s", "total_tokens_per_s", True),
        ("e2e", "e2e_mean", False),
    ),
    "prefill": (("ttft", "ttft_mean", False), ("prefill_tokens_per_s", "prefill_tokens_per_s", True)),
}
"""Quantities that tell of a phase, the surest first, with the engine's metric."""
TRAINED: tuple[tuple[str, TrainingMetric, bool], ...] = (
    ("step_time", "step_time", False),
    ("training_tokens_per_s", "tokens_per_s", True),
    ("model_flop_per_s_per_device", "model_flop_per_s_per_device", True),
)
MIDDLES = ("mean", "p50")
RECIPES: dict[str, TrainingRecipe] = {"fp8_block": "fp8", "nvfp4": "fp4", "mxfp4": "fp4"}
MOST_QUEUED = 8.0
"""Requests at once of a replica up to which their TTFT tells of prefill."""
_MONTH = re.compile(r"(20[0-9]{2})-(0[1-9]|1[0-2])")
LEAST_ANSWER = 32.0
"""Tokens from which an answer's whole time tells of its decoding."""


def observations(measurement: Measurement, catalog: Catalog, calibration: Calibration) -> tuple[Observation, ...]:
    """What a measurement says of each phase: at most one figure for each, the surest that it holds.

    Empty where its context is incomplete, the catalogue lacks its model or accelerator, or the engine has no such case.
    """
    context = measurement.context
    is_known = context.model in catalog.models and context.accelerator in catalog.accelerators
    if missing_context(measurement) or not is_known or context.operation:
        return ()
    found: list[Observation] = []
    if measurement.context.load:
        case = _serving_case(measurement.context, catalog, calibration)
        for phase, quantities in SERVED.items():
            found += _surest(phase, quantities, measurement, case)[:1]
    if "training" in measurement.phases:
        found += _trained(measurement, catalog, calibration)[:1]
    return tuple(found)


def _surest(
    phase: LocalPhase, quantities: Sequence[tuple[str, str, bool]], measurement: Measurement, case: ServingCase
) -> list[Observation]:
    found = []
    for quantity, metric, is_rate in quantities:
        if quantity in ("e2e", "total_tokens_per_s", "output_tokens_per_s") and case.output_tokens < LEAST_ANSWER:
            continue
        if quantity == "e2e" and case.load not in ("batch", "closed_loop"):
            continue
        if quantity == "ttft" and not is_prompt_alone(case):
            continue
        one = middle(measurement.figures, quantity)
        if one is not None and one.value > 0:
            measured = on_bare_metal(one.value, is_rate, measurement.context.virtualisation_loss)
            found.append(_dated(Observation(phase, quantity, measured, case, metric, is_rate), measurement.context))
    return found


def on_bare_metal(measured: float, is_rate: bool, loss: float) -> float:
    """What a run on virtual machines would have measured without them.

    A plan adds the loss of the machines that it is for: a measurement that holds one already would count it twice.
    """
    return measured / (1.0 - loss) if is_rate else measured * (1.0 - loss)


def month_of(date: str) -> str:
    """The month of a date YYYY-MM-DD; none where it is missing."""
    return date[:7] if date[4:5] == "-" else ""


def _year(date: str) -> float:
    """The year of a date YYYY-MM-DD with the month as a fraction; 0 where it is missing."""
    found = _MONTH.match(date)
    return int(found[1]) + (int(found[2]) - 1) / 12 if found else 0.0


def _dated(one: Observation, context: MeasurementContext) -> Observation:
    return replace(one, release=context.engine_version, month=month_of(context.measured_on))


def is_prompt_alone(case: ServingCase) -> bool:
    """True where a TTFT is a prefill rather than a queue: few requests at once, or a rate below saturation."""
    if case.load == "open_loop":
        return True
    return 0 < case.concurrency / max(case.layout.replicas, 1.0) <= MOST_QUEUED


def middle(figures: Sequence[Figure], quantity: str) -> Figure | None:
    """The mean of a quantity, else its median."""
    for statistic in MIDDLES:
        for one in figures:
            if (one.quantity, one.statistic) == (quantity, statistic):
                return one
    return None


def _serving_case(context: MeasurementContext, catalog: Catalog, calibration: Calibration) -> ServingCase:
    model = catalog.models[context.model].model
    known = {facts.engine for facts in calibration.engines}
    kv = context.kv_precision if context.kv_precision in get_args(Precision) else None
    return ServingCase(
        case_id="",
        model=model,
        accelerator=context.accelerator,
        engine=context.engine if context.engine in known else "generic",
        load=context.load or "batch",
        layout=_layout(context, model_parameters(model).routed_experts > 0),
        dense_format=_format(context.weight_precision),
        kv_precision=kv,  # type: ignore[arg-type]
        prompt_tokens=context.prompt_tokens,
        output_tokens=context.output_tokens,
        concurrency=context.concurrency,
        rate_per_s=context.rate_per_s,
        requests=context.requests,
        release=context.engine_version,
        year=_year(context.measured_on),
        single_stream=context.concurrency == 1.0,
        metrics=METRICS,
    )


METRICS: tuple[ServingMetric, ...] = (
    "ttft_mean", "tpot_mean", "itl_mean", "e2e_mean", "output_tokens_per_s", "total_tokens_per_s",
    "prefill_tokens_per_s", "decode_tokens_per_s",
)  # fmt: skip


def _format(precision: str) -> ProductFormat:
    return precision if precision in get_args(ProductFormat) else ""  # type: ignore[return-value]


def _layout(context: MeasurementContext, has_experts: bool) -> PoolLayout:
    """The stated layout; if none is stated, copies of the fewest devices that hold the model."""
    devices = context.devices
    tp, pp, dp = context.tensor_parallel, max(context.pipeline_parallel, 1), max(context.data_parallel, 1)
    if not tp and devices > 1:
        return PoolLayout(replicas=0.0, devices_stated=devices)
    tp = max(tp, 1)
    experts = max(context.expert_parallel, 1)
    if not has_experts or (tp * dp) % experts:
        experts = 1
    return PoolLayout(
        tensor_parallel=tp,
        pipeline_parallel=pp,
        data_parallel=dp if has_experts else 1,
        expert_parallel=experts,
        expert_tensor_parallel=max(1, (tp * (dp if has_experts else 1)) // experts),
        replicas=max(1.0, devices // (tp * pp * (dp if has_experts else 1))),
        devices_stated=devices,
    )


def _trained(measurement: Measurement, catalog: Catalog, calibration: Calibration) -> list[Observation]:
    context, found = measurement.context, []
    for quantity, metric, is_rate in TRAINED:
        one = middle(measurement.figures, quantity)
        if one is None or one.value <= 0:
            continue
        case = training_case(context, metric, catalog, calibration)
        measured = on_bare_metal(one.value, is_rate, context.virtualisation_loss)
        found.append(_dated(Observation("training", quantity, measured, case, metric, is_rate), context))
    return found


def training_case(
    context: MeasurementContext, metric: TrainingMetric, catalog: Catalog, calibration: Calibration
) -> TrainingCase:
    """The run that a context describes; its model is in the catalogue."""
    frameworks = {facts.framework for facts in calibration.training.frameworks}
    return TrainingCase(
        case_id="",
        model=catalog.models[context.model].model,
        accelerator=context.accelerator,
        devices=context.devices,
        metric=metric,
        sequence_length=context.sequence_length,
        global_batch=context.global_batch,
        micro_batch=context.micro_batch or UNKNOWN,
        tensor_parallel=max(context.tensor_parallel, 1),
        pipeline_parallel=max(context.pipeline_parallel, 1),
        context_parallel=max(context.context_parallel, 1),
        expert_parallel=max(context.expert_parallel, 1),
        recipe=RECIPES.get(context.weight_precision, _recipe(context.weight_precision)),
        framework=context.engine if context.engine in frameworks else calibration.training.default_framework,
    )


def _recipe(precision: str) -> TrainingRecipe:
    return precision if precision in get_args(TrainingRecipe) else "bf16"  # type: ignore[return-value]
