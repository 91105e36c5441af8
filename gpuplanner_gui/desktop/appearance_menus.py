"""The menus of themes and languages: what is chosen is marked, in every window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup, QGuiApplication

from gpuplanner_gui.desktop.settings import Key, text_setting
from gpuplanner_gui.desktop.theme import Theme
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.translations import LANGUAGES, SYSTEM

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.main_window import MainWindow


class AppearanceMenus(QObject):
    """Fills both, and marks what the settings hold each time they are opened: another window may have changed it."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._groups: dict[Key, QActionGroup] = {}
        themes = {Theme.SYSTEM: tr("&System"), Theme.LIGHT: tr("&Light"), Theme.DARK: tr("&Dark")}
        languages = {SYSTEM: tr("&System"), **LANGUAGES}
        self._fill("theme", Key.THEME, {theme.value: words for theme, words in themes.items()})
        self._fill("language", Key.LANGUAGE, languages)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._follow_system)

    def mark_chosen(self) -> None:
        for key, group in self._groups.items():
            chosen = text_setting(self._window.settings, key, SYSTEM)
            for action in group.actions():
                action.setChecked(action.data() == chosen)

    def _follow_system(self) -> None:
        self._window.commands.follow_system_theme()

    def _fill(self, name: str, key: Key, choices: dict[str, str]) -> None:
        menu = self._window.menus.menus[name]
        group = self._groups[key] = QActionGroup(self)
        for code, words in choices.items():
            action = QAction(words, self._window, checkable=True)
            action.setData(code)
            group.addAction(action)
            menu.addAction(action)
        menu.aboutToShow.connect(self.mark_chosen)
        group.triggered.connect(lambda action: self._choose(key, action.data()))
        self.mark_chosen()

    def _choose(self, key: Key, code: str) -> None:
        if key == Key.THEME:
            self._window.commands.use_theme(Theme(code))
        else:
            self._window.commands.use_language(code)
