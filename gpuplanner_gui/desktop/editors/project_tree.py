"""The project at a glance: scenarios and their parts; select, rename, copy, move, remove."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction, QDragMoveEvent, QDropEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QMenu, QTreeWidget, QTreeWidgetItem, QWidget

from gpuplanner_gui.desktop.editors.scenario_parts import PARTS, SCENARIO_PART, Part, has_part
from gpuplanner_gui.desktop.widgets.event_turns import NextTurn
from gpuplanner_gui.desktop.widgets.icons import icon
from gpuplanner_gui.domain.scenario import Project, Scenario
from gpuplanner_gui.drawing.language import labelled, tr

IS_THERE = Qt.ItemDataRole.UserRole + 1
"""Whether the scenario has the part that an item stands for."""


class ProjectTree(QTreeWidget):
    """Draws the project it is given and says what the planner wants."""

    part_selected = Signal(int, object)
    """Scenario's index, and the part."""
    rename_requested = Signal(int, str)
    move_requested = Signal(int, int)
    """A scenario was dragged: from where, and to the place of which other."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setHeaderHidden(True)
        self.setUniformRowHeights(True)
        self.setIndentation(16)
        self.setAccessibleName(tr("Project"))
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._open_menu)
        self.currentItemChanged.connect(self._on_current_changed)
        self.itemChanged.connect(self._on_item_changed)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setDragDropOverwriteMode(False)
        self._move_soon = NextTurn(self, self._move_dropped)
        self._dropped: tuple[int, int] | None = None
        self._menu_actions: list[QAction] = []
        self._project = Project()
        self._opened: QTreeWidgetItem | None = None
        """The scenario whose parts were opened because it is at hand."""

    def use_menu(self, actions: list[QAction]) -> None:
        """What the context menu of a scenario offers."""
        self._menu_actions = actions

    def show_project(self, project: Project, current: int, part: Part) -> None:
        """Draw the project, with a part of one scenario selected."""
        with QSignalBlocker(self):
            self._follow(self._project.scenarios, project.scenarios)
            self._project = project
            self.select(current, part)

    def select(self, scenario: int, part: Part) -> None:
        """Select without telling anybody."""
        top = self.topLevelItem(scenario)
        if top is None:
            return
        with QSignalBlocker(self):
            if top is not self._opened:
                # One scenario's parts at a time: a pane of a few lines shows which scenario they are of.
                self._close_others(top)
            top.setExpanded(True)
            row = PARTS.index(part) if part in PARTS else -1
            self.setCurrentItem(top if row < 0 else top.child(row))
            if row >= 0:
                self.scrollToItem(top)
                self.scrollToItem(top.child(row))

    def _close_others(self, top: QTreeWidgetItem) -> None:
        if self._opened is not None and self.indexOfTopLevelItem(self._opened) >= 0:
            self._opened.setExpanded(False)
        self._opened = top

    def edit_name(self, scenario: int) -> None:
        """Let the planner type another name, in place."""
        item = self.topLevelItem(scenario)
        if item is not None:
            self.setFocus()
            self.editItem(item)

    def refresh_icons(self) -> None:
        """Draw icons and faint titles in the present palette's colours."""
        with QSignalBlocker(self):
            for top in self._tops():
                top.setIcon(0, icon("scenario"))
                for row, part in enumerate(PARTS):
                    top.child(row).setIcon(0, icon(part.icon))
                    _colour(top.child(row), self)

    def _follow(self, before: tuple[Scenario, ...], after: tuple[Scenario, ...]) -> None:
        """Draw what is another between what stayed at the beginning and at the end: a step changes one or two."""
        start = _shared(before, after)
        end = _shared(before[start:][::-1], after[start:][::-1])
        old, new = len(before) - end, len(after) - end
        for index in range(start, min(old, new)):
            top = self.topLevelItem(index)
            assert top is not None
            self._retitle(top, after[index])
        for index in reversed(range(new, old)):
            if self.takeTopLevelItem(index) is self._opened:
                self._opened = None
        added = [self._made(scenario) for scenario in after[old:new]]
        self.insertTopLevelItems(old, added)

    def _made(self, scenario: Scenario) -> QTreeWidgetItem:
        top = QTreeWidgetItem([scenario.name])
        top.setFlags(top.flags() | Qt.ItemFlag.ItemIsEditable)
        top.setIcon(0, icon("scenario"))
        for part in PARTS:
            item = QTreeWidgetItem()
            item.setFlags(item.flags() & ~(Qt.ItemFlag.ItemIsDragEnabled | Qt.ItemFlag.ItemIsDropEnabled))
            item.setIcon(0, icon(part.icon))
            top.addChild(item)
        self._retitle(top, scenario)
        return top

    def _retitle(self, top: QTreeWidgetItem, scenario: Scenario) -> None:
        top.setText(0, scenario.name)
        for row, part in enumerate(PARTS):
            _show_part(top.child(row), scenario, part, self)

    def _tops(self) -> list[QTreeWidgetItem]:
        tops = (self.topLevelItem(index) for index in range(self.topLevelItemCount()))
        return [top for top in tops if top is not None]

    def _place_of(self, item: QTreeWidgetItem) -> tuple[int, Part]:
        top = item.parent() or item
        part = PARTS[top.indexOfChild(item)] if item.parent() else SCENARIO_PART
        return self.indexOfTopLevelItem(top), part

    def _on_current_changed(self, item: QTreeWidgetItem | None) -> None:
        if item is not None:
            self.part_selected.emit(*self._place_of(item))

    def _on_item_changed(self, item: QTreeWidgetItem, column: int) -> None:
        scenario, part = self._place_of(item)
        if part is not SCENARIO_PART or scenario >= len(self._project.scenarios):
            return
        name = item.text(column).strip()
        if name and name != self._project.scenarios[scenario].name:
            self.rename_requested.emit(scenario, name)
        else:
            with QSignalBlocker(self):
                item.setText(column, self._project.scenarios[scenario].name)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """A drag that begins on a part moves nothing, and must not select whatever it comes past."""
        pressed = self.currentItem()
        if not event.buttons() or (pressed is not None and pressed.parent() is None):
            super().mouseMoveEvent(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        super().dragMoveEvent(event)
        if self._destination(event) is None:
            event.ignore()

    def dropEvent(self, event: QDropEvent) -> None:
        """Say what is wanted; the tree itself changes when the project does."""
        destination, dragged = self._destination(event), self.currentItem()
        if destination is not None and dragged is not None:
            self._dropped = (self.indexOfTopLevelItem(dragged), destination)
            self._move_soon.start()
        # Nothing happened, as far as Qt is concerned: it would take a moved row out of the tree by itself.
        event.setDropAction(Qt.DropAction.IgnoreAction)
        event.accept()

    def _move_dropped(self) -> None:
        if self._dropped is not None:
            (index, destination), self._dropped = self._dropped, None
            if index >= 0 and index != destination:
                self.move_requested.emit(index, destination)

    def _destination(self, event: QDropEvent) -> int | None:
        """Where the dragged scenario would stand if it were dropped there; None: it is none, or nowhere."""
        if event.source() is not self:
            return None
        dragged = self.currentItem()
        if dragged is None or dragged.parent() is not None:
            return None
        index, count = self.indexOfTopLevelItem(dragged), self.topLevelItemCount()
        place = event.position().toPoint()
        item = self.itemAt(place)
        if item is None:
            return count - 1
        row = self.indexOfTopLevelItem(item.parent() or item)
        is_after = item.parent() is not None or place.y() > self.visualItemRect(item).center().y()
        gap = row + 1 if is_after else row
        return gap - 1 if gap > index else gap

    def _open_menu(self, at: QPoint) -> None:
        item = self.itemAt(at)
        if item is not None:
            self.setCurrentItem(item)
            menu = QMenu(self)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.addActions(self._menu_actions)
            menu.popup(self.viewport().mapToGlobal(at))


def _shared(before: tuple[Scenario, ...], after: tuple[Scenario, ...]) -> int:
    """How many scenarios are the same from the beginning."""
    pairs = zip(before, after, strict=False)
    return next((index for index, (old, new) in enumerate(pairs) if old is not new), min(len(before), len(after)))


def _show_part(item: QTreeWidgetItem, scenario: Scenario, part: Part, tree: QTreeWidget) -> None:
    is_there = has_part(scenario, part)
    text = part.words if is_there else tr("{part}: none").format(part=part.words)
    if part.path == "model":
        text = labelled(part.words, scenario.model.name)
    item.setText(0, text)
    item.setToolTip(0, "")
    item.setData(0, IS_THERE, is_there)
    _colour(item, tree)


def _colour(item: QTreeWidgetItem, tree: QTreeWidget) -> None:
    """In the theme's own colour, or faint for a part that the scenario lacks."""
    is_there = bool(item.data(0, IS_THERE))
    item.setData(0, Qt.ItemDataRole.ForegroundRole, None if is_there else tree.palette().placeholderText())
