"""The middle: places and their pages, and the ranked candidates for a dock beside them, fed with results as they come.

Imports pyqtgraph, so the window builds it after it is on screen. A page is built when it is first shown, or when the
program has nothing else to do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from gpuplanner_gui.desktop.pages.candidates import CandidatesView
from gpuplanner_gui.desktop.pages.place_bar import (
    BY_NAME,
    PAGES,
    Page,
    PlaceBar,
    PlaceName,
    looks_elsewhere,
    read_pages,
    subject_texts,
)
from gpuplanner_gui.desktop.pages.result_view import FINDINGS_FOLLOW, WISHES, ResultView, Wishing
from gpuplanner_gui.desktop.tasks.plan_tasks import PlanState
from gpuplanner_gui.desktop.widgets.event_turns import DrawingTurn, PaintedNextTurn
from gpuplanner_gui.desktop.widgets.flow_layout import lay_out
from gpuplanner_gui.drawing.results import carried
from gpuplanner_gui.drawing.shown_money import money_of, shown_money, use_shown_money
from gpuplanner_gui.drawing.words.findings import all_findings

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.pages.catalog_browser import CatalogBrowser
    from gpuplanner_gui.domain.catalog import CatalogKind
    from gpuplanner_gui.drawing.results import Results

LEAST_WIDTH, LEAST_PLOT_HEIGHT, LEAST_TABLE_HEIGHT = 360, 180, 90
CATALOG = "catalog_browser"


class ResultsPane(Wishing):
    """Hands results to every view and the views' wishes to the window."""

    page_built = Signal(str, QWidget)
    """A page's name, and the page, whose own wishes are heard from now on."""
    page_changed = Signal()
    """Another page is in front."""
    pages_changed = Signal()
    """Others apply now."""

    def __init__(self) -> None:
        super().__init__()
        self.results: Results | None = None
        """Those on screen; None before the first answer."""
        self._state = (PlanState.EMPTY, "")
        self._money = shown_money()
        self._catalog: Any = None
        self._views: list[tuple[ResultView, Page | None]] = []
        self._last: dict[PlaceName, str] = {}
        """The page that was in front when a place was left."""
        self._wanted = ""
        """A page that was asked for before it applied."""
        self._present: tuple[str, ...] = ()
        self._reader: Thread | None = None
        self._told_soon = DrawingTurn(self, self._tell)
        self.catalog_browser: CatalogBrowser | None = None
        self.bar = PlaceBar(self)
        self.bar.place_chosen.connect(self.show_place)
        self.bar.page_chosen.connect(self.show_page_named)
        self._stack = QStackedWidget(self)
        self._stack.setMinimumSize(LEAST_WIDTH, LEAST_PLOT_HEIGHT)
        self._paint_soon = PaintedNextTurn(self._stack)
        self._frames = {page.name: _PageFrame(partial(self._make_page, page)) for page in PAGES}
        for name, frame in self._frames.items():
            self._stack.addWidget(frame)
            frame.built.connect(partial(self.page_built.emit, name))
        self.candidates = CandidatesView()
        """The window's desk holds it."""
        self.candidates.setMinimumSize(LEAST_WIDTH, LEAST_TABLE_HEIGHT)
        self._add_view(self.candidates, None)
        lay_out(QVBoxLayout(self), self.bar, (self._stack, 1), margins=(0, 0, 0, 0), spacing=0)
        self._follow_pages()

    def page_name(self) -> str:
        """The name of the page in front; it does not depend on language or order."""
        return next(name for name, frame in self._frames.items() if frame is self._stack.currentWidget())

    def page_names(self) -> tuple[str, ...]:
        """The pages that apply, in their order."""
        return self._present

    def frame_in_front(self) -> QScrollArea:
        return self._frames[self.page_name()]

    def view_in_front(self) -> ResultView | None:
        """The page of results in front; None for the catalogue, or a page that is not built yet."""
        inside = self.frame_in_front().widget()
        return inside if isinstance(inside, ResultView) else None

    def method_code(self) -> str:
        """The handbook's page on what the page in front shows; empty where there is none."""
        page = BY_NAME[self.page_name()]
        only_trains = self.results is not None and self.results.plan.serving is None
        return page.training_method if only_trains and page.training_method else page.method

    def show_page_named(self, name: str) -> None:
        """Bring a page to the front by its name; one that does not apply yet, when it does."""
        if name not in self._present:
            self._wanted = name if name in BY_NAME else ""
            return
        self._wanted = ""
        place = BY_NAME[name].place
        self._last[place] = name
        self.bar.show_page(name, [one for one in self._present if BY_NAME[one].place == place])
        if self._stack.currentWidget() is not self._frames[name]:
            self._paint_soon.start()
            self._stack.setCurrentWidget(self._frames[name])
            self._show_subject()
            self.page_changed.emit()

    def show_place(self, place: PlaceName) -> None:
        """Bring a place to the front, at the page that was looked at there."""
        within = [name for name in self._present if BY_NAME[name].place == place]
        self.show_page_named(self._last.get(place, "") if self._last.get(place) in within else within[0])

    def show_catalog(self, catalog: Any) -> None:
        self._catalog = catalog
        if self.catalog_browser is not None:
            self.catalog_browser.show_catalog(catalog)

    def show_catalog_page(self) -> None:
        self.show_page_named(CATALOG)
        if self.catalog_browser is not None:
            self.catalog_browser.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def show_catalog_entry(self, kind: CatalogKind, entry_id: str, is_coming: bool = False) -> None:
        """Bring an entry to the front; one that `is_coming`, as soon as the catalogue on its way has it."""
        self.show_catalog_page()
        if self.catalog_browser is not None:
            choose = self.catalog_browser.choose_soon if is_coming else self.catalog_browser.choose
            choose(kind, entry_id)

    def show_results(self, results: Results) -> None:
        self._follow_money(results)
        self.results = results = self.with_known(results)
        self._follow_pages()
        # At once: a click on a row must mean the candidate that the row shows.
        self.candidates.show_results(results)
        for view, page in self._views:
            if page is not None:
                view.show_results_soon(page.results_for(results))
        self._told_soon.start()

    def with_known(self, results: Results) -> Results:
        """New results with what was found out already of their plan, or of what stays with another one."""
        known = self.results
        if known is None:
            return results
        is_same = known.plan is results.plan
        decision = known.decision if is_same else carried(known.decision, results.project, results.scenario)
        # What is old stays on screen, marked, until the training thread has the new.
        stays = is_same or known.scenario.name == results.scenario.name
        is_simulated = is_same and known.candidate("serving") == results.candidate("serving")
        return replace(
            results, decision=decision, training=known.training if stays else results.training, estate=known.estate,
            simulation=known.simulation if is_simulated else results.simulation,
        )  # fmt: skip

    def show_found(self, field: str, value: Any) -> None:
        """Draw what has been found out so far of a field of the results: `decision`, `simulation` or `training`."""
        if self.results is None or (value is None and getattr(self.results, field) is None):
            return
        self.results = replace(self.results, **{field: value})
        for view, page in self._views:
            if page is not None and field in view.follows and view.state is PlanState.CURRENT:
                view.show_results_soon(page.results_for(self.results))
        if field in FINDINGS_FOLLOW:
            # The same list as on the pages, which draw it anew.
            self._told_soon.start()

    def set_state(self, state: PlanState, message: str) -> None:
        self._state = (state, message)
        for view, _ in self._views:
            view.set_state(state, message)
        self._told_soon.start()

    def built_pages(self) -> list[tuple[str, QScrollArea, QWidget]]:
        """The pages that were built so far with what scrolls them, by name."""
        built = ((name, frame, frame.widget()) for name, frame in self._frames.items())
        return [(name, frame, inside) for name, frame, inside in built if inside is not None]

    def read_ahead(self) -> None:
        """Begin to read the pages' modules; a page that is shown meanwhile waits for its own."""
        if self._reader is None:
            self._reader = Thread(target=read_pages, daemon=True)
            self._reader.start()

    def prepare_one(self) -> bool:
        """Build half of a page that was not shown yet, once modules are read; False when all that apply are built."""
        self.read_ahead()
        if self._reader is not None and self._reader.is_alive():
            return True
        return any(self._frames[name].build_half() for name in self._present)

    def _follow_money(self, results: Results) -> None:
        """Write amounts in the scenario's currency; the catalogue's prices are written anew where it is another."""
        money = money_of(results.scenario.economics)
        use_shown_money(money)
        if money != self._money:
            self._money = money
            if self._catalog is not None:
                self.show_catalog(self._catalog)

    def _follow_pages(self) -> None:
        """Offer the pages that apply; where the one in front does not any more, its place's first is in front."""
        present = tuple(page.name for page in PAGES if page.applies(self.results))
        if present == self._present:
            return
        self._present = present
        name = self._wanted or self.page_name()
        if name not in present:
            name = next(one for one in present if BY_NAME[one].place == BY_NAME[name].place)
        wanted = self._wanted if self._wanted not in present else ""
        self.show_page_named(name)
        self._wanted = wanted
        self.pages_changed.emit()

    def _tell(self) -> None:
        """Show the number of findings and the candidate of the page."""
        is_there = self.results is not None and self._state[0] is not PlanState.EMPTY
        findings = all_findings(self.results) if self.results is not None and is_there else ()
        self.bar.show_count(len(findings))
        self._show_subject()

    def _show_subject(self) -> None:
        page = BY_NAME[self.page_name()]
        shown = self.results if self._state[0] is not PlanState.EMPTY else None
        self.bar.show_subject(subject_texts(page, shown), looks_elsewhere(page, shown))

    def _make_page(self, page: Page) -> QWidget:
        view = page.make()
        if isinstance(view, ResultView):
            self._add_view(view, page)
            if self.results is not None:
                view.show_results(page.results_for(self.results))
            view.set_state(*self._state)
        else:
            self.catalog_browser = cast("CatalogBrowser", view)
            if self._catalog is not None:
                self.catalog_browser.show_catalog(self._catalog)
        return view

    def _add_view(self, view: ResultView, page: Page | None) -> None:
        for wish in WISHES:
            getattr(view, wish).connect(getattr(self, wish))
        self._views.append((view, page))


class _PageFrame(QScrollArea):
    """Holds a page from when it is first seen. A page that needs more room than a small screen has scrolls."""

    built = Signal(QWidget)

    def __init__(self, make_page: Callable[[], QWidget]) -> None:
        super().__init__()
        self._make_page = make_page
        self._made: QWidget | None = None
        """The page from when it is made until it is in its place."""
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def build_half(self) -> bool:
        """Make the page, or put it in its place where it is made: each takes a turn of its own. False when both are."""
        if self.widget() is not None:
            return False
        if self._made is None:
            self._made = self._make_page()
        else:
            page, self._made = self._made, None
            self.setWidget(page)
            self.built.emit(page)
        return True

    def showEvent(self, event: QShowEvent) -> None:
        while self.build_half():
            pass
        super().showEvent(event)
