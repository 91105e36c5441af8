"""Measured cases nearest to a plan: how far each is, and in what it differs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.measurement import Measurement, MeasurementContext, missing_context
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.evidence.posterior import model_signature
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.engine.training.model_numbers import sample_tokens

OTHER_MODEL, OTHER_DEVICE, OTHER_ENGINE, OTHER_PRECISION = 1.0, 1.0, 0.5, 0.5
"""What another one adds to the distance by itself; a doubling of devices adds 1."""
OF_DEVICES, OF_BATCH, OF_LENGTH = 1.0, 0.5, 0.25
"""What a doubling adds: of devices, of what each of them works on at once, and of prompt or answer."""
UNKNOWN_NUMBER = 1.0
"""Where one of both does not say."""
LEAST_DIFFERENCE = 0.25
"""Least part of the distance that is named."""


@dataclass(frozen=True)
class Subject:
    """A plan's candidate as a measured case."""

    model: Model
    context: MeasurementContext
    workload: str


@dataclass(frozen=True)
class Neighbour:
    """A measured case and what lies between it and the plan."""

    index: int
    """Among the measurements that were given."""
    distance: float
    """0: the same case; 1: as far as twice the devices."""
    differences: tuple[str, ...]
    """Fields of the context that differ, the farthest first."""


def nearest(
    subject: Subject, measured: Sequence[Measurement], catalog: Catalog, most: int, of_kind: int = 3
) -> tuple[Neighbour, ...]:
    """The nearest measurements of the subject's workload, nearest first.

    Those without their whole context, or of models and accelerators that the catalogue does not know, are left out;
    `of_kind` limits how many of one model, accelerator, engine and precision are taken, so that a sweep does not fill
    the answer.
    """
    measure = _Measure(subject, catalog)
    found = [one for one in (measure.neighbour(index, run) for index, run in enumerate(measured)) if one is not None]
    found.sort(key=lambda one: one.distance)
    taken: dict[tuple[str, ...], int] = {}
    chosen: list[Neighbour] = []
    for one in found:
        context = measured[one.index].context
        kind = (context.model, context.accelerator, context.engine, context.weight_precision)
        taken[kind] = taken.get(kind, 0) + 1
        if taken[kind] <= of_kind:
            chosen.append(one)
        if len(chosen) == most:
            break
    return tuple(chosen)


def serving_subject(scenario: Scenario, plan: Plan, candidate: int) -> Subject:
    """A serving candidate at its planned load. The plan must answer serving."""
    table = plan.served.table
    tensor, pipeline = int(table.tensor_parallel[candidate]), int(table.pipeline_parallel[candidate])
    batch = float(table.batch[candidate])
    context = MeasurementContext(
        accelerator=plan.accelerators[int(table.accelerator[candidate])],
        devices=tensor * pipeline,
        weight_precision=plan.precisions[int(table.weight_precision[candidate])],
        engine=scenario.service.engine.engine,
        tensor_parallel=tensor,
        pipeline_parallel=pipeline,
        load="closed_loop",
        concurrency=batch if math.isfinite(batch) else 0.0,
        prompt_tokens=plan.served.mean_prompt_tokens,
        output_tokens=plan.served.mean_output_tokens,
    )
    return Subject(scenario.model, context, "serving")


def training_subject(scenario: Scenario, plan: Plan, candidate: int) -> Subject:
    """A training layout. The plan must answer training."""
    job, table = scenario.training, plan.trained.table
    assert job is not None
    length = sample_tokens(scenario.model, job.sequence_length)
    context = MeasurementContext(
        accelerator=plan.accelerators[int(table.accelerator[candidate])],
        devices=int(table.devices[candidate]),
        weight_precision=job.recipe,
        engine=job.framework,
        sequence_length=length,
        global_batch=max(round(job.global_batch_tokens / length), 1),
    )
    return Subject(scenario.model, context, "training")


class _Measure:
    """Distances from one subject; facts of models and accelerators are looked up once."""

    def __init__(self, subject: Subject, catalog: Catalog) -> None:
        self._subject = subject
        self._catalog = catalog
        self._models: dict[str, float] = {}
        self._devices: dict[str, float] = {}
        self._signature = model_signature(subject.model)

    def neighbour(self, index: int, run: Measurement) -> Neighbour | None:
        there = run.context
        is_training = "training" in run.phases
        if is_training != (self._subject.workload == "training") or there.operation or missing_context(run):
            return None
        if there.model not in self._catalog.models or there.accelerator not in self._catalog.accelerators:
            return None
        parts = self._parts(there)
        named = sorted(
            (name for name, value in parts.items() if value >= LEAST_DIFFERENCE), key=lambda one: -parts[one]
        )
        return Neighbour(index, sum(parts.values()), tuple(named))

    def _parts(self, there: MeasurementContext) -> dict[str, float]:
        here = self._subject.context
        parts = {
            "model": self._of_model(there.model),
            "accelerator": self._of_device(there.accelerator),
            "engine": OTHER_ENGINE * (here.engine != there.engine),
            "weight_precision": OTHER_PRECISION * (here.weight_precision != there.weight_precision),
            "devices": OF_DEVICES * _doublings(_copy(here), _copy(there)),
        }
        if self._subject.workload == "training":
            parts["sequence_length"] = OF_LENGTH * _doublings(here.sequence_length, there.sequence_length)
            parts["global_batch"] = OF_BATCH * _doublings(_tokens(here), _tokens(there))
        else:
            parts["concurrency"] = OF_BATCH * _doublings(_running(here), _running(there))
            parts["prompt_tokens"] = OF_LENGTH * _doublings(here.prompt_tokens, there.prompt_tokens)
            parts["output_tokens"] = OF_LENGTH * _doublings(here.output_tokens, there.output_tokens)
        return parts

    def _of_model(self, name: str) -> float:
        if name not in self._models:
            model, own = self._catalog.models[name].model, self._subject.model
            if model_signature(model) == self._signature:
                self._models[name] = 0.0
            else:
                here, there = model_parameters(own), model_parameters(model)
                self._models[name] = (
                    OTHER_MODEL
                    + 0.5 * _doublings(float(here.total), float(there.total))
                    + 0.5 * _doublings(float(here.active), float(there.active))
                )
        return self._models[name]

    def _of_device(self, name: str) -> float:
        if name not in self._devices:
            own = self._subject.context.accelerator
            there, here = self._catalog.accelerators[name], self._catalog.accelerators.get(own)
            faster = _doublings(here.memory_bandwidth_bytes_per_s, there.memory_bandwidth_bytes_per_s) if here else 1.0
            self._devices[name] = 0.0 if own == name else OTHER_DEVICE + faster
        return self._devices[name]


def _doublings(here: float, there: float) -> float:
    """Doublings between two numbers, either of which may be unknown."""
    if here <= 0 or there <= 0:
        return UNKNOWN_NUMBER
    return abs(math.log2(there / here))


def _copy(context: MeasurementContext) -> float:
    """Devices of one copy where that is stated, else all of them."""
    if not context.load:
        return float(context.devices)
    stated = context.tensor_parallel * max(context.pipeline_parallel, 1) * max(context.data_parallel, 1)
    return float(stated or context.devices)


def _running(context: MeasurementContext) -> float:
    """Requests at once on each device."""
    return context.concurrency / max(context.devices, 1)


def _tokens(context: MeasurementContext) -> float:
    """Tokens of a training step on each device."""
    return context.global_batch * context.sequence_length / max(context.devices, 1)


LARGEST = 1e9


def sizes_in(shape: str, names: Sequence[str]) -> tuple[float, ...]:
    """The named sizes, in their order; empty where one is missing or is no whole number above 0."""
    words = dict(word.split("=", 1) for word in shape.split() if word.count("=") == 1)
    texts = [words.get(name, "") for name in names]
    if not all(text.isascii() and text.isdigit() and len(text) <= 10 for text in texts):
        return ()
    found = tuple(float(text) for text in texts)
    return found if all(0 < size <= LARGEST for size in found) else ()
