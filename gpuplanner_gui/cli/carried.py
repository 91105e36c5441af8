"""What a project brings along that this installation has otherwise, for the commands that read one."""

from __future__ import annotations

import argparse

from gpuplanner_gui.domain.scenario import Project
from gpuplanner_gui.drawing.carried import both_text, brought, carried_lines, headlines_of_both, with_own_figures
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.files.catalogs import load_catalog

MOST_LINES = 40
"""Of `plan`; `check` prints all."""


def add_own_figures_option(command: argparse.ArgumentParser) -> None:
    """--own-figures."""
    command.add_argument(
        "--own-figures", action="store_true", help="plan with this installation's catalogue where the file differs"
    )


def own_project(project: Project) -> Project:
    """The project planned with this installation's own figures."""
    return with_own_figures(project, load_catalog())


def are_figures_carried(answers: tuple[Results, ...]) -> bool:
    """Whether a file brings figures that this installation has otherwise."""
    return any(brought(one.catalog, one.scenario) for one in answers)


def carried_text(answers: tuple[Results, ...], own: tuple[Results, ...]) -> list[str]:
    """Every figure that the file brings, and what its headline results are with this installation's own."""
    lines = carried_lines(answers[0].catalog, [one.scenario for one in answers])
    text = [tr("This file brings its own figures, and they are used here:")]
    text += [f"    {line}" for line in lines[:MOST_LINES]]
    if len(lines) > MOST_LINES:
        text.append("    " + tr("… and {count} more; check lists all.").format(count=len(lines) - MOST_LINES))
    for results, other in zip(answers, own, strict=True):
        pairs = headlines_of_both(results.scenario, results.plan, other.plan)
        text += [f"    {results.scenario.name}: {both_text(one, mine, results.catalog)}" for one, mine in pairs]
    return [*text, tr("With --own-figures your own are used.")]
