"""The menus of themes and languages: what is chosen is marked, in every window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup

from gpuplanner_gui.desktop.settings import Key, text_setting
from gpuplanner_gui.desktop.theme import Theme
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.translations import LANGUAGES, SYSTEM

if TYPE_CHECKING:
    from PySide6.QtCore import QSettings

    from gpuplanner_gui.desktop.actions import Menus
    from gpuplanner_gui.desktop.controls.appearance import AppearanceControls


class AppearanceMenus(QObject):
    """Fills both, and marks what the settings hold each time they are opened: another window may have changed it."""

    def __init__(self, menus: Menus, controls: AppearanceControls, settings: QSettings) -> None:
        super().__init__(controls)
        self._menus, self._controls, self._settings = menus, controls, settings
        self._groups: dict[Key, QActionGroup] = {}
        themes = {Theme.SYSTEM: tr("&System"), Theme.LIGHT: tr("&Light"), Theme.DARK: tr("&Dark")}
        languages = {SYSTEM: tr("&System"), **LANGUAGES}
        self._fill("theme", Key.THEME, {theme.value: words for theme, words in themes.items()})
        self._fill("language", Key.LANGUAGE, languages)

    def mark_chosen(self) -> None:
        for key, group in self._groups.items():
            chosen = text_setting(self._settings, key, SYSTEM)
            for action in group.actions():
                action.setChecked(action.data() == chosen)

    def _fill(self, name: str, key: Key, choices: dict[str, str]) -> None:
        menu = self._menus.menus[name]
        group = self._groups[key] = QActionGroup(self)
        for code, words in choices.items():
            action = QAction(words, self, checkable=True)
            action.setData(code)
            group.addAction(action)
            menu.addAction(action)
        menu.aboutToShow.connect(self.mark_chosen)
        group.triggered.connect(lambda action: self._choose(key, action.data()))
        self.mark_chosen()

    def _choose(self, key: Key, code: str) -> None:
        if key == Key.THEME:
            self._controls.use_theme(code)
        else:
            self._controls.use_language(code)
