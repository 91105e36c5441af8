"""What accelerators can do: which formats run, what one gains over another, what its memory holds."""

from __future__ import annotations

import argparse
import dataclasses
import math
from pathlib import Path
from typing import Any, get_args

import msgspec
import numpy as np

from gpuplanner_gui.cli.terminal import (
    ENGINE,
    JSON,
    MODEL,
    NameProblem,
    aligned_rows,
    command,
    json_text,
    named_accelerator,
    named_model,
    option,
    positive,
    positive_count,
    print_answers,
)
from gpuplanner_gui.domain.catalog import Catalog, merged_with_snapshot
from gpuplanner_gui.domain.curves import MemoryPart, PhaseGains, PhaseTime, ServingLimits
from gpuplanner_gui.domain.model import Model, Precision
from gpuplanner_gui.domain.plan import Resource
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.serving_engine import SUPPORTED_OPERATIONS, FormatSupport, Support
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.workload import EngineSettings, RequestClass, ServingEngine, ServingWorkload
from gpuplanner_gui.drawing.format_rows import OPERATION_NAMES, format_table
from gpuplanner_gui.drawing.gain_rows import beside_text, gain_rows, gain_sentence, measured_rows, work_text
from gpuplanner_gui.drawing.limit_rows import limit_rows
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import accelerator_name, precision_name, recompute_name, training_layout
from gpuplanner_gui.drawing.words.choices import words_of_choice
from gpuplanner_gui.engine.context import Context, context_of
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.engine.model.precision import PRECISIONS, support_matrix
from gpuplanner_gui.engine.phases.gains import gains, speeds, work_of
from gpuplanner_gui.engine.phases.speeds import PhaseWork
from gpuplanner_gui.engine.serving.candidates import ServingCandidates, serving_candidates
from gpuplanner_gui.engine.serving.limits import limits_of
from gpuplanner_gui.engine.training.sweeps import largest_model
from gpuplanner_gui.files.catalogs import load_catalog
from gpuplanner_gui.files.knowledge import load_calibration, load_precision_support
from gpuplanner_gui.files.project import load_project


@command(
    "formats", "show which number formats run on which accelerators",
    option("accelerators", nargs="*", metavar="ACCELERATOR", help="such as a100-80gb (default: all)"),
    ENGINE,
    option("--for", dest="operation", choices=SUPPORTED_OPERATIONS, default="products", help="operation"),
    option("--json", action="store_true", help="print JSON: all operations, with sources"),
)  # fmt: skip
def formats(arguments: argparse.Namespace) -> int:
    """`gpuplanner formats [ACCELERATOR …]`: which number formats run natively, emulated or not at all, by engine."""
    catalog, support = load_catalog(), load_precision_support()
    names = [named_accelerator(catalog, name) for name in arguments.accelerators] or list(catalog.accelerators)
    chosen = [catalog.accelerators[name] for name in names]
    if arguments.json:
        cells = support_matrix(support, (arguments.engine,), chosen)
        print(json_text([_format_json(one) for one in cells]))
        return 0
    rows = format_table(support, chosen, arguments.engine, arguments.operation)
    engine = words_of_choice(arguments.engine)
    print(
        f"{OPERATION_NAMES[arguments.operation]} under {engine}; in brackets: the hardware's own, nothing is recorded."
    )
    print(aligned_rows(rows))
    return 0


def _format_json(one: FormatSupport) -> dict[str, Any]:
    """A cell with its levels as names."""
    return {
        "accelerator": one.accelerator,
        "engine": one.engine,
        "precision": one.precision,
        "operation": one.operation,
        "hardware": Support(one.hardware).name.lower(),
        "support": Support(one.level).name.lower(),
        "is_recorded": one.is_recorded,
        "note": one.note,
        "source": one.source,
    }


@command(
    "gain", "compare two accelerators by phase",
    option("first", metavar="A", help="an accelerator, such as a100-80gb"),
    option("second", metavar="B", help="the accelerator compared with it"),
    MODEL,
    option("--project", type=Path, metavar="FILE.gpuplan", help="use the model and load of its first scenario"),
    option("--prompt", type=positive, metavar="TOKENS", help="prompt tokens of the prefill (default 1024)"),
    option("--context", type=positive, metavar="TOKENS", help="context tokens of a decode step (default 1152)"),
    option("--engine", choices=get_args(ServingEngine), help="serving engine (default vllm)"),
    JSON,
)  # fmt: skip
def gain(arguments: argparse.Namespace) -> int:
    """`gpuplanner gain A B`: what B gains over A in training, prefill and decoding, with and without FP8."""
    catalog, calibration = load_catalog(), load_calibration()
    catalog, model, work = _subject(arguments, catalog)
    first, second = (named_accelerator(catalog, name) for name in (arguments.first, arguments.second))
    found = gains(speeds(model, catalog, calibration, work), first, second, catalog)
    return print_answers(arguments, lambda: _gain_json(found, model), lambda: _gain_text(found, model, catalog))


def _subject(arguments: argparse.Namespace, catalog: Catalog) -> tuple[Catalog, Model, PhaseWork]:
    """What is asked about: a project's model and load, or those of the options."""
    work = PhaseWork()
    if arguments.project is not None:
        project = load_project(arguments.project)
        catalog = merged_with_snapshot(catalog, project.catalog)
        model, work = project.scenarios[0].model, work_of(project.scenarios[0])
    else:
        model = named_model(catalog, arguments.model)
    stated = {
        "prompt_tokens": arguments.prompt, "context_tokens": arguments.context, "engine": arguments.engine,
    }  # fmt: skip
    return catalog, model, dataclasses.replace(work, **{name: value for name, value in stated.items() if value})


def _gain_text(found: PhaseGains, model: Model, catalog: Catalog) -> list[str]:
    """Sentence, tables and the datasheets' ratios as lines."""
    head = work_text(found, model.name)
    rows, beside = aligned_rows(gain_rows(found, catalog)), beside_text(found, catalog)
    lines = [gain_sentence(found, catalog), head, "", rows, "", beside]
    if found.measured:
        lines += ["", "Published results of the pair", aligned_rows(measured_rows(found))]
    return lines


def _gain_json(found: PhaseGains, model: Model) -> dict[str, Any]:
    """Everything, codes as names, unknown numbers as null."""
    return {
        "model": model.name,
        "first": found.first,
        "second": found.second,
        "prompt_tokens": found.prompt_tokens,
        "context_tokens": found.context_tokens,
        "peak_ratio": found.peak_ratio,
        "gains": [
            {
                "phase": one.phase,
                "batch": one.batch or None,
                "fp8_allowed": one.is_fp8_allowed,
                "devices": one.devices or None,
                "gain": one.gain,
                "low80": one.low80,
                "high80": one.high80,
                "first": _json_time(one.first),
                "second": _json_time(one.second),
            }
            for one in found.gains
        ],
        "measured": [msgspec.to_builtins(one) for one in found.measured],
    }


def _json_time(time: PhaseTime) -> dict[str, Any]:
    runs = math.isfinite(time.time_s)
    return {
        "time_s": time.time_s,
        "precision": time.precision if runs else None,
        "is_emulated": time.is_emulated if runs else None,
        "limit": Resource(time.limit).name.lower() if runs else None,
        "missing_bytes": time.missing_bytes,
        "runs_out_at": time.runs_out_at.name.lower() if time.runs_out_at and not runs else None,
    }


DEFAULT_WEIGHTS = "bf16,fp8,int4"
MOST_DEVICES = 16
ANY_TRAINING = TrainingWorkload(tokens=1e9)
"""The usual job; how many tokens it sees does not matter to memory."""
LAYOUT = ("tensor_parallel", "pipeline_parallel", "data_parallel", "zero_stage", "micro_batch", "recompute")


@command(
    "fits", "show what fits in an accelerator's memory",
    option("accelerator", metavar="ACCELERATOR", help="an accelerator, such as h200"),
    MODEL,
    option("--devices", type=positive_count, metavar="N", help="only replicas of this many devices"),
    option("--weights", default=DEFAULT_WEIGHTS, metavar="A,B", help=f"weight formats (default {DEFAULT_WEIGHTS})"),
    option("--kv", default="bf16", metavar="A", help="format of the KV cache (default bf16)"),
    option("--batch", type=positive, default=1.0, metavar="N", help="concurrent sequences (default 1)"),
    option("--context", type=positive, default=4096.0, metavar="TOKENS", help="tokens of each sequence (default 4096)"),
    ENGINE,
    option("--train", type=positive_count, metavar="N", help="show the largest model that N devices can train"),
    JSON,
)  # fmt: skip
def fits(arguments: argparse.Namespace) -> int:
    """`gpuplanner fits ACCELERATOR`: the largest model, context and batch that its memory holds, and what it lacks."""
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
    return print_answers(
        arguments,
        lambda: _fits_json(limits, candidates, name, model),
        lambda: _fits_text(limits, candidates, name, model, catalog),
    )


def _formats(text: str, one: bool = False) -> tuple[Precision, ...]:
    """Number formats of a list with commas. Raises NameProblem."""
    names = tuple(word.strip().lower() for word in text.split(",") if word.strip())
    unknown = [name for name in names if name not in PRECISIONS]
    if unknown or not names or (one and len(names) > 1):
        known = ", ".join(PRECISIONS)
        raise NameProblem(f"{text!r} is not a number format{'' if one else ' or list of them'}. Known are {known}.")
    return names  # type: ignore[return-value]


def _candidates(context: Context, name: str, scenario: Scenario, devices: int | None) -> ServingCandidates:
    """Tensor-parallel layouts of one accelerator that the heads and the scale-up domain allow."""
    serving, index = scenario.service, context.devices.ids.index(name)
    every = serving_candidates(1, serving.weight_precisions, serving.kv_precisions, devices or MOST_DEVICES)
    every = dataclasses.replace(every, accelerator=np.full(len(every), index))
    heads = context.heads(scenario.model) or every.tensor_parallel
    keep = (every.pipeline_parallel == 1) & (heads % every.tensor_parallel == 0)
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
    heads, domain = context.heads(scenario.model), int(max(1.0, float(context.devices.together[index])))
    name = scenario.model.name
    if devices and heads and heads % devices:
        return f"The {heads} heads of {name} do not divide by {devices} devices."
    if devices and devices > domain:
        return f"A scale-up domain has {domain} devices, fewer than {devices}. Choose --devices {domain}."
    if devices and devices & (devices - 1):
        return f"Replicas have 1, 2, 4, 8 and so on devices, not {devices}."
    formats = ", ".join(precision_name(one) for one in scenario.service.weight_precisions)
    cache = precision_name(scenario.service.kv_precisions[0])
    return f"The engine is not known to run {name} on it with weights in {formats} and a KV cache in {cache}."


def _fits_text(
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
    return [head, "", aligned_rows(rows)]


def _fits_json(limits: ServingLimits, candidates: ServingCandidates, name: str, model: Model) -> dict[str, Any]:
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
                "missing_bytes": limits.missing_bytes[row],
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
