"""In processes of their own: the hooks under test are those of the whole interpreter."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from gpuplanner_gui.paths import HOME_VARIABLE

PREAMBLE = """
import os, sys, threading, traceback
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox
from gpuplanner_gui.desktop.crash import CrashReporter
app = QApplication(["test"])
saved = []
reporter = CrashReporter(lambda: saved.append(True), lambda: None)
reporter.install()
def boxes():
    return [w for w in app.topLevelWidgets() if isinstance(w, QMessageBox) and w.isVisible()]
def look_soon(look):
    def act():
        try:
            look()
        except BaseException:
            traceback.print_exc()
            os._exit(3)
        finish()
    QTimer.singleShot(200, act)
def finish():
    for box in boxes():
        box.close()
    reporter.uninstall()
    app.exit(0)
"""


def run(script: str, home: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, HOME_VARIABLE: str(home), "QT_QPA_PLATFORM": "offscreen"}
    return subprocess.run(
        [sys.executable, "-c", PREAMBLE + script], env=environment, capture_output=True, text=True, timeout=60
    )


def test_fault_in_a_slot_is_logged_and_shown_once_with_an_offer_to_save(tmp_path: Path) -> None:
    done = run(
        """
def fail():
    raise ValueError("a fault of our own")
QTimer.singleShot(0, fail)
QTimer.singleShot(1, fail)
def look():
    shown = boxes()
    assert len(shown) == 1, shown
    assert "a fault of our own" in shown[0].detailedText()
    shown[0].defaultButton().click()
    assert saved == [True]
look_soon(look)
sys.exit(app.exec())
""",
        tmp_path,
    )
    assert done.returncode == 0, done.stderr
    log = (tmp_path / "log" / "gpuplanner.log").read_text()
    assert log.count("ValueError: a fault of our own") == 2
    assert "in fail" in log


def test_faults_of_two_kinds_in_another_thread_are_shown_in_the_window(tmp_path: Path) -> None:
    done = run(
        """
def fail(kind):
    raise kind("elsewhere")
for kind in (KeyError, TypeError):
    thread = threading.Thread(target=fail, args=(kind,))
    thread.start()
    thread.join()
def look():
    assert len(boxes()) == 2, boxes()
look_soon(look)
sys.exit(app.exec())
""",
        tmp_path,
    )
    assert done.returncode == 0, done.stderr


def test_fatal_fault_leaves_its_stack_in_a_file(tmp_path: Path) -> None:
    done = run("import faulthandler\nfaulthandler._sigabrt()", tmp_path)
    assert done.returncode != 0
    assert "Fatal Python error: Aborted" in (tmp_path / "log" / "gpuplanner-fatal.log").read_text()


def test_unwritable_log_folder_does_not_keep_the_program_from_starting(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "log").write_text("a file where the folder should be")
    done = run("QTimer.singleShot(0, finish)\nsys.exit(app.exec())", home)
    assert done.returncode == 0, done.stderr
