"""What a choice in the preferences does: it is kept, and shown at once in every window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from gpuplanner_gui.desktop import theme
from gpuplanner_gui.desktop.appearance import number_signs, speak, use_reduced_motion
from gpuplanner_gui.desktop.plot_choices import plot_choices
from gpuplanner_gui.desktop.recovery import keep_after_s
from gpuplanner_gui.desktop.settings import Key, text_setting
from gpuplanner_gui.drawing.translations import SYSTEM
from gpuplanner_gui.drawing.units import use_number_signs

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.main_window import MainWindow


PREFERENCES = (
    Key.LANGUAGE, Key.NUMBERS, Key.THEME, Key.FONT_SCALE, Key.REDUCED_MOTION, Key.OVERLAYS, Key.PLOT_SCALES,
    Key.AUTOSAVE_S, Key.RESTORES_SESSION,
)  # fmt: skip
"""What the dialog sets; where windows stand and what was opened last are no preferences."""


class PreferenceActions:
    """One method for each preference."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._settings = window.settings

    def use_language(self, code: str) -> None:
        self._window.commands.use_language(code)

    def use_numbers(self, code: str) -> None:
        self._settings.setValue(Key.NUMBERS, code)
        use_number_signs(number_signs(code))
        self._window.renewal_requested.emit()

    def use_theme(self, code: str) -> None:
        self._window.commands.use_theme(theme.theme_of(code))

    def use_font_scale(self, scale: str) -> None:
        self._settings.setValue(Key.FONT_SCALE, scale)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        theme.use_font_scale(app, float(scale))
        theme.apply_theme(app, theme.theme_of(text_setting(self._settings, Key.THEME)))
        self._window.desk.share_width()
        self._window.renewal_requested.emit()

    def use_reduced_motion(self, is_on: bool) -> None:
        self._settings.setValue(Key.REDUCED_MOTION, is_on)
        use_reduced_motion(is_on)

    def show_overlays(self, is_on: bool) -> None:
        self._window.decision.overlay_action.setChecked(is_on)

    def forget_plot_scales(self) -> None:
        self._settings.remove(Key.PLOT_SCALES)
        plot_choices.use_settings(self._settings)
        # Later: the button's own signal must end before its window goes.
        QTimer.singleShot(0, self._window, self._window.renewal_requested.emit)

    def keep_after(self, seconds: str) -> None:
        self._settings.setValue(Key.AUTOSAVE_S, seconds)
        self._window.recovery.keeper.keep_after(float(seconds))

    def restore_all(self) -> None:
        """Every preference as it was at first."""
        for key in PREFERENCES:
            self._settings.remove(key)
        speak(self._settings)
        use_number_signs(number_signs(SYSTEM))
        use_reduced_motion(False)
        plot_choices.use_settings(self._settings)
        self.show_overlays(False)
        self._window.recovery.keeper.keep_after(keep_after_s(self._settings))
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        theme.use_font_scale(app, 1.0)
        theme.apply_theme(app)
        self._window.desk.share_width()
        # Later: the button's own signal must end before its window goes.
        QTimer.singleShot(0, self._window, self._window.renewal_requested.emit)

    def restore_session(self, is_on: bool) -> None:
        self._settings.setValue(Key.RESTORES_SESSION, is_on)
