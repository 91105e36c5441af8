"""Published rows without tokens asked the way a planner asks: samples a second and latency by the plan.

    python -m tools.fidelity.sample_rows [--left-out] [--every N]

One request kind of one class on one device; a single stream is one user. With `--left-out` each row is planned by a
fit that has not seen its group of model and accelerator. Rates under a contest's latency limits are not asked.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator

import msgspec
import numpy as np

from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.domain.model import Model, ModelKind, Precision
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.serving_engine import InferenceStacks, StackEffect
from gpuplanner_gui.domain.traffic import Traffic
from gpuplanner_gui.domain.workload import (
    EngineSettings,
    RequestClass,
    RequestKind,
    ServingEngine,
    ServingWorkload,
    Slo,
)
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.deployments import formats_of_case
from gpuplanner_gui.engine.serving.plan import serving_plan
from gpuplanner_gui.engine.serving.predict.door import settled_formats
from gpuplanner_gui.engine.serving.samples import sample_flop
from tools.fidelity.report_text import error_cells
from tools.fit_inference.fit import design_of, fitted_effects, folds_of
from tools.fit_inference.problem import inference_problem
from tools.fit_serving.tables import MeasuredCase, measured_cases
from tools.repository import shipped_context

KINDS: dict[ModelKind, RequestKind] = {
    "diffusion": "image", "encoder": "document", "cnn": "classification", "vision_transformer": "classification",
}  # fmt: skip
ENGINES: dict[str, ServingEngine] = {"tensorrt": "trtllm", "fastertransformer": "trtllm"}
"""TensorRT-LLM is FasterTransformer's successor, and stands for NVIDIA's compiled models."""
LONG_S = 1e6
PRECISIONS: tuple[Precision, ...] = ("bf16", "fp32", "tf32", "fp8", "int8", "int4")
ASKED = ("samples_per_s", "e2e_p90", "e2e_mean")


def scenario_of(case: ServingCase) -> Scenario | None:
    """The row's service on one device; None where a plan can't say it."""
    model, request = case.model, KINDS.get(case.model.kind)
    if request is None or case.counts_tokens:
        return None
    prompt = case.prompt_tokens
    if request == "document" and not prompt:
        prompt = _length_of(model, case.sample_flop or model.flop_per_sample)
    elif request != "document" and case.sample_flop and case.sample_flop != model.flop_per_sample:
        return None
    one = RequestClass(
        request=request, peak_rate_per_s=1e-3, prompt_tokens=max(prompt, 1.0),
        slos=(Slo(metric="e2e", percentile=90.0, limit_s=LONG_S),),
    )  # fmt: skip
    alone = case.single_stream or case.concurrency == 1
    batch = 1 if alone else int(case.concurrency) or 256
    named = formats_of_case(case).ffn
    stored = next((one for one in PRECISIONS if one == named and named != "fp16"), PRECISIONS[0])
    serving = ServingWorkload(
        classes=(one,), weight_precisions=(stored,), kv_precisions=("bf16",),
        traffic=Traffic(arrivals="users", users=1.0, think_time_s=1.0) if alone else Traffic(burstiness_cv=1.0),
        engine=EngineSettings(engine=ENGINES.get(case.software, "generic"), max_sequences=batch),
    )  # fmt: skip
    hardware = HardwareChoice(
        accelerators=(case.accelerator,), include_end_of_life=True, licensed_for_data_centres=False,
        max_devices_per_replica=1,
    )  # fmt: skip
    return Scenario(name=case.case_id, model=model, serving=serving, hardware=hardware)


def _length_of(model: Model, flop: float) -> float:
    lengths = np.arange(1.0, 2049.0)
    return float(lengths[np.argmin(np.abs(sample_flop(model, lengths) - flop))])


def planned_value(one: MeasuredCase, context: Context) -> float:
    """What the plan says of the row's metric, in its unit; NaN without an answer."""
    (case,) = settled_formats([one.case], context)
    scenario = scenario_of(case)
    if scenario is None:
        return float("nan")
    answer = serving_plan(scenario, context, lambda: None)
    table, row = answer.table, int(answer.table.order[0])
    if not table.fits[row]:
        return float("nan")
    if case.metrics[0] == "samples_per_s":
        return float(table.max_rate_per_s[row]) * max(case.layout.devices_stated, case.layout.replicas, 1)
    batch = max(case.concurrency, 1.0)
    return float(table.e2e_mean_s[row] if batch == 1 else batch / table.max_rate_per_s[row])


def compared(cases: list[MeasuredCase], context: Context) -> Iterator[tuple[MeasuredCase, float]]:
    """Rows with the logarithm of measured over planned."""
    for one in cases:
        found, question = planned_value(one, context), one.questions[0]
        if found > 0 and question.measured:
            yield one, float(np.log(question.measured / question.per_si_unit / found))


def left_out_stacks(context: Context) -> Iterator[tuple[set[str], InferenceStacks]]:
    """Groups, and stacks of a fit without them."""
    cases, _ = measured_cases("inference", context.catalog, context.calibration)
    problem = inference_problem(cases, context)
    stacks = context.calibration.stacks
    design = design_of(problem.traits, problem.is_of_samples)
    folds = folds_of(problem.groups)
    for fold in range(int(folds.max()) + 1):
        vector = fitted_effects(problem, design, stacks.usual, folds != fold)
        logs: dict[object, dict[str, float]] = defaultdict(dict)
        for (parameter, key), value in zip(design.keys, vector, strict=True):
            logs[key][parameter] = float(value)
        effects = tuple(StackEffect(**vars(key), logs=own) for key, own in logs.items())
        groups = {group for group, own in zip(problem.groups, folds, strict=True) if own == fold}
        yield groups, msgspec.structs.replace(stacks, effects=effects)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--left-out", action="store_true")
    parser.add_argument("--every", type=int, default=1)
    asked = parser.parse_args()
    context = shipped_context()
    cases, _ = measured_cases("inference", context.catalog, context.calibration)
    rows = [one for one in cases if one.case.load == "samples" and one.case.metrics[0] in ASKED][:: asked.every]
    found: list[tuple[MeasuredCase, float]] = []
    if asked.left_out:
        for groups, stacks in left_out_stacks(context):
            calibration = msgspec.structs.replace(context.calibration, stacks=stacks)
            found += compared([one for one in rows if one.group in groups], Context(context.catalog, calibration))
    else:
        found = list(compared(rows, context))
    for metric in ("", *ASKED):
        _print_errors(metric or "all", [log for one, log in found if metric in ("", one.case.metrics[0])])
    _print_errors("set-ups", once_each(found))
    print(f"of {len(rows)} rows")


def once_each(found: list[tuple[MeasuredCase, float]]) -> list[float]:
    """The middle logarithm of each set-up: what was submitted to several rounds unchanged counts once."""
    by_setup: dict[tuple[object, ...], list[float]] = defaultdict(list)
    for one, log in found:
        case = one.case
        setup = (
            case.model.name, case.accelerator, case.dense_format, case.software, case.concurrency, case.metrics,
            case.prompt_tokens, case.sample_flop, case.single_stream, case.layout.devices_stated, case.layout.replicas,
        )  # fmt: skip
        by_setup[setup].append(log)
    return [float(np.median(logs)) for logs in by_setup.values()]


def _print_errors(title: str, found: list[float]) -> None:
    if found:
        count, middle, high, bias = error_cells(np.expm1(-np.array(found)))
        print(f"{title:14} {count:>4}: median {middle}, 90th percentile {high}, bias {bias}")


if __name__ == "__main__":
    main()
