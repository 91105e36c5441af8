"""`gpuplanner model CONFIG.json`: what a model's config file says about its size."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from gpuplanner_gui.engine.model_summary import model_summary
from gpuplanner_gui.files.model_import import import_model


def add_parser(subparsers: Any) -> None:
    """Mount the command."""
    command = subparsers.add_parser("model", help="read a model's config.json", description=__doc__)
    command.add_argument("config", type=Path, help="a Hugging Face config.json")
    command.add_argument("--json", action="store_true", help="print JSON, in bytes and counts")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print architecture, parameters, cache per token and weights per precision."""
    summary = model_summary(import_model(arguments.config))
    if arguments.json:
        print(json.dumps(summary, indent=2))
        return 0
    print(f"{summary['name']}: {summary['architecture']} ({summary['kind']})")
    return 0
