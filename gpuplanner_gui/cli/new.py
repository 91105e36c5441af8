"""`gpuplanner new CONFIG.json -o FILE.gpuplan`: the guided start without a window; each question is an option."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from gpuplanner_gui import api
from gpuplanner_gui.cli.names import NameProblem
from gpuplanner_gui.cli.tables import aligned


def add_parser(subparsers: Any) -> None:
    """Mount the command."""
    command = subparsers.add_parser("new", help="begin a project from a model and a few answers", description=__doc__)
    command.add_argument("model", metavar="CONFIG.json|NAME", help="a model's config.json, or a model of the catalogue")
    command.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="the .gpuplan file to write")
    command.add_argument("--name", default="", help="of the scenario; else the model's")
    command.add_argument("--force", action="store_true", help="write over a file that is there")
    for question in api.QUESTIONS:
        option = f"--{question.name.replace('_', '-')}"
        if question.name == "may_stop":
            command.add_argument(option, dest=question.name, action="store_true", default=None, help=question.help)
        else:
            command.add_argument(option, dest=question.name, choices=question.choices or None, help=question.help)
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the project; list what was not asked for and stands as it is by default."""
    given = {one.name: getattr(arguments, one.name) for one in api.QUESTIONS}
    if arguments.output.exists() and not arguments.force:
        raise NameProblem(f"{arguments.output.name} is there already. Choose another name, or add --force.")
    try:
        model = api.read_model(arguments.model)
        answers = {name: value for name, value in given.items() if value is not None}
        scenario = api.new_scenario(model, name=arguments.name, **answers)
    except api.StartProblem as problem:
        raise NameProblem(str(problem)) from None
    api.save(scenario, arguments.output)
    print(f"{arguments.output.name}: {scenario.name}. Next: gpuplanner plan {arguments.output.name}")
    defaults = api.defaults_of(scenario, given)
    if defaults:
        rows = [(f"--{one.name.replace('_', '-')}", text, one.help) for one, text in defaults]
        print("\nNot given, so taken by default:")
        print(aligned(("option", "taken", "what it is"), rows))
    return 0
