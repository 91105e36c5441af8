"""File › Export Report and Plan › Launch Flags, in the window, with the shipped engine."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QFileDialog, QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.dialogs.deploy import DeployDialog, ReportDialog
from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.drawing.results import LoadSimulation
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.engine.fleet.fleet_sizing import fleet_sizing
from gpuplanner_gui.files.project import load_project
from gpuplanner_gui.paths import resources_dir

WAIT_MS = 60_000


@pytest.fixture(scope="module")
def engine() -> ShippedEngine:
    return ShippedEngine()


@pytest.fixture
def window(qtbot: QtBot, settings: QSettings, engine: ShippedEngine) -> MainWindow:
    project = load_project(resources_dir() / "examples" / "13b-two-deployments.gpuplan")
    window = MainWindow(lambda: engine, settings, project)
    qtbot.addWidget(window, before_close_func=lambda one: one.store.undo_stack.setClean())
    window.show()
    with qtbot.waitSignal(window.compute.completed, timeout=WAIT_MS):
        window.compute.start()
        window.planner.ask()
    return window


def exported(window: MainWindow, qtbot: QtBot, path: Path) -> bool:
    with qtbot.waitSignal(window.report.finished, timeout=WAIT_MS) as done:
        window.report.start(path)
    return bool(done.args[0])


@pytest.mark.slow
def test_export_writes_the_document_and_says_where(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "plan.html"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), "HTML (*.html)"))
    monkeypatch.setattr(ReportDialog, "exec", lambda *_: int(QDialog.DialogCode.Accepted))
    with qtbot.waitSignal(window.report.finished, timeout=WAIT_MS) as done:
        window.menus.actions["export_report"].trigger()
        assert window.report.dialog is not None
    assert done.args == [True]
    text = path.read_text(encoding="utf-8")
    assert "13B assistant" in text
    assert "data:image/png" in text
    assert str(path) in window.messages.text.text()
    assert window.report.dialog is None


@pytest.mark.slow
def test_numbers_of_the_document_are_those_on_screen(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    window.build_results()
    results, pane = window.compute.results, window.results_pane
    assert results is not None
    assert pane is not None
    assert results.plan.serving is not None
    best = results.plan.serving.best
    load = 3.0 * float(results.plan.serving.table.load_per_replica_per_s[best])
    sized = msgspec.structs.replace(
        fleet_sizing(results.scenario, results.plan, best), is_simulated=True, slo_rate_per_s=load
    )
    pane.show_found("simulation", LoadSimulation(candidate=best, fleet=sized))
    window.store.note_saved(window.planner.stamped(window.store.project))
    assert exported(window, qtbot, tmp_path / "plan.md")
    text = " ".join((tmp_path / "plan.md").read_text(encoding="utf-8").replace("\\", "").split())
    month = format_value(float(results.plan.serving.table.usd_per_month[best]), "USD/month")
    assert " ".join(month.split()) in text
    assert "3 times this load (simulated)" in text


@pytest.mark.slow
def test_a_folder_that_cannot_be_written_gives_words(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert not exported(window, qtbot, tmp_path / "file" / "plan.csv")
    assert "can't be written" in window.messages.text.text()
    assert window.report.dialog is None


def test_an_ending_without_a_format_gives_words(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    assert not exported(window, qtbot, tmp_path / "plan.docx")
    assert "not a report format" in window.messages.text.text()


def test_a_cancelled_export_leaves_nothing(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    with qtbot.waitSignal(window.report.finished, timeout=WAIT_MS) as done:
        window.report.start(tmp_path / "plan.pdf")
        assert window.report.dialog is not None
        window.report.dialog.findChildren(QPushButton)[0].click()
    assert done.args == [False]
    assert not window.report.is_running
    assert list(tmp_path.glob("plan*")) == []


def test_launch_flags_follow_the_plan_and_are_copied(window: MainWindow, qtbot: QtBot) -> None:
    window.menus.actions["launch_flags"].trigger()
    (dialog,) = window.findChildren(DeployDialog)
    names = [dialog.choice.itemText(place) for place in range(dialog.choice.count())]
    assert names[:5] == ["vLLM", "SGLang", "TensorRT-LLM", "llama.cpp", "MLX"]
    assert set(names[5:]) == {"Megatron-LM", "PyTorch FSDP", "torchtitan", "DeepSpeed", "TRL with PEFT"}
    assert dialog.command.toPlainText().startswith('vllm serve "$MODEL"')
    assert "--max-num-seqs 256" in dialog.command.toPlainText()
    dialog.choice.setCurrentIndex(names.index("Megatron-LM"))
    dialog.copy.click()
    assert QGuiApplication.clipboard().text() == dialog.command.toPlainText()
    assert "torchrun" in dialog.command.toPlainText().split("\n")[0]
    with qtbot.waitSignal(window.compute.completed, timeout=WAIT_MS):
        window.store.edit("training", None, "Remove training")
    assert dialog.choice.count() == 5
    dialog.close()


def test_files_that_run_the_plan_are_written_where_asked_and_replaced_after_asking(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.menus.actions["launch_flags"].trigger()
    (dialog,) = window.findChildren(DeployDialog)
    told: list[str] = []

    def answered(box: QMessageBox) -> int:
        told.append(box.text())
        return int(QMessageBox.StandardButton.Cancel)

    monkeypatch.setattr(QMessageBox, "exec", answered)
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path))
    chosen = dialog.choice.currentIndex()
    dialog.choice.setCurrentIndex(dialog.choice.findData("megatron"))
    dialog.target.setCurrentIndex(dialog.target.findData("compose"))
    qtbot.mouseClick(dialog.write, Qt.MouseButton.LeftButton)
    assert "A training run needs Slurm" in told[-1]
    assert list(tmp_path.iterdir()) == []
    dialog.choice.setCurrentIndex(chosen)
    dialog.target.setCurrentIndex(dialog.target.findData("slurm"))
    dialog.checkpoint.setText("org/own-model")
    qtbot.mouseClick(dialog.write, Qt.MouseButton.LeftButton)
    assert told[-1].startswith("Written: ")
    (job,) = tmp_path.glob("*.sbatch")
    assert "export MODEL=org/own-model" in job.read_text()
    job.write_text("mine")
    qtbot.mouseClick(dialog.write, Qt.MouseButton.LeftButton)
    assert told[-1].startswith("Replace ")
    assert job.read_text() == "mine"
    dialog.close()


def test_dynamo_takes_separate_pools_and_says_so_of_any_other_plan(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(QMessageBox, "exec", lambda box: told.append(box.text()))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path))
    window.menus.actions["launch_flags"].trigger()
    (dialog,) = window.findChildren(DeployDialog)
    dialog.target.setCurrentIndex(dialog.target.findData("dynamo"))
    qtbot.mouseClick(dialog.write, Qt.MouseButton.LeftButton)
    assert "no separate pools" in told[-1]
    scenario = window.store.scenario
    assert scenario is not None
    assert scenario.serving is not None
    serving = msgspec.structs.replace(
        scenario.serving, weight_precisions=("fp8",),
        classes=tuple(msgspec.structs.replace(one, slos=()) for one in scenario.serving.classes),
    )  # fmt: skip
    hardware = msgspec.structs.replace(scenario.hardware, accelerators=("nvidia-h200-sxm-141gb",))
    with qtbot.waitSignal(window.compute.completed, timeout=WAIT_MS):
        window.store.edit("training", None, "Remove training")
        window.store.edit("model", window.compute.catalog.models["deepseek-v3"].model, "Model")
        window.store.edit("serving", serving, "Serving")
        window.store.edit("hardware", hardware, "Hardware")
    qtbot.waitUntil(lambda: window.compute.state == "current", timeout=WAIT_MS)
    results = window.compute.results
    assert results is not None
    assert results.plan.serving is not None
    table = results.plan.serving.table
    pools = np.flatnonzero((table.prefill_workers > 0) & (table.devices_per_replica == 16) & table.fits)
    window.planner.select_candidate("serving", int(pools[0]))
    qtbot.waitUntil(lambda: "prefill" in dialog.candidate.text(), timeout=WAIT_MS)
    dialog.choice.setCurrentIndex(dialog.choice.findData("vllm"))
    qtbot.mouseClick(dialog.write, Qt.MouseButton.LeftButton)
    assert told[-1].startswith("Written: "), told[-1]
    assert "DynamoGraphDeployment" in "".join(path.read_text() for path in tmp_path.glob("*.y*ml"))
    dialog.close()


def test_launch_flags_of_nothing_say_so(qtbot: QtBot) -> None:
    dialog = DeployDialog()
    qtbot.addWidget(dialog)
    dialog.show_results(None)
    assert not dialog.copy.isEnabled()
    assert "no plan" in dialog.notes.text()


def test_names_stay_text_in_the_dialog(window: MainWindow, qtbot: QtBot) -> None:
    scenario = window.store.scenario
    assert scenario is not None
    with qtbot.waitSignal(window.compute.completed, timeout=WAIT_MS):
        window.store.edit("model", msgspec.structs.replace(scenario.model, name="<b>bold</b>"), "Rename")
    window.menus.actions["launch_flags"].trigger()
    (dialog,) = window.findChildren(DeployDialog)
    assert "<b>bold</b>" in dialog.variables.text()
    assert dialog.variables.textFormat().name == "PlainText"
    dialog.close()
