"""One field in a form: label, editor, what is wrong with it, and the way back to its default."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QGridLayout,
    QLineEdit,
    QMenu,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWhatsThis,
    QWidget,
)

from gpuplanner_gui.desktop.editors.base import ValueEditor
from gpuplanner_gui.desktop.widgets import theme
from gpuplanner_gui.desktop.widgets.flow_layout import lay_out
from gpuplanner_gui.desktop.widgets.labels import WrappingLabel, plain_label
from gpuplanner_gui.desktop.widgets.theme import coloured_icon, icon_size, tool_button
from gpuplanner_gui.domain.constants import HOURS_PER_DAY
from gpuplanner_gui.domain.economics import PriceOverride
from gpuplanner_gui.domain.field import Field
from gpuplanner_gui.domain.traffic import DAYS_PER_WEEK, Traffic
from gpuplanner_gui.domain.workload import RequestClass
from gpuplanner_gui.drawing.language import listed, tr
from gpuplanner_gui.drawing.unit_words import unit_text
from gpuplanner_gui.drawing.units import exact_quantity_text
from gpuplanner_gui.drawing.words.glossary import meanings


@dataclass(frozen=True)
class FieldNote:
    """A sentence under a field."""

    text: str = ""
    is_unused: bool = False
    """The field's value has no effect as things are."""


NO_NOTE = FieldNote()


def _peak_rate(_: RequestClass, scenario: Any) -> FieldNote:
    """Users and batches make their own rate; of several classes the stated rates say how many requests are which."""
    serving = scenario.serving if scenario is not None else None
    if serving is not None and serving.traffic.is_batch:
        if len(serving.classes) > 1:
            return FieldNote(
                tr("Only the share of each class counts: the batch's requests and deadline make the rate.")
            )
        return FieldNote(tr("Not used: the batch's requests and deadline make the rate."), is_unused=True)
    if serving is None or serving.traffic.arrivals != "users":
        return NO_NOTE
    if len(serving.classes) > 1:
        return FieldNote(
            tr("Only the share of each class counts: the rate follows from the number of users and their think time.")
        )
    return FieldNote(tr("Not used: the rate follows from the number of users and their think time."), is_unused=True)


def _mean_over_peak(traffic: Traffic, _: Any) -> FieldNote:
    if traffic.is_batch or not traffic.known_hours:
        return NO_NOTE
    return FieldNote(tr("Not used, because Load by hour (under More) is set."), is_unused=True)


def _hours(traffic: Traffic, _: Any) -> FieldNote:
    count = len(traffic.hours)
    if count in (0, HOURS_PER_DAY):
        return NO_NOTE
    return FieldNote(tr("{count} values are spread evenly over the 24 hours of a day.").format(count=count))


def _days(traffic: Traffic, _: Any) -> FieldNote:
    count = len(traffic.days)
    if count in (0, DAYS_PER_WEEK):
        return NO_NOTE
    if count > DAYS_PER_WEEK:
        words = tr("{count} values are averaged into the 7 days of a week.")
        return FieldNote(words.format(count=count))
    words = tr("{count} values from Monday; the other days of the week have no load.")
    return FieldNote(words.format(count=count))


def _quotation(name: str, quotation: PriceOverride, scenario: Any) -> FieldNote:
    """What a quoted price holds for where it is for no one term; or why it does not count yet."""
    money = getattr(quotation, name)
    if money is None or scenario is None:
        return NO_NOTE
    if math.isnan(scenario.economics.usd_per_unit(money.currency)):
        words = tr("Does not count until {currency} has one exchange rate: the catalogue's price holds.")
        return FieldNote(words.format(currency=money.currency))
    if name != "rent_per_device_hour" or quotation.term is not None:
        return NO_NOTE
    rows = [one for one in scenario.economics.overrides if one.accelerator == quotation.accelerator]
    if any(one.term is not None and one.rent_per_device_hour is not None for one in rows):
        return FieldNote(tr("Holds for every term that no row quotes lower."))
    return FieldNote(tr("Holds for every term: on demand, 1 year, 3 years and spot."))


def _quoted_term(quotation: PriceOverride, _: Any) -> FieldNote:
    if quotation.term is None or quotation.rent_per_device_hour is not None:
        return NO_NOTE
    return FieldNote(tr("Not used: this row has no rent."), is_unused=True)


_NOTES: dict[tuple[str, str], Callable[[Any, Any], FieldNote]] = {
    ("RequestClass", "peak_rate_per_s"): _peak_rate,
    ("Traffic", "mean_over_peak"): _mean_over_peak,
    ("Traffic", "hours"): _hours,
    ("Traffic", "days"): _days,
    ("PriceOverride", "term"): _quoted_term,
    ("PriceOverride", "rent_per_device_hour"): partial(_quotation, "rent_per_device_hour"),
    ("PriceOverride", "purchase_per_device"): partial(_quotation, "purchase_per_device"),
}


def note_at(struct: Any, name: str, scenario: Any = None) -> FieldNote:
    """The note to show at a field with its present value, in a scenario; empty for none."""
    note = _NOTES.get((type(struct).__name__, name))
    return note(struct, scenario) if note is not None else NO_NOTE


LABEL_LETTERS = (12, 17)
"""Least and greatest width of a form's labels; longer ones are wrapped, for the value needs the room more."""
LABEL_ROOM = 6
"""Pixels between a label and its editor, beside the layout's own."""
LINE_UNDO = ("edit-undo", "edit-redo")
"""Entries of Qt's menu of a line that are about its own texts: here undo is the project's."""


RESET_SIDE, RESET_ROOM = 12, 9
"""Pixels of the icon of the way back to the default at the usual size of type, and of its button around it."""


class FieldRow(QWidget):
    """Label at the left and editor at the right, or the label above a wide editor."""

    reset_requested = Signal()

    def __init__(self, field: Field, editor: ValueEditor, default: Any, has_default: bool, parent: QWidget) -> None:
        super().__init__(parent)
        self.field = field
        self.editor = editor
        self._title = tr(field.about.title)
        self._default, self._has_default = default, has_default
        self._differs: bool | None = None
        """Whether the value is not the default; None before there is one."""
        self._note_text = ""
        self.label = plain_label(self._title, self, wraps=True)
        self.label.setBuddy(editor.focus_widget())
        self._under = lay_out(QVBoxLayout(), editor, margins=(0, 0, 0, 0), spacing=2)
        # Room for a button that comes and goes, without anything around it being laid out: where a widget is shown, Qt
        # lays out whatever it stands in, up to the window, and stops at one without a layout.
        self._reset_place = QWidget(self)
        self._reset_place.setFixedSize(icon_size(RESET_SIDE) + QSize(RESET_ROOM, RESET_ROOM))
        self._set_help()
        editor.problem_changed.connect(self._on_problem_changed)
        # A line would show a menu of its own, and a box takes the event without one. A filter would lead each event of
        # each field through Python.
        focus = editor.focus_widget()
        focus.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        focus.customContextMenuRequested.connect(self._open_menu_of_editor)
        self._lay_out()

    @cached_property
    def problem(self) -> WrappingLabel:
        """What is wrong with the value, right under it; few fields ever need the label."""
        return self._line_under("problem", 1)

    @cached_property
    def note(self) -> WrappingLabel:
        """What the rest of the form means for this field; few fields have one."""
        return self._line_under("quiet", self._under.count())

    def _line_under(self, name: str, place: int) -> WrappingLabel:
        label = WrappingLabel(parent=self, name=name)
        label.hide()
        self._under.insertWidget(place, label)
        return label

    def show_value(self, value: Any) -> None:
        self.editor.show_value(value)
        differs = self._has_default and value != self._default
        if differs is not self._differs:
            self._differs = differs
            self._mark_difference(differs)

    def show_note(self, note: FieldNote) -> None:
        """Say what the rest of the form means for this field; one that is not in use takes no value."""
        if note.text != self._note_text:
            self._note_text = note.text
            self.note.setText(note.text)
            self.note.setVisible(bool(note.text))
        self.editor.setEnabled(not note.is_unused)

    def _open_menu_of_editor(self, place: QPoint) -> None:
        focus = self.editor.focus_widget()
        menu = _menu_of_line(focus) if isinstance(focus, QLineEdit) else QMenu(self)
        self._open_menu(menu, focus.mapToGlobal(place))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self._open_menu(QMenu(self), event.globalPos())

    def _open_menu(self, menu: QMenu, position: QPoint) -> None:
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if menu.actions():
            menu.addSeparator()
        if self._differs is not None and self._has_default:
            words = value_text(self._default, self.field).replace("&", "&&")
            back = menu.addAction(tr("&Back to {default}").format(default=words))
            back.setEnabled(self._differs)
            back.triggered.connect(self.reset_requested)
        menu.addAction(tr("What's &This?")).triggered.connect(self.show_help)
        menu.popup(position)

    def event(self, event: QEvent) -> bool:
        """Answer the help keys with the field's help, wherever in the row the focus is."""
        if event.type() in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress) and isinstance(event, QKeyEvent):
            keys = (QKeySequence.StandardKey.HelpContents, QKeySequence.StandardKey.WhatsThis)
            if any(event.matches(one) for one in keys):
                event.accept()
                if event.type() == QEvent.Type.KeyPress:
                    self.show_help()
                return True
        return super().event(event)

    def show_help(self) -> None:
        """Say under the field what it is."""
        editor = self.editor.focus_widget()
        QWhatsThis.showText(
            editor.mapToGlobal(QPoint(editor.width() // 2, editor.height())), self.label.whatsThis(), self
        )

    def _mark_difference(self, differs: bool) -> None:
        if differs or "reset" in vars(self):
            self.reset.setVisible(differs)
        if differs:
            words = value_text(self._default, self.field)
            self.reset.setToolTip(html.escape(tr("Back to {default}").format(default=words)))
        self.editor.focus_widget().setAccessibleDescription(
            "  ".join(part for part in (self._help_text(), tr("Changed from its default.") if differs else "") if part)
        )

    @cached_property
    def reset(self) -> QToolButton:
        """The way back to the default; made where the value differs from it for the first time."""
        button = tool_button("", None, self._reset_place, name="reset")
        button.setIcon(coloured_icon("reset", theme.tone(theme.CHANGED, self.palette())))
        button.setIconSize(icon_size(RESET_SIDE))
        button.resize(self._reset_place.size())
        button.setAccessibleName(tr("Reset {title} to its default").format(title=self._title))
        button.hide()
        button.clicked.connect(self.reset_requested)
        return button

    def use_label_width(self, width: int) -> None:
        """Pixels for a label at the left; a label above its editor is as wide as that."""
        if not self.editor.is_wide:
            self.label.setFixedWidth(width)

    def needed_width(self) -> int:
        """Pixels of the label in one line; 0 where it stands above its editor."""
        return 0 if self.editor.is_wide else self.label.fontMetrics().horizontalAdvance(self._title) + LABEL_ROOM

    def _help_text(self) -> str:
        about = self.field.about
        return tr(about.help) if about.help else ""

    def _set_help(self) -> None:
        about = self.field.about
        parts = [f"<b>{html.escape(self._title)}</b>"]
        if about.help:
            parts.append(html.escape(tr(about.help)))
        if about.unit:
            parts.append(html.escape(tr("Unit: {unit}").format(unit=unit_text(about.unit))))
        if self.field.is_quantity:
            parts.append(html.escape(tr("A range may be typed as 20..60, a spread as 40 ±10.")))
        parts += map(html.escape, meanings(self._title, self._help_text()))
        text = "<br>".join(parts)
        self.label.setToolTip(text)
        self.editor.setToolTip(text)
        self.label.setWhatsThis(text)
        self.editor.setWhatsThis(text)
        target = self.editor.focus_widget()
        if not target.accessibleName():
            target.setAccessibleName(self._title)

    def _on_problem_changed(self, problem: str) -> None:
        if problem or "problem" in vars(self):
            self.problem.setText(problem)
            self.problem.setVisible(bool(problem))

    def _lay_out(self) -> None:
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setHorizontalSpacing(4)
        layout.setVerticalSpacing(2)
        if self.editor.is_wide:
            self.label.setObjectName("sectionTitle")
            layout.addWidget(self.label, 0, 0)
            layout.addWidget(self._reset_place, 0, 1, Qt.AlignmentFlag.AlignTop)
            layout.addLayout(self._under, 1, 0, 1, 2)
            layout.setColumnStretch(0, 1)
            return
        self.use_label_width(label_width([self]))
        self.label.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self.label.setContentsMargins(0, 4, 0, 0)
        layout.addWidget(self.label, 0, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(self._under, 0, 1)
        layout.addWidget(self._reset_place, 0, 2, Qt.AlignmentFlag.AlignTop)
        layout.setColumnStretch(1, 1)


def label_width(rows: Sequence[FieldRow]) -> int:
    """The width of the longest label of a form, so that its editors stand in one column."""
    letter = max((row.fontMetrics().averageCharWidth() for row in rows), default=0)
    least, most = (letters * letter for letters in LABEL_LETTERS)
    return min(max([least, *(row.needed_width() for row in rows)]), most)


def _menu_of_line(line: QLineEdit) -> QMenu:
    menu = line.createStandardContextMenu()
    for action in menu.actions():
        if action.objectName() in LINE_UNDO:
            menu.removeAction(action)
    if menu.actions() and menu.actions()[0].isSeparator():
        menu.removeAction(menu.actions()[0])
    return menu


def value_text(value: Any, field: Field) -> str:
    """A default as its tool tip says it."""
    from gpuplanner_gui.drawing.words.choices import words_of_choice

    if value is None or value == () or value == "":
        return tr("empty")
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    if isinstance(value, str):
        return words_of_choice(value)
    if isinstance(value, tuple):
        return listed(words_of_choice(item) if isinstance(item, str) else "…" for item in value)
    if field.is_quantity or isinstance(value, (int, float)):
        return exact_quantity_text(value, field.about.unit)
    return tr("the default")
