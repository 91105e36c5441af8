"""Files dropped on the window: of every kind, several at once, foreign ones, and wherever they are let go."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.dialogs.measurement_columns import TraceColumnsDialog
from gpuplanner_gui.desktop.dialogs.price_list import PriceListDialog
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.desktop.window.windows import Windows
from tests.conftest import SMALL_CHAT
from tests.desktop.dragging import drag_files, hold_files, leave

WAIT_MS = 30_000
SAMPLES = Path(__file__).parent.parent / "files" / "measurements" / "samples"
CONFIGS = Path(__file__).parent.parent / "files" / "model_import" / "configs"
TRACE = Path(__file__).parent.parent / "files" / "traces" / "data" / "azure-llm-2023-code.csv"
PRICES = "GPU;Memory;Preis je Stunde (EUR);Provider\nH100 SXM;80 GB;2,49;Hoster\n\nT4;16 GB;0,35;Hoster\n"


@pytest.fixture
def window(answered_window: MainWindow) -> MainWindow:
    return answered_window


@pytest.fixture
def project_file(tmp_path: Path) -> Path:
    path = tmp_path / "plan.gpuplan"
    path.write_bytes(SMALL_CHAT.read_bytes())
    return path


def middle_of(widget: QWidget, window: QWidget) -> QPoint:
    return widget.mapTo(window, widget.rect().center())


def drop(window: MainWindow, *paths: Path, on: QWidget | None = None) -> None:
    assert drag_files(window, paths, middle_of(on or window.menuBar(), window))


def close_next(qtbot: QtBot, kind: type[QDialog], seen: list[str]) -> None:
    """Escape from a dialog as soon as it is there."""

    def press() -> None:
        dialog = QApplication.activeModalWidget()
        if dialog is None:
            QTimer.singleShot(20, press)
            return
        assert isinstance(dialog, kind)
        seen.append(dialog.windowTitle())
        qtbot.keyClick(dialog, Qt.Key.Key_Escape)

    QTimer.singleShot(0, press)


def places(window: MainWindow) -> Iterator[QWidget]:
    pane = window.results_pane
    assert pane is not None
    line = next(one for one in window.inputs.editor.findChildren(QLineEdit) if one.isVisible())
    yield from (window.menuBar(), window.verdict, window.inputs.tree, line, pane.bar, pane.candidates)
    yield pane.frame_in_front()


def test_project_is_opened_wherever_it_is_let_go(window: MainWindow, project_file: Path, qtbot: QtBot) -> None:
    kept = [one.text() for one in window.inputs.editor.findChildren(QLineEdit)]
    for place in list(places(window)):
        window.file.new()
        assert window.file.path is None
        drop(window, project_file, on=place)
        qtbot.waitUntil(lambda: window.file.path == project_file, timeout=WAIT_MS)
    assert str(project_file) not in [one.text() for one in window.inputs.editor.findChildren(QLineEdit)]
    assert kept


def test_price_list_with_foreign_headings_is_taken_for_one(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "angebot.csv"
    path.write_text(PRICES, encoding="utf-8")
    seen: list[str] = []
    close_next(qtbot, PriceListDialog, seen)
    drop(window, path)
    qtbot.waitUntil(lambda: bool(seen), timeout=WAIT_MS)


def test_table_that_is_not_understood_may_be_called_a_price_list(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "angebot.csv"
    path.write_text("Karte,Netto,Anbieter\nH100 SXM,2.49,Hoster\n", encoding="utf-8")
    drop(window, path)
    qtbot.waitUntil(lambda: bool(window.findChildren(TraceColumnsDialog)), timeout=WAIT_MS)
    (dialog,) = window.findChildren(TraceColumnsDialog)
    seen: list[str] = []
    QTimer.singleShot(0, lambda: close_next(qtbot, PriceListDialog, seen))
    qtbot.mouseClick(dialog.prices_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(seen), timeout=WAIT_MS)


def test_several_results_of_benchmarks_are_read_one_after_the_other(window: MainWindow, qtbot: QtBot) -> None:
    names = ("hf-trainer_state.json", "vllm-bench-serve.constructed.json", "megatron-train.log")
    drop(window, *(SAMPLES / name for name in names))
    qtbot.waitUntil(lambda: len(window.store.project.measurements) == 3, timeout=WAIT_MS)
    assert [one.source for one in window.store.project.measurements] == list(names)
    assert window.results_pane is not None
    assert window.results_pane.page_name() == "calibrate"


def test_recorded_traffic_and_a_model_come_in_together(window: MainWindow, qtbot: QtBot) -> None:
    drop(window, TRACE, CONFIGS / "bloom-7b1.json")
    qtbot.waitUntil(lambda: window.load.simulations.trace is not None, timeout=WAIT_MS)
    assert window.store.scenario is not None
    assert window.store.scenario.model.name == "bloom-7b1"


def test_a_model_replaces_another_only_when_the_planner_agrees(
    window: MainWindow, project_file: Path, qtbot: QtBot
) -> None:
    window.file.open(project_file)
    assert window.store.scenario is not None
    before = window.store.scenario.model
    drop(window, CONFIGS / "bloom-7b1.json")
    qtbot.waitUntil(window.messages.isVisible, timeout=WAIT_MS)
    assert "bloom-7b1.json contains a model. The plan keeps its own" in window.messages.text.text()
    assert window.store.scenario.model is before
    qtbot.mouseClick(window.messages.action, Qt.MouseButton.LeftButton)
    assert window.store.scenario.model.name == "bloom-7b1"


@pytest.mark.parametrize("padding", [0, 200_000], ids=["read at once", "read beside"])
def test_a_model_that_comes_with_other_files_is_offered_for_the_project_among_them(
    window: MainWindow, project_file: Path, padding: int, tmp_path: Path, qtbot: QtBot
) -> None:
    picture = tmp_path / "picture.png"
    picture.touch()
    project_file.write_bytes(project_file.read_bytes() + b" " * padding)
    drop(window, CONFIGS / "bloom-7b1.json", CONFIGS / "falcon-7b.json", project_file, picture)
    qtbot.waitUntil(lambda: window.file.path == project_file, timeout=WAIT_MS)
    assert window.store.scenario is not None
    before = window.store.scenario.model
    if "cannot open picture.png" in window.messages.text.text():
        qtbot.mouseClick(window.messages._close, Qt.MouseButton.LeftButton)
    assert "falcon-7b.json contains a model" in window.messages.text.text()
    assert window.store.scenario.model is before
    qtbot.mouseClick(window.messages._close, Qt.MouseButton.LeftButton)
    assert "bloom-7b1.json contains a model" in window.messages.text.text()
    qtbot.mouseClick(window.messages.action, Qt.MouseButton.LeftButton)
    assert window.store.scenario.model.name == "bloom-7b1"
    assert not window.messages.isVisible()


def test_a_file_without_a_model_is_not_offered_as_one(
    window: MainWindow, project_file: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    window.file.open(project_file)
    (tmp_path / "greeting.json").write_text('{"hello": 1}')
    drop(window, tmp_path / "greeting.json")
    qtbot.waitUntil(window.messages.isVisible, timeout=WAIT_MS)
    assert "contains a model" not in window.messages.text.text()
    assert "states no architecture" in window.messages.text.text()
    assert not window.messages.action.isVisible()


def test_foreign_files_and_folders_are_said_by_name_beside_what_is_opened(
    window: MainWindow, tmp_path: Path, project_file: Path, qtbot: QtBot
) -> None:
    picture = tmp_path / "picture.png"
    picture.touch()
    drop(window, picture)
    qtbot.waitUntil(window.messages.isVisible)
    assert "GPU Planner cannot open picture.png." in window.messages.text.text()
    drop(window, tmp_path)
    qtbot.waitUntil(lambda: "is a folder" in window.messages.text.text())
    drop(window, picture, project_file, tmp_path)
    qtbot.waitUntil(lambda: window.file.path == project_file, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: "2 of these" in window.messages.text.text())


def test_an_error_is_gone_when_the_next_file_is_opened(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text("not json {")
    drop(window, broken)
    qtbot.waitUntil(lambda: "broken.json" in window.messages.text.text())
    assert window.messages.isVisible()
    drop(window, CONFIGS / "bloom-7b1.json")
    qtbot.waitUntil(lambda: window.store.scenario is not None and window.store.scenario.model.name == "bloom-7b1")
    assert not window.messages.isVisible()


def test_of_two_projects_the_second_gets_a_window_of_its_own(
    windows: Windows, tmp_path: Path, project_file: Path, qtbot: QtBot
) -> None:
    other = tmp_path / "other.gpuplan"
    other.write_bytes(project_file.read_bytes())
    first = windows.front
    first.build_results()
    drop(first, project_file, other)
    qtbot.waitUntil(lambda: len(windows.all) == 2 and windows.front.file.path == other, timeout=WAIT_MS)
    assert first.file.path == project_file


def test_files_dropped_on_a_dock_that_floats_are_opened(window: MainWindow, project_file: Path, qtbot: QtBot) -> None:
    dock = window.desk.inputs_dock
    dock.setFloating(True)
    qtbot.waitUntil(dock.isVisible)
    assert drag_files(dock, [project_file], dock.rect().center())
    qtbot.waitUntil(lambda: window.file.path == project_file, timeout=WAIT_MS)


def test_failed_save_offers_another_name_and_is_forgotten_once_saved(
    window: MainWindow, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "folder-that-is-a-file"
    blocked.write_text("")
    window.file.path = blocked / "plan.gpuplan"
    window.store.duplicate_scenario(0, "duplicate")
    assert not window.file.save()
    assert window.messages.isVisible()
    assert window.messages.action.text() == "Save As…"
    saved = tmp_path / "saved.gpuplan"
    monkeypatch.setattr(
        "gpuplanner_gui.desktop.window.project_file.QFileDialog.getSaveFileName", lambda *_, **__: (str(saved), "")
    )
    qtbot.mouseClick(window.messages.action, Qt.MouseButton.LeftButton)
    assert json.loads(saved.read_text())["format"] == "gpuplan"
    assert not window.messages.isVisible()
    assert isinstance(window.messages.action, QPushButton)


def test_file_that_others_changed_is_said_when_the_window_is_looked_at_again(
    window: MainWindow, project_file: Path, qtbot: QtBot
) -> None:
    other = QWidget()
    qtbot.addWidget(other)
    assert window.file.open(project_file)

    def look_away_and_back() -> None:
        other.show()
        other.activateWindow()
        qtbot.waitUntil(other.isActiveWindow)
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)

    look_away_and_back()
    assert not window.messages.isVisible()
    theirs = project_file.read_text(encoding="utf-8").replace("70B chat", "Theirs")
    project_file.write_text(theirs, encoding="utf-8")
    look_away_and_back()
    assert window.messages.isVisible()
    assert "on disk" in window.messages.text.text()
    window.messages.hide()
    look_away_and_back()
    assert not window.messages.isVisible(), "said once"
    project_file.write_text(theirs.replace("Theirs", "Theirs too"), encoding="utf-8")
    look_away_and_back()
    assert window.messages.action.text() == "Reload"
    qtbot.mouseClick(window.messages.action, Qt.MouseButton.LeftButton)
    assert window.store.scenario is not None
    assert window.store.scenario.name == "Theirs too"
    assert not window.messages.isVisible()


def test_file_that_is_gone_is_said_with_its_folder_and_the_project_stays(window: MainWindow, tmp_path: Path) -> None:
    before = window.store.project
    window.commands.open_path(tmp_path / "gone.gpuplan")
    said = window.messages.text.text()
    assert said.startswith("gone.gpuplan: there is no such file.")
    assert str(tmp_path) in said
    assert window.store.project is before


def test_files_that_are_held_over_the_window_show_where_they_will_land(
    window: MainWindow, project_file: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    hint, place = window.drops.hint, middle_of(window.menuBar(), window)
    config = tmp_path / "config.json"
    config.write_bytes(next(iter(sorted(CONFIGS.glob("*.json")))).read_bytes())
    foreign = tmp_path / "notes.docx"
    foreign.write_bytes(b"words")
    window.store.edit("model.name", "Mine", "Rename")
    for path, said, around in (
        (project_file, "Opens plan.gpuplan.", window.workspace),
        (config, "Asks before the model in config.json replaces Mine.", window.inputs),
        (foreign, "GPU Planner cannot open notes.docx.", window.workspace),
    ):
        assert hold_files(window, [path], place)
        qtbot.waitUntil(hint.isVisible)
        assert hint.text.text().startswith(said)
        assert hint.geometry().topLeft() == around.mapTo(window, QPoint(0, 0))
        leave(window)
        assert hint.isHidden()
    drop(window, config)
    assert window.store.scenario is not None
    qtbot.waitUntil(window.messages.action.isVisible)
    assert hint.isHidden()
    assert window.store.scenario.model.name == "Mine", "asked first"
