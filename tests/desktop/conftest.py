"""What desktop tests share: a themed application, settings of their own, projects to work on."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from gpuplanner_gui.desktop import theme
from gpuplanner_gui.desktop.plot_choices import plot_choices
from gpuplanner_gui.desktop.templates import new_project
from gpuplanner_gui.domain.scenario import Project


@pytest.fixture(scope="session", autouse=True)
def themed_application(qapp: QApplication) -> QApplication:
    theme.load_font(qapp)
    theme.apply_theme(qapp, theme.Theme.LIGHT)
    return qapp


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
