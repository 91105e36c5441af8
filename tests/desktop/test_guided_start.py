from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QSettings, Qt
from PySide6.QtWidgets import QAbstractButton, QPushButton, QWizard
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.guided_start import GuidedStart
from gpuplanner_gui.desktop.main_window import MainWindow
from gpuplanner_gui.files.catalogs import load_shipped_catalog

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def window(user_home: object, settings: QSettings, qtbot: QtBot) -> MainWindow:
    made = MainWindow(settings=settings)
    qtbot.addWidget(made, before_close_func=lambda window: window.store.undo_stack.setClean())
    made.surroundings.take_catalog(load_shipped_catalog())
    return made


def started(window: MainWindow, qtbot: QtBot) -> GuidedStart:
    window.menus.actions["guided_start"].trigger()
    start = window.findChild(GuidedStart)
    assert start is not None
    qtbot.waitExposed(start)
    return start


def press(start: GuidedStart, which: QWizard.WizardButton, qtbot: QtBot) -> None:
    qtbot.mouseClick(start.button(which), LEFT)


def choose(button: QAbstractButton, qtbot: QtBot) -> None:
    qtbot.mouseClick(button, LEFT, pos=QPoint(8, button.height() // 2))


def test_four_answers_make_a_project_that_keeps_their_reasons(window: MainWindow, qtbot: QtBot) -> None:
    start = started(window, qtbot)
    assert "one device" in start.fit.reasons.text()
    press(start, QWizard.WizardButton.NextButton, qtbot)
    qtbot.mouseClick(start.speed.findChild(QPushButton, "preset-batch"), LEFT)
    assert "cost per token" in start.speed.reasons.text()
    press(start, QWizard.WizardButton.NextButton, qtbot)
    choose(start.variation.choices["steady"], qtbot)
    assert "one-year" in start.variation.reasons.text()
    press(start, QWizard.WizardButton.NextButton, qtbot)
    choose(start.interruption.choices[True], qtbot)
    press(start, QWizard.WizardButton.FinishButton, qtbot)
    scenario = window.store.scenario
    assert scenario is not None
    assert scenario.training is None
    assert scenario.economics.serving_procurement == "rent_spot"
    questions = [line.split("?")[0] for line in scenario.notes.splitlines()]
    assert questions == ["Does it fit", "How fast must it be", "How does the load vary", "May it be interrupted"]


def test_nothing_to_plan_cannot_go_on(window: MainWindow, qtbot: QtBot) -> None:
    start = started(window, qtbot)
    choose(start.fit.serves, qtbot)
    assert not start.button(QWizard.WizardButton.NextButton).isEnabled()
    choose(start.fit.trains, qtbot)
    assert start.button(QWizard.WizardButton.NextButton).isEnabled()
    press(start, QWizard.WizardButton.NextButton, qtbot)
    assert not start.speed.requests.isVisible()
    assert start.speed.training.isVisible()
    start.done(QWizard.DialogCode.Rejected.value)


def test_damaged_configuration_is_said_and_the_model_stays(window: MainWindow, tmp_path, qtbot: QtBot) -> None:
    start = started(window, qtbot)
    before = start.answers.model
    broken = tmp_path / "config.json"
    broken.write_text("{")
    start.fit.take_file(broken)
    assert start.fit.problem.isVisible()
    assert start.answers.model is before
    start.reject()


def test_cancelling_leaves_the_project_as_it_was(window: MainWindow, qtbot: QtBot) -> None:
    before = window.store.project
    started(window, qtbot).reject()
    assert window.store.project is before
