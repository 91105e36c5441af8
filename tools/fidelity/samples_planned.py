"""How well the plan itself answers published results of images, documents and classified images.

    python -m tools.fidelity.samples_planned

Each row becomes a scenario whose candidate of the row's device and format is read back: rates of full batches as the
rate that a replica carries at most, latencies of single samples from next to no load. The plan knows no software that a
row names beside the engine. Stacks are refitted ten times, each time without a tenth of the groups of model and
accelerator, and those groups are asked of that fit. Prints the scores and writes `build/fidelity/samples_planned.md`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from gpuplanner_gui.domain.economics import Economics, FleetTerms
from gpuplanner_gui.domain.inference_stack import InferenceStacks, StackEffect
from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.serving_case import ServingCase
from gpuplanner_gui.domain.workload import (
    Availability,
    EngineSettings,
    RequestClass,
    RequestKind,
    ServingWorkload,
    Slo,
    Traffic,
)
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.plan import serving_plan
from gpuplanner_gui.engine.serving.predict.layouts import settled_formats
from gpuplanner_gui.engine.serving.predict.samples import USUAL_BATCH
from gpuplanner_gui.engine.serving.predict.sizes import devices_of
from gpuplanner_gui.engine.serving.samples import MODELS_OF
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from tools.fidelity.inference import OUTPUT
from tools.fidelity.planned_rows import LONG_LIMIT_S, weight_precision
from tools.fidelity.serving import markdown, percent
from tools.fit_inference.fit import Design, design_of, fitted_effects
from tools.fit_inference.left_out import FOLDS, folds_of
from tools.fit_inference.problem import inference_problem
from tools.fit_serving.tables import MeasuredCase, measured_cases

ALONE_PER_S = 1e-4
RATES = ("samples_per_s", "requests_per_s")


@dataclass(frozen=True)
class PlannedSample:
    """A row beside the plan's answer; logarithm of planned over measured, NaN where the plan refuses."""

    kind: str
    metric: str
    software: str
    log: float


def request_kind(case: ServingCase) -> RequestKind | None:
    """What a planner would call the row's samples; None where a plan cannot say it."""
    return next((request for request, kinds in MODELS_OF.items() if case.model.kind in kinds), None)


def scenario_of(case: ServingCase, request: RequestKind, is_rate: bool) -> Scenario:
    """What a planner would type in."""
    model, steps = case.model, 0
    if case.sample_flop and request == "image":
        passes = model.flop_per_sample // model.training_flop_per_sample / model.denoising_steps
        steps = round(case.sample_flop / model.training_flop_per_sample / passes)
    requests = RequestClass(
        peak_rate_per_s=ALONE_PER_S,
        request=request,
        prompt_tokens=max(case.prompt_tokens, 1.0),
        denoising_steps=steps,
        slos=(Slo(metric="e2e", percentile=50.0, limit_s=1e4 * LONG_LIMIT_S),),
    )
    batch = int(case.concurrency or (1 if case.single_stream else USUAL_BATCH))
    serving = ServingWorkload(
        classes=(requests,),
        traffic=Traffic(burstiness_cv=1.0),
        availability=Availability(spare_replicas=0, target_utilisation=1.0),
        engine=EngineSettings(engine="generic", max_sequences=batch if is_rate else 1),
        weight_precisions=(weight_precision(case),),
        kv_precisions=("bf16",),
    )
    hardware = HardwareChoice(
        accelerators=(case.accelerator,),
        max_devices_per_replica=1,
        include_end_of_life=True,
        licensed_for_data_centres=False,
        min_memory_headroom=0.0,
    )
    bare_metal = Economics(fleets=FleetTerms(serving_virtualisation_loss=0.0))
    return Scenario(name=case.case_id, model=model, serving=serving, hardware=hardware, economics=bare_metal)


def planned(one: MeasuredCase, context: Context) -> PlannedSample | None:
    """A row asked of the plan; None where a plan cannot express it."""
    case, question = settled_formats([one.case], context)[0], one.questions[0]
    request, is_rate = request_kind(case), question.asked in RATES
    is_alone = question.asked.startswith("e2e") and (case.single_stream or case.concurrency == 1.0)
    if request is None or not question.measured or not (is_rate or is_alone) or case.counts_tokens:
        return None
    table = serving_plan(scenario_of(case, request, is_rate), context, lambda: None).table
    places = np.flatnonzero(table.accelerator == context.devices.ids.index(case.accelerator))
    runs = [place for place in places if Reason(int(table.reason[place])) in (Reason.NONE, Reason.NO_PRICE)]
    log = float("nan")
    if runs:
        value = table.max_rate_per_s[runs[0]] * float(devices_of([case])[0]) if is_rate else table.e2e_mean_s[runs[0]]
        log = float(np.log(value / (question.measured / question.per_si_unit)))
    return PlannedSample(case.model.kind, question.asked, case.software or case.engine, log)


def refitted(stacks: InferenceStacks, design: Design, vector: np.ndarray) -> InferenceStacks:
    """The stacks with the effects of another fit."""
    found: dict[object, dict[str, float]] = defaultdict(dict)
    for (parameter, key), value in zip(design.keys, vector, strict=True):
        found[key][parameter] = float(value)
    effects = tuple(StackEffect(**vars(key), logs=logs) for key, logs in found.items())
    return msgspec.structs.replace(stacks, effects=effects)


def main() -> None:
    catalog, calibration = load_shipped_catalog(), load_calibration()
    shipped = Context(catalog, calibration)
    cases, _ = measured_cases("inference", catalog, calibration)
    problem = inference_problem(cases, shipped)
    design = design_of(problem.traits, problem.is_of_samples)
    folds, stacks, rows = folds_of(problem.groups), calibration.stacks, []
    for fold in range(FOLDS):
        out = folds == fold
        vector = fitted_effects(problem, design, stacks.usual, ~out)
        left = msgspec.structs.replace(calibration, stacks=refitted(stacks, design, vector))
        context = Context(catalog, left)
        for position in np.flatnonzero(out & problem.is_of_samples):
            found = planned(problem.cases[position], context)
            rows += [] if found is None else [found]
    report(rows)


def report(rows: Sequence[PlannedSample]) -> None:
    """Print and write scores by kind of model and metric."""
    classes: dict[str, list[PlannedSample]] = defaultdict(list)
    for row in rows:
        is_rate = row.metric in RATES
        for name in ("all", f"{row.kind}, {'rate' if is_rate else 'latency'}", f"software {row.software}"):
            classes[name].append(row)
    lines = []
    for name, members in sorted(classes.items()):
        logs = np.array([row.log for row in members])
        known = logs[np.isfinite(logs)]
        size = np.abs(np.expm1(known)) if len(known) else np.array([np.nan])
        bias = np.median(np.expm1(known)) if len(known) else np.nan
        lines.append([name, str(len(members)), str(len(members) - len(known)), percent(float(np.median(size))),
                      percent(float(np.quantile(size, 0.9))), percent(float(bias))])  # fmt: skip
    head = ["rows of", "rows", "refused", "median error", "90th percentile", "median bias"]
    text = "\n".join(["# Samples on the plan's path, groups left out", "", *markdown(head, lines), ""])
    OUTPUT.mkdir(parents=True, exist_ok=True)
    (OUTPUT / "samples_planned.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
