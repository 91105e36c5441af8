"""Runs every command of the command line on an example.

python -m tests.network.walk_commands PROJECT FOLDER [--guard]
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.network.walk_window import guard

REPOSITORY = Path(__file__).resolve().parents[2]
CONFIG = REPOSITORY / "tests/files/model_import/configs/llama-3.1-8b.json"
TRACE = REPOSITORY / "tests/files/traces/data/azure-llm-2024.constructed.csv"
MEASURED = REPOSITORY / "tests/files/measurements/samples/table.constructed.csv"


def main() -> int:
    project, folder = sys.argv[1], Path(sys.argv[2])
    if "--guard" in sys.argv:
        guard()
    from gpuplanner_gui.cli import main as run

    commands = (
        ["check", project], ["plan", project, "--top", "3"], ["plan", project, "--json"], ["diff", project, project],
        ["report", project, "-o", str(folder / "plan.html"), "--plots", str(folder / "plots")],
        ["model", str(CONFIG)], ["trace", str(TRACE)], ["measurements", str(MEASURED)], ["pack", "list"],
    )  # fmt: skip
    for command in commands:
        status = run(command)
        if status:
            print(f"{command[0]} ended with {status}", file=sys.stderr)
            return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
