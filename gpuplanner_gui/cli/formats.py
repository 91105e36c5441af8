"""`gpuplanner formats [ACCELERATOR …]`: which number formats run natively, emulated or not at all, by engine."""

from __future__ import annotations

import argparse
from typing import Any, get_args

from gpuplanner_gui.cli.json_text import json_text
from gpuplanner_gui.cli.names import named_accelerator
from gpuplanner_gui.cli.tables import aligned
from gpuplanner_gui.domain.precision_support import SUPPORTED_OPERATIONS, FormatSupport, Support
from gpuplanner_gui.domain.workload import ServingEngine
from gpuplanner_gui.drawing.format_rows import ENGINE_NAMES, OPERATION_NAMES, format_table
from gpuplanner_gui.engine.model.precision_support import support_matrix
from gpuplanner_gui.files.catalogs import load_catalog
from gpuplanner_gui.files.precision_support import load_precision_support


def add_parser(subparsers: Any) -> None:
    """Mount the command."""
    command = subparsers.add_parser("formats", help="which number formats run where", description=__doc__)
    command.add_argument("accelerators", nargs="*", metavar="ACCELERATOR", help="such as a100-80gb (default: all)")
    command.add_argument("--engine", choices=get_args(ServingEngine), default="vllm", help="default vllm")
    command.add_argument("--for", dest="operation", choices=SUPPORTED_OPERATIONS, default="products", help="operation")
    command.add_argument("--json", action="store_true", help="print JSON: all operations, with sources")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the matrix of one engine."""
    catalog, support = load_catalog(), load_precision_support()
    names = [named_accelerator(catalog, name) for name in arguments.accelerators] or list(catalog.accelerators)
    chosen = [catalog.accelerators[name] for name in names]
    if arguments.json:
        cells = support_matrix(support, (arguments.engine,), chosen)
        print(json_text([as_json(one) for one in cells]))
        return 0
    rows = format_table(support, chosen, arguments.engine, arguments.operation)
    engine = ENGINE_NAMES.get(arguments.engine, arguments.engine)
    print(
        f"{OPERATION_NAMES[arguments.operation]} under {engine}; in brackets: the hardware's own, nothing is recorded."
    )
    print(aligned([column.title for column in rows.columns], [[str(cell) for cell in row] for row in rows.cells]))
    return 0


def as_json(one: FormatSupport) -> dict[str, Any]:
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
