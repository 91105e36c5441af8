"""What it costs, what the money is for, and whether to rent or to buy."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from gpuplanner_gui.desktop.views.context import Context, ViewState
from gpuplanner_gui.desktop.views.decision_page import DecisionPlotPage, DecisionView
from gpuplanner_gui.domain.decision import OwnershipAnswer
from gpuplanner_gui.drawing.decision_rows import commitment_text, energy_text, investment_text, unit_costs_text
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.plots.base import Plot
from gpuplanner_gui.drawing.plots.cost import CostPlot
from gpuplanner_gui.drawing.plots.ownership import OwnedPartsPlot, TermsPlot


class CostPage(DecisionView):
    """Plots of costs and terms, above the figures that have no picture."""

    wanted = ("ownership",)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.plots = _CostPlots(self)
        self.plots.candidate_selected.connect(self.candidate_selected)
        self.facts = QLabel(self)
        self.facts.setTextFormat(Qt.TextFormat.PlainText)
        self.facts.setWordWrap(True)
        self.facts.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.facts.setContentsMargins(20, 0, 16, 8)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.plots, 1)
        layout.addWidget(self.facts)
        self._veil.raise_()

    @classmethod
    def page_title(cls) -> str:
        return tr("Cost")

    def draw(self, context: Context) -> None:
        self.plots.show_results(context)
        found = context.decision.ownership if context.decision is not None else {}
        text = "\n".join(line for answer in found.values() for line in _lines(answer, len(found) > 1))
        self.facts.setText(text)
        self.facts.setVisible(bool(text))

    def set_state(self, state: ViewState, message: str = "") -> None:
        super().set_state(state, message)
        if self.context is not None:
            self.plots.set_state(ViewState.CURRENT)


def _lines(answer: OwnershipAnswer, names_workload: bool) -> list[str]:
    first = [unit_costs_text(answer), commitment_text(answer), investment_text(answer)]
    lines = [" — ".join(part for part in first if part), energy_text(answer)]
    title = tr("Serving: ") if answer.workload == "serving" else tr("Training: ")
    return [f"{title if names_workload else ''}{lines[0]}", lines[1]]


class _CostPlots(DecisionPlotPage):
    """Cost by candidate, terms, and the parts of an owned hour."""

    def plots_for(self, context: Context) -> tuple[str, ...]:
        workloads = context.workloads()
        first = workloads[0] if workloads else "serving"
        costs = tuple(f"cost:{one}" for one in workloads)
        return (*costs, *(f"terms:{one}" for one in workloads), *((f"owned:{first}",) if len(workloads) < 2 else ()))

    def make_plot(self, name: str) -> Plot:
        kind, _, workload = name.partition(":")
        makers: dict[str, Callable[[], Plot]] = {
            "cost": partial(CostPlot, workload, rows=9),
            "terms": partial(TermsPlot, workload),
            "owned": partial(OwnedPartsPlot, workload),
        }
        return makers[kind]()
