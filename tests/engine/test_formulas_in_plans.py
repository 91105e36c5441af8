"""Every formula that the handbook tells computes something of a plan: each is in the trace of one of these.

Formulas of money are held by `tests/engine/decision/test_formulas_in_use.py`.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.benchmark import PoolLayout, ServingCase
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.traffic import Traffic
from gpuplanner_gui.domain.training_workload import Checkpoints, Parallelism, TrainingWorkload
from gpuplanner_gui.domain.workload import Availability, EngineSettings, RequestClass, ServingWorkload, Slo
from gpuplanner_gui.engine import load_curve, plan, roofline
from gpuplanner_gui.engine.context import Context, context_of
from gpuplanner_gui.engine.decision import doors
from gpuplanner_gui.engine.explaining.formula import ENGINE, FORMULAS, tracing
from gpuplanner_gui.engine.explaining.replay import replayed_table
from gpuplanner_gui.engine.fleet.fleet_sizing import fleet_sizing
from gpuplanner_gui.engine.model.model_summary import model_summary
from gpuplanner_gui.engine.serving.limits import plan_limits
from gpuplanner_gui.engine.serving.predict.door import serving_answers
from gpuplanner_gui.engine.training import exploring
from gpuplanner_gui.files.shipped_tables import methods

H100, H200 = "nvidia-h100-sxm-80gb", "nvidia-h200-sxm-141gb"
CHAT = RequestClass(peak_rate_per_s=20.0)
LONG = RequestClass(name="long", peak_rate_per_s=2.0, prompt_tokens=8000.0, output_tokens=50.0, priority=1)
DRAFTS = EngineSettings(speculative_tokens=3)
STRICT = (Slo(metric="ttft", percentile=95, limit_s=2.0), Slo(metric="tpot", percentile=95, limit_s=0.05))
DOCUMENTS = RequestClass(request="document", peak_rate_per_s=500.0)
IMAGES = RequestClass(request="image", peak_rate_per_s=0.1, image_width=512, image_height=512)
RUN = TrainingWorkload(tokens=1e9, global_batch_tokens=1_048_576)


def serving(**changed: Any) -> ServingWorkload:
    return msgspec.structs.replace(ServingWorkload(classes=(CHAT,), weight_precisions=("bf16", "fp8")), **changed)


def training(**changed: Any) -> TrainingWorkload:
    return msgspec.structs.replace(RUN, **changed)


WORK: dict[str, tuple[str, ServingWorkload | None, TrainingWorkload | None]] = {
    "chat": ("llama-3.1-8b", serving(), None),
    "classes": ("llama-3.1-8b", serving(classes=(CHAT, LONG), availability=Availability(zones=3)), None),
    "drafts": ("llama-3.1-8b", serving(engine=DRAFTS), None),
    "bursts": ("llama-3.1-8b", serving(traffic=Traffic(arrivals="mmpp")), None),
    "batch": ("llama-3.1-8b", serving(traffic=Traffic(arrivals="batch")), None),
    "users": ("llama-3.1-8b", serving(traffic=Traffic(arrivals="users", users=200.0)), None),
    "experts": ("mixtral-8x7b", serving(), training(parallelism=Parallelism(expert=8))),
    "pools": (
        "deepseek-v3",
        serving(
            pools="separate",
            engine=EngineSettings(engine="sglang", max_sequences=1024),
            weight_precisions=("fp8",),
            classes=(RequestClass(peak_rate_per_s=20.0, prompt_tokens=2000.0, output_tokens=500.0, slos=STRICT),),
        ),
        None,
    ),
    "turns": ("llama-3.1-8b", serving(engine=EngineSettings(engine="sglang")), None),
    "places": (
        "llama-3.1-8b",
        serving(classes=(RequestClass(peak_rate_per_s=20.0, slos=STRICT),), engine=EngineSettings(max_sequences=16)),
        None,
    ),
    "pictures": (
        "qwen2.5-vl-7b",
        serving(classes=(RequestClass(peak_rate_per_s=1.0, prompt_images=1.0, slos=STRICT),)),
        None,
    ),
    "documents": ("bge-m3", serving(classes=(DOCUMENTS,)), None),
    "images": ("sdxl-1.0", serving(classes=(IMAGES,)), None),
    "many": ("llama-3.1-8b", serving(classes=(RequestClass(peak_rate_per_s=20_000.0),)), None),
    "recurrent": ("nemotron-h-8b", serving(), training()),
    "static": ("llama-3.1-8b", serving(engine=EngineSettings(batching="static"), restartable=True), None),
    "adapter": ("llama-3.1-8b", None, training(method="qlora")),
    "offload": ("llama-3.1-8b", None, training(offload="host", checkpoints=Checkpoints(first_copy="memory"))),
    "pipeline": ("llama-3.1-8b", None, training(schedule="dualpipe", parallelism=Parallelism(pipeline=4))),
}


WITH_OWN_MEASUREMENTS = {
    "evidence.training_own.kept_share", "serving.pace.as_measured_s", "training.memory.reserved_bytes",
}  # fmt: skip
"""Computed with where a planner's own runs stand beside the scenario: `tests/engine/local_fit/`."""


def traced(scenario: Scenario, catalog: Catalog, calibration: Calibration) -> set[str]:
    """Keys of the formulas that candidates and what pages show of them are computed with."""
    planned = plan(scenario, catalog, calibration)
    given = (scenario, catalog, calibration, planned)
    with tracing() as trace:
        for workload, candidate in looked_at(planned):
            replayed_table(scenario, context_of(catalog, calibration), planned, workload, candidate)
        if planned.serving is not None and planned.serving.best >= 0:
            best = planned.serving.best
            load_curve(*given, best)
            plan_limits(*given)
            fleet_sizing(scenario, planned, best)
            roofline(*given, "serving", best)
            doors.ownership(*given)
        if planned.training is not None and planned.training.best >= 0:
            exploring.step_detail(*given, planned.training.best)
            exploring.scaling(scenario, catalog, calibration, H100)
            exploring.fits(*given, planned.training.best)
        model_summary(scenario.model)
    return {call.formula.key for call in trace.calls}


def predicted(catalog: Catalog, calibration: Calibration) -> set[str]:
    """Formulas of published runs that no plan is like: whole batches, full engines, runs that begin empty, samples."""
    kinds: tuple[tuple[str, dict[str, Any]], ...] = (
        ("llama-3.1-8b", {"load": "batch", "concurrency": 8.0, "metrics": ("ttft_mean", "tpot_mean")}),
        ("llama-3.1-8b", {"load": "offline", "metrics": ("output_tokens_per_s",)}),
        ("llama-3.1-8b", {"load": "open_loop", "rate_per_s": 2.0, "requests": 500, "metrics": ("ttft_mean",)}),
        ("resnet-50", {"load": "samples", "metrics": ("samples_per_s",)}),
    )
    cases = [
        ServingCase(
            case_id="c", model=catalog.models[model].model, accelerator=H100, engine="vllm", software="vllm-0.6",
            layout=PoolLayout(), prompt_tokens=512.0, output_tokens=128.0, **changed,
        )
        for model, changed in kinds
    ]  # fmt: skip
    with tracing() as trace:
        serving_answers(cases, Context(catalog, calibration))
    return {call.formula.key for call in trace.calls}


def looked_at(planned: Plan) -> Iterator[tuple[str, int]]:
    """The recommended candidate, the first of the list, and one with separate pools where there is one."""
    for workload, answer in (("serving", planned.serving), ("training", planned.training)):
        if answer is not None:
            yield from ((workload, int(row)) for row in np.unique([*answer.table.order[:2], max(answer.best, 0)]))
    if planned.serving is not None:
        yield from (("serving", int(row)) for row in np.flatnonzero(planned.serving.table.prefill_workers > 0)[:1])


@pytest.fixture(scope="module")
def computed(catalog: Catalog, calibration: Calibration) -> set[str]:
    found: set[str] = set()
    for name, (model, served, trained) in WORK.items():
        hardware = HardwareChoice(accelerators=(H100, H200), max_training_devices=32)
        scenario = Scenario(
            name=name, model=catalog.models[model].model, serving=served, training=trained, hardware=hardware
        )
        found |= traced(scenario, catalog, calibration)
    return found | predicted(catalog, calibration)


def test_every_formula_of_a_method_is_computed_with(computed: set[str]) -> None:
    told = {one for method in methods() for one in method.formulas if not one.startswith("cost.")}
    for module in told:
        importlib.import_module(ENGINE + module)
    formulas = {one.key for one in FORMULAS.values() if one.key.rpartition(".")[0] in told}
    assert formulas - computed - WITH_OWN_MEASUREMENTS == set()
