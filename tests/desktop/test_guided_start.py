from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QSettings, Qt
from PySide6.QtWidgets import QAbstractButton, QAbstractSpinBox, QLabel, QPushButton, QWizard
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.editors.field_row import FieldRow
from gpuplanner_gui.desktop.window.guided_start import GuidedStart
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.domain.preset import GuidedStep
from gpuplanner_gui.drawing.words.guided_start import reasoning_text
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from tests.desktop.drawn import wait_until_drawn
from tests.desktop.question_box import answer_next

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
    wait_until_drawn(qtbot)
    return start


def press(start: GuidedStart, which: QWizard.WizardButton, qtbot: QtBot) -> None:
    qtbot.mouseClick(start.button(which), LEFT)


def choose(button: QAbstractButton, qtbot: QtBot) -> None:
    qtbot.mouseClick(button, LEFT, pos=QPoint(8, button.height() // 2))


def test_answers_make_a_project_that_keeps_their_reasons(window: MainWindow, qtbot: QtBot) -> None:
    start = started(window, qtbot)
    assert "holds them comfortably" in start.fit.reasons.text()
    press(start, QWizard.WizardButton.NextButton, qtbot)
    qtbot.mouseClick(start.speed.findChild(QPushButton, "preset-batch"), LEFT)
    assert "cost per token" in start.speed.reasons.text()
    press(start, QWizard.WizardButton.NextButton, qtbot)
    choose(start.variation.choices["steady"], qtbot)
    assert "steady" in start.variation.reasons.text()
    press(start, QWizard.WizardButton.NextButton, qtbot)
    assert "reserved for a year" in start.site.reasons.text()
    start.site.place.setCurrentIndex(1)
    assert "data centre" in start.site.reasons.text()
    press(start, QWizard.WizardButton.NextButton, qtbot)
    choose(start.interruption.choices[True], qtbot)
    press(start, QWizard.WizardButton.FinishButton, qtbot)
    scenario = window.store.scenario
    assert scenario is not None
    assert scenario.training is None
    assert scenario.economics.serving_procurement == "rent_spot"
    questions = [line.split("?")[0] for line in scenario.notes.splitlines()]
    assert questions == [
        "What is to be done", "How fast must it be", "How does the load vary", "Where, and on what",
        "May it be interrupted",
    ]  # fmt: skip
    assert scenario.hardware.licensed_for_data_centres
    assert window.file.is_modified, "closing asks before the answers are lost"
    assert window.recovery.keeper.keep_at_once(), "and a crash leaves them"


def test_a_run_is_asked_for_its_date_and_not_how_its_load_varies(window: MainWindow, qtbot: QtBot) -> None:
    start = started(window, qtbot)
    choose(start.fit.tasks["pretrain"], qtbot)
    press(start, QWizard.WizardButton.NextButton, qtbot)
    assert not start.speed.requests.isVisible()
    assert "example" not in start.speed.hint.text(), "there is none of a run"
    asked = {row.field.name for row in start.speed.training.findChildren(FieldRow) if row.isVisible()}
    assert {"method", "tokens", "sequence_length", "deadline_s", "budget_usd"} <= asked
    press(start, QWizard.WizardButton.NextButton, qtbot)
    assert start.currentPage() is start.site
    start.site.take_device("apple-m4-max")
    assert start.site.count.value() == 1
    start.site.count.setValue(0)
    start.site.take_device("nvidia-h100-sxm-80gb")
    assert start.site.count.value() == 8
    start.site.count.setValue(64)
    assert "it adds bought ones of the same kind" in start.site.reasons.text()
    press(start, QWizard.WizardButton.NextButton, qtbot)
    press(start, QWizard.WizardButton.FinishButton, qtbot)
    scenario = window.store.scenario
    assert scenario is not None
    assert scenario.serving is None
    assert scenario.training is not None
    assert scenario.training.method == "pretraining"
    assert scenario.hardware.accelerators == ("nvidia-h100-sxm-80gb",)
    assert scenario.hardware.max_training_devices > 64, "a run may take more than is owned"
    assert scenario.economics.training_procurement == "own"


def test_weights_are_told_as_disks_and_as_memories_count(window: MainWindow, qtbot: QtBot) -> None:
    start = started(window, qtbot)
    assert "16.06 GB on disk, 14.96 GB in memory" in {one.text() for one in start.fit.summary.findChildren(QLabel)}
    assert "Weights take 15.0 GB in BF16" in start.fit.reasons.text()
    # Qt draws the buttons without arrows.
    assert start.site.count.buttonSymbols() == QAbstractSpinBox.ButtonSymbols.NoButtons
    start.done(QWizard.DialogCode.Rejected)


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


def test_each_question_gives_its_reasons_in_one_line() -> None:
    steps = (GuidedStep(4, "must_not_stop", {}), GuidedStep(4, "spare_kept", {}))
    (line,) = reasoning_text(steps).splitlines()
    assert line.count("May it be interrupted?") == 1


def test_a_batch_is_asked_how_much_and_by_when(window: MainWindow, qtbot: QtBot) -> None:
    start = started(window, qtbot)
    press(start, QWizard.WizardButton.NextButton, qtbot)
    press(start, QWizard.WizardButton.NextButton, qtbot)
    assert not start.variation.demand.isVisible()
    choose(start.variation.choices["batch"], qtbot)
    assert start.variation.demand.isVisible()
    assert "answered within 8 h" in start.variation.reasons.text()
    press(start, QWizard.WizardButton.NextButton, qtbot)
    assert "for the time of the batch alone" in start.site.reasons.text()
    press(start, QWizard.WizardButton.BackButton, qtbot)
    choose(start.variation.choices["daily"], qtbot)
    assert not start.variation.demand.isVisible()
    press(start, QWizard.WizardButton.NextButton, qtbot)
    assert "Devices are rented by the hour." in start.site.reasons.text()


def test_the_engine_is_asked_of_who_serves(window: MainWindow, qtbot: QtBot) -> None:
    start = started(window, qtbot)
    place = start.site.engine.findData("mlx")
    assert start.site.engine.itemText(place) == "MLX"
    start.site.engine.setCurrentIndex(place)
    serving = start.scenario().serving
    assert serving is not None
    assert serving.engine.engine == "mlx"
    start.site.initializePage()
    assert start.site.form.isRowVisible(start.site.engine)
    choose(start.fit.tasks["fine-tune"], qtbot)
    start.site.initializePage()
    assert not start.site.form.isRowVisible(start.site.engine)
    start.done(QWizard.DialogCode.Rejected)


def test_refused_answer_is_not_gone_past(window: MainWindow, qtbot: QtBot) -> None:
    start, before = started(window, qtbot), window.store.project
    choose(start.fit.tasks["pretrain"], qtbot)
    press(start, QWizard.WizardButton.NextButton, qtbot)
    rows = {row.field.name: row for row in start.speed.training.findChildren(FieldRow)}
    deadline = rows["deadline_s"].editor.focus_widget()
    qtbot.keyClicks(deadline, "-3 d")
    qtbot.keyClick(deadline, Qt.Key.Key_Return)
    assert start.currentPage() is start.speed
    assert rows["deadline_s"].problem.isVisible()
    press(start, QWizard.WizardButton.FinishButton, qtbot)
    assert start.isVisible()
    press(start, QWizard.WizardButton.BackButton, qtbot)
    press(start, QWizard.WizardButton.FinishButton, qtbot)
    assert start.currentPage() is start.speed, "Plan it goes to the answer that was refused"
    assert window.store.project is before
    qtbot.waitUntil(lambda: start.focusWidget() is deadline)
    qtbot.keyClicks(deadline, "3 weeks")
    qtbot.keyClick(deadline, Qt.Key.Key_Return)
    assert start.currentPage() is start.site
    assert start.scenario().training.deadline_s == 3 * 7 * 86_400.0
    start.done(QWizard.DialogCode.Rejected)


def test_refused_answer_to_a_question_that_is_not_asked_stops_nobody(window: MainWindow, qtbot: QtBot) -> None:
    start = started(window, qtbot)
    choose(start.fit.tasks["pretrain"], qtbot)
    press(start, QWizard.WizardButton.NextButton, qtbot)
    tokens = next(row for row in start.speed.training.findChildren(FieldRow) if row.field.name == "tokens")
    qtbot.keyClicks(tokens.editor.focus_widget(), "abc")
    press(start, QWizard.WizardButton.BackButton, qtbot)
    choose(start.fit.tasks["serve"], qtbot)
    press(start, QWizard.WizardButton.FinishButton, qtbot)
    assert window.store.scenario is not None
    assert window.store.scenario.training is None


def test_who_keeps_the_present_project_keeps_the_answers_too(window: MainWindow, qtbot: QtBot) -> None:
    window.store.edit("serving.classes[0].peak_rate_per_s", 12.0, "rate")
    before = window.store.project
    start = started(window, qtbot)
    choose(start.fit.tasks["pretrain"], qtbot)
    answers = start.answers
    asked: list[str] = []
    answer_next(qtbot, "Cancel", asked)
    press(start, QWizard.WizardButton.FinishButton, qtbot)
    assert window.store.project is before
    assert start.isVisible()
    assert start.answers == answers
    answer_next(qtbot, "Discard", asked)
    press(start, QWizard.WizardButton.FinishButton, qtbot)
    assert window.store.scenario is not None
    assert window.store.scenario.training is not None
