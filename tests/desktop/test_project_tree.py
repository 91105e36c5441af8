from __future__ import annotations

import random

import msgspec
import pytest
from PySide6.QtCore import QEvent, QMimeData, QPointF, Qt
from PySide6.QtGui import QDropEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.editors.base import PARTS, SCENARIO_PART
from gpuplanner_gui.desktop.editors.input_pane import IS_THERE, ProjectTree
from gpuplanner_gui.desktop.store import Store
from gpuplanner_gui.desktop.widgets import theme
from gpuplanner_gui.desktop.window.project_file import new_scenario
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
    item = tree.topLevelItem(1)
    assert item is not None
    assert item.text(0) == "Fine-tune", "whoever was asked has refused the name"


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
        tree.topLevelItem(index).setExpanded(False)
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
        theme.apply_theme(qapp, theme.ThemeChoice.DARK)
        made.refresh_icons()
        for one in parts:
            colour = one.data(0, Qt.ItemDataRole.ForegroundRole)
            if one in lacking:
                assert colour.color() == made.palette().placeholderText().color()
            else:
                assert colour is None, "a colour of its own would stay that of the theme before"
    finally:
        theme.apply_theme(qapp, theme.ThemeChoice.LIGHT)


def opened(tree: ProjectTree) -> list[bool]:
    tops = (tree.topLevelItem(index) for index in range(tree.topLevelItemCount()))
    return [top is not None and top.isExpanded() for top in tops]


def test_parts_of_the_scenario_at_hand_are_open_with_its_name_in_sight(qtbot: QtBot, tree: ProjectTree) -> None:
    scenarios = tuple(msgspec.structs.replace(new_scenario(), name=f"Case {index}") for index in range(12))
    tree.resize(300, 150)
    for current in (11, 0, 7):
        tree.show_project(Project(scenarios=scenarios), current, PARTS[1])
        assert opened(tree) == [index == current for index in range(12)]
        top = tree.topLevelItem(current)
        assert top is not None
        for item in (top, tree.currentItem()):
            assert tree.viewport().rect().contains(tree.visualItemRect(item).center())
    by_hand = tree.topLevelItem(2)
    assert by_hand is not None
    by_hand.setExpanded(True)
    tree.show_project(Project(scenarios=scenarios), 8, PARTS[1])
    assert by_hand.isExpanded(), "what the planner opened stays open"


def test_a_drag_over_parts_selects_nothing_else(qtbot: QtBot, tree: ProjectTree) -> None:
    top = tree.topLevelItem(0)
    assert top is not None
    told: list[object] = []
    start, end = (tree.visualItemRect(item).center() for item in (top.child(3), top.child(0)))
    qtbot.mousePress(tree.viewport(), Qt.MouseButton.LeftButton, pos=start)
    tree.part_selected.connect(lambda *found: told.append(found))
    left = Qt.MouseButton.LeftButton
    for step in range(1, 11):
        place = start + (end - start) * (step / 10)
        far = tree.viewport().mapToGlobal(place)
        move = QMouseEvent(
            QEvent.Type.MouseMove, QPointF(place), QPointF(far), left, left, Qt.KeyboardModifier.NoModifier
        )
        QApplication.sendEvent(tree.viewport(), move)
    qtbot.mouseRelease(tree.viewport(), left, pos=end)
    assert told == []
    assert tree.currentItem() is top.child(3)
    assert tree.selectedItems() == [top.child(3)]


def test_after_any_steps_the_tree_shows_the_project(qtbot: QtBot, tree: ProjectTree) -> None:
    dice = random.Random(7)
    store = Store(Project(scenarios=(new_scenario(),)))
    steps = (
        lambda: store.add_scenario(new_scenario(), "add"),
        lambda: store.duplicate_scenario(store.current, "copy"),
        lambda: store.remove_scenario(dice.randrange(len(store.project.scenarios)), "remove"),
        lambda: store.move_scenario(store.current, dice.randrange(len(store.project.scenarios)), "move"),
        lambda: store.rename_scenario(store.current, f"Case {dice.randrange(99)}", "rename"),
        lambda: store.edit("serving", None, "leave out"),
        lambda: store.edit("model.name", f"Model {dice.randrange(99)}", "model"),
        store.undo_stack.undo,
        store.undo_stack.redo,
    )
    for _ in range(300):
        if store.scenario is None:
            store.add_scenario(new_scenario(), "add")
        dice.choice(steps)()
        tree.show_project(store.project, store.current, PARTS[0])
        tops = [tree.topLevelItem(index) for index in range(tree.topLevelItemCount())]
        assert [top.text(0) for top in tops if top is not None] == [one.name for one in store.project.scenarios]
        for top, scenario in zip(tops, store.project.scenarios, strict=True):
            assert top is not None
            assert top.child(0).text(0) == f"Model: {scenario.model.name}"
            assert top.child(1).data(0, IS_THERE) == (scenario.serving is not None)
        if store.scenario is not None:
            assert tree.indexOfTopLevelItem(tree.currentItem().parent()) == store.current
