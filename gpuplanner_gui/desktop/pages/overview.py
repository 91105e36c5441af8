"""The pages of Answer: its pictures beside the gravest findings, and every finding with its remedy."""

from __future__ import annotations

import math
from functools import partial
from typing import ClassVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from gpuplanner_gui.desktop.pages.plot_page import PlotPage
from gpuplanner_gui.desktop.pages.result_view import FINDINGS_FOLLOW, ResultView, theme_of
from gpuplanner_gui.desktop.widgets.event_turns import DrawingTurn
from gpuplanner_gui.desktop.widgets.flow_layout import STRETCH, lay_out, scroll_area
from gpuplanner_gui.desktop.widgets.labels import WrappingLabel, plain_label, unbroken
from gpuplanner_gui.desktop.widgets.theme import push_button
from gpuplanner_gui.domain.verdict import Finding
from gpuplanner_gui.drawing.language import labelled, listed, tr
from gpuplanner_gui.drawing.plots.load import LatencyPlot
from gpuplanner_gui.drawing.plots.pens import scaled
from gpuplanner_gui.drawing.plots.roofline import RooflinePlot
from gpuplanner_gui.drawing.plots.scaling import ScalingPlot
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.choices import WORKLOAD_TITLES
from gpuplanner_gui.drawing.words.findings import (
    MARKS,
    SEVERITIES,
    all_findings,
    effect_text,
    finding_text,
    money_text,
    remedy_text,
)
from gpuplanner_gui.drawing.words.training import data_text, store_text
from gpuplanner_gui.drawing.words.verdict import no_workload_text

CARDS_AT_ONCE = 2


class FindingsPage(ResultView):
    """Cards that are kept and filled anew, so that an edit does not rebuild them."""

    kept = ("area",)
    follows = FINDINGS_FOLLOW

    def __init__(self) -> None:
        super().__init__()
        self.cards: list[FindingCard] = []
        self._left: list[tuple[int, Finding]] = []
        """Findings that wait for their turn, each with its place."""
        self._next_cards = DrawingTurn(self, self._show_next)
        self.summary = plain_label("", self, name="sectionTitle")
        self.summary.setContentsMargins(4, 0, 4, 4)
        self._inside = QWidget(self)
        self._column = lay_out(QVBoxLayout(self._inside), self.summary, STRETCH, margins=(12, 8, 12, 8), spacing=6)
        self.area = scroll_area(self._inside, self)
        lay_out(QVBoxLayout(self), self.area, margins=(0, 0, 0, 0))

    def draw(self, context: Results) -> None:
        found = all_findings(context)
        self.summary.setText(summary_text(context, found))
        self._left = list(enumerate(found))
        for card in self.cards[len(found) :]:
            card.hide()
        self._next_cards.start()

    def forget_drawn(self) -> None:
        super().forget_drawn()
        self._left = []

    def is_drawing(self) -> bool:
        return bool(self._left) or super().is_drawing()

    def _show_next(self) -> None:
        """A few cards in each turn of the event loop: all of them would hold the window up."""
        some, self._left = self._left[:CARDS_AT_ONCE], self._left[CARDS_AT_ONCE:]
        for place, finding in some:
            if place == len(self.cards):
                self.cards.append(FindingCard(self._inside))
                self.cards[place].value_edited.connect(self.value_edited)
                self._column.insertWidget(len(self.cards), self.cards[place])
            self.cards[place].show_finding(finding)
            self.cards[place].show()
        if self._left:
            self._next_cards.start()

    def recolour(self) -> None:
        for card in self.cards:
            card.recolour()


def summary_text(results: Results, found: tuple[Finding, ...]) -> str:
    """2 serious, 3 warnings, 4 notes."""
    if not found and not results.workloads():
        return no_workload_text()
    counts = [sum(one.severity == severity for one in found) for severity in (2, 1, 0)]
    several = (tr("{count} serious"), tr("{count} warnings"), tr("{count} notes"))
    one = (tr("1 serious"), tr("1 warning"), tr("1 note"))
    parts = [
        alone if count == 1 else words.format(count=format_value(count))
        for count, alone, words in zip(counts, one, several, strict=True)
        if count
    ]
    if parts:
        return listed(parts)
    if any(answer.best < 0 for answer in results.plan.answers.values()):
        return tr("No findings, as there is no candidate to judge.")
    return tr("No findings: nothing speaks against this plan.")


class FindingCard(QFrame):
    """One finding: mark, sentence, remedy, its effect, and the button that carries it out."""

    value_edited = Signal(str, object)

    def __init__(self, parent: QWidget | None = None, is_narrow: bool = False) -> None:
        """A narrow card has money and button under its words, not beside them."""
        super().__init__(parent)
        self.setObjectName("card")
        self.finding: Finding | None = None
        self._mark = QLabel(self)
        self._mark.setFixedWidth(round(scaled(14)))
        self._mark.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        font = self._mark.font()
        font.setWeight(font.Weight.DemiBold)
        self._mark.setFont(font)
        self._sentence, self._remedy = (WrappingLabel(parent=self, is_selectable=True) for _ in range(2))
        self._money = QLabel(self)
        for label in (self._mark, self._money):
            label.setTextFormat(Qt.TextFormat.PlainText)
        for label in (self._sentence, self._remedy):
            # The page's menu asks why; Ctrl+C copies what is selected.
            label.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self._remedy.setObjectName("quiet")
        self._money.setFont(font)
        self._money.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
        self.apply = push_button(tr("Apply"), self.take_remedy, self)
        words = lay_out(QVBoxLayout(), self._sentence, self._remedy, STRETCH, spacing=2)
        row = lay_out(
            QHBoxLayout(self), (self._mark, 0, Qt.AlignmentFlag.AlignTop), (words, 1), margins=(10, 6, 10, 6),
            spacing=10,
        )  # fmt: skip
        if is_narrow:
            # "$2 230/month more on that device" alone is wider than the card: in one line it would cut every sentence.
            self._money.setWordWrap(True)
            self._money.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
            words.addWidget(self._money)
            words.addWidget(self.apply, 0, Qt.AlignmentFlag.AlignLeft)
        else:
            row.addLayout(lay_out(
                QVBoxLayout(), self._money, (self.apply, 0, Qt.AlignmentFlag.AlignRight), STRETCH
            ))  # fmt: skip

    def show_finding(self, finding: Finding) -> None:
        self.finding = finding
        remedy = finding.remedy
        self._mark.setText(MARKS[finding.severity])
        self._mark.setAccessibleName(tr(SEVERITIES[finding.severity]))
        self._sentence.setText(labelled(tr(WORKLOAD_TITLES[finding.workload]), finding_text(finding)))
        advice = [part for part in (remedy_text(remedy), effect_text(remedy)) if part]
        self._remedy.setText("  ".join(advice))
        self._remedy.setVisible(bool(advice))
        self._money.setText(unbroken(money_text(finding)))
        self.apply.setVisible(remedy is not None and bool(remedy.edits))
        self.recolour()

    def take_remedy(self) -> None:
        """Ask for the edits that carry the remedy out; each can be undone."""
        if self.finding is not None and self.finding.remedy is not None:
            for edit in self.finding.remedy.edits:
                self.value_edited.emit(edit.path, edit.value)

    def recolour(self) -> None:
        if self.finding is None:
            return
        theme = theme_of(self)
        colour = (theme.muted, theme.warning, theme.bad)[self.finding.severity]
        palette = self._mark.palette()
        if palette.color(QPalette.ColorRole.WindowText) != QColor(colour):  # Each change of it styles the label anew.
            palette.setColor(QPalette.ColorRole.WindowText, QColor(colour))
            self._mark.setPalette(palette)


LATENCY, TRAINING = {"ttft": "latency", "e2e": "whole_latency"}, ("scaling", "training_roofline")
LEAST_HEIGHT = 150
"""Least height of a plot, so that two rows fit on a small screen. [pixels]"""
RISKS_WIDTH, WIDEST_RISKS, RISKS_COLUMN = 232, 340, 90
MOST_RISKS = 3


class OverviewPage(PlotPage):
    """Two plots of the service, two of the training run, and the gravest findings beside them."""

    findings_wanted = Signal()
    follows = FINDINGS_FOLLOW
    least_height = LEAST_HEIGHT
    plots: ClassVar = {
        "latency": partial(LatencyPlot, "ttft"), "whole_latency": partial(LatencyPlot, "e2e"),
        "roofline": partial(RooflinePlot, "serving"), "scaling": ScalingPlot,
        "training_roofline": partial(RooflinePlot, "training"),
    }  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
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
        serving = (LATENCY[context.scenario.first_latency], "roofline") if plan.serving is not None else ()
        return (*serving, *(TRAINING if plan.training is not None else ()))

    def draw(self, context: Results) -> None:
        super().draw(context)
        self._steps[:0] = [partial(self.risks.show_results, context), self.risks.show_cards]

    def recolour(self) -> None:
        for card in self.risks.cards:
            card.recolour()


class RisksPanel(QWidget):
    """The gravest findings, and the way to all of them."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        title = plain_label(tr("Findings"), self, name="sectionTitle")
        self._none = plain_label("", self, wraps=True, name="quiet")
        self.cards = [FindingCard(self, is_narrow=True) for _ in range(MOST_RISKS)]
        self._grave: list[Finding] = []
        self.all = QPushButton(tr("All findings"), self)
        inside = QWidget(self)
        layout = lay_out(
            QVBoxLayout(inside), title, self._none, (self.all, 0, Qt.AlignmentFlag.AlignLeft), margins=(0, 4, 6, 0),
            spacing=6,
        )  # fmt: skip
        for card in self.cards:
            card.hide()
            layout.addWidget(card)
        self.storage_title = plain_label(tr("Data and storage"), self, name="sectionTitle")
        self.storage = WrappingLabel("", self, name="quiet")
        layout.addWidget(self.storage_title)
        layout.addWidget(self.storage)
        layout.addStretch(1)
        # As high as the plots are, however much there is to say.
        self.area = scroll_area(inside, self, is_upright=True, takes_focus=False)
        lay_out(QVBoxLayout(self), self.area, margins=(0, 0, 0, 0))

    def show_results(self, results: Results) -> None:
        """All but the cards, which `show_cards` fills: together they take longer than a frame."""
        found = all_findings(results)
        self._grave = [one for one in found if one.severity > 0][:MOST_RISKS]
        # Plots and header show what is selected; what was found is about the recommended plan.
        is_other = any(results.candidate(name) != answer.best for name, answer in results.plan.answers.items())
        summary = summary_text(results, found)
        self._none.setText(tr("Recommended plan: {summary}").format(summary=summary) if is_other else summary)
        self.all.setVisible(bool(found))
        best = results.plan.training.best if results.plan.training is not None else -1
        self.storage.setText("\n\n".join(filter(None, (data_text(results, best), store_text(results, best)))))
        for part in (self.storage_title, self.storage):
            part.setVisible(bool(self.storage.text()))

    def show_cards(self) -> None:
        for card, finding in zip(self.cards, [*self._grave, *[None] * MOST_RISKS]):
            card.setVisible(finding is not None)
            if finding is not None:
                card.show_finding(finding)
