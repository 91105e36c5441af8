"""Pictures of every dialog, and of what lies over the window: for the contact sheets."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtCore import QPoint
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QApplication, QDialog, QMessageBox, QWidget

from gpuplanner_gui.desktop.dialogs.deploy import ReportDialog
from gpuplanner_gui.desktop.dialogs.measurement_columns import TraceColumnsDialog
from gpuplanner_gui.desktop.dialogs.methods import AboutDialog, MethodsDialog
from gpuplanner_gui.desktop.dialogs.price_list import PriceListDialog
from gpuplanner_gui.desktop.dialogs.recovery import RecoveryDialog
from gpuplanner_gui.desktop.window.command_palette import CommandPalette, entries_of
from gpuplanner_gui.desktop.window.crash import CrashReporter
from gpuplanner_gui.desktop.window.guided_start import GuidedStart
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.desktop.window.preferences import PreferencesDialog
from gpuplanner_gui.desktop.window.tour import STEPS, Tour
from gpuplanner_gui.files.price_list import read_price_table
from gpuplanner_gui.files.recovery import RecoveryCopy
from gpuplanner_gui.files.traces import head_of

Picture = tuple[str, QPixmap]
Grab = Callable[[QWidget], QPixmap]
SETTLING = 4
"""Pictures until the plots have found their places beside a dock that was opened."""
PRICES = (
    "GPU;Preis;Currency;Count;Date\nH100 SXM;1,5;EUR;8;2026-11-01\nT4;500;USD;1;2024-01-05\nNo such card;1;USD;1;\n"
)
REQUESTS = 'when;Words in;Words out;user\n0;100;20;a\n1500;"300";40;b\n'


def dialogs(window: MainWindow, folder: Path, grab: Grab) -> Iterator[Picture]:
    """Each dialog as it opens over the example's plan."""
    yield from _over_the_window(window, grab)
    for name, dialog in _made(window, folder):
        dialog.show()
        yield name, grab(dialog)
        dialog.done(0)
    yield from _guided(window, grab)
    methods = MethodsDialog(window)
    methods.show()
    yield "method", grab(methods)
    methods.typed.setText("no such word")
    yield "methods, none found", grab(methods)
    methods.close()
    yield from _launch_flags(window, grab)
    yield from _fault(window, grab)


def _over_the_window(window: MainWindow, grab: Grab) -> Iterator[Picture]:
    tour = Tour(window.parts)
    tour.start()
    for place in range(len(STEPS)):
        yield f"tour, step {place + 1}", grab(window)
        tour.go_on()
    palette = CommandPalette(
        entries_of(window.parts, window.menus, window.commands.show_method, window.explaining), window
    )
    palette.show_over(window)
    yield "command palette", grab(palette)
    palette.close()
    for title, menu in window.menus.menus.items():
        menu.aboutToShow.emit()
        menu.popup(window.mapToGlobal(QPoint(40, 40)))
        yield f"menu {title}", grab(menu)
        menu.close()
    window.desk.open_explanation()
    window.compute.explain("serving", window.compute.results.candidate("serving"), "tpot_mean_s")
    for _ in range(SETTLING):
        grab(window)
    yield "explain", grab(window)
    window.explain_panel.back_requested.emit()
    yield "explain, numbers of the page", grab(window)
    window.explain_dock.close()


def _made(window: MainWindow, folder: Path) -> Iterator[tuple[str, QDialog]]:
    yield "preferences", PreferencesDialog(window.settings, window.appearance, window)
    yield "about", AboutDialog(window)
    prices, requests = folder / "prices.csv", folder / "gateway.csv"
    prices.write_text(PRICES, encoding="utf-8")
    requests.write_text(REQUESTS, encoding="utf-8")
    today = datetime.date(2026, 11, 21)
    yield "price list", PriceListDialog(read_price_table(prices), window.compute.catalog, {}, today, window)
    yield "trace columns", TraceColumnsDialog(head_of(requests), window)
    kept = RecoveryCopy(
        project=window.store.project, kept_at=datetime.datetime(2026, 11, 21, 9, 30), original=folder / "plan.gpuplan"
    )
    unnamed = RecoveryCopy(project=window.store.project, kept_at=kept.kept_at, original=None)
    yield "recovery", RecoveryDialog([(folder / "one", kept), (folder / "two", unnamed)], window)
    yield "report", ReportDialog(("Chat service", "Fine-tune in March"), 0, {"serving": 3}, "8 × H200", window)


def _guided(window: MainWindow, grab: Grab) -> Iterator[Picture]:
    start = GuidedStart(window.surroundings, window)
    start.show()
    for place in range(len(start.pageIds())):
        yield f"guided start, question {place + 1}", grab(start)
        start.next()
    start.done(0)


def _launch_flags(window: MainWindow, grab: Grab) -> Iterator[Picture]:
    window.commands.show_launch_flags()
    deploy = window.commands._deploy
    assert deploy is not None
    yield "launch flags", grab(deploy)
    deploy.close()


def _fault(window: MainWindow, grab: Grab) -> Iterator[Picture]:
    """What a fault of the program's own shows."""
    reporter = CrashReporter()
    reporter.protect(window, window.file.save)
    reporter._show("RuntimeError", "Traceback: an example")
    box = next(one for one in QApplication.topLevelWidgets() if isinstance(one, QMessageBox) and one.isVisible())
    yield "fault", grab(box)
    box.close()
