"""The View menu: places and pages, theme and language."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QAction, QActionGroup, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QApplication, QWidget

from gpuplanner_gui.desktop.pages.place_bar import BY_NAME, PAGES, PLACES, WITH_CANDIDATES
from gpuplanner_gui.desktop.settings import Key, text_setting
from gpuplanner_gui.desktop.widgets import theme
from gpuplanner_gui.desktop.widgets.theme import ThemeChoice, number_signs, speak, use_reduced_motion
from gpuplanner_gui.desktop.window.actions import Menus
from gpuplanner_gui.desktop.window.dock_layout import Desk
from gpuplanner_gui.desktop.window.recovery import keep_after_s
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.translations import LANGUAGES, SYSTEM
from gpuplanner_gui.drawing.units import use_number_signs

if TYPE_CHECKING:
    from PySide6.QtCore import QSettings
    from PySide6.QtGui import QAction

    from gpuplanner_gui.desktop.pages.overview import OverviewPage
    from gpuplanner_gui.desktop.pages.results_pane import ResultsPane
    from gpuplanner_gui.desktop.window.recovery import RecoveryKeeper
    from gpuplanner_gui.desktop.window.window_parts import WindowParts

PREFERENCES = (
    Key.LANGUAGE, Key.NUMBERS, Key.THEME, Key.FONT_SCALE, Key.REDUCED_MOTION, Key.OVERLAYS, Key.PLOT_SCALES,
    Key.AUTOSAVE_S, Key.RESTORES_SESSION,
)  # fmt: skip
"""Settings of the preferences dialog; window places and recent files are not among them."""


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
        if theme.theme_of(text_setting(self._settings, Key.THEME)) == theme.ThemeChoice.SYSTEM:
            self.use_theme(theme.ThemeChoice.SYSTEM)

    def use_font_scale(self, scale: str) -> None:
        self._settings.setValue(Key.FONT_SCALE, scale)
        self._write_at(float(scale))
        self.renewal_requested.emit()

    def _write_at(self, scale: float) -> None:
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        theme.use_font_scale(app, scale)
        theme.apply_theme(app, theme.theme_of(text_setting(self._settings, Key.THEME)))
        self._parts.desk.share_width()

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
        self._write_at(1.0)
        # Later: the button's own signal must end before its window goes.
        QTimer.singleShot(0, self, self.renewal_requested.emit)

    def restore_session(self, is_on: bool) -> None:
        self._settings.setValue(Key.RESTORES_SESSION, is_on)


def _forget_plot_choices(settings: QSettings) -> None:
    # Only here: it takes pyqtgraph, which the window's shell does without.
    from gpuplanner_gui.desktop.pages.plot_menu import plot_choices

    plot_choices.use_settings(settings)


class AppearanceMenus(QObject):
    """Fills both, and marks what the settings hold each time they are opened: another window may have changed it."""

    def __init__(self, menus: Menus, controls: AppearanceControls, settings: QSettings) -> None:
        super().__init__(controls)
        self._menus, self._settings = menus, settings
        self._groups: dict[Key, QActionGroup] = {}
        themes = {ThemeChoice.SYSTEM: tr("&System"), ThemeChoice.LIGHT: tr("&Light"), ThemeChoice.DARK: tr("&Dark")}
        languages = {SYSTEM: tr("&System"), **LANGUAGES}
        self._fill("theme", Key.THEME, {theme.value: words for theme, words in themes.items()}, controls.use_theme)
        self._fill("language", Key.LANGUAGE, languages, controls.use_language)

    def mark_chosen(self) -> None:
        for key, group in self._groups.items():
            chosen = text_setting(self._settings, key, SYSTEM)
            for action in group.actions():
                action.setChecked(action.data() == chosen)

    def _fill(self, name: str, key: Key, choices: dict[str, str], use: Callable[[str], None]) -> None:
        menu = self._menus.menus[name]
        group = self._groups[key] = QActionGroup(self)
        for code, words in choices.items():
            action = QAction(words, self, checkable=True)
            action.setData(code)
            group.addAction(action)
            menu.addAction(action)
        menu.aboutToShow.connect(self.mark_chosen)
        group.triggered.connect(lambda action: use(action.data()))
        self.mark_chosen()


class PageMenus(QObject):
    """Follows the pane from when it is built."""

    def __init__(self, menus: Menus, desk: Desk) -> None:
        super().__init__(desk)
        self._menus, self._desk = menus, desk

    def connect_pane(self, pane: ResultsPane) -> None:
        """Ctrl+1 to Ctrl+6 are the places; the pages stand in a menu of their own."""
        places = []
        for number, (name, title) in enumerate(PLACES.items(), 1):
            action = QAction(tr(title), self)
            action.setShortcut(QKeySequence(f"Ctrl+{number}"))
            action.triggered.connect(partial(pane.show_place, name))
            places.append(action)
        self._menus.fill_place("places", places)
        for page in PAGES:
            action = self._menus.menus["pages"].addAction(tr(page.title), partial(pane.show_page_named, page.name))
            action.setData(page.name)
        pane.pages_changed.connect(partial(self._offer_pages, pane))
        pane.page_changed.connect(partial(self._follow_page, pane))
        pane.page_built.connect(partial(self._on_page_built, pane))
        self._offer_pages(pane)

    def _offer_pages(self, pane: ResultsPane) -> None:
        """List the pages that apply."""
        for action in self._menus.menus["pages"].actions():
            action.setVisible(action.data() in pane.page_names())

    def _follow_page(self, pane: ResultsPane) -> None:
        self._desk.allow_candidates(BY_NAME[pane.page_name()].place in WITH_CANDIDATES)

    def _on_page_built(self, pane: ResultsPane, name: str, page: QWidget) -> None:
        if name == "overview":
            cast("OverviewPage", page).findings_wanted.connect(partial(pane.show_page_named, "findings"))
