from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt, QTimer
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from gpuplanner_gui.desktop.dialogs.recovery import RecoveryDialog
from gpuplanner_gui.desktop.window import recovery
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.desktop.window.recovery import LostWork, recovery_dir
from gpuplanner_gui.desktop.window.windows import Windows
from gpuplanner_gui.paths import HOME_VARIABLE

RATE = "serving.classes[0].peak_rate_per_s"


@pytest.fixture
def window(user_home: Path, settings: QSettings, qtbot: QtBot) -> MainWindow:
    made = MainWindow(settings=settings)
    qtbot.addWidget(made, before_close_func=lambda window: window.store.undo_stack.setClean())
    return made


def left_by_a_killed_program(home: Path, rate: float) -> None:
    """Another process edits, keeps its copy, and is killed."""
    script = (
        "from PySide6.QtWidgets import QApplication\n"
        "app = QApplication([])\n"
        "from gpuplanner_gui.desktop.window.main_window import MainWindow\n"
        "window = MainWindow()\n"
        f"window.store.edit({RATE!r}, {rate}, 'rate')\n"
        "assert window.recovery.keeper.keep_at_once()\n"
        "print('kept', flush=True)\n"
        "import time; time.sleep(60)\n"
    )
    environment = {**os.environ, HOME_VARIABLE: str(home), "QT_QPA_PLATFORM": "offscreen"}
    process = subprocess.Popen([sys.executable, "-c", script], env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "kept\n"
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    process.stdout.close()


def answer(qtbot: QtBot, button: str) -> None:
    """Press a button of the dialog that is about to open, as soon as it is there."""

    def press() -> None:
        dialog = QApplication.activeModalWidget()
        if not isinstance(dialog, RecoveryDialog):
            # Work that was left behind is read first.
            QTimer.singleShot(50, press)
            return
        found = [one for one in dialog.findChildren(QPushButton) if one.text().replace("&", "") == button]
        qtbot.mouseClick(found[0], Qt.MouseButton.LeftButton)

    QTimer.singleShot(50, press)


def test_unsaved_edit_is_kept_after_a_moment_and_forgotten_once_saved(
    window: MainWindow, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.recovery.keeper.keep_soon.setInterval(10)
    window.store.edit(RATE, 12.0, "rate")
    qtbot.waitUntil(lambda: len(list(recovery_dir().glob("*.recovery"))) == 1)
    window.file.path = tmp_path / "mine.gpuplan"
    assert window.file.save()
    # The copy goes in the writer's thread.
    qtbot.waitUntil(lambda: not list(recovery_dir().glob("*.recovery")))


def test_work_of_a_running_window_is_not_offered(window: MainWindow) -> None:
    window.store.edit(RATE, 12.0, "rate")
    assert window.recovery.keeper.keep_at_once()
    assert LostWork(recovery_dir()).copies == []


def test_work_of_a_killed_program_is_offered_and_restored_as_unsaved(
    window: MainWindow, user_home: Path, qtbot: QtBot
) -> None:
    left_by_a_killed_program(user_home, 321.0)
    answer(qtbot, "Restore")
    assert window.recovery.offer_at_start()
    assert window.store.value(RATE) == 321.0
    assert window.file.is_modified
    # Kept again under the lock of this window; the old copy is gone.
    assert len(list(recovery_dir().glob("*.recovery"))) == 1
    assert LostWork(recovery_dir()).copies == []


def test_a_kill_while_the_lock_was_made_does_not_hide_the_work(
    window: MainWindow, user_home: Path, qtbot: QtBot
) -> None:
    left_by_a_killed_program(user_home, 123)
    (lock,) = recovery_dir().glob("*.lock")
    lock.write_bytes(b"")
    lost = LostWork(recovery_dir())
    assert len(lost.copies) == 1
    lost.release()


def test_all_work_of_killed_programs_is_restored_in_windows_of_its_own(
    user_home: Path, windows: Windows, qtbot: QtBot
) -> None:
    first = windows.front
    first.build_results()
    for rate in (321.0, 322.0, 323.0):
        left_by_a_killed_program(user_home, rate)
    answer(qtbot, "Restore all")
    assert first.recovery.offer_at_start()
    assert sorted(one.store.value(RATE) for one in windows.all) == [321.0, 322.0, 323.0]
    assert all(one.file.is_modified and one.isVisible() for one in windows.all)
    assert len(list(recovery_dir().glob("*.recovery"))) == 3
    assert LostWork(recovery_dir()).copies == []


def test_work_that_is_left_for_later_is_offered_again(window: MainWindow, user_home: Path, qtbot: QtBot) -> None:
    left_by_a_killed_program(user_home, 321.0)
    answer(qtbot, "Later")
    assert not window.recovery.offer_at_start()
    lost = LostWork(recovery_dir())
    assert len(lost.copies) == 1
    lost.release()


def test_deleted_work_is_gone(window: MainWindow, user_home: Path, qtbot: QtBot) -> None:
    left_by_a_killed_program(user_home, 321.0)
    answer(qtbot, "Delete")
    assert not window.recovery.offer_at_start()
    assert not list(recovery_dir().glob("*.recovery"))


def test_restored_work_keeps_its_file_unless_somebody_wrote_to_it_since(window: MainWindow, tmp_path: Path) -> None:
    original = tmp_path / "mine.gpuplan"
    original.write_text("whatever")
    window.file.take_recovered(window.store.project, original, time.time() + 10)
    assert window.file.path == original
    window.file.take_recovered(window.store.project, original, original.stat().st_mtime - 10)
    assert window.file.path is None


def test_damaged_copy_is_said_and_kept(window: MainWindow) -> None:
    folder = recovery_dir()
    folder.mkdir(parents=True)
    (folder / "x.recovery").write_text("{")
    window.recovery.offer()
    assert "x.recovery" in window.messages.text.text()
    assert (folder / "x.recovery").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="the folder is made unusable by a file in its place")
def test_folder_that_cannot_be_written_is_said_once(
    window: MainWindow, user_home: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    recovery_dir().parent.mkdir(parents=True, exist_ok=True)
    recovery_dir().write_text("a file where a folder should be")
    said: list[str] = []
    window.recovery.keeper.problem.connect(said.append)
    window.store.edit(RATE, 12.0, "rate")
    assert not window.recovery.keeper.keep_at_once()
    assert not window.recovery.keeper.keep_at_once()
    assert len(said) == 1
    assert recovery.SUFFIX == ".recovery"


def test_window_that_is_destroyed_unclosed_leaves_its_copy(user_home: Path, settings: QSettings, qtbot: QtBot) -> None:
    window = MainWindow(settings=settings)
    window.store.edit(RATE, 12.0, "rate")
    assert window.recovery.keeper.keep_at_once()
    for part in (window.compute, window.load, window.decision, window.calibrate, window.training, window.report):
        part.stop()
    with qtbot.captureExceptions() as raised:
        delete(window)
    assert raised == []
    assert len(list(recovery_dir().glob("*.recovery"))) == 1


def test_a_data_folder_that_was_deleted_meanwhile_is_made_again(window: MainWindow) -> None:
    keeper = window.recovery.keeper
    window.store.edit(RATE, 31.0, "rate")
    assert keeper.keep_at_once()
    shutil.rmtree(recovery_dir())
    window.store.edit(RATE, 32.0, "rate")
    assert keeper.keep_at_once()
    assert [path.suffix for path in sorted(recovery_dir().iterdir())] == [".lock", ".recovery"]
