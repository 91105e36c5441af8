"""The pages of Money & risk that draw costs: terms, and training and serving side by side."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from gpuplanner_gui.desktop.pages.plot_page import PlotPage
from gpuplanner_gui.desktop.widgets.labels import plain_label
from gpuplanner_gui.domain.decision import OwnershipAnswer
from gpuplanner_gui.drawing.decision_rows import (
    api_sentence,
    closed_text,
    commitment_text,
    energy_text,
    investment_text,
    levers_text,
    unit_costs_text,
)
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.plots.base import Plot
from gpuplanner_gui.drawing.plots.cost import CostPlot, ResourceUsePlot
from gpuplanner_gui.drawing.plots.ownership import OwnedPartsPlot, TermsPlot
from gpuplanner_gui.drawing.plots.shared_fleet import SharedFleetPlot
from gpuplanner_gui.drawing.plots.strategies import PaidUsedPlot, StrategiesPlot, TimelinePlot
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.words.decision import assumed_text

LAST_ROW = 90
"""Of the page's grid: below every plot."""


class CostPage(PlotPage):
    """Cost by candidate at once; terms, parts of an owned hour and figures without a picture when they are known."""

    follows = ("decision",)
    is_tall = True
    least_height = 190
    wanted = ("ownership",)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.facts, self.closed = (plain_label("", self, wraps=True) for _ in range(2))
        self.closed.setObjectName("quiet")
        for place, label in enumerate((self.closed, self.facts)):
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            label.setContentsMargins(12, 0, 8, 0)
            label.hide()
            self._grid.addWidget(label, LAST_ROW + place, 0, 1, 2)

    def draw(self, context: Results) -> None:
        found = context.decision.ownership if context.decision is not None else {}
        lines = [line for answer in found.values() for line in _lines(answer, context, len(found) > 1) if line]
        lines += [one for one in (api_sentence(context),) if one and found]
        self.facts.setText("\n".join(lines))
        self.facts.setVisible(bool(lines))
        closed = [_titled(one, closed_text(one), len(found) > 1) for one in found.values()]
        self.closed.setText("\n".join(one for one in closed if one))
        self.closed.setVisible(bool(self.closed.text()))
        super().draw(context)

    def plots_for(self, context: Results) -> tuple[str, ...]:
        workloads = context.workloads()
        known = context.decision.ownership if context.decision is not None else {}
        terms = tuple(f"terms:{one}" for one in workloads if one in known)
        owned = tuple(f"owned:{one}" for one in workloads if one in known) if len(workloads) < 2 else ()
        return (*workloads, *terms, *owned)

    def make_plot(self, name: str) -> Plot:
        kind, _, workload = name.partition(":")
        makers: dict[str, Callable[[], Plot]] = {
            "terms": partial(TermsPlot, workload),
            "owned": partial(OwnedPartsPlot, workload),
        }
        return makers[kind]() if workload else CostPlot(kind, rows=9)


def _lines(answer: OwnershipAnswer, context: Results, names_workload: bool) -> list[str]:
    makers = (unit_costs_text, levers_text, commitment_text, investment_text, energy_text)
    parts = [*(text(answer) for text in makers), assumed_text(answer, context.scenario)]
    return [_titled(answer, "\n".join(part for part in parts if part), names_workload)]


def _titled(answer: OwnershipAnswer, text: str, names_workload: bool) -> str:
    """The text, with its workload before it where there are two."""
    title = tr("Serving: ") if answer.workload == "serving" else tr("Training: ")
    return f"{title}{text}" if names_workload and text else text


AT_ONCE, KNOWN = ("use", "fleet"), ("strategies", "paid", "timeline", "use")
"""Before fleets are weighed over the horizon, a run and a month stand for it."""


class SideBySidePage(PlotPage):
    """Strategies and their timeline, above what is paid for and what is used."""

    follows = ("decision",)
    is_tall = True
    wanted = ("fleets",)
    least_height = 270

    def plots_for(self, context: Results) -> tuple[str, ...]:
        return KNOWN if context.known.fleets is not None else AT_ONCE

    def make_plot(self, name: str) -> Plot:
        makers: dict[str, Callable[[], Plot]] = {
            "strategies": StrategiesPlot,
            "paid": PaidUsedPlot,
            "timeline": TimelinePlot,
            "use": ResourceUsePlot,
            "fleet": SharedFleetPlot,
        }
        return makers[name]()
