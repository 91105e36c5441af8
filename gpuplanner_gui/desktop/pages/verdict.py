"""The answer first: what to buy, whether it meets the targets, at what cost; beside it, how sure a plan has to be."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPalette, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QCheckBox, QGridLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from gpuplanner_gui.desktop.pages.result_view import ResultView, theme_of
from gpuplanner_gui.desktop.tasks.plan_tasks import PlanState
from gpuplanner_gui.desktop.widgets.flow_layout import lay_out
from gpuplanner_gui.desktop.widgets.labels import ROOM_ABOVE_AND_BELOW, LinesLabel, plain_label
from gpuplanner_gui.desktop.widgets.theme import choice_box
from gpuplanner_gui.domain.economics import Confidence, UncertaintyTerms
from gpuplanner_gui.domain.field import field_of
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.palette import Theme
from gpuplanner_gui.drawing.plots.pens import scaled
from gpuplanner_gui.drawing.results import WORKLOADS, Decision, LoadSimulation, Results
from gpuplanner_gui.drawing.words.choices import WORKLOAD_TITLES, words_of_choice
from gpuplanner_gui.drawing.words.simulated_fleet import simulated_text
from gpuplanner_gui.drawing.words.verdict import VerdictWords, no_workload_text, verdicts

PATH = "economics.uncertainty"


class ConfidenceChoice(QWidget):
    """Confidence and what counts as evidence."""

    edited = Signal(str, object)
    """Path in the scenario, and the value."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        about = {name: field_of(UncertaintyTerms, name).about for name in ("confidence", "measured_only")}
        self.confidence = choice_box((code, words_of_choice(code)) for code in get_args(Confidence))
        self.measured_only = QCheckBox(tr(about["measured_only"].title), self)
        for widget, name in ((self.confidence, "confidence"), (self.measured_only, "measured_only")):
            widget.setAccessibleName(tr(about[name].title))
            widget.setToolTip(tr(about[name].help))
        label = plain_label(tr(about["confidence"].title), self)
        label.setBuddy(self.confidence)
        self.confidence.activated.connect(self._on_confidence)
        self.measured_only.clicked.connect(lambda on: self.edited.emit(f"{PATH}.measured_only", on))
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(label, 0, 0)
        layout.addWidget(self.confidence, 0, 1)
        layout.addWidget(self.measured_only, 1, 0, 1, 2, Qt.AlignmentFlag.AlignRight)

    def show_terms(self, terms: UncertaintyTerms) -> None:
        with QSignalBlocker(self.confidence), QSignalBlocker(self.measured_only):
            self.confidence.setCurrentIndex(self.confidence.findData(terms.confidence))
            self.measured_only.setChecked(terms.measured_only)

    def _on_confidence(self, place: int) -> None:
        self.edited.emit(f"{PATH}.confidence", self.confidence.itemData(place))


HEADLINE, BESIDE = 2, 3
"""Columns, after those of the mark and the state."""
SPACING = 8
LEAST_HEADLINE = 24
"""Characters beside a verdict's state below which its headline stands under it."""
ROOM_TO_BE_BRIEF = 24
"""Pixels left over, so that a figure that grows by a letter does not move the window."""
EASILY_READ = 560
"""Pixels that words keep where the choice stands beside them."""
MOST_LINES = 3
"""Most lines of headline, numbers and advice."""
_TOLD_OF = {"decision": "uncertainty", "simulation": "fleet"}
"""The part of a field of the results that a verdict tells of."""
_MARKS = {"good": "✔", "warning": "▲", "bad": "✖"}


class VerdictBar(ResultView):
    """One breath for each workload; dimmed while it is outdated."""

    def __init__(self) -> None:
        super().__init__()
        self._lines = {workload: _VerdictLine(self) for workload in (*WORKLOADS, "both")}
        self._wait = plain_label(tr("Describe a model and a workload; the answer appears here."), self)
        self._wait.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.confidence = ConfidenceChoice(self)
        self.confidence.edited.connect(self.value_edited)
        self.confidence.hide()
        self._words = lay_out(QVBoxLayout(), self._wait, spacing=6)
        for line in self._lines.values():
            self._words.addWidget(line)
            line.hide()
        self._beside = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._beside.setContentsMargins(16, 8, 16, 8)
        self._beside.setSpacing(16)
        self._beside.addLayout(self._words, 1)
        self._beside.addWidget(self.confidence, 0, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignRight)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAccessibleName(tr("Verdict"))
        self._simulated: tuple[Plan, LoadSimulation | None] | None = None

    def minimumSizeHint(self) -> QSize:
        """The width of the wider of words and choice, which are then placed above each other."""
        margins, least = self._beside.contentsMargins(), super().minimumSizeHint()
        width = max(self._words.minimumSize().width(), self.confidence.minimumSizeHint().width())
        return QSize(width + margins.left() + margins.right(), least.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        margins = self._beside.contentsMargins()
        room = self.width() - margins.left() - margins.right() - self._beside.spacing()
        words = max(self._words.minimumSize().width(), round(scaled(EASILY_READ)))
        fits = words + self.confidence.minimumSizeHint().width() <= room
        side = QBoxLayout.Direction.LeftToRight if fits else QBoxLayout.Direction.TopToBottom
        if side != self._beside.direction():
            self._beside.setDirection(side)
            self._beside.activate()
            self.updateGeometry()

    def with_simulation(self, context: Results) -> Results:
        """With the simulation of the recommended fleet, once it is known, whichever candidate is looked at."""
        seen, answer = context.simulation, context.plan.serving
        fleet = seen.fleet if seen is not None else None
        if answer is not None and fleet is not None and fleet.is_simulated and fleet.candidate == answer.best:
            self._simulated = (context.plan, seen)
        elif self._simulated is not None and self._simulated[0] is context.plan:
            return replace(context, simulation=self._simulated[1])
        return context

    def draw(self, context: Results) -> None:
        context = self.with_simulation(context)
        found = {verdict.workload: verdict for verdict in verdicts(context)}
        if "serving" in found:
            known = found["serving"]
            detail = " · ".join(part for part in (known.detail, simulated_text(context)) if part)
            found["serving"] = replace(known, detail=detail)
        for workload, line in self._lines.items():
            line.setVisible(workload in found)
            if workload in found:
                is_second = found[workload] is not next(iter(found.values()))
                line.show_verdict(found[workload], names_workload=len(found) > 1, may_be_brief=is_second)
        self._wait.setText("" if found else no_workload_text())
        self._wait.setVisible(not found)
        self.confidence.show_terms(context.scenario.economics.uncertainty)
        self.confidence.setVisible(bool(found))
        self.setAccessibleDescription("\n".join(verdict.text for verdict in found.values()) or self._wait.text())

    def take_found(self, field: str, found: Decision | LoadSimulation | None) -> None:
        """The verdict says how sure its cost is, and what load its fleet takes, as soon as that is known."""
        known, part = self.context, _TOLD_OF[field]
        was = getattr(getattr(known, field), part, None) if known is not None else None
        told: dict[str, Any] = {field: found}
        if known is not None and found is not None and getattr(found, part) is not was:
            self.show_results(replace(known, **told))

    def set_state(self, state: PlanState, message: str = "") -> None:
        """The words stay readable in every state; what is not current is said in a tone, not over them."""
        self.state = PlanState(state)
        is_faint = state in (PlanState.OUTDATED, PlanState.FAILED)
        for line in self._lines.values():
            line.set_faint(is_faint)
        if self.context is None:
            self._wait.setText(message or (tr("Computing…") if state is PlanState.COMPUTING else self._wait.text()))

    def recolour(self) -> None:
        for line in self._lines.values():
            line.recolour()


class _VerdictLine(QWidget):
    """A mark, the headline, and under it the numbers and the advice.

    Where a second verdict is good news, its numbers stand beside its headline if there is room: plots need the height.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._mark, self._state = QLabel(self), QLabel(self)
        self._headline, self._detail, self._advice = (LinesLabel(MOST_LINES, self) for _ in range(3))
        self._verdict: VerdictWords | None = None
        self._is_faint = False
        self._may_be_brief = self.is_brief = self.is_below = False
        self._colours: tuple[tuple[QLabel, str], ...] = ()
        for label, weight in ((self._mark, 600), (self._state, 600), (self._headline, 600)):
            font = label.font()
            font.setWeight(font.Weight(weight))
            font.setPointSizeF(font.pointSizeF() + 1)
            label.setFont(font)
            label.setTextFormat(Qt.TextFormat.PlainText)
        for label in (self._mark, self._state):
            label.setContentsMargins(0, ROOM_ABOVE_AND_BELOW // 2, 0, 0)
        self._grid = layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setHorizontalSpacing(SPACING)
        layout.setVerticalSpacing(2)
        marks = max(self._mark.fontMetrics().horizontalAdvance(mark) for mark in _MARKS.values())
        self._mark.setFixedWidth(marks)
        layout.addWidget(self._mark, 0, 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(self._state, 0, 1, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(self._headline, 0, HEADLINE)
        layout.addWidget(self._detail, 2, 1, 1, BESIDE)
        layout.addWidget(self._advice, 3, 1, 1, BESIDE)
        layout.setColumnStretch(HEADLINE, 1)

    def show_verdict(self, verdict: VerdictWords, names_workload: bool, may_be_brief: bool) -> None:
        self._verdict = verdict
        self._may_be_brief = may_be_brief and verdict.status == "good" and not verdict.advice
        is_of_one = names_workload and verdict.workload != "both"
        prefix = f"{tr(WORKLOAD_TITLES[verdict.workload])} · " if is_of_one else ""
        self._mark.setText(_MARKS[verdict.status])
        self._state.setText(f"{prefix}{verdict.state}")
        self._headline.setText(verdict.headline)
        self._detail.setText(verdict.detail)
        self._detail.setVisible(bool(verdict.detail))
        self._advice.setText(verdict.advice)
        self._advice.setVisible(bool(verdict.advice))
        self.recolour()
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Numbers beside the headline or under it; a line that has become brief stays so a little longer."""
        headline = self._headline.fontMetrics().horizontalAdvance(self._headline.text()) + SPACING
        words = (self._mark.width(), self._state.sizeHint().width(), headline, self._detail.sizeHint().width())
        self._give_headline_room(headline)
        room = self.width() - sum(words) - (len(words) - 1) * SPACING
        is_brief = self._may_be_brief and room >= (0 if self.is_brief else ROOM_TO_BE_BRIEF)
        needed = headline if is_brief else 0
        if self._grid.columnMinimumWidth(HEADLINE) != needed:
            # Said again, even the same width has the window laid out anew.
            self._grid.setColumnMinimumWidth(HEADLINE, needed)
        if is_brief != self.is_brief:
            self.is_brief = is_brief
            self._grid.removeWidget(self._detail)
            self._grid.addWidget(self._detail, *((0, BESIDE) if is_brief else (2, 1, 1, BESIDE)))
            self._grid.setColumnStretch(HEADLINE, 0 if is_brief else 1)
            self._grid.setColumnStretch(BESIDE, 1 if is_brief else 0)

    def _give_headline_room(self, needed: int) -> None:
        """Beside a long state there may be too little for a word of the headline: it then has a line of its own."""
        beside = self.width() - self._mark.width() - self._state.sizeHint().width() - 2 * SPACING
        is_below = beside < min(needed, LEAST_HEADLINE * self._headline.fontMetrics().averageCharWidth())
        if is_below != self.is_below:
            self.is_below = is_below
            self._grid.removeWidget(self._headline)
            self._grid.addWidget(self._headline, *((1, 1, 1, BESIDE) if is_below else (0, HEADLINE)))

    def set_faint(self, is_faint: bool) -> None:
        if is_faint != self._is_faint:
            self._is_faint = is_faint
            self.recolour()

    def recolour(self) -> None:
        if self._verdict is None:
            return
        theme: Theme = theme_of(self)
        tone = {"good": theme.good, "warning": theme.warning, "bad": theme.bad}[self._verdict.status]
        plain = theme.muted if self._is_faint else theme.text
        colours = (
            (self._mark, theme.muted if self._is_faint else tone),
            (self._state, theme.muted if self._is_faint else tone),
            (self._headline, plain),
            (self._detail, plain),
            (self._advice, theme.muted),
        )
        if colours == self._colours:
            return
        self._colours = colours
        for label, colour in colours:
            palette = label.palette()
            for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text):
                palette.setColor(role, QColor(colour))
            label.setPalette(palette)
