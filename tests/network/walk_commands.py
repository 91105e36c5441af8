"""Runs every command of the command line on an example.

python -m tests.network.walk_commands PROJECT FOLDER [--guard]
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

from tests.network.walk_window import guard

REPOSITORY = Path(__file__).resolve().parents[2]
CONFIG = REPOSITORY / "tests/files/model_import/configs/llama-3.1-8b.json"
TRACE = REPOSITORY / "tests/files/traces/data/azure-llm-2024.constructed.csv"
MEASURED = REPOSITORY / "tests/files/measurements/samples/table.constructed.csv"
TRAINING = REPOSITORY / "resources/examples/7b-continued-pretraining.gpuplan"
BENCHMARKS = REPOSITORY / "tests/fidelity/data/measured-serving-dev.csv.gz"


def cases_in(folder: Path) -> Path:
    """A benchmark table of one row."""
    path = folder / "cases.csv"
    with gzip.open(BENCHMARKS, "rt", encoding="utf-8") as table:
        path.write_text(table.readline() + table.readline(), encoding="utf-8")
    return path


def main() -> int:
    project, folder = sys.argv[1], Path(sys.argv[2])
    if "--guard" in sys.argv:
        guard()
    from gpuplanner_gui.cli import main as run
    from tests.short_runs import shorten

    shorten()

    commands = (
        ["check", project], ["plan", project, "--top", "3"], ["plan", project, "--json"], ["diff", project, project],
        ["report", project, "-o", str(folder / "plan.html"), "--plots", str(folder / "plots")],
        ["model", str(CONFIG)], ["trace", str(TRACE)], ["measurements", str(MEASURED)], ["pack", "list"],
        ["flags", project], ["roofline", project], ["load", project], ["gain", "nvidia-h100-sxm", "nvidia-h200-sxm"],
        ["fits", "nvidia-h100-sxm"], ["formats"], ["scaling", str(TRAINING)], ["layouts", str(TRAINING)],
        ["predict", str(cases_in(folder)), "--out", str(folder / "predictions.csv")],
    )  # fmt: skip
    for command in commands:
        status = run(command)
        if status:
            print(f"{command[0]} ended with {status}", file=sys.stderr)
            return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
