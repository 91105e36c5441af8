"""What the window tells: a line for what the planner should know, and the status bar."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication, QPalette, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QStatusBar, QWidget

from gpuplanner_gui.desktop.widgets import theme
from gpuplanner_gui.desktop.widgets.event_turns import NextTurn
from gpuplanner_gui.desktop.widgets.flow_layout import lay_out
from gpuplanner_gui.desktop.widgets.labels import ElidedLabel, WrappingLabel
from gpuplanner_gui.desktop.widgets.theme import icon, icon_size, push_button, tool_button
from gpuplanner_gui.drawing.language import labelled, tr
from gpuplanner_gui.drawing.units import decimals_text, format_value
from gpuplanner_gui.drawing.words.files import file_problem_text
from gpuplanner_gui.files.errors import FileProblem

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
    "current": "Up to date",
    "quick": "Quick estimate",
}


class TaskPace:
    """The progress rate of a task since it was first reported."""

    def __init__(self) -> None:
        self._task = ""
        self._began_s = 0.0
        self._first_share = 0.0
        self.lasts_s = 0.0
        """Seconds since the task was first reported."""

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
        self.retry = push_button(tr("Try again"), self.retry_requested, self)
        self.retry.hide()
        self.task = self._label(tr("Simulation in progress"))
        self.cancel = push_button(tr("Cancel"), self.cancel_requested, self, said=tr("Cancel the computation"))
        self.cancel.hide()
        self._is_blank = self._is_failed = self._may_cancel = self._is_quick = False
        self._state, self._message = "empty", ""
        self._pace = TaskPace()
        self._catalog: Catalog | None = None
        self._prices = ""
        self.facts = self._label(tr("Basis of the results"))
        self.facts.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.addWidget(self.state)
        self.addWidget(self.retry)
        self.task.fill_width()
        self.addWidget(self.cancel)
        self.addWidget(self.task, 1)
        self.addPermanentWidget(self.facts)

    def show_state(self, state: str, message: str) -> None:
        if state == "empty":
            self.facts.setText("")
        self._state, self._message, self._is_failed = state, message, state == "failed"
        self._say_state()
        self._show_parts()

    def _say_state(self) -> None:
        """The state as the verdict has it: what is not simulated yet is a quick estimate."""
        words = tr(_STATE_WORDS["quick" if self._state == "current" and self._is_quick else self._state])
        self.state.setText(labelled(words, _first_line(self._message)) if self._message else words)

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
        from gpuplanner_gui.drawing.words.simulated_fleet import is_quick_estimate

        self._is_quick = is_quick_estimate(results)
        self._say_state()
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
        """Keep the width of the widest state, so that a change of state moves nothing."""
        for state in ("current", "quick", "computing"):
            self.state.setText(tr(_STATE_WORDS[state]))
            self.state.keep_width()
        self.state.setText("")


def _first_line(text: str) -> str:
    line = text.strip().splitlines()[0] if text.strip() else ""
    return line if len(line) <= 120 else line[:119] + "…"


def _candidates_text(results: Results) -> str:
    number = decimals_text(sum(len(answer.table.accelerator) for answer in results.plan.answers.values()))
    return tr("{count} candidates in {time}").format(count=number, time=format_value(results.plan.elapsed_s, "s"))


def _evidence_text(results: Results) -> list[str]:
    from gpuplanner_gui.drawing.words.candidates import evidence_text

    found = [answer for answer in results.plan.answers.values() if answer.best >= 0]
    weakest = max(found, key=lambda one: int(one.table.evidence_kind[one.best]), default=None)
    if weakest is None:
        return []
    return [tr("evidence: {evidence}").format(evidence=evidence_text(weakest.table, weakest.best))]


def prices_text(catalog: Catalog) -> str:
    """The newest month that the catalogue's prices are of."""
    dates = (
        date[:7]
        for accelerator in catalog.accelerators.values()
        for date in (
            accelerator.rental.as_of_to if accelerator.rental else None,
            accelerator.price.as_of if accelerator.price else None,
        )
        if date
    )
    newest = max(dates, default="")
    return tr("newest device price {date}").format(date=newest) if newest else ""


Words = str | Callable[[], str]
"""A sentence, or what makes it, where it is to be said again in another language."""
Act = tuple[type, Callable[[Any], object]]
"""The action of a message, and the kind of object of the showing window that carries it out."""


class Severity(StrEnum):
    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


_GROUND = {
    Severity.NOTE: theme.NOTE_GROUND,
    Severity.WARNING: theme.WARNING_GROUND,
    Severity.ERROR: theme.ERROR_GROUND,
}


@dataclass(frozen=True)
class Message:
    """Something that the planner should know."""

    words: Words
    severity: Severity
    action: Callable[[], str] = str
    """Text of the button; empty for no button."""
    act: Act | None = None
    topic: str = ""
    """Topic by which the sender can withdraw the message."""
    is_about_project: bool = True
    """Whether the message is about the open project; it goes when another one opens."""
    waits: bool = False
    """Whether the message comes back when another that took its place is closed: an offer that was not answered."""

    def text(self) -> str:
        return self.words if isinstance(self.words, str) else self.words()


class MessageBar(QFrame):
    """Shows one message at a time, with an action where something can be done about it."""

    def __init__(self) -> None:
        super().__init__()
        self._message: Message | None = None
        self._waiting: list[Message] = []
        """Offers whose place another message took, the newest last."""
        self._doers: dict[type, object] = {}
        self._over: QWidget | None = None
        self._place_soon = NextTurn(self, self._place)
        self.setAutoFillBackground(True)
        self._sign = QLabel(self)
        self.text = WrappingLabel(parent=self, is_selectable=True)
        self.text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.action = QPushButton(self)
        self.action.hide()
        self.action.clicked.connect(self._on_action)
        self._close = tool_button("", self._leave, self, picture="close", side=12, said=tr("Close the message"))
        lay_out(
            QHBoxLayout(self), self._sign, (self.text, 1), self.action, self._close, margins=(12, 6, 8, 6),
            spacing=8,
        )  # fmt: skip
        self.hide()

    def lie_over(self, widget: QWidget) -> None:
        """Lie at the foot of this: nothing moves under the pointer when a message comes or goes."""
        self.setParent(widget)
        self._over = widget
        widget.installEventFilter(self)
        self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._over and event.type() == QEvent.Type.Resize:
            self._place_soon.start()
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_soon.start()

    def _place(self) -> None:
        if self._over is not None:
            width = self._over.width()
            # The size hint is that of the narrowest label: a third of the window.
            height = self.heightForWidth(width)
            self.setGeometry(0, self._over.height() - height, width, height)
            self.raise_()

    def know(self, *doers: object) -> None:
        """Let messages be acted on by these."""
        self._doers |= {type(one): one for one in doers}

    def show_message(
        self,
        words: Words,
        severity: Severity,
        action: Callable[[], str] = str,
        act: Act | None = None,
        *,
        topic: str = "",
        is_about_project: bool = True,
        waits: bool = False,
    ) -> None:
        """`topic` tells two messages apart that wait."""
        self._show(Message(words, severity, action, act, topic, is_about_project, waits))

    def show_problem(self, problem: FileProblem, topic: str = "") -> None:
        """A file that could not be read or written."""
        self.show_message(partial(file_problem_text, problem), Severity.ERROR, topic=topic)

    @contextmanager
    def telling_problems(self, topic: str = "") -> Iterator[None]:
        """Say why a file could not be read or written within."""
        try:
            yield
        except FileProblem as problem:
            self.show_problem(problem, topic)

    def _show(self, message: Message) -> None:
        displaced = [self.shown] if self.shown is not None and self.shown.waits else []
        self._waiting = [one for one in (*self._waiting, *displaced) if one.topic != message.topic]
        self._message = message
        self.text.setText(message.text())
        action = message.action()
        self.action.setText(action)
        self.action.setVisible(bool(action))
        self.apply_theme()
        self.show()
        self._place()

    def _leave(self) -> None:
        """Close the message; the newest that waits comes back."""
        self.hide()
        if self._waiting:
            self._show(self._waiting.pop())

    @property
    def shown(self) -> Message | None:
        """The message that the planner has before them."""
        return None if self.isHidden() else self._message

    def take_over(self, other: MessageBar) -> None:
        """Say what another window said, in the language of the moment."""
        message = other.shown
        self._waiting = [one for one in other._waiting if not isinstance(one.words, str)]
        if message is not None and not isinstance(message.words, str):
            self._show(message)

    def withdraw(self, topic: str) -> None:
        """Close what no longer holds, if it is what is shown."""
        if self.shown is not None and self.shown.topic == topic:
            self._leave()

    def withdraw_error(self) -> None:
        """Close what went wrong before, as something else is tried now."""
        if self.shown is not None and self.shown.severity == Severity.ERROR:
            self._leave()

    def leave_project(self) -> None:
        """Close what was said of a project that another one takes the place of."""
        self._waiting = [one for one in self._waiting if not one.is_about_project]
        if self.shown is not None and self.shown.is_about_project:
            self._leave()

    def apply_theme(self) -> None:
        """Take the colours of the present palette."""
        severity = self._message.severity if self._message is not None else Severity.NOTE
        # Its own palette has the last ground in it, which tells nothing of the theme.
        palette = QGuiApplication.palette()
        palette.setColor(QPalette.ColorRole.Window, theme.tone(_GROUND[severity], palette))
        self.setPalette(palette)
        self._sign.setPixmap(icon(severity.value).pixmap(icon_size(16), self.devicePixelRatio()))

    def _on_action(self) -> None:
        message = self._message
        self.hide()
        if message is not None and message.act is not None:
            kind, act = message.act
            act(self._doers[kind])
        if self.isHidden():
            self._leave()
