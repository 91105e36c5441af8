"""The left side: the project's tree above the editor of the selected part."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction, QDragMoveEvent, QDropEvent, QMouseEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDockWidget,
    QHBoxLayout,
    QMenu,
    QSplitter,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.editors.base import PARTS, SCENARIO_PART, EditorPart, Surroundings, has_part, part_of_path
from gpuplanner_gui.desktop.editors.part_editor import PartEditor
from gpuplanner_gui.desktop.store import Change, ChangeKind, Store
from gpuplanner_gui.desktop.widgets.event_turns import NextTurn
from gpuplanner_gui.desktop.widgets.flow_layout import lay_out
from gpuplanner_gui.desktop.widgets.labels import plain_label
from gpuplanner_gui.desktop.widgets.theme import icon, icon_size, push_button
from gpuplanner_gui.domain.scenario import Project, Scenario
from gpuplanner_gui.drawing.application import type_scale
from gpuplanner_gui.drawing.language import labelled, phrase, tr, without_mnemonic

IS_THERE = Qt.ItemDataRole.UserRole + 1
"""Whether the scenario has the part that an item stands for."""


class ProjectTree(QTreeWidget):
    """Draws the project it is given and says what the planner wants."""

    part_selected = Signal(int, object)
    """Scenario's index, and the part."""
    rename_requested = Signal(int, str)
    move_requested = Signal(int, int)
    """A scenario was dragged: from where, and to the place of which other."""

    def __init__(self) -> None:
        super().__init__()
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
        self.menu_actions: list[QAction] = []
        """What the context menu of a scenario offers."""
        self._project = Project()
        self._opened: QTreeWidgetItem | None = None
        """The scenario whose parts were opened because it is at hand."""

    def show_project(self, project: Project, current: int, part: EditorPart) -> None:
        """Draw the project, with a part of one scenario selected."""
        with QSignalBlocker(self):
            self._follow(self._project.scenarios, project.scenarios)
            self._project = project
            self.select(current, part)

    def select(self, scenario: int, part: EditorPart) -> None:
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

    def _place_of(self, item: QTreeWidgetItem) -> tuple[int, EditorPart]:
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
        # In place of what was typed, which may have been refused.
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
            menu.addActions(self.menu_actions)
            menu.popup(self.viewport().mapToGlobal(at))


def _shared(before: tuple[Scenario, ...], after: tuple[Scenario, ...]) -> int:
    """How many scenarios at the start of two lists are the same."""
    pairs = zip(before, after, strict=False)
    return next((index for index, (old, new) in enumerate(pairs) if old is not new), min(len(before), len(after)))


def _show_part(item: QTreeWidgetItem, scenario: Scenario, part: EditorPart, tree: QTreeWidget) -> None:
    is_there = has_part(scenario, part)
    text = part.words if is_there else tr("{part}: none").format(part=part.words)
    if part.path == "model":
        text = labelled(part.words, scenario.model.name)
    item.setText(0, text)
    item.setData(0, IS_THERE, is_there)
    _colour(item, tree)


def _colour(item: QTreeWidgetItem, tree: QTreeWidget) -> None:
    """The colour of a part: the theme's own, or faint if the scenario lacks it."""
    is_there = bool(item.data(0, IS_THERE))
    item.setData(0, Qt.ItemDataRole.ForegroundRole, None if is_there else tree.palette().placeholderText())


FIRST_WIDTH = 350
WIDEST_AT_FIRST = 440
SHARE, LARGEST_SHARE = 0.23, 0.42
"""Shares of the window's width that the inputs take at first, and at most."""
FIRST_TREE_HEIGHT = 190


def first_width(window_width: int) -> int:
    """Wider for larger type and in a wider window, so that values are not cut; results keep the larger part."""
    scale = type_scale()
    pleasant = min(max(FIRST_WIDTH * scale, SHARE * window_width), WIDEST_AT_FIRST * scale)
    return round(min(pleasant, LARGEST_SHARE * window_width))


class InputPane(QSplitter):
    """Follows the store; sends what the planner edits to it."""

    import_requested = Signal()

    def __init__(self, store: Store, surroundings: Surroundings) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self._store = store
        self.setChildrenCollapsible(False)
        self.tree = ProjectTree()
        self.editor = PartEditor(surroundings)
        self._buttons = QHBoxLayout()
        self._add_first = push_button(tr("Add a scenario"), picture="add", name="addFirst")
        self.addWidget(self._tree_box())
        self.addWidget(self.editor)
        self.setStretchFactor(1, 1)
        self.setSizes([FIRST_TREE_HEIGHT, 1000])
        self.tree.part_selected.connect(self._on_part_selected)
        self.tree.rename_requested.connect(
            lambda index, name: store.rename_scenario(index, name, phrase("Rename scenario"))
        )
        self.tree.move_requested.connect(
            lambda index, place: store.move_scenario(index, place, phrase("Move scenario"))
        )
        self.editor.value_edited.connect(store.edit)
        self.editor.import_requested.connect(self.import_requested)
        store.project_changed.connect(self._on_project_changed)
        store.current_scenario_changed.connect(self._on_current_changed)
        self.show_all()

    def use_actions(self, buttons: list[QAction], menu: list[QAction]) -> None:
        """Buttons above the tree, the first of which adds a scenario; and the tree's context menu."""
        for action in buttons:
            button = QToolButton()
            button.setDefaultAction(action)
            button.setIconSize(icon_size(14))
            button.setAccessibleName(without_mnemonic(action.text()))
            self._buttons.addWidget(button)
        self.tree.menu_actions = menu
        self._add_first.clicked.connect(buttons[0].trigger)

    def show_all(self) -> None:
        """Draw the project anew, on the part that suits it best."""
        scenario = self._store.scenario
        self._show(_first_part(scenario) if scenario else SCENARIO_PART)

    def show_part(self, part: EditorPart) -> None:
        self._come_back()
        self._show(part)

    def prepare_one(self) -> bool:
        """Build the form of a part that was not shown yet; False when all are built."""
        return self._store.scenario is not None and self.editor.prepare_one(self._store.scenario)

    def focus_editor(self) -> None:
        self._come_back()
        self.editor.enter()

    def _come_back(self) -> None:
        """Whoever asks for an input gets it, also where its dock was put away."""
        dock = self.parentWidget()
        if isinstance(dock, QDockWidget) and dock.isHidden():
            dock.show()

    def _tree_box(self) -> QWidget:
        box = QWidget()
        heading = plain_label(tr("Project"), name="partTitle")
        self._buttons.setContentsMargins(12, 6, 6, 2)
        self._buttons.setSpacing(2)
        self._buttons.addWidget(heading, 1)
        layout = lay_out(QVBoxLayout(box), self._buttons, self._add_first, margins=(0, 0, 0, 0), spacing=0)
        layout.setAlignment(self._add_first, Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(self.tree, 1)
        box.setMinimumHeight(90)
        return box

    def _show(self, part: EditorPart) -> None:
        self.tree.show_project(self._store.project, self._store.current, part)
        if self._store.scenario is not None:
            self.editor.show_part(part, self._store.scenario)
        self.editor.setVisible(self._store.scenario is not None)
        self._add_first.setVisible(self._store.scenario is None)

    def _on_part_selected(self, scenario: int, part: EditorPart) -> None:
        self._store.select_scenario(scenario)
        if self._store.scenario is not None:
            self.editor.show_part(part, self._store.scenario)

    def _on_current_changed(self) -> None:
        self._show(self.editor.part or SCENARIO_PART)

    def _on_project_changed(self, change: Change) -> None:
        if change.kind == ChangeKind.OPENED:
            self.show_all()
        elif change.kind == ChangeKind.SCENARIO:
            # An undone edit may be of another part than the one on screen: show what changed.
            part = part_of_path(change.path) if change.path else self.editor.part
            self._show(part or SCENARIO_PART)
        else:
            self._show(self.editor.part or SCENARIO_PART)


def _first_part(scenario: Scenario) -> EditorPart:
    """What the planner most likely came for: the service, else the training job, else the model."""
    wanted = {part.path: part for part in PARTS}
    return next(wanted[path] for path in ("serving", "training", "model") if has_part(scenario, wanted[path]))
