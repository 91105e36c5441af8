"""The window as a planner uses it: the shipped catalogue and engine, real keys and clicks."""

from __future__ import annotations

import gc
import json
import time
import weakref
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QSettings, Qt, QThread
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QFileDialog, QLabel, QLineEdit, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.editors.field_row import FieldRow
from gpuplanner_gui.desktop.tasks.plan_tasks import PlanState
from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
from gpuplanner_gui.desktop.widgets import theme
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.desktop.window.project_file import new_project
from gpuplanner_gui.files.project import load_project, project_to_bytes
from gpuplanner_gui.files.recovery import RecoveryCopy, load_recovery, recovery_to_bytes
from tests.desktop.dragging import drag_files

LEFT = Qt.MouseButton.LeftButton
RATE = "serving.classes[0].peak_rate_per_s"
RESULT_WAIT_MS = 20_000

LLAMA_CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 2048,
    "intermediate_size": 8192,
    "num_attention_heads": 32,
    "num_hidden_layers": 16,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "tie_word_embeddings": True,
    "torch_dtype": "bfloat16",
}


@pytest.fixture
def window(planned_window: MainWindow) -> MainWindow:
    return planned_window


def action(window: MainWindow, name: str) -> QAction:
    return window.menus.actions[name]


def settled(window: MainWindow, qtbot: QtBot) -> Any:
    """The results of the newest edit."""
    qtbot.waitUntil(
        lambda: (
            window.compute.state == PlanState.CURRENT
            and window.compute.results is not None
            and window.compute.results.scenario is window.store.scenario
        ),
        timeout=RESULT_WAIT_MS,
    )
    return window.compute.results


def line(window: MainWindow, title: str) -> QLineEdit:
    rows = [
        row
        for row in window.inputs.editor.findChildren(FieldRow)
        if row.label.text() == title and row.isVisibleTo(window)
    ]
    found = rows[0].editor.findChild(QLineEdit)
    assert found is not None
    return found


def type_into(qtbot: QtBot, target: QLineEdit, text: str) -> None:
    target.setFocus()
    target.selectAll()
    qtbot.keyClicks(target, text)
    qtbot.keyClick(target, Qt.Key.Key_Return)


def drop(window: MainWindow, *paths: Path) -> None:
    drag_files(window, paths, QPoint(50, 50))


def test_edit_by_keys_moves_the_results_and_undo_brings_them_back(window: MainWindow, qtbot: QtBot) -> None:
    before = settled(window, qtbot)
    type_into(qtbot, line(window, "Peak rate"), "400 req/s")
    after = settled(window, qtbot)
    assert after.plan.serving.peak_rate_per_s == 400.0
    assert not np.array_equal(before.plan.serving.table.replicas, after.plan.serving.table.replicas, equal_nan=True)
    assert window.isWindowModified()
    action(window, "undo").trigger()
    again = settled(window, qtbot)
    assert np.array_equal(before.plan.serving.table.replicas, again.plan.serving.table.replicas, equal_nan=True)
    assert line(window, "Peak rate").text() == "10 req/s"
    assert not window.isWindowModified()


def test_undo_menu_names_the_step(window: MainWindow, qtbot: QtBot) -> None:
    type_into(qtbot, line(window, "Prompt"), "2000")
    assert "Change Prompt" in action(window, "undo").text()
    assert action(window, "undo").shortcut() == QKeySequence(QKeySequence.StandardKey.Undo)


def test_bad_input_stays_in_its_field_and_nothing_is_computed(window: MainWindow, qtbot: QtBot) -> None:
    before = window.compute.results
    type_into(qtbot, line(window, "Peak rate"), "forty bananas")
    assert line(window, "Peak rate").text() == "forty bananas"
    assert window.store.undo_stack.count() == 0
    assert window.compute.results is before


def test_status_bar_says_what_the_results_rest_on(window: MainWindow, qtbot: QtBot) -> None:
    results = settled(window, qtbot)
    facts = window.status.facts.text().replace("\u00a0", "")
    assert f"{len(results.plan.serving.table.accelerator)} candidates" in facts
    assert "evidence:" in facts
    assert "newest device price 20" in facts
    assert window.status.state.text() == "Quick estimate"


def test_plan_of_a_scenario_as_it_was_before_an_edit_is_let_go(window: MainWindow, qtbot: QtBot) -> None:
    old = weakref.ref(settled(window, qtbot).plan.serving.table.order)
    for rate in (11.0, 12.0):
        window.store.edit("serving.classes[0].peak_rate_per_s", rate, f"edit {rate}")
        settled(window, qtbot)

    def is_gone() -> bool:
        gc.collect()
        return old() is None

    qtbot.waitUntil(is_gone, timeout=20_000)


def test_picked_candidate_is_what_the_curves_speak_of(window: MainWindow, qtbot: QtBot) -> None:
    results = settled(window, qtbot)
    second = int(results.plan.serving.table.order[1])
    assert window.results_pane is not None
    with qtbot.waitSignal(window.compute.completed, timeout=RESULT_WAIT_MS):
        window.results_pane.candidate_selected.emit("serving", second)
    assert window.compute.results is not None
    assert window.compute.results.candidate("serving") == second
    assert window.compute.results.load_curve is not None
    assert window.compute.results.load_curve.candidate == second


def test_click_on_a_row_that_is_gone_is_ignored(window: MainWindow, qtbot: QtBot) -> None:
    before = settled(window, qtbot)
    window.planner.select_candidate("training", 0)
    window.planner.select_candidate("serving", 10**9)
    assert settled(window, qtbot) is before


def test_dropped_model_configuration_is_planned(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(LLAMA_CONFIG))
    drop(window, path)
    qtbot.waitUntil(lambda: window.store.scenario is not None and window.store.scenario.model.hidden_size == 2048)
    settled(window, qtbot)
    assert window.inputs.editor.title.text() == "Model"
    assert any("1.236 B" in label.text() for label in window.inputs.editor.findChildren(QLabel))


def test_checkpoint_that_disagrees_with_the_configuration_is_told(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(LLAMA_CONFIG))
    index = {"metadata": {"total_size": 123_456_789}, "weight_map": {}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    window.commands.open_path(path)
    assert window.messages.isVisible()
    assert "123.5 MB" in window.messages.text.text()
    assert "weights add up to 2.472 GB" in window.messages.text.text()


def test_dropped_project_is_opened_and_other_files_are_not(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    picture = tmp_path / "picture.png"
    picture.touch()
    drop(window, picture)
    path = tmp_path / "dropped.gpuplan"
    path.write_bytes(project_to_bytes(new_project()))
    drop(window, path)
    qtbot.waitUntil(lambda: window.file.path == path)
    assert window.windowTitle().startswith("dropped.gpuplan")


def test_damaged_file_is_told_in_the_message_bar_as_plain_text(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "bad.gpuplan"
    path.write_text('{"format": "gpuplan", "version": 99}')
    window.commands.open_path(path)
    assert window.messages.isVisible()
    assert "bad.gpuplan" in window.messages.text.text()
    assert window.messages.text.textFormat() == Qt.TextFormat.PlainText


def test_saved_project_carries_snapshot_digests_and_headlines(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = settled(window, qtbot)
    path = tmp_path / "mine.gpuplan"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: (str(path), ""))
    action(window, "save").trigger()
    saved = load_project(path)
    assert saved.calibration_digest == results.plan.calibration_digest
    assert saved.catalog.accelerators
    assert {headline.code for headline in saved.headlines} >= {"serving.devices", "serving.ttft_p95_s"}
    assert window.windowTitle().startswith("mine.gpuplan")
    with qtbot.waitSignal(window.compute.completed, timeout=RESULT_WAIT_MS):
        window.commands.open_path(path)
    assert not window.messages.isVisible(), "the sender's own numbers come out the same"


def test_value_that_is_still_being_typed_is_saved(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.gpuplan"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: (str(path), ""))
    target = line(window, "Peak rate")
    target.setFocus()
    target.selectAll()
    qtbot.keyClicks(target, "123")
    action(window, "save").trigger()
    serving = load_project(path).scenarios[0].serving
    assert serving is not None
    assert serving.classes[0].peak_rate_per_s == 123.0


def test_plan_without_prices_is_saved_so_that_it_opens_again(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog = window.compute.catalog
    unpriced = next(one.id for one in catalog.accelerators.values() if not one.rental and not one.price)
    window.store.edit("hardware.accelerators", (unpriced,), "Change Accelerators")
    settled(window, qtbot)
    path = tmp_path / "unpriced.gpuplan"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: (str(path), ""))
    action(window, "save").trigger()
    assert load_project(path).scenarios[0].hardware.accelerators == (unpriced,)


def test_reader_is_told_when_numbers_differ(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settled(window, qtbot)
    path = tmp_path / "mine.gpuplan"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: (str(path), ""))
    action(window, "save_as").trigger()
    content = json.loads(path.read_text())
    for headline in content["headlines"]:
        headline["value"] *= 1.5
    path.write_text(json.dumps(content))
    with qtbot.waitSignal(window.compute.completed, timeout=RESULT_WAIT_MS):
        window.commands.open_path(path)
    assert window.messages.isVisible()
    assert " when the file was saved, " in window.messages.text.text()
    action(window, "save").trigger()
    assert not window.messages.isVisible(), "the new results are stored"


def test_restored_work_is_not_called_a_change_of_the_program(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settled(window, qtbot)
    path = tmp_path / "mine.gpuplan"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: (str(path), ""))
    action(window, "save_as").trigger()
    window.store.edit("serving.classes[0].peak_rate_per_s", 77.0, "Change Peak rate")
    copy = RecoveryCopy(project=window.store.project, kept_at=datetime.now().astimezone(), original=path)
    (tmp_path / "copy.recovery").write_bytes(recovery_to_bytes(copy))
    kept = load_recovery(tmp_path / "copy.recovery")
    with qtbot.waitSignal(window.compute.completed, timeout=RESULT_WAIT_MS):
        window.file.take_recovered(kept.project, path, time.time())
    assert not window.messages.isVisible()


def test_a_note_leaves_the_results_in_the_file(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settled(window, qtbot)
    path = tmp_path / "mine.gpuplan"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: (str(path), ""))
    window.store.edit("notes", "As agreed.", "Change Notes")
    action(window, "save").trigger()
    assert {headline.code for headline in load_project(path).headlines} >= {"serving.devices"}


def test_a_name_that_another_scenario_has_is_told(window: MainWindow) -> None:
    action(window, "duplicate_scenario").trigger()
    taken = window.store.project.scenarios[0].name
    window.inputs.tree.rename_requested.emit(1, taken)
    assert f"Another scenario is named “{taken}”" in window.messages.text.text()
    assert window.results_pane is not None
    assert not window.messages.isHidden()
    window.results_pane.show_page_named("cost")
    assert window.messages.isHidden(), "what was answered on one page lies over the next"


def test_scenarios_are_managed_by_buttons_and_menu(window: MainWindow, qtbot: QtBot) -> None:
    def press(name: str) -> None:
        button = next(b for b in window.inputs.findChildren(QToolButton) if b.defaultAction() is action(window, name))
        qtbot.mouseClick(button, LEFT)

    press("duplicate_scenario")
    press("add_scenario")
    assert window.inputs.tree.topLevelItemCount() == 3
    assert window.store.current == 2
    action(window, "move_up").trigger()
    assert window.store.current == 1
    press("remove_scenario")
    assert window.inputs.tree.topLevelItemCount() == 2
    action(window, "remove_serving").trigger()
    assert window.store.scenario is not None
    assert window.store.scenario.serving is None
    while window.store.undo_stack.canUndo():
        action(window, "undo").trigger()
    assert window.inputs.tree.topLevelItemCount() == 1


def test_training_is_added_with_one_click_and_planned(window: MainWindow, qtbot: QtBot) -> None:
    top = window.inputs.tree.topLevelItem(0)
    assert top is not None
    training = next(top.child(row) for row in range(top.childCount()) if top.child(row).text(0).startswith("Training"))
    window.inputs.tree.setCurrentItem(training)
    add = next(
        b for b in window.inputs.editor.findChildren(QPushButton) if b.text() == "Plan a training job" and b.isVisible()
    )
    qtbot.mouseClick(add, LEFT)
    results = settled(window, qtbot)
    assert results.plan.training is not None
    assert line(window, "Training tokens").text() == "1 B tok"


def test_project_without_scenarios_shows_no_stale_result(window: MainWindow, qtbot: QtBot) -> None:
    action(window, "remove_scenario").trigger()
    assert window.compute.results is None
    assert window.compute.state == PlanState.EMPTY
    assert not action(window, "duplicate_scenario").isEnabled()
    action(window, "add_scenario").trigger()
    settled(window, qtbot)


def test_every_menu_entry_has_words_and_shortcuts_are_unique(window: MainWindow) -> None:
    actions = [entry for entry in window.findChildren(QAction) if entry.shortcut().toString()]
    shortcuts = [shortcut.toString() for entry in actions for shortcut in entry.shortcuts()]
    assert len(shortcuts) == len(set(shortcuts)), sorted(shortcuts)
    for title in ("File", "Edit", "View", "Plan", "Catalogue", "Help"):
        menu = next(a for a in window.menuBar().actions() if a.text().replace("&", "") == title)
        assert "&" in menu.text()


def test_layout_fits_a_small_screen_and_is_remembered(
    window: MainWindow, settings: QSettings, engine: ShippedEngine, qtbot: QtBot
) -> None:
    assert window.minimumSizeHint().width() <= 1280
    assert window.minimumSizeHint().height() <= 720
    window.desk.resizeDocks([window.desk.inputs_dock], [420], Qt.Orientation.Horizontal)
    qtbot.waitUntil(lambda: abs(window.desk.inputs_dock.width() - 420) <= 2, timeout=20_000)
    window.save_layout()
    other = MainWindow(lambda: engine, settings)
    qtbot.addWidget(other)
    other.show()
    qtbot.waitUntil(lambda: abs(other.desk.inputs_dock.width() - 420) <= 2, timeout=20_000)
    other.close()


def test_theme_is_switched_live_and_remembered(window: MainWindow, settings: QSettings, qtbot: QtBot) -> None:
    window.appearance.use_theme(theme.ThemeChoice.DARK)
    assert theme.is_dark_palette(window.palette())
    assert settings.value("view/theme") == "dark"
    window.appearance.use_theme(theme.ThemeChoice.LIGHT)
    assert not theme.is_dark_palette(window.palette())
    type_into(qtbot, line(window, "Peak rate"), "55")
    assert window.store.value(RATE) == 55.0


def test_closing_stops_the_thread(qtbot: QtBot, settings: QSettings, engine: ShippedEngine) -> None:
    window = MainWindow(lambda: engine, settings)
    qtbot.addWidget(window)
    window.show()
    with qtbot.waitSignal(window.compute.catalog_ready, timeout=RESULT_WAIT_MS):
        window.compute.start()
    window.planner.ask()
    window.close()
    assert [thread for thread in window.compute.findChildren(QThread) if thread.isRunning()] == []


def test_focusable_controls_are_named(window: MainWindow) -> None:
    nameless = [
        child
        for child in window.inputs.findChildren(QWidget)
        if child.focusPolicy() & Qt.FocusPolicy.TabFocus
        and child.isVisibleTo(window)
        and not child.accessibleName()
        and not getattr(child, "text", lambda: "")()
    ]
    assert nameless == []


def test_edit_from_a_plot_of_a_scenario_that_is_gone_changes_nothing(window: MainWindow) -> None:
    """Found by random events: a line was dragged that another scenario's results had drawn."""
    before = window.store.project
    window._on_value_edited("serving.classes[9].slos[0].limit_s", 0.5)
    assert window.store.project is before
