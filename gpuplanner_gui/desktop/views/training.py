"""The training run on pages of its own: candidates, one step in depth, layouts, scaling, and what fits."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QStackedWidget, QTabBar, QVBoxLayout, QWidget

from gpuplanner_gui.desktop.tasks.plan_tasks import PlanState
from gpuplanner_gui.desktop.views.layouts import LayoutsPage
from gpuplanner_gui.desktop.views.result_view import ResultView
from gpuplanner_gui.desktop.views.training_plots import (
    TrainingCandidatesPage,
    TrainingFitsPage,
    TrainingScalingPage,
    TrainingStepPage,
)
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.results import Results

PAGES = (TrainingCandidatesPage, TrainingStepPage, LayoutsPage, TrainingScalingPage, TrainingFitsPage)


class _Stack(QStackedWidget):
    """As large as the page in front needs, whatever those behind it would."""

    def sizeHint(self) -> QSize:
        return self.currentWidget().sizeHint() if self.currentWidget() is not None else super().sizeHint()

    def minimumSizeHint(self) -> QSize:
        return self.currentWidget().minimumSizeHint() if self.currentWidget() is not None else super().minimumSizeHint()


class TrainingPage(ResultView):
    """A row of pages; each is drawn, and what it shows worked out, while it is on screen."""

    follows = ("training",)
    kept = ("bar", "inner_pages")

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bar = QTabBar(self)
        self.bar.setDrawBase(False)
        self.bar.setExpanding(False)
        self.bar.setContentsMargins(8, 0, 8, 0)
        self.bar.setAccessibleName(tr("Training pages"))
        self._stack = _Stack(self)
        self.pages: tuple[ResultView, ...] = tuple(make(self) for make in PAGES)
        for page in self.pages:
            self.bar.addTab(page.page_title())
            self._stack.addWidget(page)
            page.candidate_selected.connect(self.candidate_selected)
            page.scenario_selected.connect(self.scenario_selected)
            page.value_edited.connect(self.value_edited)
            page.explain_requested.connect(self.explain_requested)
            page.why_asked.connect(self.why_asked)
            page.part_wanted.connect(self.part_wanted)
        self.bar.currentChanged.connect(self._on_chosen)
        self.layouts = next(page for page in self.pages if isinstance(page, LayoutsPage))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.bar)
        layout.addWidget(self._stack, 1)
        self._veil.raise_()

    @classmethod
    def page_title(cls) -> str:
        return tr("Training")

    def _on_chosen(self, index: int) -> None:
        self._stack.setCurrentIndex(index)
        self._stack.updateGeometry()

    @property
    def inner_pages(self) -> dict[str, ResultView]:
        return {type(page).__name__: page for page in self.pages}

    def show_page(self, title: str) -> None:
        """Bring the page of that title to the front."""
        self.bar.setCurrentIndex([page.page_title() for page in self.pages].index(title))

    @property
    def current(self) -> ResultView:
        return self.pages[self.bar.currentIndex()]

    def draw(self, context: Results) -> None:
        for page in self.pages:
            page.show_results_soon(context)

    def is_drawing(self) -> bool:
        return super().is_drawing() or self.current.is_drawing()

    def set_state(self, state: PlanState, message: str = "") -> None:
        if state is PlanState.CURRENT and (self.context is None or self.context.plan.training is None):
            self.context = None
            state, message = PlanState.EMPTY, tr("This scenario trains nothing. Add a training job to see its run.")
        super().set_state(state, message)
