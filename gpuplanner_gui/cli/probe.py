"""`gpuplanner probe [-o FILE]`: write the probe, one file that measures a machine with nothing but PyTorch."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from gpuplanner_gui.files.measurements.probe import PROBE_NAME, save_probe


def add_parser(subparsers: Any) -> None:
    """Mount the command."""
    command = subparsers.add_parser("probe", help="write a script that measures a machine", description=__doc__)
    command.add_argument("-o", "--out", type=Path, default=Path(PROBE_NAME), help=f"file to write ({PROBE_NAME})")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the script and say what to do with it."""
    save_probe(arguments.out)
    print(f"Written: {arguments.out}. Carry it to the machine and run it there with a Python that has PyTorch:")
    print(f"    python {arguments.out.name} --dry-run     says what it would do")
    print(f"    python {arguments.out.name}               three minutes, writes gpuplanner-probe.json")
    print("Then bring that file back: gpuplanner measurements gpuplanner-probe.json, or drop it on the window.")
    return 0
