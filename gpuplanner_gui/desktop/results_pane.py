"""The right side: pages of plots above the ranked candidates, fed with results as they come.

Imports pyqtgraph, so the window builds it after it is on screen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QSplitter, QTabWidget, QVBoxLayout, QWidget

from gpuplanner_gui.desktop.views.candidates import CandidatesView
from gpuplanner_gui.desktop.views.catalog_browser import CatalogBrowser
from gpuplanner_gui.desktop.views.context import ViewState
from gpuplanner_gui.desktop.views.cost import CostPage
from gpuplanner_gui.desktop.views.load import LoadPage
from gpuplanner_gui.desktop.views.memory import MemoryPage
from gpuplanner_gui.desktop.views.overview import OverviewPage
from gpuplanner_gui.desktop.views.roofline import RooflinePage
from gpuplanner_gui.desktop.views.side_by_side import SideBySidePage
from gpuplanner_gui.desktop.views.training import TrainingPage
from gpuplanner_gui.drawing.language import tr

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.views.result_view import ResultView
    from gpuplanner_gui.drawing.results import Results

PAGES: tuple[type[ResultView], ...] = (
    OverviewPage,
    MemoryPage,
    RooflinePage,
    LoadPage,
    TrainingPage,
    CostPage,
    SideBySidePage,
)
LEAST_WIDTH, LEAST_PLOT_HEIGHT, LEAST_TABLE_HEIGHT = 360, 180, 90


class ResultsPane(QWidget):
    """Hands results to every view and the views' wishes to the window."""

    candidate_selected = Signal(str, int)
    value_edited = Signal(str, object)
    explain_requested = Signal(str, int, str)
    use_only_requested = Signal(str)
    model_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tabs = QTabWidget(self)
        self.tabs.setDocumentMode(True)
        self.tabs.setAccessibleName(tr("Plots"))
        self.tabs.setUsesScrollButtons(True)
        self.candidates = CandidatesView()
        self.catalog_browser = CatalogBrowser()
        self._views: list[ResultView] = [self.candidates]
        for page_type in PAGES:
            page = page_type()
            self._views.append(page)
            self.tabs.addTab(_scrolling(page), page.page_title())
        self._catalog_tab = self.tabs.addTab(_scrolling(self.catalog_browser), tr("Catalogue"))
        self.tabs.setMinimumSize(LEAST_WIDTH, LEAST_PLOT_HEIGHT)
        self.candidates.setMinimumSize(LEAST_WIDTH, LEAST_TABLE_HEIGHT)
        self.splitter = QSplitter(Qt.Orientation.Vertical, self)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(self.tabs)
        self.splitter.addWidget(self.candidates)
        self.splitter.setStretchFactor(0, 3)
        self.splitter.setStretchFactor(1, 2)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.splitter)
        self._connect_views()

    def show_catalog(self, catalog: Any) -> None:
        self.catalog_browser.show_catalog(catalog)

    def show_results(self, results: Results) -> None:
        for view in self._views:
            view.show_results(results)

    def set_state(self, state: ViewState, message: str) -> None:
        for view in self._views:
            view.set_state(state, message)

    def show_page(self, index: int) -> None:
        """Bring a page to the front, counted from 0."""
        if 0 <= index < self.tabs.count():
            self.tabs.setCurrentIndex(index)

    def show_catalog_page(self) -> None:
        self.tabs.setCurrentIndex(self._catalog_tab)
        self.catalog_browser.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _connect_views(self) -> None:
        for view in self._views:
            view.candidate_selected.connect(self.candidate_selected)
            view.value_edited.connect(self.value_edited)
            view.explain_requested.connect(self.explain_requested)
        self.catalog_browser.use_only_requested.connect(self.use_only_requested)
        self.catalog_browser.model_chosen.connect(self.model_chosen)


def _scrolling(page: QWidget) -> QScrollArea:
    """So that a page which needs more room than a small screen has does not push the window beyond it."""
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(page)
    return area
