"""Why a number is what it is: its formula, what went in, and where each figure was read, as far down as one asks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QFont, QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QMenu,
    QStackedWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QTreeWidgetItemIterator,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.widgets.event_turns import BesideDrawing, NextTurn
from gpuplanner_gui.desktop.widgets.flow_layout import flowing, lay_out
from gpuplanner_gui.desktop.widgets.labels import plain_label, plain_tool_tip
from gpuplanner_gui.desktop.widgets.tables import MEASURED_ROWS
from gpuplanner_gui.desktop.widgets.theme import push_button, search_line
from gpuplanner_gui.domain.method import ExplainedValue
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.method_pages import method_of
from gpuplanner_gui.drawing.plots.pens import scaled
from gpuplanner_gui.drawing.words.explain import (
    explanation_lines,
    expression_of,
    input_names,
    name_of,
    shown_value,
    source_of,
)

if TYPE_CHECKING:
    from gpuplanner_gui.drawing.numbers import Number


NUMBER_ROLE = Qt.ItemDataRole.UserRole
LISTED_A_TURN = 40


def _tree(name: str, headings: Sequence[str], parent: QWidget) -> QTreeWidget:
    """Lines of one height with a value in the second column; what is too long is cut in the middle."""
    tree = QTreeWidget(parent)
    tree.setAccessibleName(name)
    tree.setHeaderLabels(headings)
    tree.setUniformRowHeights(True)
    tree.setAlternatingRowColors(True)
    tree.setFrameShape(QTreeWidget.Shape.NoFrame)
    tree.setTextElideMode(Qt.TextElideMode.ElideMiddle)
    tree.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
    tree.header().setResizeContentsPrecision(MEASURED_ROWS)
    return tree


class NumbersList(QWidget):
    """Titles and values, with a field that leaves those that hold its words; Enter or a double click asks."""

    chosen = Signal(str, str)
    """Stage and place of the number that is asked about."""
    kept = ("filter", "tree")

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._to_list: list[Number] = []
        self.listing = BesideDrawing(self, self._list_some)
        self._hint = plain_label(tr("Choose a number on this page to see how it is calculated."), self, wraps=True)
        self.filter = search_line(tr("Name or value"), self, name=tr("Numbers to show"))
        self.filter.textChanged.connect(self._apply_filter)
        self.filter.returnPressed.connect(self._ask_first)
        self.tree = _tree(tr("Numbers of this page"), (tr("Number"), tr("Value")), self)
        self.tree.setRootIsDecorated(False)
        self.tree.header().setStretchLastSection(False)
        self.tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.tree.itemActivated.connect(self._ask)
        lay_out(QVBoxLayout(self), self._hint, self.filter, (self.tree, 1), margins=(0, 4, 0, 0))

    def show_numbers(self, numbers: Sequence[Number], words: str = "") -> None:
        """List these, a few a turn, for a page may have a thousand; `words` fills the field."""
        self.tree.clear()
        self._to_list = list(reversed(numbers))
        self._hint.setText(
            tr("Choose a number on this page to see how it is calculated.")
            if numbers
            else tr("There are no numbers yet.")
        )
        self.filter.setText(words)
        self._list_some()
        self.listing.start()

    def _list_some(self) -> None:
        items = []
        for _ in range(min(LISTED_A_TURN, len(self._to_list))):
            one = self._to_list.pop()
            item = QTreeWidgetItem([one.title, one.text])
            item.setToolTip(0, one.title)
            item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            item.setData(0, NUMBER_ROLE, (one.stage, one.place))
            items.append(item)
        self.tree.addTopLevelItems(items)
        self._filter_items(items, self.filter.text())
        if not self._to_list:
            self.listing.stop()

    def _apply_filter(self, words: str) -> None:
        items = [self.tree.topLevelItem(place) for place in range(self.tree.topLevelItemCount())]
        self._filter_items([one for one in items if one is not None], words)

    def _filter_items(self, items: Sequence[QTreeWidgetItem], words: str) -> None:
        sought = words.casefold().split()
        for item in items:
            text = f"{item.text(0)} {item.text(1)}".casefold()
            is_hidden = not all(word in text for word in sought)
            if item.isHidden() != is_hidden:  # The tree lays out its lines anew for each that is told anything.
                item.setHidden(is_hidden)

    def _ask_first(self) -> None:
        for index in range(self.tree.topLevelItemCount()):
            item = self.tree.topLevelItem(index)
            if item is not None and not item.isHidden():
                self._ask(item)
                return

    def _ask(self, item: QTreeWidgetItem, column: int = 0) -> None:
        self.chosen.emit(*item.data(0, NUMBER_ROLE))


OPEN_LEVELS = 2
INDENTATION = 12
BUTTON_SPACING = 6
MOST_FOR_NAMES, LEAST_FOR_NAMES = 0.45, 120
"""Most of the panel's width for names, as a share, and least in pixels."""
LEAST_WITH_FORMULAS = 520
"""Pixels of a panel that shows formulas beside their values; a narrower one shows that of the chosen value below."""
FORMULA_ROLE = Qt.ItemDataRole.UserRole
DETAILS_ROLE = FORMULA_ROLE + 1
SOURCE_ROLE = FORMULA_ROLE + 2
"""True for a line that tells a source and nothing else."""
VALUE_ROLE = FORMULA_ROLE + 3
"""The value of a line that has others below it, which are made when it is opened."""
EXPANDED_A_TURN = 5
COPIED_A_TURN = 60


class ExplainPanel(QWidget):
    """A tree of values; expanding one asks it "why?" again."""

    method_requested = Signal(str)
    """Key of the formula whose method is to be told of."""
    back_requested = Signal()
    """The list of the page's numbers is wanted again."""

    def __init__(self) -> None:
        super().__init__()
        self.explanation: ExplainedValue | None = None
        self._to_expand: list[QTreeWidgetItem] = []
        self.expanding = BesideDrawing(self, self._expand_some)
        self._to_copy: Iterator[str] = iter(())
        self._copied: list[str] = []
        self.copying = BesideDrawing(self, self._copy_some)
        self._fit_soon = NextTurn(self, self._fit_names)
        start = tr("Right-click a number in the table to see how it is calculated.")
        self._message = plain_label(start, self, wraps=True)
        self._message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._message.setMargin(16)
        self.tree = _tree(tr("Explanation"), (tr("Value"), "", tr("Formula or source")), self)
        self.tree.setIndentation(INDENTATION)
        self.tree.itemExpanded.connect(self._fill)
        # Once for all that a turn opens, by the lines near the top and those on screen.
        self.tree.itemExpanded.connect(self._fit_soon.start)
        self.tree.header().setStretchLastSection(True)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tree.customContextMenuRequested.connect(self._show_menu)
        self._copy = push_button(tr("Copy as &text"), self.copy_text, self)
        self.method = push_button(tr("&Method…"), self._ask_for_method, self, tip=tr("About the Method of This Value"))
        self.tree.currentItemChanged.connect(self._update_method)
        self.details = plain_label("", self, wraps=True, is_selectable=True)
        self.details.setContentsMargins(8, 4, 8, 4)
        self.details.setAccessibleName(tr("Formula or source"))
        self.tree.currentItemChanged.connect(self._show_details)
        self.numbers = NumbersList(self)
        self.back = push_button(tr("&Numbers of this page"), self.back_requested, self)
        answer = QWidget(self)
        buttons = flowing((self.back, self.method, self._copy), answer, BUTTON_SPACING, BUTTON_SPACING)
        lay_out(QVBoxLayout(answer), (self.tree, 1), self.details, buttons, margins=(0, 0, 0, 8))
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self._message)
        self._stack.addWidget(answer)
        self._stack.addWidget(self.numbers)
        lay_out(QVBoxLayout(self), self._stack, margins=(0, 0, 0, 0))

    def show_message(self, text: str) -> None:
        self._message.setText(text)
        self._stack.setCurrentIndex(0)

    def show_numbers(self, numbers: Sequence[Number]) -> None:
        """List what can be asked about."""
        self.explanation = None
        self._leave_lines()
        self.numbers.show_numbers(numbers)
        self._stack.setCurrentWidget(self.numbers)

    def show_explanation(self, value: ExplainedValue) -> None:
        self.explanation = value
        self._leave_lines()
        root = _item(value)
        self.tree.addTopLevelItem(root)
        self._expand([root], OPEN_LEVELS)
        self.tree.setCurrentItem(root)
        self._update_method()
        self._stack.setCurrentIndex(1)
        self._show_sources(not self.tree.isColumnHidden(2))
        self._fit_names()

    def _leave_lines(self) -> None:
        self.expanding.stop()
        self._to_expand = []
        self.tree.clear()

    def _fill(self, item: QTreeWidgetItem) -> None:
        """Make the lines below one that is looked into: an explanation may have ten thousand."""
        value = item.data(0, VALUE_ROLE)
        if isinstance(value, ExplainedValue) and not item.childCount():
            item.addChildren(list(_items_below(value)))
            _show_sources_of(item, not self.tree.isColumnHidden(2))

    def _expand(self, items: list[QTreeWidgetItem], levels: int) -> None:
        """Open these, and what is below them, so many levels deep."""
        for _ in range(levels):
            for item in items:
                item.setExpanded(True)
            items = [item.child(place) for item in items for place in range(item.childCount())]

    def expand_all(self) -> None:
        """Open all that is below the value asked about, a few lines a turn, so that the window hears meanwhile."""
        root = self.tree.topLevelItem(0)
        if root is not None:
            self._to_expand = [root]
            self.expanding.start()

    def _expand_some(self) -> None:
        for _ in range(EXPANDED_A_TURN):
            if not self._to_expand:
                self.expanding.stop()
                return
            item = self._to_expand.pop()
            item.setExpanded(True)
            self._to_expand += [item.child(place) for place in reversed(range(item.childCount()))]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_names()

    def _fit_names(self) -> None:
        """Names as wide as they need, but never so wide that values have no room, nor formulas where they are shown."""
        self._fit_soon.stop()
        has_formulas = self.width() >= scaled(LEAST_WITH_FORMULAS)
        if self.tree.isColumnHidden(2) is has_formulas:
            self.tree.setColumnHidden(2, not has_formulas)
            self._show_sources(has_formulas)
        if has_formulas:
            most = round(self.width() * MOST_FOR_NAMES)
            self.tree.setColumnWidth(0, max(min(self.tree.sizeHintForColumn(0), most), LEAST_FOR_NAMES))
        else:
            room = self.tree.viewport().width() - self.tree.sizeHintForColumn(1)
            self.tree.setColumnWidth(0, max(room, LEAST_FOR_NAMES))

    def _show_sources(self, are_shown: bool) -> None:
        """Lines that have nothing but a source stand only where that can be read in them."""
        items = QTreeWidgetItemIterator(self.tree)
        while items.value() is not None:
            _show_sources_of(items.value(), are_shown)
            items += 1

    def copy_text(self) -> None:
        """Copy the whole explanation, some lines a turn: a long one takes half a second to write."""
        if self.explanation is not None:
            self._to_copy, self._copied = explanation_lines(self.explanation), []
            self.copying.start()
            self._copy_some()

    def _copy_some(self) -> None:
        lines = list(islice(self._to_copy, COPIED_A_TURN))
        self._copied += lines
        if len(lines) < COPIED_A_TURN:
            self.copying.stop()
            QGuiApplication.clipboard().setText("\n".join(self._copied))

    def _formula(self) -> str:
        """Key of the formula that made the chosen value, or of the nearest one above that a formula made."""
        item = self.tree.currentItem()
        while item is not None and not item.data(0, FORMULA_ROLE):
            item = item.parent()
        return str(item.data(0, FORMULA_ROLE)) if item is not None else ""

    def _update_method(self, *_: object) -> None:
        self.method.setEnabled(method_of(self._formula()) is not None)

    def _show_details(self, *_: object) -> None:
        """The chosen value in full, where the columns are too narrow for it."""
        item = self.tree.currentItem()
        self.details.setText(str(item.data(0, DETAILS_ROLE)) if item is not None else "")

    def _ask_for_method(self) -> None:
        self.method_requested.emit(self._formula())

    def _show_menu(self, place: QPoint) -> None:
        menu = QMenu(self.tree)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        item = self.tree.itemAt(place)
        if item is not None:
            self.tree.setCurrentItem(item)
            if self.method.isEnabled():
                menu.addAction(tr("About the Method of This Value"), self._ask_for_method)
            menu.addAction(tr("Copy Value"), lambda: QGuiApplication.clipboard().setText(item.text(1)))
        menu.addAction(tr("Copy All as Text"), self.copy_text)
        menu.addAction(tr("Expand All"), self.expand_all)
        menu.popup(self.tree.viewport().mapToGlobal(place))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_text()
        else:
            super().keyPressEvent(event)


def _item(value: ExplainedValue, name: str = "") -> QTreeWidgetItem:
    name = name or name_of(value)
    expression, source_text = expression_of(value), source_of(value)
    item = QTreeWidgetItem([name, shown_value(value), expression or source_text])
    item.setData(0, FORMULA_ROLE, value.formula)
    item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    font = QFont(item.font(1))
    font.setWeight(QFont.Weight.DemiBold)
    item.setFont(1, font)
    item.setData(0, DETAILS_ROLE, "\n".join(_full_texts(value, name)))
    details = "\n".join(text for text in (name, expression, source_text) if text)
    for column in range(3):
        item.setToolTip(column, plain_tool_tip(details))
    if value.inputs or _has_source_line(value):
        item.setData(0, VALUE_ROLE, value)
        item.setChildIndicatorPolicy(QTreeWidgetItem.ChildIndicatorPolicy.ShowIndicator)
    return item


def _has_source_line(value: ExplainedValue) -> bool:
    return bool(value.expression and value.source)


def _items_below(value: ExplainedValue) -> Iterator[QTreeWidgetItem]:
    if _has_source_line(value):
        source_text = source_of(value)
        source = QTreeWidgetItem([tr("Source"), "", source_text])
        source.setData(0, DETAILS_ROLE, source_text)
        source.setData(0, SOURCE_ROLE, True)
        yield source
    yield from map(_item, value.inputs, input_names(value))


def _show_sources_of(item: QTreeWidgetItem, are_shown: bool) -> None:
    """Show the sources of the lines below a value."""
    for place in range(item.childCount()):
        child = item.child(place)
        child.setHidden(bool(child.data(0, SOURCE_ROLE)) and not are_shown)


def _full_texts(value: ExplainedValue, name: str) -> Iterator[str]:
    yield f"{name} = {shown_value(value)}"
    if value.expression:
        yield expression_of(value)
    if value.source:
        yield tr("Source: {source}").format(source=source_of(value))
