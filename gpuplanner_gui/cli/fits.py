"""`gpuplanner fits ACCELERATOR`: the largest model, context and batch that its memory holds, and what is missing."""

from __future__ import annotations

import argparse
from typing import Any, get_args

import msgspec
import numpy as np

from gpuplanner_gui.cli.json_text import json_text
from gpuplanner_gui.cli.names import (
    NameProblem,
    add_model_option,
    named_accelerator,
    named_model,
    positive,
    positive_count,
)
from gpuplanner_gui.cli.tables import aligned
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.curves import MemoryPart, ServingLimits
from gpuplanner_gui.domain.model import Model, Precision
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.workload import EngineSettings, RequestClass, ServingEngine, ServingWorkload
from gpuplanner_gui.drawing.limit_rows import limit_rows
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import accelerator_name, precision_name, recompute_name, training_layout
from gpuplanner_gui.engine.context import Context, context_of
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.engine.model.precision import PRECISIONS
from gpuplanner_gui.engine.serving.candidates import ServingCandidates, serving_candidates
from gpuplanner_gui.engine.serving.limits import limits_of
from gpuplanner_gui.engine.training.sweeps import largest_model
from gpuplanner_gui.files.catalogs import load_catalog
from gpuplanner_gui.files.knowledge import load_calibration

DEFAULT_WEIGHTS = "bf16,fp8,int4"
MOST_DEVICES = 16
ANY_TRAINING = TrainingWorkload(tokens=1e9)
"""The usual job; how many tokens it sees does not matter to memory."""
LAYOUT = ("tensor_parallel", "pipeline_parallel", "data_parallel", "zero_stage", "micro_batch", "recompute")


def add_parser(subparsers: Any) -> None:
    """Mount the command."""
    command = subparsers.add_parser("fits", help="what an accelerator's memory holds", description=__doc__)
    command.add_argument("accelerator", metavar="ACCELERATOR", help="such as h200")
    add_model_option(command)
    command.add_argument("--devices", type=positive_count, metavar="N", help="only replicas of so many devices")
    command.add_argument(
        "--weights", default=DEFAULT_WEIGHTS, metavar="A,B", help=f"formats (default {DEFAULT_WEIGHTS})"
    )
    command.add_argument("--kv", default="bf16", metavar="A", help="format of the KV cache (default bf16)")
    command.add_argument("--batch", type=positive, default=1.0, metavar="N", help="sequences at once (default 1)")
    command.add_argument("--context", type=positive, default=4096.0, metavar="TOKENS", help="of each (default 4096)")
    command.add_argument("--engine", choices=get_args(ServingEngine), default="vllm", help="default vllm")
    command.add_argument("--train", type=positive_count, metavar="N", help="instead: the largest model N devices train")
    command.add_argument("--json", action="store_true", help="print JSON, in SI base units")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print a line for every number of devices and format, or for every way to train."""
    catalog, calibration = load_catalog(), load_calibration()
    context = context_of(catalog, calibration)
    name, model = named_accelerator(catalog, arguments.accelerator), named_model(catalog, arguments.model)
    if arguments.train:
        return _print_training(arguments, name, model, context)
    weights, (cache,) = _formats(arguments.weights), _formats(arguments.kv, one=True)
    engine = msgspec.structs.replace(EngineSettings(), engine=arguments.engine)
    serving = ServingWorkload(
        classes=(RequestClass(peak_rate_per_s=1.0),), engine=engine, weight_precisions=weights, kv_precisions=(cache,)
    )
    scenario = Scenario(name=model.name, model=model, serving=serving)
    candidates = _candidates(context, name, scenario, arguments.devices)
    limits = limits_of(scenario, context, candidates, arguments.batch, arguments.context)
    if arguments.json:
        print(json_text(as_json(limits, candidates, name, model)))
    else:
        print("\n".join(as_text(limits, candidates, name, model, catalog)))
    return 0


def _formats(text: str, one: bool = False) -> tuple[Precision, ...]:
    """Number formats of a list with commas. Raises NameProblem."""
    names = tuple(word.strip().lower() for word in text.split(",") if word.strip())
    unknown = [name for name in names if name not in PRECISIONS]
    if unknown or not names or (one and len(names) > 1):
        known = ", ".join(PRECISIONS)
        raise NameProblem(f"{text!r} is no number format{'' if one else ' or list of them'}. Known are {known}.")
    return names  # type: ignore[return-value]


def _candidates(context: Context, name: str, scenario: Scenario, devices: int | None) -> ServingCandidates:
    """Tensor-parallel layouts of one accelerator that the heads and the scale-up domain allow."""
    assert scenario.serving is not None
    serving, index = scenario.serving, context.devices.ids.index(name)
    every = serving_candidates(
        len(context.devices), serving.weight_precisions, serving.kv_precisions, devices or MOST_DEVICES
    )
    heads = context.heads(scenario.model) or every.tensor_parallel
    keep = (every.accelerator == index) & (every.pipeline_parallel == 1) & (heads % every.tensor_parallel == 0)
    keep &= every.tensor_parallel <= max(1.0, float(context.devices.together[index]))
    if devices:
        keep &= every.tensor_parallel == devices
    engine = serving.engine.engine
    keep &= ~context.refused(engine, "products")[every.accelerator, every.weight_precision]
    keep &= ~context.refused(engine, "kv_cache")[every.accelerator, every.kv_precision]
    if not keep.any():
        raise NameProblem(_why_none(context, index, scenario, devices))
    return every.at(np.flatnonzero(keep))


def _why_none(context: Context, index: int, scenario: Scenario, devices: int | None) -> str:
    """What stands against every layout that was asked for."""
    assert scenario.serving is not None
    heads, domain = context.heads(scenario.model), int(max(1.0, float(context.devices.together[index])))
    name = scenario.model.name
    if devices and heads and heads % devices:
        return f"The {heads} heads of {name} do not divide by {devices} devices."
    if devices and devices > domain:
        return f"{devices} devices reach beyond the {domain} of a scale-up domain."
    if devices and devices & (devices - 1):
        return f"Replicas of {devices} devices are not planned with; 1, 2, 4, 8 and so on are."
    formats = ", ".join(precision_name(one) for one in scenario.serving.weight_precisions)
    cache = precision_name(scenario.serving.kv_precisions[0])
    return f"The engine is not known to run {name} on it with weights in {formats} and a KV cache in {cache}."


def as_text(
    limits: ServingLimits, candidates: ServingCandidates, name: str, model: Model, catalog: Catalog
) -> list[str]:
    """The table under a line that says what it is about."""
    rows = limit_rows(
        limits,
        range(len(candidates)),
        [str(count) for count in candidates.devices],
        [PRECISIONS[one] for one in candidates.weight_precision],
        [PRECISIONS[one] for one in candidates.kv_precision],
    )
    size = format_value(limits.model_parameters, "param")
    head = f"{model.name} ({size}) on {accelerator_name(name, catalog)}"
    table = aligned([column.title for column in rows.columns], [[str(cell) for cell in row] for row in rows.cells])
    return [head, "", table]


def as_json(limits: ServingLimits, candidates: ServingCandidates, name: str, model: Model) -> dict[str, Any]:
    """The same in bytes, tokens and parameters; null for what has no limit or does not fit."""
    return {
        "model": model.name,
        "accelerator": name,
        "batch": limits.concurrency,
        "context_tokens": limits.context_tokens,
        "parameters": limits.model_parameters,
        "model_context": limits.model_context or None,
        "replicas": [
            {
                "devices": int(candidates.devices[row]),
                "weights": PRECISIONS[int(candidates.weight_precision[row])],
                "kv_cache": PRECISIONS[int(candidates.kv_precision[row])],
                "free_bytes": limits.free_bytes[row],
                "runs_out_at": MemoryPart(int(limits.runs_out_at[row])).name.lower(),
                "largest_batch": limits.largest_concurrency[row],
                "longest_context_tokens": limits.longest_context[row],
                "largest_parameters": limits.largest_parameters[row],
            }
            for row in range(len(candidates))
        ],
    }


def _print_training(arguments: argparse.Namespace, name: str, model: Model, context: Context) -> int:
    hardware = HardwareChoice(
        accelerators=(name,), training_devices=arguments.train, max_training_devices=arguments.train,
        licensed_for_data_centres=False,
    )  # fmt: skip
    scenario = Scenario(name=model.name, model=model, training=ANY_TRAINING, hardware=hardware)
    found = largest_model(scenario, context, name, arguments.train)
    if found.layout is None:
        raise NameProblem(f"{arguments.train} × {arguments.accelerator} train no model of this kind.")
    parameters = float(model_parameters(model).total)
    if arguments.json:
        layout = {name: int(getattr(found.layout, name)[0]) for name in LAYOUT}
        print(json_text({
            "model": model.name, "accelerator": name, "devices": found.devices, "parameters": parameters,
            "largest_parameters": found.parameters, **layout,
        }))  # fmt: skip
        return 0
    size, own = format_value(found.parameters, "param"), format_value(parameters, "param")
    where = f"{arguments.train} × {accelerator_name(name, context.catalog)}"
    print(f"{where} train up to {size} of the kind of {model.name} ({own}):")
    recomputation = recompute_name(int(found.layout.recompute[0]))
    print(f"{training_layout(found.layout, 0) or 'one device'}, recomputation {recomputation}.")
    return 0
