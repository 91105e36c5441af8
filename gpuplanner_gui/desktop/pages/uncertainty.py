"""How sure the plan is: probabilities first, then bands, what moves a result, and rivals."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.pages.plot_page import PlotPage
from gpuplanner_gui.desktop.pages.result_view import ResultView
from gpuplanner_gui.desktop.tasks.plan_tasks import PlanState
from gpuplanner_gui.desktop.widgets.flow_layout import flowing
from gpuplanner_gui.desktop.widgets.labels import plain_label, plain_tool_tip
from gpuplanner_gui.desktop.widgets.layouts import lay_out
from gpuplanner_gui.domain.decision import UncertaintyAnswer
from gpuplanner_gui.drawing.language import labelled, tr
from gpuplanner_gui.drawing.plots.base import Plot
from gpuplanner_gui.drawing.plots.pens import scaled
from gpuplanner_gui.drawing.plots.uncertainty import BandsPlot, RivalsPlot, TornadoPlot
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.words.decision import measurement_text, percent, probability_name, result_name

MOST_TILES = 5
LEAST_PLOT_HEIGHT = 270
"""Pixels in which the lines of all headline results are read."""
LEAST_CHOICE = 150
"""Pixels of the box that says which result is explained, where the page is narrow."""


class UncertaintyPage(ResultView):
    """A row of probabilities above three plots; sampled anew when a number changes while the page is on screen."""

    cancelled = Signal()
    """The planner has waited long enough."""
    follows = ("decision",)
    wanted = ("uncertainty",)
    kept = ("choice",)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tiles = [_Tile(self) for _ in range(MOST_TILES)]
        self.progress = QProgressBar(self)
        self.progress.setRange(0, 100)
        self.progress.setTextVisible(False)
        self.progress.setFixedSize(160, 8)
        self.progress.setAccessibleName(tr("Progress of the samples"))
        self.cancel = QPushButton(tr("Cancel"), self)
        self.cancel.clicked.connect(self.cancelled)
        self.choice = QComboBox(self)
        self.choice.setAccessibleName(tr("Result that the tornado explains"))
        self.choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.choice.setMinimumWidth(round(scaled(LEAST_CHOICE)))
        self.choice.currentIndexChanged.connect(self._on_choice)
        # A box of nothing would be taken for a fault.
        self.choice.hide()
        self.measure = plain_label("", self, wraps=True)
        self.measure.setContentsMargins(20, 0, 16, 8)
        self.plots = _UncertaintyPlots(self)
        self.plots.candidate_selected.connect(self.candidate_selected)
        figures = flowing((*self.tiles, self.progress, self.cancel), self, spacing=24, line_spacing=4)
        top = lay_out(
            QHBoxLayout(), (figures, 1), (self.choice, 0, Qt.AlignmentFlag.AlignTop), margins=(20, 8, 16, 4),
            spacing=24,
        )  # fmt: skip
        lay_out(QVBoxLayout(self), top, (self.plots, 1), self.measure, margins=(0, 0, 0, 0), spacing=0)
        self._veil.raise_()

    def draw(self, context: Results) -> None:
        answer = context.known.uncertainty
        self._show_progress(context, answer)
        self._show_tiles(answer)
        self._fill_choice(answer)
        self.measure.setText(measurement_text(answer) if answer is not None else "")
        self.plots.show_results(context)

    def set_state(self, state: PlanState, message: str = "") -> None:
        super().set_state(state, message)
        if self.context is not None:
            self.plots.set_state(PlanState.CURRENT)

    def _show_progress(self, context: Results, answer: UncertaintyAnswer | None) -> None:
        decision = context.decision
        has_failed = decision is not None and "uncertainty" in decision.failures
        is_running = answer is None and not has_failed
        self.progress.setVisible(is_running)
        self.cancel.setVisible(is_running)
        self.progress.setValue(round(100 * decision.progress) if decision is not None else 0)

    def _show_tiles(self, answer: UncertaintyAnswer | None) -> None:
        sure = answer.probabilities if answer is not None else ()
        for tile, one in zip(self.tiles, [*sure, *[None] * MOST_TILES]):
            tile.setVisible(one is not None)
            if one is not None:
                tile.show_value(percent(one.value), probability_name(one.code))

    def _fill_choice(self, answer: UncertaintyAnswer | None) -> None:
        codes = [one.code for one in answer.tornados if one.bars] if answer is not None else []
        if codes == [self.choice.itemData(index) for index in range(self.choice.count())] or not codes:
            return
        chosen = self.choice.currentData()
        with QSignalBlocker(self.choice):
            self.choice.clear()
            for code in codes:
                self.choice.addItem(result_name(code), code)
            self.choice.setCurrentIndex(max(self.choice.findData(chosen), 0))
        self._tell_choice()
        self.choice.show()
        self.plots.code = str(self.choice.currentData())

    def _tell_choice(self) -> None:
        """The words in full too: they are cut where the page is very narrow."""
        purpose = tr("Which result to explain by its inputs")
        self.choice.setToolTip(plain_tool_tip(labelled(purpose, self.choice.currentText())))

    def _on_choice(self) -> None:
        self._tell_choice()
        self.plots.code = str(self.choice.currentData())
        if self.context is not None:
            self.plots.draw(self.context)


class _Tile(QWidget):
    """A probability, large, above what it is of."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._value, self._name = QLabel(self), QLabel(self)
        font = self._value.font()
        font.setPointSizeF(font.pointSizeF() * 1.7)
        font.setWeight(font.Weight.DemiBold)
        self._value.setFont(font)
        self._name.setObjectName("quiet")
        for label in (self._value, self._name):
            label.setTextFormat(Qt.TextFormat.PlainText)
        lay_out(QVBoxLayout(self), self._value, self._name, margins=(0, 0, 0, 0), spacing=0)

    def show_value(self, value: str, name: str) -> None:
        self._value.setText(value)
        self._name.setText(name)
        self.setAccessibleName(f"{name}: {value}")


class _UncertaintyPlots(PlotPage):
    """Bands, the tornado of the chosen result, and rivals of each workload."""

    is_tall = True
    least_height = LEAST_PLOT_HEIGHT

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.code = ""

    def plots_for(self, context: Results) -> tuple[str, ...]:
        answer = context.known.uncertainty
        known = [one.code for one in answer.tornados] if answer is not None else []
        code = self.code if self.code in known else (known[0] if known else "serving.usd_per_month_needed")
        workloads = dict.fromkeys(one.workload for one in answer.rivals) if answer is not None else {}
        return ("bands", f"tornado:{code}", *(f"rivals:{one}" for one in workloads))

    def make_plot(self, name: str) -> Plot:
        kind, _, what = name.partition(":")
        if kind == "bands":
            return BandsPlot()
        if kind == "rivals":
            return RivalsPlot(what)
        return TornadoPlot(what, "s" if what.endswith("_s") else "USD/month" if what.startswith("serving") else "USD")
