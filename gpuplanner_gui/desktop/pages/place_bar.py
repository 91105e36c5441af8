"""The places of the window and the pages in each, and the bar that says where the planner is."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QSizePolicy,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.widgets.flow_layout import STRETCH, Gap, lay_out
from gpuplanner_gui.desktop.widgets.labels import ShorteningLabel
from gpuplanner_gui.desktop.widgets.theme import push_button, tool_button
from gpuplanner_gui.drawing.language import labelled, listed, tr

if TYPE_CHECKING:
    from gpuplanner_gui.drawing.results import Results


PlaceName = Literal["answer", "why", "money", "compare", "library", "calibrate"]
Needs = Literal["", "serving", "training", "estate"]
Subject = Literal["selected", "recommended", "none"]

PLACES: dict[PlaceName, str] = {
    "answer": "Answer", "why": "Why", "money": "Money and risk", "compare": "Compare", "library": "Library",
    "calibrate": "Calibrate",
}  # fmt: skip
"""The four questions of a planner; then what stands at the side."""
AT_THE_SIDE: tuple[PlaceName, ...] = ("library", "calibrate")
WITH_CANDIDATES: tuple[PlaceName, ...] = ("answer", "compare")
"""Places that show the table of candidates."""


@dataclass(frozen=True)
class Page:
    """A page: its name, title and place; the view's module and class, imported when the page is built."""

    name: str
    title: str
    place: PlaceName
    module: str
    view: str
    needs: Needs = ""
    """The workload that must be planned for the page to have anything to show."""
    subject: Subject = "selected"
    """The candidate that the planner looks at, or always the recommended one; none where it is about no candidate."""
    method: str = ""
    """Code of the handbook's page on what the page shows, where there is one."""
    training_method: str = ""
    """The same where nothing but training is planned."""

    def make(self) -> QWidget:
        widget: QWidget = getattr(importlib.import_module(f"{__package__}.{self.module}"), self.view)()
        return widget

    def applies(self, results: Results | None) -> bool:
        if not self.needs or results is None:
            return not self.needs
        if self.needs == "estate":
            return results.has_estate or len(results.workloads()) > 1
        return results.answer(self.needs) is not None

    def results_for(self, results: Results) -> Results:
        """The results for the page: everything on it is about one candidate."""
        return results.of_recommended() if self.subject == "recommended" else results


PAGES = (
    Page("overview", "Overview", "answer", "overview", "OverviewPage"),
    Page("findings", "Findings", "answer", "overview", "FindingsPage", subject="recommended"),
    Page("memory", "Memory", "why", "serving_plots", "MemoryPage", "", "selected", "serving_memory", "training_memory"),
    Page("roofline", "Roofline", "why", "serving_plots", "RooflinePage", "", "selected", "roofline"),
    Page("load", "Load", "why", "serving_plots", "LoadPage", "serving", "selected", "load"),
    Page("readiness", "Readiness", "why", "serving_plots", "ReadinessPage", "serving", "selected", "fleet"),
    Page("run_time", "Run time", "why", "training_plots", "TrainingCandidatesPage", "training", "selected",
         "training_step"),
    Page("step", "One step", "why", "training_plots", "TrainingStepPage", "training", "selected", "training_step"),
    Page("layouts", "Layouts", "why", "layouts", "LayoutsPage", "training", "selected", "training_step"),
    Page("scaling", "Scaling", "why", "training_plots", "TrainingScalingPage", "training", "selected",
         "training_step"),
    Page("storage", "Data and storage", "why", "training_plots", "StoragePage", "training", "selected",
         "training_step"),
    Page("fits", "What fits", "why", "training_plots", "TrainingFitsPage", "training", "selected", "training_memory"),
    Page("cost", "Cost", "money", "cost", "CostPage", "", "recommended", "serving_cost", "renting"),
    Page("order", "Order", "money", "cost", "OrderPage", "", "recommended"),
    Page("uncertainty", "Uncertainty", "money", "cost", "UncertaintyPage", "", "recommended", "uncertainty"),
    Page("estate", "Estate", "money", "estate", "EstatePage", "estate", "none", "fleets"),
    Page("compare", "Compare", "compare", "compare", "ComparePage", "", "none"),
    Page("catalog_browser", "Catalogue", "library", "catalog_browser", "CatalogBrowser", subject="none"),
    Page("phases", "Phases", "library", "compare", "PhasesPage", subject="none", method="gains"),
    Page("calibrate", "Calibrate", "calibrate", "calibrate", "CalibratePage", subject="none",
         method="own_measurements"),
)  # fmt: skip
BY_NAME = {page.name: page for page in PAGES}


def read_pages() -> None:
    """Import the modules of all pages; takes a second, so that a thread of its own does it before pages are built."""
    for page in PAGES:
        importlib.import_module(f"{__package__}.{page.module}")


def subject_texts(page: Page, results: Results | None) -> tuple[str, ...]:
    """Whom the page speaks of, the longest text first: layouts, devices, the word alone; nothing for no candidate."""
    from gpuplanner_gui.drawing.words.candidates import candidate_text, devices_text

    if results is None or page.subject == "none":
        return ()
    workloads = results.workloads() if not page.needs else (page.needs,)
    shown = {one: page.results_for(results).candidate(one) for one in workloads}
    found = {one: place for one, place in shown.items() if place >= 0}
    if not found:
        return ()
    plan, catalog = results.plan, results.catalog
    layouts = {
        one: _fleet_text(results, one, place, candidate_text(plan, catalog, one, place)) for one, place in found.items()
    }
    devices = {one: devices_text(plan, catalog, one, place) for one, place in found.items()}
    word = tr("Selected") if looks_elsewhere(page, results) else tr("Recommended")
    return (*(labelled(word, listed(_of_workloads(list(names.items())))) for names in (layouts, devices)), word)


def _of_workloads(names: Sequence[tuple[str, str]]) -> list[str]:
    """The names, each after its workload where there are two."""
    part = {"serving": tr("serving"), "training": tr("training")}
    return [f"{part[one]} {name}" if len(names) > 1 else name for one, name in names]


def _fleet_text(results: Results, workload: str, candidate: int, each: str) -> str:
    """So many replicas of a candidate; the candidate alone where no number is known, and of a training layout."""
    answer = results.plan.serving if workload == "serving" else None
    replicas = answer.table.replicas[candidate] if answer is not None else 0
    if not replicas > 1:
        return each
    return tr("{count} replicas of {each}").format(count=int(replicas), each=each)


def looks_elsewhere(page: Page, results: Results | None) -> bool:
    """Whether the page speaks of a candidate that is not the recommended one."""
    if results is None or page.subject != "selected":
        return False
    workloads = results.workloads() if not page.needs else (page.needs,)
    answers = {one: results.answer(one) for one in workloads}
    return any(answer is None or answer.best != results.candidate(one) for one, answer in answers.items())


MOST_COUNTED = 99
"""Most findings that the tab counts; it keeps room for this number."""
LEAST_BUTTON = 36
"""Pixels: beside a wide panel, names give way before the window does."""
COUNTED = "findings"


class PlaceBar(QWidget):
    """Two rows; neither moves when counts, pages or the subject change."""

    place_chosen = Signal(str)
    page_chosen = Signal(str)
    recommended_wanted = Signal()
    """Back to the recommended candidate."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.places: dict[PlaceName, QToolButton] = {}
        self._group = QButtonGroup(self)
        self.pages = _PageTabs(self)
        self.pages.setAccessibleName(tr("Pages"))
        self.pages.currentChanged.connect(self._on_tab)
        self.subject = ShorteningLabel(self, tr("Candidate shown on the page"))
        self.subject.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.back = push_button(tr("Back to the recommended"), self.recommended_wanted, self)
        kept = self.pages.sizePolicy()
        kept.setRetainSizeWhenHidden(True)
        self.pages.setSizePolicy(kept)
        self.back.setMinimumWidth(LEAST_BUTTON)
        self.back.hide()
        first = lay_out(QHBoxLayout(), margins=(12, 4, 12, 0), spacing=4)
        for name, title in PLACES.items():
            if name == AT_THE_SIDE[0]:
                lay_out(first, Gap(12), (self.subject, 1), Gap(12))
            first.addWidget(self._place_button(name, tr(title)))
        second = lay_out(QHBoxLayout(), self.pages, STRETCH, self.back, margins=(8, 0, 12, 2), spacing=12)
        lay_out(QVBoxLayout(self), first, second, margins=(0, 0, 0, 0), spacing=0)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_page(self, name: str, beside: Sequence[str]) -> None:
        """Mark the page in front and its place; `beside` are the pages of the place that apply, itself among them."""
        self.places[BY_NAME[name].place].setChecked(True)
        blocker = QSignalBlocker(self.pages)
        if tuple(beside) != self.pages.names:
            self.pages.show_names(beside)
        self.pages.setCurrentIndex(self.pages.names.index(name))
        del blocker
        self.pages.setVisible(len(beside) > 1)

    def show_count(self, count: int) -> None:
        """Show how many findings are warnings or serious."""
        self.pages.show_count(count)

    def show_subject(self, texts: Sequence[str], is_elsewhere: bool) -> None:
        """Whom the page speaks of, in the longest of these texts that fits."""
        whole, *shorter = texts or ("",)
        self.subject.show_texts(whole, *shorter)
        self.back.setVisible(is_elsewhere)

    def _place_button(self, name: PlaceName, title: str) -> QToolButton:
        button = tool_button(title, None, self, name="place", is_checkable=True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(lambda: self.place_chosen.emit(name))
        button.setMinimumWidth(LEAST_BUTTON)
        self._group.addButton(button)
        self.places[name] = button
        return button

    def _on_tab(self, place: int) -> None:
        if 0 <= place < len(self.pages.names):
            self.page_chosen.emit(self.pages.names[place])


class _PageTabs(QTabBar):
    """The pages of a place; the one that counts findings is as wide as with many of them."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.names: tuple[str, ...] = ()
        self._counted = 0
        self._room = (0, 0)
        """Height of the type, and the counting tab's width in it."""
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setUsesScrollButtons(True)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def show_names(self, names: Sequence[str]) -> None:
        while self.count():
            self.removeTab(0)
        self.names = tuple(names)
        for name in names:
            self.addTab(tr(BY_NAME[name].title))
        self.show_count(self._counted)

    def show_count(self, count: int) -> None:
        self._counted = min(count, MOST_COUNTED)
        if COUNTED in self.names:
            place, title = self.names.index(COUNTED), tr(BY_NAME[COUNTED].title)
            text = f"{title} ({self._counted})" if count else title
            # The same words again would lay out all tabs anew.
            if text != self.tabText(place):
                self.setTabText(place, text)

    def tabSizeHint(self, index: int) -> QSize:
        size = super().tabSizeHint(index)
        if 0 <= index < len(self.names) and self.names[index] == COUNTED:
            metrics, widest = self.fontMetrics(), f"{tr(BY_NAME[COUNTED].title)} ({MOST_COUNTED})"
            if self._room[0] != metrics.height():
                # Kept, so that rounding moves nothing by a pixel either.
                beside = size.width() - metrics.horizontalAdvance(self.tabText(index))
                self._room = metrics.height(), metrics.horizontalAdvance(widest) + beside
            size.setWidth(self._room[1])
        return size
