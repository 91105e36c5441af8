"""`gpuplanner model CONFIG.json`: what a model's config file says about its size."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from gpuplanner_gui.cli.json_text import json_text
from gpuplanner_gui.cli.tables import aligned
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.engine.model.model_summary import model_summary
from gpuplanner_gui.files.model_import import ImportFinding, read_model

FINDINGS = {
    "checkpoint_size_agrees": "The checkpoint's index states {stated}, as counted.",
    "checkpoint_size_differs": "The checkpoint's index states {stated}, but {counted} are counted.",
    "checkpoint_size_unknown": "The checkpoint's index states no size.",
}


def add_parser(subparsers: Any) -> None:
    """Mount the command."""
    command = subparsers.add_parser("model", help="read a model's config.json", description=__doc__)
    command.add_argument("config", type=Path, help="a config.json, or a diffusion pipeline's model_index.json")
    command.add_argument("--index", type=Path, help="the checkpoint's *.safetensors.index.json, to check the size")
    command.add_argument("--json", action="store_true", help="print JSON, in bytes and counts")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print architecture, parameters, cache per token and weights per precision."""
    imported = read_model(arguments.config, arguments.index)
    summary = model_summary(imported.model)
    if arguments.json:
        summary["findings"] = [{"code": finding.code, **finding.values} for finding in imported.findings]
        print(json_text(summary))
    else:
        print(model_text(summary, imported.findings))
    return 0


def model_text(summary: dict[str, Any], findings: tuple[ImportFinding, ...] = ()) -> str:
    """The summary as a person reads it, exact counts beside rounded sizes."""
    rows = [
        ("Architecture", f"{summary['architecture']} ({summary['kind'].replace('_', ' ')})", ""),
        ("Parameters", *_count(summary["total_params"])),
        ("Active per token", *_count(summary["active_params"])),
        ("KV cache per token, BF16", *_size(summary["kv_bytes_per_token"])),
    ]
    if summary["kv_bytes_per_token_beyond_window"] != summary["kv_bytes_per_token"]:
        rows.append(("  beyond the windows", *_size(summary["kv_bytes_per_token_beyond_window"])))
    for key, title in (
        ("indexer_bytes_per_token", "Indexer cache per token"),
        ("fixed_state_bytes_per_sequence", "Fixed state per sequence"),
        ("cross_attention_bytes_per_sequence", "Encoder cache per sequence"),
    ):
        if summary[key]:
            rows.append((title, *_size(summary[key])))
    rows += [(f"Weights, {precision}", *_size(size)) for precision, size in summary["weight_bytes"].items()]
    lines = [aligned((summary["name"], "", ""), rows, right=frozenset({1, 2}))]
    lines += [_finding_text(finding) for finding in findings]
    for key, heading in (("assumed", "Assumed:"), ("not_understood", "Not understood:")):
        if summary[key]:
            lines.append("\n".join([heading, *(f"  {text}" for text in summary[key])]))
    return "\n".join(lines)


def _count(count: int) -> tuple[str, str]:
    return format_value(float(count), "param", 4), f"{count:,}"


def _size(size: float) -> tuple[str, str]:
    return format_value(float(size), "bytes on disk", 4), f"{size:,.0f} bytes"


def _finding_text(finding: ImportFinding) -> str:
    sizes = {name.partition("_")[0]: format_value(size, "bytes on disk", 4) for name, size in finding.values.items()}
    return FINDINGS[finding.code].format(**sizes)
