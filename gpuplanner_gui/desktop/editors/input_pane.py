"""The left side: the project's tree above the editor of the selected part."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.editors.base import Surroundings
from gpuplanner_gui.desktop.editors.part_editor import PartEditor
from gpuplanner_gui.desktop.editors.project_tree import ProjectTree
from gpuplanner_gui.desktop.editors.scenario_parts import PARTS, SCENARIO_PART, Part, has_part, part_of_path
from gpuplanner_gui.desktop.store import Change, ChangeKind, Store
from gpuplanner_gui.desktop.widgets.icons import icon_size, use_icon
from gpuplanner_gui.desktop.widgets.layouts import lay_out
from gpuplanner_gui.desktop.widgets.theme import FONT_SCALE
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.drawing.language import phrase, tr, without_mnemonic

FIRST_WIDTH = 350
WIDEST_AT_FIRST = 440
SHARE, LARGEST_SHARE = 0.23, 0.42
"""Of the window's width that the inputs take at first, and at most."""
FIRST_TREE_HEIGHT = 190


def first_width(window_width: int) -> int:
    """Wider for larger type and in a wider window, so that values are not cut; results keep the larger part."""
    app = QApplication.instance()
    scale = (app.property(FONT_SCALE) if app is not None else None) or 1.0
    pleasant = min(max(FIRST_WIDTH * scale, SHARE * window_width), WIDEST_AT_FIRST * scale)
    return round(min(pleasant, LARGEST_SHARE * window_width))


class InputPane(QSplitter):
    """Follows the store; sends what the planner edits to it."""

    import_requested = Signal()

    def __init__(self, store: Store, surroundings: Surroundings, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._store = store
        self.setChildrenCollapsible(False)
        self.tree = ProjectTree()
        self.editor = PartEditor(surroundings)
        self._buttons = QHBoxLayout()
        self._add_first = QPushButton(tr("Add a scenario"))
        use_icon(self._add_first, "add")
        self._add_first.setObjectName("addFirst")
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
        self.tree.use_menu(menu)
        self._add_first.clicked.connect(buttons[0].trigger)

    def show_all(self) -> None:
        """Draw the project anew, on the part that suits it best."""
        scenario = self._store.scenario
        self._show(_first_part(scenario) if scenario else SCENARIO_PART)

    def show_part(self, part: Part) -> None:
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
        heading = QLabel(tr("Project"))
        heading.setObjectName("partTitle")
        self._buttons.setContentsMargins(12, 6, 6, 2)
        self._buttons.setSpacing(2)
        self._buttons.addWidget(heading, 1)
        layout = lay_out(QVBoxLayout(box), self._buttons, self._add_first, margins=(0, 0, 0, 0), spacing=0)
        layout.setAlignment(self._add_first, Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(self.tree, 1)
        box.setMinimumHeight(90)
        return box

    def _show(self, part: Part) -> None:
        self.tree.show_project(self._store.project, self._store.current, part)
        if self._store.scenario is not None:
            self.editor.show_part(part, self._store.scenario)
        self.editor.setVisible(self._store.scenario is not None)
        self._add_first.setVisible(self._store.scenario is None)

    def _on_part_selected(self, scenario: int, part: Part) -> None:
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


def _first_part(scenario: Scenario) -> Part:
    """What the planner most likely came for: the service, else the training job, else the model."""
    wanted = {part.path: part for part in PARTS}
    return next(wanted[path] for path in ("serving", "training", "model") if has_part(scenario, wanted[path]))
