"""Ctrl+K: every command, page, scenario and input by a few letters of its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QObject, QPersistentModelIndex, QPoint, QSize, Qt
from PySide6.QtGui import QFontMetrics, QKeyEvent, QKeySequence, QPainter, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.editors.field_row import FieldRow
from gpuplanner_gui.desktop.editors.struct_form import FormSection
from gpuplanner_gui.desktop.widgets.flow_layout import lay_out
from gpuplanner_gui.desktop.widgets.labels import plain_label
from gpuplanner_gui.desktop.window.explain_controls import VERDICT
from gpuplanner_gui.desktop.window.file_messages import go_to_field
from gpuplanner_gui.drawing.language import listed, tr, without_mnemonic

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.window.actions import Menus
    from gpuplanner_gui.desktop.window.explain_controls import ExplainControls
    from gpuplanner_gui.desktop.window.window_parts import WindowParts
    from gpuplanner_gui.domain.catalog import CatalogKind


NO_MATCH, LETTERS_FIT = -1.0, 0.2


def match_score(typed: str, text: str) -> float:
    """Score of typed letters against a text, the higher the better; `NO_MATCH` if some word of them does not.

    Each typed word must begin a word of the text, stand inside it, or be letters in order from where a word begins;
    the whole begins best.
    """
    low = text.casefold()
    words = typed.casefold().split()
    if not words:
        return 0.0
    score = 3.0 if low.startswith(typed.casefold().strip()) else 0.0
    for word in words:
        found = _word_score(word, low)
        if found == NO_MATCH:
            return NO_MATCH
        score += found
    return score / len(words) - len(low) / 10_000


def _word_score(word: str, text: str) -> float:
    spaced = text.replace("-", " ")
    if any(part.startswith(word) for part in spaced.split()):
        return 2.0
    if word in text:
        return 1.0
    # From within a word on, "ttft" would be found in "import traffic trace", and most of what is typed in some device.
    begins = (place for place, letter in enumerate(f" {spaced}"[:-1]) if letter == " " and spaced[place] == word[0])
    return LETTERS_FIT if len(word) > 1 and any(_in_order(word, spaced[place:]) for place in begins) else NO_MATCH


def _in_order(letters: str, text: str) -> bool:
    rest = iter(text)
    return all(letter in rest for letter in letters)


WIDTH_LETTERS, ROWS_SHOWN = 64, 12
CATALOG_WEIGHT = -0.5
NUMBER_WEIGHT = 0.1
"""What is on screen stands before what is elsewhere and fits as well, by words; by letters alone behind it."""
KEYS_FOR_LIST = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True)
class PaletteEntry:
    """Something that can be done or gone to."""

    title: str
    place: str
    """Where the command is found otherwise: its menu or page."""
    keys: str
    act: Callable[[], object]
    weight: float = 0.0
    """Added to how well it fits: what there are hundreds of stands behind commands that fit as well."""


class CommandPalette(QDialog):
    """A field above a list of what fits; Enter does the chosen one."""

    def __init__(self, entries: list[PaletteEntry], parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("palette")
        self.setAccessibleName(tr("Commands"))
        self._model = _Entries(entries)
        self.typed = QLineEdit()
        self.typed.setPlaceholderText(tr("Type a command, a page, a scenario, an input, a number or an accelerator"))
        self.typed.setAccessibleName(tr("Find a command"))
        self.typed.textChanged.connect(self._on_typed)
        self.typed.installEventFilter(self)
        self.list = QListView()
        self.list.setModel(self._model)
        self.list.setItemDelegate(_TwoColumns(self.list))
        self.list.setUniformItemSizes(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setAccessibleName(tr("Matching commands"))
        self.list.clicked.connect(self._do)
        self.nothing = plain_label(name="quiet", wraps=True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.nothing.setContentsMargins(6, 6, 6, 6)
        lay_out(QVBoxLayout(self), self.typed, (self.list, 1), (self.nothing, 1), margins=(8, 8, 8, 8))
        self._on_typed("")

    def show_over(self, window: QWidget) -> None:
        """Open near the top of a window, in its middle."""
        metrics = self.fontMetrics()
        width = min(WIDTH_LETTERS * metrics.averageCharWidth() + 40, window.width() - 40)
        height = min((ROWS_SHOWN + 2) * (metrics.height() + 8), window.height() - 80)
        self.resize(width, height)
        self.move(window.mapToGlobal(QPoint((window.width() - width) // 2, 60)))
        self.show()
        self.typed.setFocus(Qt.FocusReason.PopupFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in KEYS_FOR_LIST:
                QApplication.sendEvent(self.list, event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._do(self.list.currentIndex())
                return True
        return super().eventFilter(watched, event)

    def _on_typed(self, text: str) -> None:
        self._model.filter(text)
        self.list.setCurrentIndex(self._model.index(0))
        is_empty = self._model.rowCount() == 0
        said = tr("Nothing matches “{typed}”. Type part of the name of a command, page, input, number or accelerator.")
        self.nothing.setText(said.format(typed=text.strip()) if is_empty else "")
        self.nothing.setVisible(is_empty)
        self.list.setVisible(not is_empty)

    def _do(self, index: Index) -> None:
        entry = self._model.entry(index)
        if entry is not None:
            self.close()
            entry.act()


class _Entries(QAbstractListModel):
    """Entries that fit what was typed, the best first."""

    def __init__(self, entries: list[PaletteEntry]) -> None:
        super().__init__()
        self._all = entries
        self._shown = entries

    def filter(self, typed: str) -> None:
        scored = [(match_score(typed, f"{entry.title} {entry.place}"), entry) for entry in self._all]
        self.beginResetModel()
        fitting = [
            (score + (entry.weight if score > LETTERS_FIT else -abs(entry.weight)), entry)
            for score, entry in scored
            if score != NO_MATCH
        ]
        self._shown = [entry for _, entry in sorted(fitting, key=lambda found: -found[0])]
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  (as Qt declares it)
        return 0 if parent.isValid() else len(self._shown)

    def entry(self, index: Index) -> PaletteEntry | None:
        return self._shown[index.row()] if 0 <= index.row() < len(self._shown) else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        entry = self.entry(index)
        if entry is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.title
        if role == Qt.ItemDataRole.UserRole:
            return "   ".join(part for part in (entry.place, entry.keys) if part)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return listed(part for part in (entry.title, entry.place, entry.keys) if part)
        return None


class _TwoColumns(QStyledItemDelegate):
    """The title at the left; place and shortcut, quieter, at the right."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, QFontMetrics(option.font).height() + 8)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        detail = str(index.data(Qt.ItemDataRole.UserRole) or "")
        is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        palette: QPalette = option.palette
        role = QPalette.ColorRole.HighlightedText if is_chosen else QPalette.ColorRole.PlaceholderText
        painter.save()
        painter.setPen(palette.color(role))
        room = option.rect.adjusted(0, 0, -8, 0)
        metrics = QFontMetrics(option.font)
        taken = metrics.horizontalAdvance(str(index.data())) + 32
        text = metrics.elidedText(detail, Qt.TextElideMode.ElideLeft, max(room.width() - taken, 0))
        painter.drawText(room, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), text)
        painter.restore()


def entries_of(
    parts: WindowParts, menus: Menus, show_method: Callable[[str], object], explaining: ExplainControls
) -> list[PaletteEntry]:
    """Everything that can be done in a window at this moment, and the numbers of the page in front."""
    return [
        *_menu_entries(menus), *_scenario_entries(parts), *_input_entries(parts), *_number_entries(explaining),
        *_method_entries(show_method), *_catalog_entries(parts),
    ]  # fmt: skip


def _menu_entries(held: Menus) -> Iterator[PaletteEntry]:
    # By the menus that the window holds: a menu that an action is asked for dies with Python's name for it.
    menus = list(held.menus.values())
    openers = [menu.menuAction() for menu in menus]
    for menu in menus:
        # Menus that are filled when they open are empty before.
        menu.aboutToShow.emit()
        for action in menu.actions():
            if action.text() and action.isVisible() and action.isEnabled() and action not in openers:
                keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
                yield PaletteEntry(
                    without_mnemonic(action.text()), without_mnemonic(menu.title()), keys, action.trigger
                )


def _scenario_entries(parts: WindowParts) -> Iterator[PaletteEntry]:
    for place, scenario in enumerate(parts.store.project.scenarios):
        if place != parts.store.current:
            yield PaletteEntry(scenario.name, tr("Scenario"), "", partial(parts.store.select_scenario, place))


def _input_entries(parts: WindowParts) -> Iterator[PaletteEntry]:
    """Fields and sections of the forms that were built so far."""
    for part, page in parts.inputs.editor.built_pages():
        for row in page.findChildren(FieldRow):
            yield PaletteEntry(row.label.text(), part.words, "", partial(go_to_field, parts.inputs, part, row))
        for section in page.findChildren(FormSection):
            yield PaletteEntry(section.title, part.words, "", partial(go_to_field, parts.inputs, part, section))


def _number_entries(explaining: ExplainControls) -> Iterator[PaletteEntry]:
    """Those of the page and of the verdict, which is always there; each is answered with why it is what it is."""
    for number in dict.fromkeys((*explaining.numbers(), *explaining.numbers(VERDICT))):
        ask = partial(explaining.open_number, number)
        yield PaletteEntry(f"{number.title}: {number.text}", tr("Number on this page"), "", ask, NUMBER_WEIGHT)


def _method_entries(show_method: Callable[[str], object]) -> Iterator[PaletteEntry]:
    """Pages of the handbook."""
    from gpuplanner_gui.files.shipped_tables import methods

    for method in methods():
        yield PaletteEntry(tr(method.title), tr("Methods"), "", partial(show_method, method.code))


def _catalog_entries(parts: WindowParts) -> Iterator[PaletteEntry]:
    """Accelerators and models, to be looked at in the catalogue."""
    catalog, pane = parts.compute.catalog, parts.results_pane
    if catalog is None or pane is None:
        return
    kinds: tuple[tuple[CatalogKind, str], ...] = (("accelerators", tr("Accelerator")), ("models", tr("Model")))
    for kind, place in kinds:
        for key, entry in catalog.entries(kind).items():
            yield PaletteEntry(entry.name, place, "", partial(_show_entry, parts, kind, key), CATALOG_WEIGHT)


def _show_entry(parts: WindowParts, kind: CatalogKind, key: str) -> None:
    parts.workspace.show_workspace()
    if parts.results_pane is not None:
        parts.results_pane.show_catalog_entry(kind, key)
