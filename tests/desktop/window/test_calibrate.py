"""Importing measurements into the project: in the background, undoable, with context completed, plans follow."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QFileDialog, QLabel
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.domain.measurement import missing_context
from gpuplanner_gui.drawing.translations import use_language
from gpuplanner_gui.drawing.words.calibration import phase_title

SAMPLES = Path(__file__).resolve().parents[2] / "files" / "measurements" / "samples"
SERVED = SAMPLES / "vllm-bench-serve.constructed.json"
WAIT_MS = 30_000


@pytest.fixture
def window(qtbot: QtBot, settings: QSettings, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    made = MainWindow(ShippedEngine, settings)
    qtbot.addWidget(made, before_close_func=lambda window: window.store.undo_stack.setClean())
    # Nobody is there to answer whether to save.
    monkeypatch.setattr(made.file, "may_leave", lambda: True)
    with qtbot.waitSignal(made.compute.catalog_ready, timeout=WAIT_MS):
        made.compute.start()
    return made


def message(window: MainWindow) -> str:
    return " ".join(label.text() for label in window.messages.findChildren(QLabel))


def imported(window: MainWindow, qtbot: QtBot, path: Path) -> None:
    with qtbot.waitSignal(window.store.project_changed, timeout=WAIT_MS):
        window.calibrate.read(path)


def test_an_import_is_a_step_that_can_be_undone(window, qtbot):
    imported(window, qtbot, SERVED)
    assert [one.name for one in window.store.project.measurements] == ["vllm-bench-serve.constructed"]
    window.store.undo_stack.undo()
    assert window.store.project.measurements == ()


def test_missing_context_is_completed_and_sets_are_switched_and_removed(window, qtbot):
    imported(window, qtbot, SERVED)
    window.calibrate.state_context((0,), {"weight_precision": "bf16"})
    (one,) = window.store.project.measurements
    assert [missing_context(run) for run in one.measurements] == [(), ()]
    window.calibrate.state_loss(0, 0.03)
    (one,) = window.store.project.measurements
    assert {run.context.virtualisation_loss for run in one.measurements} == {0.03}
    window.calibrate.toggle(0)
    assert not window.store.project.measurements[0].is_used
    window.calibrate.remove(0)
    assert window.store.project.measurements == ()


def test_what_a_set_lacks_is_said_until_it_is_told(window, qtbot):
    window.show()
    imported(window, qtbot, SERVED)
    qtbot.waitUntil(window.messages.isVisible)
    window.calibrate.state_loss(0, 0.03)
    assert "fill in their precision" in message(window)
    assert window.messages.isVisible()
    window.calibrate.state_context((0,), {"weight_precision": "bf16"})
    assert not window.messages.isVisible()


def test_a_set_that_still_lacks_something_does_not_keep_the_question_about_another(window, qtbot, tmp_path):
    window.show()
    other = tmp_path / "other.json"
    other.write_text(SERVED.read_text().replace("2026", "2025") + " \n")
    for path in (other, SERVED):
        imported(window, qtbot, path)
    qtbot.waitUntil(window.messages.isVisible)
    assert len(window.store.project.measurements) == 2
    window.calibrate.state_context((1,), {"weight_precision": "bf16"})
    assert not window.messages.isVisible()


def test_what_was_wrong_with_a_statement_goes_when_it_is_corrected(window, qtbot):
    window.show()
    imported(window, qtbot, SERVED)
    qtbot.waitUntil(window.messages.isVisible)
    window.calibrate.state_context((0,), {"devices": "many"})
    assert "not a number above 0" in message(window)
    window.calibrate.state_context((0,), {"weight_precision": "thin"})
    assert "not a number above 0" not in message(window)
    assert "'thin' is not in the catalogue" in message(window)
    window.calibrate.state_context((0,), {"weight_precision": "bf16"})
    assert not window.messages.isVisible()


def test_a_dropped_result_is_told_from_a_model_and_its_page_comes_to_the_front(window, qtbot):
    window.build_results()
    with qtbot.waitSignal(window.store.project_changed, timeout=WAIT_MS):
        window.commands.open_path(SERVED)
    assert len(window.store.project.measurements) == 1
    qtbot.waitUntil(lambda: window.results_pane.page_name() == "calibrate")
    assert "To use 2 of 2 runs, fill in their precision" in message(window)


def test_sets_are_mailed_and_read_again(window, qtbot, tmp_path, monkeypatch):
    imported(window, qtbot, SERVED)
    mailed = tmp_path / "mine.gpumeasure"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(mailed), ""))
    window.calibrate.export_measurements()
    before = window.store.project.measurements
    window.store.undo_stack.undo()
    with qtbot.waitSignal(window.store.project_changed, timeout=WAIT_MS):
        window.commands.open_path(mailed)
    assert window.store.project.measurements == before


def test_what_all_sets_lack_is_said_once(window, qtbot, tmp_path):
    imported(window, qtbot, SERVED)
    again = tmp_path / "another.json"
    again.write_text(SERVED.read_text() + "\n")
    imported(window, qtbot, again)
    assert len(window.store.project.measurements) == 2
    window.calibrate.state_context_of_all({"weight_precision": "bf16"})
    runs = [run for one in window.store.project.measurements for run in one.measurements]
    assert {run.context.weight_precision for run in runs} == {"bf16"}
    window.store.undo_stack.undo()
    runs = [run for one in window.store.project.measurements for run in one.measurements]
    assert {run.context.weight_precision for run in runs} == {""}


def test_a_file_that_comes_in_again_is_said_and_not_counted_twice(window, qtbot):
    imported(window, qtbot, SERVED)
    before = window.store.project
    window.calibrate.read(SERVED)
    qtbot.waitUntil(lambda: "Already in the project" in message(window), timeout=WAIT_MS)
    assert window.store.project is before


def test_the_probe_is_saved_and_what_to_do_with_it_is_said(window, tmp_path, monkeypatch):
    script = tmp_path / "probe.py"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(script), ""))
    window.calibrate.export_probe()
    compile(script.read_text(encoding="utf-8"), "probe.py", "exec")
    assert "python probe.py" in message(window)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "none" / "probe.py"), ""))
    window.calibrate.export_probe()
    assert "could not be written" in message(window)


def test_a_plan_follows_the_measurements(window, qtbot):
    with qtbot.waitSignal(window.compute.completed, timeout=WAIT_MS):
        window.planner.ask()
    before = window.compute.results.plan.calibration_digest
    imported(window, qtbot, SERVED)
    with qtbot.waitSignal(window.compute.completed, timeout=WAIT_MS):
        window.calibrate.state_context((0,), {"weight_precision": "bf16"})
    assert window.compute.results.plan.calibration_digest != before


def test_a_foreign_file_and_a_wrong_statement_are_a_sentence(window, qtbot, tmp_path):
    foreign = tmp_path / "foreign.txt"
    foreign.write_text("hello\n")
    window.calibrate.read(foreign)
    qtbot.waitUntil(lambda: "not a known measurement" in message(window), timeout=WAIT_MS)
    imported(window, qtbot, SERVED)
    window.calibrate.state_context((0,), {"devices": "many"})
    assert "not a number above 0" in message(window)
    window.calibrate.state_context((0,), {"weight_precision": "thin"})
    assert "'thin' is not in the catalogue" in message(window)


def test_remarks_of_an_import_speak_the_language_of_the_window(window, qtbot, tmp_path):
    cut = tmp_path / "cut.jsonl"
    first = (SAMPLES / "sglang-bench-serving-llama70b-h200.jsonl").read_text(encoding="utf-8").splitlines()[0]
    cut.write_text(f"{first}\n{{damaged\n", encoding="utf-8")
    use_language("zh_TW")
    try:
        imported(window, qtbot, cut)
        assert "模型" in message(window)
    finally:
        use_language("en")


def test_reading_a_long_log_is_given_up_by_the_key_that_cancels(window, qtbot, tmp_path):
    log = tmp_path / "long.log"
    step = " iteration 1/ 9 | elapsed time per iteration (ms): 250.0 | global batch size: 8 |\n"
    log.write_text(step * 400_000)
    window.show()
    cancel = window.menus.actions["cancel"]
    with qtbot.waitSignal(window.compute.completed, timeout=WAIT_MS):
        window.planner.ask()
    qtbot.waitUntil(lambda: not cancel.isEnabled(), timeout=WAIT_MS)
    window.calibrate.read(log)
    assert cancel.isEnabled()
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: "The import was cancelled" in message(window), timeout=WAIT_MS)
    assert not cancel.isEnabled()
    assert window.store.project.measurements == ()


def test_what_a_set_speaks_of_is_said_in_the_language_of_the_window(window, qtbot):
    imported(window, qtbot, SERVED)
    (one,) = window.store.project.measurements
    use_language("zh_TW")
    try:
        words = [phase_title(phase) for run in one.measurements for phase in run.phases]
    finally:
        use_language("en")
    assert words
    assert not any(word.isascii() for word in words)
