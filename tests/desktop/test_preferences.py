"""Preferences: reached by a key, each with help, each at work as soon as it is chosen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QLocale, QSettings, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QComboBox,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.settings import Key
from gpuplanner_gui.desktop.widgets import theme
from gpuplanner_gui.desktop.widgets.theme import number_signs, take_up_settings
from gpuplanner_gui.desktop.window.preferences import PreferencesDialog
from gpuplanner_gui.desktop.window.windows import Windows
from gpuplanner_gui.drawing.application import type_scale
from gpuplanner_gui.drawing.language import ENGLISH
from gpuplanner_gui.drawing.translations import use_language
from gpuplanner_gui.drawing.units import use_number_signs
from tests.desktop.question_box import answer_next

WAIT_MS = 30_000
FIELDS = (
    "language", "numbers", "theme", "font_scale", "reduced_motion", "overlays", "plot_scales", "autosave_s",
    "restores_session", "data", "config", "logs",
)  # fmt: skip


@pytest.fixture(autouse=True)
def looks_as_before_afterwards() -> Iterator[None]:
    locale = QLocale()
    yield
    use_language(ENGLISH)
    use_number_signs(None)
    QLocale.setDefault(locale)
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    if type_scale() != 1.0 or theme.is_dark_palette(app.palette()):
        theme.use_font_scale(app, 1.0)
        theme.apply_theme(app, theme.ThemeChoice.LIGHT)


def preferences(windows: Windows) -> PreferencesDialog:
    windows.front.menus.actions["preferences"].trigger()
    dialog = windows.front.commands.preferences
    assert dialog is not None
    return dialog


def choose(windows: Windows, name: str, code: str, qtbot: QtBot) -> PreferencesDialog:
    """Choose an entry by the keyboard alone; the dialog of the window that is there afterwards."""
    box = preferences(windows).findChild(QComboBox, name)
    assert box is not None
    box.setFocus()
    box.setCurrentIndex(box.findData(code))
    box.activated.emit(box.currentIndex())
    qtbot.wait(20)
    return preferences(windows)


def test_each_preference_is_named_explained_and_reached_by_tab(windows: Windows, qtbot: QtBot) -> None:
    action = windows.front.menus.actions["preferences"]
    assert action.shortcut().toString() == "Ctrl+,"
    dialog = preferences(windows)
    for name in FIELDS:
        field = dialog.findChild(QWidget, name)
        assert field is not None, name
        assert field.whatsThis() == field.toolTip() == field.accessibleDescription() != "", name
        has_words = isinstance(field, QAbstractButton) and field.text()
        assert field.accessibleName() or has_words, name
        assert field.focusPolicy() & Qt.FocusPolicy.TabFocus, name
    seen = set()
    at_hand = dialog.findChild(QWidget, FIELDS[0])
    for _ in range(60):
        seen.add(at_hand.objectName())
        at_hand = at_hand.nextInFocusChain()
    assert seen >= set(FIELDS)


def test_numbers_and_language_change_at_once_and_the_dialog_stays(windows: Windows, qtbot: QtBot) -> None:
    windows.front.store.edit("serving.classes[0].peak_rate_per_s", 1234.5, "edit")
    dialog = choose(windows, "numbers", "comma_groups", qtbot)
    assert dialog.isVisible()
    dialog = choose(windows, "numbers", "comma_decimals", qtbot)
    lines = [line.text() for line in windows.front.inputs.findChildren(QLineEdit)]
    assert "1234,5 req/s" in lines
    dialog = choose(windows, "language", "zh_TW", qtbot)
    assert dialog.isVisible()
    assert dialog.windowTitle() == "偏好設定"
    assert windows.front.store.value("serving.classes[0].peak_rate_per_s") == 1234.5


def test_text_size_theme_and_motion_are_at_work_at_once_and_after_a_start(
    windows: Windows, qtbot: QtBot, settings: QSettings
) -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    normal = app.font().pointSizeF()
    choose(windows, "font_scale", "1.5", qtbot)
    assert app.font().pointSizeF() == pytest.approx(normal * 1.5)
    dialog = choose(windows, "theme", "dark", qtbot)
    assert theme.is_dark_palette(app.palette())
    motion = dialog.findChild(QCheckBox, "reduced_motion")
    assert motion is not None
    motion.setChecked(True)
    assert not QApplication.isEffectEnabled(Qt.UIEffect.UI_AnimateMenu)
    theme.use_font_scale(app, 1.0)
    take_up_settings(app, settings)
    assert app.font().pointSizeF() == pytest.approx(normal * 1.5)
    motion.setChecked(False)


def test_axes_go_back_and_unsaved_work_is_kept_when_asked_for(
    windows: Windows, qtbot: QtBot, settings: QSettings
) -> None:
    settings.setValue(Key.PLOT_SCALES, ["load/y=linear"])
    button = preferences(windows).findChild(QPushButton, "plot_scales")
    assert button is not None
    with qtbot.waitSignal(windows.renewed, timeout=WAIT_MS):
        button.click()
    assert not settings.contains(Key.PLOT_SCALES)
    choose(windows, "autosave_s", "10", qtbot)
    assert windows.front.recovery.keeper.keep_soon.interval() == 10_000


def test_every_form_of_numbers_has_two_signs() -> None:
    for code in ("system", "plain", "comma_groups", "comma_decimals", "blank_groups", "nonsense"):
        signs = number_signs(code)
        assert signs.decimal in (".", ",")
        assert signs.group != signs.decimal


@pytest.mark.parametrize("scale", ["1", "1.5", "2"])
def test_nothing_of_the_dialog_is_cut_with_large_type(windows: Windows, qtbot: QtBot, scale: str) -> None:
    dialog = choose(windows, "font_scale", scale, qtbot) if scale != "1" else preferences(windows)
    qtbot.wait(50)
    dialog = preferences(windows)
    room = dialog.findChild(QScrollArea)
    assert room is not None
    inside = room.widget()
    assert inside is not None
    assert inside.width() <= room.viewport().width(), "nothing has to be scrolled sideways"
    assert dialog.screen().availableGeometry().contains(dialog.geometry())
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)


def test_all_preferences_go_back_after_a_question(windows: Windows, qtbot: QtBot, settings: QSettings) -> None:
    choose(windows, "font_scale", "1.5", qtbot)
    choose(windows, "theme", "dark", qtbot)
    choose(windows, "numbers", "comma_decimals", qtbot)
    choose(windows, "autosave_s", "30", qtbot)
    settings.setValue(Key.RECENT_FILES, ["/somewhere/plan.gpuplan"])
    asked: list[str] = []
    button = preferences(windows).findChild(QPushButton, "restore_all")
    assert button is not None
    answer_next(qtbot, "", asked, Qt.Key.Key_Escape)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert settings.value(Key.THEME) == "dark", "kept where the question is called off"
    answer_next(qtbot, "Restore defaults", asked)
    with qtbot.waitSignal(windows.renewed, timeout=WAIT_MS):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert len(asked) == 2
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    assert not theme.is_dark_palette(app.palette())
    assert type_scale() == 1.0
    assert not settings.contains(Key.FONT_SCALE)
    assert windows.front.recovery.keeper.keep_soon.interval() == 3000
    dialog = preferences(windows)
    assert [dialog.findChild(QComboBox, name).currentIndex() for name in ("language", "numbers", "theme")] == [0] * 3
    assert settings.contains(Key.RECENT_FILES), "what was opened last is no preference"
