"""Where a project brings figures of its own along: what they are, and what this installation has instead."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.field_change import FieldChange
from gpuplanner_gui.domain.plan import Finding
from gpuplanner_gui.drawing.language import listed, tr
from gpuplanner_gui.drawing.results import Results, Workload
from gpuplanner_gui.drawing.words.pack import value_text

MOST_FIGURES = 4
"""Named in one sentence."""
MOST_ENTRIES = 5
WARNING, SERIOUS = 1, 2


def carried_lines(catalog: Catalog) -> list[str]:
    """Every figure that the project brings and this installation has otherwise, with both values: a line each."""
    lines = []
    for one in catalog.carried:
        if one.code == "missing":
            lines.append(tr("{name}: only in this file; your catalogue does not know it.").format(name=one.name))
            continue
        lines += [f"{one.name}: {_figure_text(figure)}." for figure in one.figures]
    return lines


def carried_findings(results: Results) -> Iterator[Finding]:
    """Serious where the recommended device's figures are the file's; one warning for all others, and for own prices."""
    best: dict[str, Workload] = {}
    for workload in results.workloads():
        answer = results.answer(workload)
        if answer is not None and answer.best >= 0:
            best.setdefault(results.plan.accelerators[int(answer.table.accelerator[answer.best])], workload)
    others = []
    for one in results.catalog.carried:
        recommended_for = best.get(one.accelerator)
        if recommended_for is None:
            others.append(one.name)
            continue
        shown = listed([_figure_text(figure) for figure in one.figures[:MOST_FIGURES]])
        more = len(one.figures) - MOST_FIGURES
        if more > 0:
            shown += " " + tr("and {count} more").format(count=more)
        code = "carried_device" if one.code == "missing" else "carried_figures"
        yield Finding(
            code=code, severity=SERIOUS, workload=recommended_for, values={"device": one.name, "figures": shown}
        )
    if others:
        names = listed(others[:MOST_ENTRIES]) + (" …" if len(others) > MOST_ENTRIES else "")
        yield Finding(code="carried_entries", severity=WARNING, workload="both", values={"names": names})


def _figure_text(figure: FieldChange) -> str:
    return tr("{title} is {carried} in this file, {own} in your catalogue").format(
        title=tr(figure.title), carried=value_text(figure, figure.after), own=value_text(figure, figure.before)
    )
