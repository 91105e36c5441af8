from __future__ import annotations

import msgspec
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop import theme
from gpuplanner_gui.desktop.parts import PARTS, SCENARIO_PART
from gpuplanner_gui.desktop.project_tree import IS_THERE, ProjectTree
from gpuplanner_gui.desktop.templates import new_scenario
from gpuplanner_gui.domain.scenario import Project


@pytest.fixture
def tree(qtbot: QtBot) -> ProjectTree:
    second = msgspec.structs.replace(new_scenario(), name="Fine-tune", serving=None)
    tree = ProjectTree()
    qtbot.addWidget(tree)
    tree.show_project(Project(scenarios=(new_scenario(), second)), 0, PARTS[1])
    tree.resize(300, 400)
    tree.show()
    return tree


def click(qtbot: QtBot, tree: ProjectTree, scenario: int, part: int) -> None:
    top = tree.topLevelItem(scenario)
    assert top is not None
    top.setExpanded(True)
    item = top.child(part) if part >= 0 else top
    qtbot.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=tree.visualItemRect(item).center())


def test_scenarios_with_their_parts_are_shown(tree: ProjectTree) -> None:
    second = tree.topLevelItem(1)
    assert second is not None
    assert second.text(0) == "Fine-tune"
    assert [second.child(row).text(0) for row in range(second.childCount())] == [
        "Model: 8B decoder",
        "Serving: none",
        "Training: none",
        "Hardware",
        "Money",
    ]


def test_clicked_part_is_told(qtbot: QtBot, tree: ProjectTree) -> None:
    with qtbot.waitSignal(tree.part_selected) as told:
        click(qtbot, tree, 1, 3)
    assert told.args == [1, PARTS[3]]
    with qtbot.waitSignal(tree.part_selected) as told:
        click(qtbot, tree, 0, -1)
    assert told.args == [0, SCENARIO_PART]


def test_arrow_keys_walk_through_the_parts(qtbot: QtBot, tree: ProjectTree) -> None:
    with qtbot.waitSignal(tree.part_selected) as told:
        qtbot.keyClick(tree, Qt.Key.Key_Down)
    assert told.args == [0, PARTS[2]]


def test_showing_a_project_tells_nobody(qtbot: QtBot, tree: ProjectTree) -> None:
    with qtbot.assertNotEmitted(tree.part_selected):
        tree.show_project(Project(scenarios=(new_scenario(),)), 0, PARTS[0])
    assert tree.topLevelItemCount() == 1


def test_name_is_typed_in_place(qtbot: QtBot, tree: ProjectTree) -> None:
    tree.edit_name(1)
    editor = tree.findChild(QLineEdit)
    assert editor is not None
    editor.selectAll()
    qtbot.keyClicks(editor, "Night shift")
    with qtbot.waitSignal(tree.rename_requested) as told:
        qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert told.args == [1, "Night shift"]


def test_blank_name_gives_the_old_one_back(qtbot: QtBot, tree: ProjectTree) -> None:
    tree.edit_name(1)
    editor = tree.findChild(QLineEdit)
    assert editor is not None
    editor.selectAll()
    qtbot.keyClicks(editor, "  ")
    with qtbot.assertNotEmitted(tree.rename_requested):
        qtbot.keyClick(editor, Qt.Key.Key_Return)
    item = tree.topLevelItem(1)
    assert item is not None
    assert item.text(0) == "Fine-tune"


class Drop(QDropEvent):
    """A drop from within the tree."""

    def __init__(self, tree: ProjectTree, place: QPointF) -> None:
        action, button = Qt.DropAction.MoveAction, Qt.MouseButton.LeftButton
        self._tree, self._data = tree, QMimeData()
        super().__init__(place, action, self._data, button, Qt.KeyboardModifier.NoModifier)

    def source(self) -> ProjectTree:
        return self._tree


def dropped(qtbot: QtBot, tree: ProjectTree, dragged: int, onto: int, share: float) -> list[tuple[int, int]]:
    """What is asked for when a scenario is dropped at a share of the height of another's row."""
    moves: list[tuple[int, int]] = []
    tree.move_requested.connect(lambda index, place: moves.append((index, place)))
    tree.setCurrentItem(tree.topLevelItem(dragged))
    row = tree.visualItemRect(tree.topLevelItem(onto))
    event = Drop(tree, QPointF(row.center().x(), row.top() + share * row.height()))
    tree.dropEvent(event)
    done = event.dropAction()
    assert done == Qt.DropAction.IgnoreAction, "Qt would take the row out itself"
    qtbot.wait(20)
    return moves


@pytest.mark.parametrize(
    ("dragged", "onto", "share", "asked"),
    [(1, 0, 0.1, [(1, 0)]), (0, 1, 0.9, [(0, 1)]), (0, 1, 0.1, []), (0, 0, 0.9, []), (1, 0, 0.9, [])],
)
def test_scenario_is_dragged_to_another_place(
    qtbot: QtBot, tree: ProjectTree, dragged: int, onto: int, share: float, asked: list[tuple[int, int]]
) -> None:
    for index in range(2):
        tree.topLevelItem(index).setExpanded(False)  # type: ignore[union-attr]
    assert dropped(qtbot, tree, dragged, onto, share) == asked
    assert tree.topLevelItemCount() == 2, "the tree changes when the project does"


def test_parts_of_a_scenario_cannot_be_dragged(tree: ProjectTree) -> None:
    top = tree.topLevelItem(0)
    assert top is not None
    assert top.flags() & Qt.ItemFlag.ItemIsDragEnabled
    assert not top.child(0).flags() & Qt.ItemFlag.ItemIsDragEnabled


def test_titles_can_be_read_in_the_theme_that_is_chosen_next(tree: ProjectTree, qapp: QApplication) -> None:
    made, top = tree, tree.topLevelItem(0)
    assert top is not None
    parts = [top.child(row) for row in range(top.childCount())]
    lacking = [one for one in parts if one.data(0, IS_THERE) is False]
    assert lacking
    try:
        theme.apply_theme(qapp, theme.Theme.DARK)
        made.refresh_icons()
        for one in parts:
            colour = one.data(0, Qt.ItemDataRole.ForegroundRole)
            if one in lacking:
                assert colour.color() == made.palette().placeholderText().color()
            else:
                assert colour is None, "a colour of its own would stay that of the theme before"
    finally:
        theme.apply_theme(qapp, theme.Theme.LIGHT)
