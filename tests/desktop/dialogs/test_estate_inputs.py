"""The inputs of the estate, edited with keys and mouse: names are followed, what contradicts itself is not taken."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.dialogs.own_device import TABS, EstateInputsDialog
from gpuplanner_gui.desktop.editors.base import FIELD_NAME
from gpuplanner_gui.desktop.widgets.event_turns import drawing_queue
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.project import load_project
from gpuplanner_gui.paths import resources_dir

LEFT = Qt.MouseButton.LeftButton
PLACE = {names[0]: place for place, names in enumerate(TABS)}


@pytest.fixture
def dialog(qtbot: QtBot) -> EstateInputsDialog:
    project = load_project(resources_dir() / "examples" / "estate-12-quarters.gpuplan")
    assert project.estate is not None
    made = EstateInputsDialog(project.estate, project.scenarios, load_shipped_catalog())
    qtbot.addWidget(made, before_close_func=lambda one: one.accept())
    made.show()
    qtbot.waitExposed(made)
    return made


def line_of(dialog: EstateInputsDialog, tab: str, *names: str) -> QLineEdit:
    """The line of a field, by the names of what it stands in."""
    dialog.tabs.setCurrentIndex(PLACE[tab])
    inner: QWidget = dialog.form(PLACE[tab])
    while drawing_queue().is_drawing():
        QApplication.processEvents()
    for name in names:
        inner = next(one for one in inner.findChildren(QWidget) if one.property(FIELD_NAME) == name)
    return inner if isinstance(inner, QLineEdit) else inner.findChildren(QLineEdit)[0]


def type_into(qtbot: QtBot, line: QLineEdit, text: str) -> None:
    line.setFocus()
    line.selectAll()
    qtbot.keyClicks(line, text)
    qtbot.keyClick(line, Qt.Key.Key_Return)


def test_a_renamed_pool_keeps_its_workloads(dialog: EstateInputsDialog, qtbot: QtBot) -> None:
    before = [one.pool for one in dialog.estate.workloads]
    type_into(qtbot, line_of(dialog, "pools", "pools", "[0]", "name"), "Frankfurt")
    assert [one.pool for one in dialog.estate.workloads] == ["Frankfurt" if p == before[0] else p for p in before]
    assert dialog.take.isEnabled()


def test_hours_that_make_no_day_are_said_and_not_taken(dialog: EstateInputsDialog, qtbot: QtBot) -> None:
    type_into(qtbot, line_of(dialog, "hours", "hours", "[0]", "hours_per_day"), "7")
    assert "25" in dialog.problem.text()
    assert dialog.problem.text().startswith("Hour classes:")
    qtbot.mouseClick(dialog.take, LEFT)
    assert dialog.isVisible()
    type_into(qtbot, line_of(dialog, "hours", "hours", "[0]", "hours_per_day"), "6")
    qtbot.mouseClick(dialog.take, LEFT)
    assert dialog.result() == EstateInputsDialog.DialogCode.Accepted


def test_a_workload_without_a_scenario_is_said_with_its_number(dialog: EstateInputsDialog, qtbot: QtBot) -> None:
    count = len(dialog.estate.workloads)
    form = dialog.form(PLACE["workloads"])
    form.edited.emit("workloads", (*dialog.estate.workloads, type(dialog.estate.workloads[0])(scenario="nobody")))
    assert f"Workloads {count + 1}" in dialog.problem.text()
    assert not dialog.take.isEnabled()


@pytest.mark.parametrize("text", ["2027", "2027-13", "spring"])
def test_a_month_that_is_none_is_refused_with_an_example(dialog: EstateInputsDialog, qtbot: QtBot, text: str) -> None:
    before = dialog.estate
    line = line_of(dialog, "start", "start")
    type_into(qtbot, line, text)
    assert dialog.estate == before
    assert line.property("invalid")


def test_every_entry_can_be_added_and_taken_away(dialog: EstateInputsDialog, qtbot: QtBot) -> None:
    for names in TABS[:-1]:
        (name,) = names
        dialog.tabs.setCurrentIndex(PLACE[name])
        lists = dialog.form(PLACE[name]).findChildren(QWidget)
        adder = next(one for one in lists if one.property(FIELD_NAME) == name).editor  # type: ignore[attr-defined]
        count = len(getattr(dialog.estate, name))
        qtbot.mouseClick(adder.add, LEFT)
        assert len(getattr(dialog.estate, name)) == count + 1, name
        qtbot.mouseClick(adder.items[-1].remove, LEFT)
        assert len(getattr(dialog.estate, name)) == count, name
