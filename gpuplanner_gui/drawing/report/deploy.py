"""The hand-off: commands for those who deploy, with what no flag says."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplanner_gui.domain.launch import Launch
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.report.model import Block, Code, Section, clean, paragraph, section, table, words
from gpuplanner_gui.drawing.report.summary import WORKLOAD_TITLES
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.words.launch import (
    command_text,
    launches_of,
    notes_of,
    setting_name,
    setting_value,
    status_name,
    variable_lines,
)


def deploy_sections(results: Results) -> Iterator[Section]:
    for workload in results.workloads():
        blocks = [block for launch in launches_of(results, workload) for block in launch_blocks(results, launch)]
        title = tr("Deploy: {workload}").format(workload=tr(WORKLOAD_TITLES[workload]).lower())
        yield from section(title, blocks)


def launch_blocks(results: Results, launch: Launch) -> Iterator[Block | None]:
    """One launcher's command, what stands for what, its settings where a flag does not say all."""
    yield paragraph(launch.name, "strong")
    if launch.is_possible:
        yield Code(clean(command_text(launch)))
        yield paragraph(" · ".join(variable_lines(launch, results.scenario.model.name)), "quiet")
    for note in notes_of(launch):
        yield paragraph(note)
    rows = [
        (words(setting_name(one.code)), words(setting_value(one)), words(status_name(one)))
        for one in launch.settings
        if one.status not in ("given", "by_default")
    ]
    title = tr("{name}: settings without a flag").format(name=launch.name)
    yield table(title, (tr("Setting"), tr("Value"), tr("How")), rows)
    text = tr("Flags as of {date}: {sources}").format(date=launch.date, sources=" ".join(launch.sources))
    yield paragraph(text, "quiet")
