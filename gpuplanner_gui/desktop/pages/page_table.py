"""The places of the window and the pages in each: what they are called, whether they apply, and whom they speak of."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from PySide6.QtWidgets import QWidget

from gpuplanner_gui.drawing.language import labelled, listed, tr

if TYPE_CHECKING:
    from gpuplanner_gui.drawing.results import Results

PlaceName = Literal["answer", "why", "money", "compare", "library", "calibrate"]
Needs = Literal["", "serving", "training", "both", "estate"]
Subject = Literal["selected", "recommended", "none"]

PLACES: dict[PlaceName, str] = {
    "answer": "Answer", "why": "Why", "money": "Money and risk", "compare": "Compare", "library": "Library",
    "calibrate": "Calibrate",
}  # fmt: skip
"""The four questions of a planner; then what stands at the side."""
AT_THE_SIDE: tuple[PlaceName, ...] = ("library", "calibrate")
WITH_CANDIDATES: tuple[PlaceName, ...] = ("answer", "compare")
"""Where the table of candidates is at hand."""


@dataclass(frozen=True)
class Page:
    """A page: its name, title and place; the view's module and class, imported when the page is built."""

    name: str
    title: str
    place: PlaceName
    module: str
    view: str
    needs: Needs = ""
    """What must be planned for the page to have anything to show."""
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
            return results.project.estate is not None and bool(results.project.estate.workloads)
        wanted = ("serving", "training") if self.needs == "both" else (self.needs,)
        return all(results.answer(workload) is not None for workload in wanted)

    def results_for(self, results: Results) -> Results:
        """What the page shows: everything on it is about one candidate."""
        return replace(results, selected={}) if self.subject == "recommended" and results.selected else results


PAGES = (
    Page("overview", "Overview", "answer", "overview", "OverviewPage"),
    Page("findings", "Findings", "answer", "findings", "FindingsPage", subject="recommended"),
    Page("memory", "Memory", "why", "serving_plots", "MemoryPage", "", "selected", "serving_memory", "training_memory"),
    Page("roofline", "Roofline", "why", "serving_plots", "RooflinePage", "", "selected", "roofline"),
    Page("load", "Load", "why", "serving_plots", "LoadPage", "serving", "selected", "load"),
    Page("readiness", "Readiness", "why", "readiness", "ReadinessPage", "serving", "selected", "fleet"),
    Page("run_time", "Run time", "why", "training_plots", "TrainingCandidatesPage", "training", "selected",
         "training_step"),
    Page("step", "One step", "why", "training_plots", "TrainingStepPage", "training", "selected", "training_step"),
    Page("layouts", "Layouts", "why", "layouts", "LayoutsPage", "training", "selected", "training_step"),
    Page("scaling", "Scaling", "why", "training_plots", "TrainingScalingPage", "training", "selected",
         "training_step"),
    Page("storage", "Data and storage", "why", "storage", "StoragePage", "training", "selected", "training_step"),
    Page("fits", "What fits", "why", "training_plots", "TrainingFitsPage", "training", "selected", "training_memory"),
    Page("cost", "Cost", "money", "cost", "CostPage", "", "recommended", "serving_cost", "renting"),
    Page("order", "Order", "money", "order", "OrderPage", "", "recommended"),
    Page("uncertainty", "Uncertainty", "money", "uncertainty", "UncertaintyPage", "", "recommended", "uncertainty"),
    Page("side_by_side", "Fleets", "money", "cost", "SideBySidePage", "both", "recommended", "fleets"),
    Page("estate", "Estate", "money", "estate", "EstatePage", "estate", "none"),
    Page("compare", "Compare", "compare", "compare", "ComparePage", "", "none"),
    Page("catalog_browser", "Catalogue", "library", "catalog_browser", "CatalogBrowser", subject="none"),
    Page("phases", "Phases", "library", "phases", "PhasesPage", subject="none", method="gains"),
    Page("calibrate", "Calibrate", "calibrate", "calibrate", "CalibratePage", subject="none",
         method="own_measurements"),
)  # fmt: skip
BY_NAME = {page.name: page for page in PAGES}


def subject_text(page: Page, results: Results | None) -> str:
    """Whom the page speaks of; nothing where it is about no candidate."""
    from gpuplanner_gui.drawing.words.candidates import candidate_text

    if results is None or page.subject == "none":
        return ""
    workloads = results.workloads() if page.needs in ("", "both") else (page.needs,)
    shown = {one: page.results_for(results).candidate(one) for one in workloads}
    names = [candidate_text(results.plan, results.catalog, one, place) for one, place in shown.items() if place >= 0]
    word = tr("Selected") if looks_elsewhere(page, results) else tr("Recommended")
    return labelled(word, listed(names)) if names else ""


def is_recommended(results: Results, workload: str, candidate: int) -> bool:
    answer = results.answer(workload)
    return answer is not None and answer.best == candidate


def looks_elsewhere(page: Page, results: Results | None) -> bool:
    """Whether the page speaks of a candidate that is not the recommended one."""
    if results is None or page.subject != "selected":
        return False
    workloads = results.workloads() if not page.needs else (page.needs,)
    return any(not is_recommended(results, one, results.candidate(one)) for one in workloads)
