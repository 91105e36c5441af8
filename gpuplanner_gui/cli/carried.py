"""What a project brings along that this installation has otherwise, for the commands that read one."""

from __future__ import annotations

import argparse

import msgspec

from gpuplanner_gui.domain.catalog import without_changed
from gpuplanner_gui.domain.scenario import Headline, Project
from gpuplanner_gui.drawing.carried import carried_lines
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.units import NOTHING, format_value
from gpuplanner_gui.drawing.words.candidates import headline_name
from gpuplanner_gui.files.catalogs import load_catalog
from gpuplanner_gui.files.project import headlines_of


def add_own_figures_option(command: argparse.ArgumentParser) -> None:
    """--own-figures."""
    command.add_argument(
        "--own-figures", action="store_true", help="plan with this installation's catalogue where the file differs"
    )


def with_own_figures(project: Project) -> Project:
    """The project without the entries that this catalogue has otherwise; those that it lacks stay."""
    return msgspec.structs.replace(project, catalog=without_changed(load_catalog(), project.catalog))


def carried_text(answers: tuple[Results, ...], own: tuple[Results, ...]) -> list[str]:
    """Every figure that the file brings, and what its headline results are with this installation's own."""
    lines = carried_lines(answers[0].catalog) if answers else []
    if not lines:
        return []
    text = [tr("This file brings its own figures, and they are used here:"), *(f"    {line}" for line in lines)]
    for results, other in zip(answers, own):
        text += [f"    {line}" for line in _headlines_of_both(results, other)]
    return [*text, tr("With --own-figures your own are used.")]


def _headlines_of_both(results: Results, own: Results) -> list[str]:
    here = {one.code: one for one in headlines_of(own.scenario, own.plan)}
    sentence = tr("{scenario}: {result} is {carried} with the file's figures, {own} with yours.")
    lines = []
    for one in headlines_of(results.scenario, results.plan):
        other = here.get(one.code)
        if other is None or (other.candidate, other.value) != (one.candidate, one.value):
            values = {"scenario": results.scenario.name, "result": headline_name(one.code)}
            lines.append(sentence.format(**values, carried=_shown(one), own=_shown(other)))
    return lines


def _shown(one: Headline | None) -> str:
    return NOTHING if one is None else f"{format_value(one.value, one.unit)} ({one.candidate})"
