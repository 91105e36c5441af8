"""In processes of their own: the hooks under test are those of the whole interpreter."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpuplanner_gui.paths import HOME_VARIABLE

PREAMBLE = """
import os, sys, threading, traceback
from PySide6.QtCore import QObject, QTimer, QUrl, Slot
from PySide6.QtWidgets import QApplication, QMessageBox
from gpuplanner_gui.desktop.window.crash import CrashReporter
app = QApplication(["test"])
saved = []
reporter = CrashReporter()
reporter.install()
reporter.protect(None, lambda: saved.append(True))
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
    assert log.count("ValueError") == 2
    assert "a fault of our own" not in log
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


def test_program_without_any_stream_starts_too(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "log").write_text("a file where the folder should be")
    start = (
        "reporter.uninstall()\nsys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = None\nreporter.install()\n"
    )
    done = run(start + "QTimer.singleShot(0, finish)\nsys.exit(app.exec())", home)
    assert done.returncode == 0


def test_log_holds_kinds_and_places_of_causes_too_and_no_words_of_a_project(tmp_path: Path) -> None:
    done = run(
        """
import logging
def inner():
    raise KeyError("Project Nightingale")
def outer():
    try:
        inner()
    except KeyError as problem:
        raise ValueError("budget 123456") from problem
try:
    outer()
except ValueError:
    logging.getLogger("gpuplanner_gui.desktop.tasks.runner").exception("stage %s failed", "plan")
class Dropped:
    def __del__(self):
        raise RuntimeError("Project Nightingale")
dropped = Dropped()
del dropped
QTimer.singleShot(0, finish)
sys.exit(app.exec())
""",
        tmp_path,
    )
    assert done.returncode == 0, done.stderr
    log = (tmp_path / "log" / "gpuplanner.log").read_text()
    for expected in ("stage plan failed", "ValueError", "KeyError", "in outer", "in inner", "RuntimeError"):
        assert expected in log
    for hidden in ("Nightingale", "123456"):
        assert hidden not in log


def test_a_report_is_one_click_away_and_the_question_stays(tmp_path: Path) -> None:
    done = run(
        """
from PySide6.QtGui import QDesktopServices
opened = []
class Catcher(QObject):
    @Slot(QUrl)
    def take(self, url):
        opened.append(url.toLocalFile())
catcher = Catcher()
QDesktopServices.setUrlHandler("file", catcher, "take")
def fail():
    raise ValueError("x")
QTimer.singleShot(0, fail)
def look():
    button = next(one for one in boxes()[0].buttons() if "Report" in one.text())
    button.click()
    assert opened and opened[0].endswith("log"), opened
    assert "fault-report-" in boxes()[0].informativeText()
look_soon(look)
sys.exit(app.exec())
""",
        tmp_path,
    )
    assert done.returncode == 0, done.stderr
    (report,) = (tmp_path / "log").glob("fault-report-*.txt")
    assert "raised ValueError" in report.read_text()


PRIVATE = ("Nightingale", "alice", "office-pc", "secret", "123456", "/home", "C:", "acme.example")


def test_a_report_holds_nothing_of_a_project_no_paths_and_no_names(tmp_path: Path) -> None:
    """Whatever stands in the logs, of this version or an earlier one, or put there by somebody."""
    folder = tmp_path / "log"
    folder.mkdir()
    head = "2026-11-23 18:30:00,123 WARNING gpuplanner_gui.desktop.window.recovery: "
    (folder / "gpuplanner.log").write_text(
        f"{head}a recovery copy could not be deleted: [Errno 13] Permission denied: '/home/alice/Nightingale.gpuplan'\n"
        f"{head}unsaved work could not be kept: secret 123456.gpuplan: the disk is full\n"
        f"{head}the typeface in C:\\Users\\alice\\Nightingale could not be loaded\n"
        f"{head}alice on OFFICE-PC came back\n"
        "ValueError: budget 123456 of Nightingale\n"
        "Nightingale\n"
        "raised KeyError\n"
        "  /home/alice/secret/venv/lib/python3.11/site-packages/msgspec/json.py:12 in decode\n"
        "  C:\\Users\\alice\\gpuplanner_gui\\engine\\planning.py:7 in plan\n"
        "  /home/alice/Nightingale/sitecustomize.py:3 in acme\n",
        encoding="utf-8",
    )
    (folder / "gpuplanner-fatal.log").write_text(
        "Fatal Python error: Segmentation fault\n\nThread 0x00007f12 (most recent call first):\n"
        '  File "/home/alice/secret/gpuplanner_gui/desktop/main.py", line 96 in main\n'
        "DATABASE=acme.example\n",
        encoding="utf-8",
    )
    done = run(
        """
import getpass, platform
from gpuplanner_gui.desktop.window.crash import write_fault_report
getpass.getuser = lambda: "alice"
platform.node = lambda: "office-pc.acme.example"
print(write_fault_report().read_text())
""",
        tmp_path,
    )
    assert done.returncode == 0, done.stderr
    for hidden in PRIVATE:
        assert hidden.casefold() not in done.stdout.casefold(), hidden
    for expected in (
        "a recovery copy could not be deleted: …", "… on … came back", "raised KeyError",
        "  site-packages/msgspec/json.py:12 in decode", "gpuplanner_gui\\engine\\planning.py:7 in plan",
        "…:3 in acme", "Fatal Python error: Segmentation fault", "gpuplanner_gui/desktop/main.py:96 in main",
        "GPU Planner: ", "Python: ",
    ):  # fmt: skip
        assert expected in done.stdout, expected


def test_a_report_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "log").write_text("a file where the folder should be")
    done = run(
        "from gpuplanner_gui.desktop.window.crash import write_and_show_report\nprint(write_and_show_report())", home
    )
    assert done.returncode == 0, done.stderr
    assert "the folder can't be made" in done.stdout


START = """
import os, sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox
from gpuplanner_gui.desktop import main
from gpuplanner_gui.desktop.widgets import theme
from gpuplanner_gui.desktop.window import main_window
def broken(*arguments, **named):
    raise OSError("a part of the program is missing")
if sys.argv[1] == "window":
    main_window.MainWindow.__init__ = broken
else:
    theme.application_icon = broken
def look():
    box = QApplication.activeModalWidget()
    if not isinstance(box, QMessageBox):
        os._exit(4)
    if "could not start" not in box.text() or "part of the program is missing" not in box.detailedText():
        os._exit(5)
    box.close()
app_init = main.Application.__init__
def init(self, arguments):
    app_init(self, arguments)
    QTimer.singleShot(1500, look)
main.Application.__init__ = init
sys.exit(main.main(["--separate"]))
"""


@pytest.mark.parametrize("part", ["window", "icon"])
def test_failure_at_the_start_ends_in_a_dialog_and_a_log(part: str, tmp_path: Path) -> None:
    environment = {**os.environ, HOME_VARIABLE: str(tmp_path), "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-c", START, part]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=90)
    assert done.returncode == 1, done.stderr
    log = (tmp_path / "log" / "gpuplanner.log").read_text()
    assert "the window could not be made" in log
    assert "OSError" in log
