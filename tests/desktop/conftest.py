"""What desktop tests share: a themed application, settings of their own, projects to work on."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale, QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.pages.plot_menu import plot_choices
from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
from gpuplanner_gui.desktop.widgets import theme
from gpuplanner_gui.desktop.window.main_window import Handover, MainWindow
from gpuplanner_gui.desktop.window.project_file import new_project
from gpuplanner_gui.desktop.window.windows import Windows
from gpuplanner_gui.domain.scenario import Project
from gpuplanner_gui.drawing.language import ENGLISH
from gpuplanner_gui.drawing.translations import use_language
from gpuplanner_gui.paths import resources_dir

FIRST_PLAN_MS = 30_000


PLAN_WAIT_MS = 60_000


@pytest.fixture(scope="session", autouse=True)
def themed_application(qapp: QApplication) -> QApplication:
    theme.load_font(qapp)
    theme.apply_theme(qapp, theme.ThemeChoice.LIGHT)
    return qapp


@pytest.fixture(scope="module", autouse=True)
def plans_are_simulated_shortly(short_simulations: None) -> None:
    """Windows show what comes of a plan, whichever it is."""


@pytest.fixture(scope="module", autouse=True)
def garbage_is_collected_on_this_thread() -> Iterator[None]:
    """As in the program: a computing thread that collects would free widgets of earlier tests."""
    gc.disable()
    yield
    gc.collect()
    gc.enable()


@pytest.fixture(autouse=True)
def plots_are_drawn_as_at_first(settings: QSettings) -> None:
    """What a test chose for its plots holds for the whole program, and must not for the next test."""
    plot_choices.use_settings(settings)


@pytest.fixture
def settings(tmp_path: Path) -> QSettings:
    return QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)


@pytest.fixture
def project() -> Project:
    return new_project()


@pytest.fixture
def windows(qtbot: QtBot, settings: QSettings) -> Iterator[Windows]:
    """A window, and what takes its place when all are made anew; results are not built yet."""
    engine = ShippedEngine()

    def successor(handover: Handover) -> MainWindow:
        return MainWindow(settings=settings, handover=handover)

    made = Windows(lambda: MainWindow(lambda: engine, settings), None, successor)
    first = MainWindow(lambda: engine, settings)
    made.take(first)
    first.show()
    yield made
    for window in list(made.all):
        window.store.undo_stack.setClean()
        window.file.unread = str  # What a test left half typed asks for nothing.
        window.close()
        window.deleteLater()


@pytest.fixture
def english_afterwards() -> Iterator[None]:
    before = QLocale()
    yield
    use_language(ENGLISH)
    QLocale.setDefault(before)


@pytest.fixture
def window_of_type(
    request: pytest.FixtureRequest, qtbot: QtBot, qapp: QApplication, settings: QSettings, user_home: Path
) -> Iterator[MainWindow]:
    """A window with an example and its first plan, its type so many times the usual size (the fixture's parameter)."""
    theme.use_font_scale(qapp, request.param)
    theme.apply_theme(qapp, theme.ThemeChoice.LIGHT)
    made = MainWindow(ShippedEngine, settings)
    made.resize(1280, 720)
    made.show()
    made.build_results()
    with qtbot.waitSignal(made.compute.completed, timeout=FIRST_PLAN_MS):
        made.compute.start()
        made.commands.open_path(resources_dir() / "examples" / "13b-two-deployments.gpuplan")
    yield made
    made.store.undo_stack.setClean()
    made.close()
    made.deleteLater()
    theme.use_font_scale(qapp, 1.0)
    theme.apply_theme(qapp, theme.ThemeChoice.LIGHT)


@pytest.fixture
def answered_window(qtbot: QtBot, settings: QSettings, user_home: Path) -> MainWindow:
    """A window with the shipped catalogue in which the first plan stands; the user's folders are empty."""
    window = MainWindow(ShippedEngine, settings)
    qtbot.addWidget(window, before_close_func=lambda closed: closed.store.undo_stack.setClean())
    window.resize(1280, 720)
    window.show()
    window.build_results()
    with qtbot.waitSignal(window.compute.completed, timeout=FIRST_PLAN_MS):
        window.compute.start()
        window.planner.ask()
    return window


@pytest.fixture(scope="module")
def engine() -> ShippedEngine:
    return ShippedEngine()


@pytest.fixture
def planned_window(qtbot: QtBot, settings: QSettings, engine: ShippedEngine) -> MainWindow:
    """A small window with a new project and its first plan; closing it asks nothing."""
    window = MainWindow(lambda: engine, settings)
    qtbot.addWidget(window, before_close_func=forget_changes)
    window.resize(1280, 720)
    window.show()
    window.build_results()
    with qtbot.waitSignal(window.compute.completed, timeout=PLAN_WAIT_MS):
        window.compute.start()
        window.planner.ask()
    return window


def forget_changes(window: MainWindow) -> None:
    """So that closing asks nothing."""
    field = window.focusWidget()
    if field is not None:
        field.clearFocus()
    window.store.undo_stack.setClean()
    window.file.unread = str
