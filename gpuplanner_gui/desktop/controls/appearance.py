"""What a choice in the preferences does: it is kept, and shown at once in every window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from gpuplanner_gui.desktop import theme
from gpuplanner_gui.desktop.appearance import number_signs, speak, use_reduced_motion
from gpuplanner_gui.desktop.recovery import keep_after_s
from gpuplanner_gui.desktop.settings import Key, text_setting
from gpuplanner_gui.drawing.translations import SYSTEM
from gpuplanner_gui.drawing.units import use_number_signs

if TYPE_CHECKING:
    from PySide6.QtCore import QSettings
    from PySide6.QtGui import QAction

    from gpuplanner_gui.desktop.recovery import RecoveryKeeper
    from gpuplanner_gui.desktop.window_parts import WindowParts


PREFERENCES = (
    Key.LANGUAGE, Key.NUMBERS, Key.THEME, Key.FONT_SCALE, Key.REDUCED_MOTION, Key.OVERLAYS, Key.PLOT_SCALES,
    Key.AUTOSAVE_S, Key.RESTORES_SESSION,
)  # fmt: skip
"""What the dialog sets; where windows stand and what was opened last are no preferences."""


class AppearanceControls(QObject):
    """One method for each preference."""

    renewal_requested = Signal()
    """Every window is to be made anew, as another language asks for."""

    def __init__(self, parts: WindowParts, overlay_action: QAction, keeper: RecoveryKeeper) -> None:
        super().__init__(parts.frame)
        self._parts = parts
        self._settings = parts.settings
        self._overlay_action, self._keeper = overlay_action, keeper
        QGuiApplication.styleHints().colorSchemeChanged.connect(self.follow_system_theme)

    def use_language(self, code: str) -> None:
        """Say everything in another language; every window is made anew for that."""
        if code != text_setting(self._settings, Key.LANGUAGE, SYSTEM):
            self._settings.setValue(Key.LANGUAGE, code)
            speak(self._settings)
            self.renewal_requested.emit()

    def use_numbers(self, code: str) -> None:
        self._settings.setValue(Key.NUMBERS, code)
        use_number_signs(number_signs(code))
        self.renewal_requested.emit()

    def use_theme(self, code: str) -> None:
        """Light, dark, or as the system; a name that is unknown is the system's."""
        chosen = theme.theme_of(code)
        self._settings.setValue(Key.THEME, chosen.value)
        # Every widget that exists is styled anew, at about a millisecond each: hidden forms are cheaper to build again.
        self._parts.inputs.editor.forget_hidden_pages()
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            theme.apply_theme(app, chosen)

    def follow_system_theme(self) -> None:
        """The desktop went light or dark: so do we, unless the planner chose otherwise."""
        if theme.theme_of(text_setting(self._settings, Key.THEME)) == theme.Theme.SYSTEM:
            self.use_theme(theme.Theme.SYSTEM)

    def use_font_scale(self, scale: str) -> None:
        self._settings.setValue(Key.FONT_SCALE, scale)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        theme.use_font_scale(app, float(scale))
        theme.apply_theme(app, theme.theme_of(text_setting(self._settings, Key.THEME)))
        self._parts.desk.share_width()
        self.renewal_requested.emit()

    def use_reduced_motion(self, is_on: bool) -> None:
        self._settings.setValue(Key.REDUCED_MOTION, is_on)
        use_reduced_motion(is_on)

    def show_overlays(self, is_on: bool) -> None:
        self._overlay_action.setChecked(is_on)

    def forget_plot_scales(self) -> None:
        self._settings.remove(Key.PLOT_SCALES)
        _forget_plot_choices(self._settings)
        # Later: the button's own signal must end before its window goes.
        QTimer.singleShot(0, self, self.renewal_requested.emit)

    def keep_after(self, seconds: str) -> None:
        self._settings.setValue(Key.AUTOSAVE_S, seconds)
        self._keeper.keep_after(float(seconds))

    def restore_all(self) -> None:
        """Every preference as it was at first."""
        for key in PREFERENCES:
            self._settings.remove(key)
        speak(self._settings)
        use_number_signs(number_signs(SYSTEM))
        use_reduced_motion(False)
        _forget_plot_choices(self._settings)
        self.show_overlays(False)
        self._keeper.keep_after(keep_after_s(self._settings))
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        theme.use_font_scale(app, 1.0)
        theme.apply_theme(app)
        self._parts.desk.share_width()
        # Later: the button's own signal must end before its window goes.
        QTimer.singleShot(0, self, self.renewal_requested.emit)

    def restore_session(self, is_on: bool) -> None:
        self._settings.setValue(Key.RESTORES_SESSION, is_on)


def _forget_plot_choices(settings: QSettings) -> None:
    # Only here: it takes pyqtgraph, which the window's shell does without.
    from gpuplanner_gui.desktop.plot_choices import plot_choices

    plot_choices.use_settings(settings)
