"""`gpuplanner gain A B`: what accelerator B gains over A in training, prefill and decoding, with and without FP8."""

from __future__ import annotations

import argparse
import dataclasses
import math
from pathlib import Path
from typing import Any, get_args

import msgspec

from gpuplanner_gui.cli.json_text import json_text
from gpuplanner_gui.cli.names import add_model_option, named_accelerator, named_model, positive
from gpuplanner_gui.cli.tables import aligned
from gpuplanner_gui.domain.catalog import Catalog, merged_with_snapshot
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.phase_gain import PhaseGains, PhaseTime
from gpuplanner_gui.domain.plan import Resource
from gpuplanner_gui.domain.workload import ServingEngine
from gpuplanner_gui.drawing.gain_rows import gain_rows, gain_sentence, measured_rows, peak_text
from gpuplanner_gui.drawing.rows import Rows
from gpuplanner_gui.engine.phases.gains import gains, speeds, work_of
from gpuplanner_gui.engine.phases.speeds import PhaseWork
from gpuplanner_gui.files.catalogs import load_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import load_project


def add_parser(subparsers: Any) -> None:
    """Mount the command."""
    command = subparsers.add_parser("gain", help="compare two accelerators phase by phase", description=__doc__)
    command.add_argument("first", metavar="A", help="an accelerator, such as a100-80gb")
    command.add_argument("second", metavar="B", help="the one compared with it")
    add_model_option(command)
    command.add_argument("--project", type=Path, metavar="FILE.gpuplan", help="model and load of its first scenario")
    command.add_argument("--prompt", type=positive, metavar="TOKENS", help="prompt of the prefill (default 1024)")
    command.add_argument("--context", type=positive, metavar="TOKENS", help="context while decoding (default 1152)")
    command.add_argument("--engine", choices=get_args(ServingEngine), help="default vllm")
    command.add_argument("--json", action="store_true", help="print JSON, in SI base units")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the gains, the datasheets' ratios, and what was published of the pair."""
    catalog, calibration = load_catalog(), load_calibration()
    catalog, model, work = _subject(arguments, catalog)
    first, second = (named_accelerator(catalog, name) for name in (arguments.first, arguments.second))
    found = gains(speeds(model, catalog, calibration, work), first, second, catalog)
    if arguments.json:
        print(json_text(as_json(found, model)))
    else:
        print("\n".join(as_text(found, model, catalog)))
    return 0


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


def as_text(found: PhaseGains, model: Model, catalog: Catalog) -> list[str]:
    """Sentence, tables and the datasheets' ratios as lines."""
    head = f"{model.name}, prompts of {found.prompt_tokens:,.0f} tokens, contexts of {found.context_tokens:,.0f} tokens"
    lines = [gain_sentence(found, catalog), head, "", _table(gain_rows(found, catalog)), "", peak_text(found)]
    if found.measured:
        lines += ["", "Published results of the pair", _table(measured_rows(found))]
    return lines


def _table(rows: Rows) -> str:
    return aligned([column.title for column in rows.columns], [[str(cell) for cell in row] for row in rows.cells])


def as_json(found: PhaseGains, model: Model) -> dict[str, Any]:
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
