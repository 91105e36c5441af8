"""The status bar: how current the results are, how many candidates in what time, how sure, prices of when."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QStatusBar, QWidget

from gpuplanner_gui.desktop.widgets.labels import ElidedLabel
from gpuplanner_gui.drawing.language import labelled, tr
from gpuplanner_gui.drawing.units import decimals_text, format_value

if TYPE_CHECKING:
    from gpuplanner_gui.domain.catalog import Catalog
    from gpuplanner_gui.drawing.results import Results

CANCEL_AFTER_S = 1.0
"""A task that lasts longer may be called off here; a button that comes and goes at once would be in the way."""
TRUSTED_AFTER_S, TRUSTED_SHARE, LEAST_LEFT_S = 2.0, 0.05, 1.5
_STATE_WORDS = {
    "empty": "Nothing to plan",
    "computing": "Computing…",
    "outdated": "Outdated, computing…",
    "failed": "Failed",
    "current": "Current",
}


class Pace:
    """How fast a task goes, from when it was first heard of."""

    def __init__(self) -> None:
        self._task = ""
        self._began_s = 0.0
        self._first_share = 0.0
        self.lasts_s = 0.0
        """For how long the task has been at work."""

    def left_s(self, task: str, share: float, now_s: float) -> float:
        """Seconds until the task is done, by what it has done since it began; 0 while that says little."""
        if task != self._task or share < self._first_share:
            self._task, self._began_s, self._first_share = task, now_s, share
        self.lasts_s = now_s - self._began_s
        done = share - self._first_share
        if not task or self.lasts_s < TRUSTED_AFTER_S or done < TRUSTED_SHARE:
            return 0.0
        return self.lasts_s * (1 - share) / done


class StatusLine(QStatusBar):
    """Left: the state, with a way out of it. Right: what the results rest on."""

    retry_requested = Signal()
    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeGripEnabled(False)
        self.state = self._label(tr("State of the results"))
        self._keep_width_of_states()
        self.retry = QPushButton(tr("Try again"), self)
        self.retry.clicked.connect(self.retry_requested)
        self.retry.hide()
        self.task = self._label(tr("What is being simulated"))
        self.cancel = QPushButton(tr("Cancel"), self)
        self.cancel.setAccessibleName(tr("Cancel what is being worked out"))
        self.cancel.clicked.connect(self.cancel_requested)
        self.cancel.hide()
        self._is_blank = self._is_failed = self._may_cancel = False
        self._pace = Pace()
        self._catalog: Catalog | None = None
        self._prices = ""
        self.facts = self._label(tr("What the results rest on"))
        self.facts.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.addWidget(self.state)
        self.addWidget(self.retry)
        self.task.fill_width()
        self.addWidget(self.cancel)
        self.addWidget(self.task, 1)
        self.addPermanentWidget(self.facts)

    def show_state(self, state: str, message: str) -> None:
        words = tr(_STATE_WORDS[state])
        if state == "empty":
            self.facts.setText("")
        self.state.setText(labelled(words, _first_line(message)) if message else words)
        self._is_failed = state == "failed"
        self._show_parts()

    def set_blank(self, is_blank: bool) -> None:
        """Say nothing of results while they are not on screen."""
        self._is_blank = is_blank
        self._show_parts()

    def _show_parts(self) -> None:
        for label in (self.state, self.facts):
            label.setVisible(not self._is_blank)
        # Why a stage failed is read here; how far another is can wait.
        self.task.setVisible(not self._is_failed and not self._is_blank)
        self.retry.setVisible(self._is_failed and not self._is_blank)
        self.cancel.setVisible(self._may_cancel and not self._is_blank)

    def show_results(self, results: Results) -> None:
        if results.catalog is not self._catalog:
            self._catalog, self._prices = results.catalog, prices_text(results.catalog)
        parts = [_candidates_text(results), *_evidence_text(results), self._prices]
        self.facts.setText("  ·  ".join(part for part in parts if part))
        # Never so wide that the window could not be made narrower, as with large type.
        self.facts.setMinimumWidth(min(self.facts.sizeHint().width(), self.width() // 2))

    def show_task(self, words: str, share: float) -> None:
        """Say how far a task in the background is and when it will be done; nothing when none runs."""
        left = self._pace.left_s(words, share, time.monotonic())
        parts = [tr("{task} {share} %").format(task=words, share=round(100 * share))] if words else []
        parts += [tr("{time} left").format(time=format_value(left, "s", 1))] if left >= LEAST_LEFT_S else []
        self.task.setText(" · ".join(parts))
        self._may_cancel = bool(words) and self._pace.lasts_s >= CANCEL_AFTER_S
        self.cancel.setVisible(self._may_cancel and not self._is_blank)

    def _label(self, name: str) -> ElidedLabel:
        label = ElidedLabel(self, name)
        label.setContentsMargins(8, 2, 8, 2)
        return label

    def _keep_width_of_states(self) -> None:
        """Between states that come and go with every edit, nothing moves."""
        for state in ("current", "computing"):
            self.state.setText(tr(_STATE_WORDS[state]))
            self.state.keep_width()
        self.state.setText("")


def _first_line(text: str) -> str:
    line = text.strip().splitlines()[0] if text.strip() else ""
    return line if len(line) <= 120 else line[:119] + "…"


def _candidates_text(results: Results) -> str:
    answers = [answer for answer in (results.plan.serving, results.plan.training) if answer is not None]
    count = sum(len(answer.table.accelerator) for answer in answers)
    number = decimals_text(count)
    return tr("{count} candidates in {time} ms").format(count=number, time=round(results.plan.elapsed_s * 1000))


def _evidence_text(results: Results) -> list[str]:
    from gpuplanner_gui.drawing.words.candidates import evidence_name

    weakest = -1
    for workload in results.workloads():
        answer = results.answer(workload)
        if answer is not None and answer.best >= 0:
            weakest = max(weakest, int(answer.table.evidence_kind[answer.best]))
    return [tr("evidence: {evidence}").format(evidence=evidence_name(weakest))] if weakest >= 0 else []


def prices_text(catalog: Catalog) -> str:
    """The months that the catalogue's prices are of."""
    dates = sorted(
        date[:7]
        for accelerator in catalog.accelerators.values()
        for date in (
            accelerator.rental.as_of_to if accelerator.rental else None,
            accelerator.price.as_of if accelerator.price else None,
        )
        if date
    )
    if not dates:
        return ""
    return tr("prices up to {date}").format(date=dates[-1])
