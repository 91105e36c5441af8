"""The View menu's places and pages, and what the window puts away or shows with the page in front."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from gpuplanner_gui.desktop.actions import Menus
from gpuplanner_gui.desktop.desk import Desk
from gpuplanner_gui.desktop.pages import BY_NAME, PAGES, PLACES, WITH_CANDIDATES
from gpuplanner_gui.drawing.language import tr

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.results_pane import ResultsPane
    from gpuplanner_gui.desktop.views.overview import OverviewPage


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
