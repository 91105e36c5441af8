"""The menus of pages and of how the window looks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QWidget

from gpuplanner_gui.desktop.actions import Menus
from gpuplanner_gui.desktop.desk import Desk
from gpuplanner_gui.desktop.pages import BY_NAME, PAGES, PLACES, WITH_CANDIDATES
from gpuplanner_gui.desktop.settings import Key, text_setting
from gpuplanner_gui.desktop.theme import Theme
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.translations import LANGUAGES, SYSTEM

if TYPE_CHECKING:
    from PySide6.QtCore import QSettings

    from gpuplanner_gui.desktop.controls.appearance import AppearanceControls
    from gpuplanner_gui.desktop.results_pane import ResultsPane
    from gpuplanner_gui.desktop.views.overview import OverviewPage


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
        """Those that apply."""
        for action in self._menus.menus["pages"].actions():
            action.setVisible(action.data() in pane.page_names())

    def _follow_page(self, pane: ResultsPane) -> None:
        self._desk.allow_candidates(BY_NAME[pane.page_name()].place in WITH_CANDIDATES)

    def _on_page_built(self, pane: ResultsPane, name: str, page: QWidget) -> None:
        if name == "overview":
            cast("OverviewPage", page).findings_wanted.connect(partial(pane.show_page_named, "findings"))
