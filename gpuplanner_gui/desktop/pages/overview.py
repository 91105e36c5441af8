"""The answer's pictures, and what could go wrong: latency against load and the roofline, run time against devices."""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from gpuplanner_gui.desktop.pages.findings import FindingCard, summary_text
from gpuplanner_gui.desktop.pages.plot_page import PlotPage
from gpuplanner_gui.desktop.widgets.labels import plain_label
from gpuplanner_gui.desktop.widgets.layouts import lay_out
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.plots.base import Plot
from gpuplanner_gui.drawing.plots.load import LatencyPlot
from gpuplanner_gui.drawing.plots.pens import scaled
from gpuplanner_gui.drawing.plots.roofline import RooflinePlot
from gpuplanner_gui.drawing.plots.scaling import ScalingPlot
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.words.findings import all_findings
from gpuplanner_gui.drawing.words.training import data_text, store_text

SERVING, TRAINING = ("latency", "roofline"), ("scaling", "training_roofline")
LEAST_HEIGHT = 150
"""Of a plot: two rows are seen whole on a small screen."""
RISKS_WIDTH, WIDEST_RISKS, RISKS_COLUMN = 232, 340, 90
MOST_RISKS = 3


class OverviewPage(PlotPage):
    """Two plots of the service, two of the training run, and the gravest findings beside them."""

    findings_wanted = Signal()
    least_height = LEAST_HEIGHT

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = 1
        self.risks = RisksPanel(self)
        self.risks.setFixedWidth(round(min(scaled(RISKS_WIDTH), WIDEST_RISKS)))
        self.risks.all.clicked.connect(self.findings_wanted)
        for card in self.risks.cards:
            card.value_edited.connect(self.value_edited)
        self._grid.addWidget(self.risks, 0, RISKS_COLUMN)

    def width_of_plots(self) -> int:
        return self.width() - self.risks.width()

    def _arrange(self, names: tuple[str, ...]) -> None:
        super()._arrange(names)
        # Beside as many rows as there are: rows without a plot would leave a gap.
        rows = math.ceil(len(names) / max(self._columns, 1))
        if rows != self._rows:
            self._rows = rows
            self._grid.addWidget(self.risks, 0, RISKS_COLUMN, rows, 1)

    def plots_for(self, context: Results) -> tuple[str, ...]:
        plan = context.plan
        return (SERVING if plan.serving is not None else ()) + (TRAINING if plan.training is not None else ())

    def draw(self, context: Results) -> None:
        self.risks.show_results(context)
        super().draw(context)

    def recolour(self) -> None:
        for card in self.risks.cards:
            card.recolour()

    def make_plot(self, name: str) -> Plot:
        makers: dict[str, Callable[[], Plot]] = {
            "latency": lambda: LatencyPlot("ttft"),
            "roofline": lambda: RooflinePlot("serving"),
            "scaling": ScalingPlot,
            "training_roofline": lambda: RooflinePlot("training"),
        }
        return makers[name]()


class RisksPanel(QWidget):
    """The gravest findings, and the way to all of them."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        title = QLabel(tr("What could go wrong"), self)
        title.setObjectName("sectionTitle")
        self._none = plain_label("", self, wraps=True, name="quiet")
        self.cards = [FindingCard(self, is_narrow=True) for _ in range(MOST_RISKS)]
        self.all = QPushButton(tr("All findings"), self)
        inside = QWidget(self)
        layout = lay_out(
            QVBoxLayout(inside), title, self._none, (self.all, 0, Qt.AlignmentFlag.AlignLeft), margins=(0, 4, 6, 0),
            spacing=6,
        )  # fmt: skip
        for card in self.cards:
            card.hide()
            layout.addWidget(card)
        self.storage_title = QLabel(tr("Data and storage"), self)
        self.storage_title.setObjectName("sectionTitle")
        self.storage = plain_label("", self, wraps=True, name="quiet")
        layout.addWidget(self.storage_title)
        layout.addWidget(self.storage)
        layout.addStretch(1)
        # As high as the plots are, however much there is to say.
        self.area = QScrollArea(self)
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QScrollArea.Shape.NoFrame)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setWidget(inside)
        lay_out(QVBoxLayout(self), self.area, margins=(0, 0, 0, 0))

    def show_results(self, results: Results) -> None:
        found = all_findings(results)
        grave = [one for one in found if one.severity > 0][:MOST_RISKS]
        self._none.setText(summary_text(found))
        for card, finding in zip(self.cards, [*grave, *[None] * MOST_RISKS]):
            card.setVisible(finding is not None)
            if finding is not None:
                card.show_finding(finding)
        self.all.setVisible(bool(found))
        best = results.plan.training.best if results.plan.training is not None else -1
        self.storage.setText("\n\n".join(filter(None, (data_text(results, best), store_text(results, best)))))
        for part in (self.storage_title, self.storage):
            part.setVisible(bool(self.storage.text()))
