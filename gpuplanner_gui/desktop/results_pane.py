"""The middle: pages of plots, and the ranked candidates for a dock beside them, fed with results as they come.

Imports pyqtgraph, so the window builds it after it is on screen. A page is built when its tab is first shown, or when
the program has nothing else to do.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QTabWidget, QVBoxLayout, QWidget

from gpuplanner_gui.desktop.tasks.plan_tasks import PlanState
from gpuplanner_gui.desktop.views.candidates import CandidatesView
from gpuplanner_gui.desktop.views.next_turn import DrawingTurn
from gpuplanner_gui.drawing.decision import carried
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.shown_money import money_of, shown_money, use_shown_money

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.views.catalog_browser import CatalogBrowser
    from gpuplanner_gui.desktop.views.result_view import ResultView
    from gpuplanner_gui.domain.catalog import CatalogKind
    from gpuplanner_gui.drawing.results import Results

LEAST_WIDTH, LEAST_PLOT_HEIGHT, LEAST_TABLE_HEIGHT = 360, 180, 90


@dataclass(frozen=True)
class Page:
    """A tab: its title, and the view's module and class, imported when the page is built."""

    title: str
    module: str
    view: str
    method: str = ""
    """Code of the handbook's page on what the tab shows, where there is one."""
    training_method: str = ""
    """The same where nothing but training is planned."""

    def make(self) -> QWidget:
        module = importlib.import_module(f"gpuplanner_gui.desktop.views.{self.module}")
        widget: QWidget = getattr(module, self.view)()
        return widget


PLOT_PAGES = (
    Page("Overview", "overview", "OverviewPage"),
    Page("Findings", "findings", "FindingsPage"),
    Page("Memory", "memory", "MemoryPage", "serving_memory", "training_memory"),
    Page("Roofline", "roofline", "RooflinePage", "roofline"),
    Page("Load", "load", "LoadPage", "load"),
    Page("Readiness", "readiness", "ReadinessPage", "fleet"),
    Page("Training", "training", "TrainingPage", "training_step"),
    Page("Cost", "cost", "CostPage", "serving_cost", "renting"),
    Page("Fleets", "side_by_side", "SideBySidePage", "fleets"),
    Page("Uncertainty", "uncertainty", "UncertaintyPage", "uncertainty"),
    Page("Compare", "compare", "ComparePage"),
    Page("Phases", "phases", "PhasesPage", "gains"),
    Page("Calibrate", "calibrate", "CalibratePage", "own_measurements"),
)
CATALOG_PAGE = Page("Catalogue", "catalog_browser", "CatalogBrowser")


class ResultsPane(QWidget):
    """Hands results to every view and the views' wishes to the window."""

    candidate_selected = Signal(str, int)
    scenario_selected = Signal(str)
    value_edited = Signal(str, object)
    explain_requested = Signal(str, int, str)
    use_only_requested = Signal(str)
    model_chosen = Signal(str)
    own_device_requested = Signal(str, bool)
    remove_own_requested = Signal(str, str)
    why_asked = Signal(str)
    plot_asked = Signal(object)
    part_wanted = Signal(str, bool)
    page_built = Signal(str, QWidget)
    """A page's name, and the page, whose own wishes are heard from now on."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._results: Results | None = None
        self._state = (PlanState.EMPTY, "")
        self._money = shown_money()
        self._catalog: Any = None
        self._views: list[ResultView] = []
        self._count_soon = DrawingTurn(self, self._count_findings)
        self.catalog_browser: CatalogBrowser | None = None
        self.tabs = QTabWidget(self)
        self.tabs.setAccessibleName(tr("Plots"))
        self.tabs.setUsesScrollButtons(True)
        self.tabs.setMinimumSize(LEAST_WIDTH, LEAST_PLOT_HEIGHT)
        self._frames = [_PageFrame(partial(self._make_plot_page, page)) for page in PLOT_PAGES]
        self._frames.append(_PageFrame(self._make_catalog_page))
        for page, frame in zip((*PLOT_PAGES, CATALOG_PAGE), self._frames, strict=True):
            self.tabs.addTab(frame, tr(page.title))
            frame.built.connect(partial(self.page_built.emit, page.module))
        self.candidates = CandidatesView()
        """The window's desk holds it."""
        self.candidates.setMinimumSize(LEAST_WIDTH, LEAST_TABLE_HEIGHT)
        self._add_view(self.candidates)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.tabs)

    @property
    def results(self) -> Results | None:
        """What the views show; None before the first answer."""
        return self._results

    def view_in_front(self) -> ResultView | None:
        """The page of results in front; None for the catalogue, or a page that is not built yet."""
        from gpuplanner_gui.desktop.views.result_view import ResultView

        frame = self.tabs.currentWidget()
        inside = frame.widget() if isinstance(frame, QScrollArea) else None
        return inside if isinstance(inside, ResultView) else None

    def show_catalog(self, catalog: Any) -> None:
        self._catalog = catalog
        if self.catalog_browser is not None:
            self.catalog_browser.show_catalog(catalog)

    def show_results(self, results: Results) -> None:
        known = self._results
        self._follow_money(results)
        if known is not None and known.plan is results.plan:
            results = replace(results, decision=known.decision)
        elif known is not None:
            results = replace(results, decision=carried(known.decision, results.project, results.scenario))
        if known is not None and known.scenario.name == results.scenario.name:
            # What is old stays on screen, marked, until the training thread has the new.
            results = replace(results, training=known.training)
        self._results = results
        # At once: a click on a row must mean the candidate that the row shows.
        self.candidates.show_results(results)
        for view in self._views:
            if view is not self.candidates:
                view.show_results_soon(results)
        self._count_soon.start()

    def _follow_money(self, results: Results) -> None:
        """Write amounts in the scenario's currency; the catalogue's prices are written anew where it is another."""
        money = money_of(results.scenario.economics)
        use_shown_money(money)
        if money != self._money:
            self._money = money
            if self._catalog is not None:
                self.show_catalog(self._catalog)

    def _count_findings(self) -> None:
        """Say on the tab how many findings are more than notes."""
        if self._results is None:
            return
        page = next(index for index, page in enumerate(PLOT_PAGES) if page.module == "findings")
        is_there = self._state[0] is not PlanState.EMPTY
        count = sum(one.severity > 0 for one in self._results.plan.findings) if is_there else 0
        title = tr(PLOT_PAGES[page].title)
        title = f"{title} ({count})" if count else title
        # The same words again would lay out all tabs anew.
        if title != self.tabs.tabText(page):
            self.tabs.setTabText(page, title)

    def show_found(self, field: str, value: Any) -> None:
        """Draw what has been found out so far of a field of the results: `decision`, `simulation` or `training`."""
        if self._results is None or (value is None and getattr(self._results, field) is None):
            return
        self._results = replace(self._results, **{field: value})
        for view in self._views:
            if field in view.follows and view.state is PlanState.CURRENT:
                view.show_results_soon(self._results)

    def set_state(self, state: PlanState, message: str) -> None:
        self._state = (state, message)
        for view in self._views:
            view.set_state(state, message)
        self._count_soon.start()

    def show_page(self, index: int) -> None:
        """Bring a page to the front, counted from 0."""
        if 0 <= index < self.tabs.count():
            self.tabs.setCurrentIndex(index)

    def page_name(self) -> str:
        """What the page in front is called, whatever the language and the order of pages."""
        return (*PLOT_PAGES, CATALOG_PAGE)[self.tabs.currentIndex()].module

    def method_code(self) -> str:
        """The handbook's page on what the tab in front shows; empty where there is none."""
        page = (*PLOT_PAGES, CATALOG_PAGE)[self.tabs.currentIndex()]
        only_trains = self._results is not None and self._results.plan.serving is None
        return page.training_method if only_trains and page.training_method else page.method

    def show_page_named(self, name: str) -> None:
        """Bring a page to the front by its name; an unknown one changes nothing."""
        for index, page in enumerate((*PLOT_PAGES, CATALOG_PAGE)):
            if page.module == name:
                self.show_page(index)

    def show_catalog_page(self) -> None:
        self.show_page(len(PLOT_PAGES))
        if self.catalog_browser is not None:
            self.catalog_browser.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def show_known_entry(self, kind: CatalogKind, entry_id: str) -> None:
        """Bring an entry of the catalogue at hand to the front."""
        self.show_catalog_page()
        if self.catalog_browser is not None:
            self.catalog_browser.choose(kind, entry_id)

    def show_catalog_entry(self, kind: CatalogKind, entry_id: str) -> None:
        """Bring an entry to the front as soon as the catalogue on its way has it."""
        self.show_catalog_page()
        if self.catalog_browser is not None:
            self.catalog_browser.choose_soon(kind, entry_id)

    def built_pages(self) -> list[tuple[str, QScrollArea, QWidget]]:
        """The pages that were built so far with what scrolls them, by name."""
        found: list[tuple[str, QScrollArea, QWidget]] = []
        for page, frame in zip((*PLOT_PAGES, CATALOG_PAGE), self._frames, strict=True):
            inside = frame.widget()
            if inside is not None:
                found.append((page.module, frame, inside))
        return found

    def prepare_one(self) -> bool:
        """Build a page that was not shown yet; False when all are built."""
        return any(frame.build() for frame in self._frames)

    def _make_plot_page(self, page: Page) -> QWidget:
        view: ResultView = page.make()  # type: ignore[assignment]
        self._add_view(view)
        if self._results is not None:
            view.show_results(self._results)
        view.set_state(*self._state)
        return view

    def _make_catalog_page(self) -> QWidget:
        browser: CatalogBrowser = CATALOG_PAGE.make()  # type: ignore[assignment]
        browser.use_only_requested.connect(self.use_only_requested)
        browser.model_chosen.connect(self.model_chosen)
        browser.own_device_requested.connect(self.own_device_requested)
        browser.remove_requested.connect(self.remove_own_requested)
        if self._catalog is not None:
            browser.show_catalog(self._catalog)
        self.catalog_browser = browser
        return browser

    def _add_view(self, view: ResultView) -> None:
        view.candidate_selected.connect(self.candidate_selected)
        view.scenario_selected.connect(self.scenario_selected)
        view.value_edited.connect(self.value_edited)
        view.explain_requested.connect(self.explain_requested)
        view.why_asked.connect(self.why_asked)
        view.plot_asked.connect(self.plot_asked)
        view.part_wanted.connect(self.part_wanted)
        self._views.append(view)


class _PageFrame(QScrollArea):
    """Holds a page from when it is first seen. A page that needs more room than a small screen has scrolls."""

    built = Signal(QWidget)

    def __init__(self, make_page: Callable[[], QWidget]) -> None:
        super().__init__()
        self._make_page = make_page
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def build(self) -> bool:
        """Build the page if it is not there yet; says whether it did."""
        if self.widget() is not None:
            return False
        page = self._make_page()
        self.setWidget(page)
        self.built.emit(page)
        return True

    def showEvent(self, event: QShowEvent) -> None:
        self.build()
        super().showEvent(event)
