"""Between the window and "why?": numbers of the page in front, the one that is asked about, and its explanation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject
from shiboken6 import isValid

from gpuplanner_gui.desktop.widgets.event_turns import DrawingTurn
from gpuplanner_gui.drawing.language import tr

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.pages.explain_panel import ExplainPanel
    from gpuplanner_gui.desktop.pages.results_pane import ResultsPane
    from gpuplanner_gui.desktop.pages.verdict import VerdictBar
    from gpuplanner_gui.desktop.window.window_parts import WindowParts
    from gpuplanner_gui.drawing.numbers import Number
    from gpuplanner_gui.drawing.plots.base import Plot
    from gpuplanner_gui.drawing.results import Results

VERDICT = "verdict"


class ExplainControls(QObject):
    """Answers views that ask about their numbers: at once where one is meant, else with the list to choose from."""

    def __init__(self, parts: WindowParts) -> None:
        super().__init__(parts.frame)
        self._parts = parts
        self._panel: ExplainPanel | None = None
        self.asked: tuple[str, ...] = ()
        """The last question: stage and place of a number, or workload, candidate and column."""
        self._plot: Plot | None = None
        self._is_listed = False
        """Since the panel was opened."""
        self._is_page_new = False
        """Another page has come to the front since numbers were listed."""
        self._list_soon = DrawingTurn(self, self._list)
        """In a turn of its own: what the panel's opening moves, or another page, is painted in one already."""

    def connect_pane(self, pane: ResultsPane, verdict: VerdictBar, panel: ExplainPanel) -> None:
        self._panel = panel
        pane.why_asked.connect(self.take_words)
        pane.cell_why_asked.connect(self.take_cell)
        pane.why_told.connect(self.tell)
        pane.plot_asked.connect(self.take_plot)
        pane.page_changed.connect(self._on_page_changed)
        verdict.why_asked.connect(lambda words: self.take_words(words, VERDICT))
        panel.numbers.chosen.connect(self.ask)
        panel.back_requested.connect(self.show_numbers)
        self._parts.desk.explain_dock.visibilityChanged.connect(self._on_visible)

    def take_words(self, words: str, page: str = "") -> None:
        """Explain the number in these words; list those that may be meant where it is not one."""
        from gpuplanner_gui.drawing.explained_numbers import numbers_in

        meant = numbers_in(words, self.numbers(page)) if words else []
        self._parts.desk.open_explanation()
        if len({one.place for one in meant}) == 1:
            self.ask(meant[0].stage, meant[0].place)
        else:
            self.show_numbers(page, meant)

    def take_cell(self, words: str) -> None:
        """Explain the number in a cell, or say that no calculation stands behind it."""
        from gpuplanner_gui.drawing.explained_numbers import numbers_in

        if numbers_in(words, self.numbers()):
            self.take_words(words)
        else:
            told = tr("{value}: {reason}").format(value=words, reason=tr("This cell has no calculation to show."))
            self.tell(told)

    def tell(self, words: str) -> None:
        """Answer in words, where no number stands behind what is asked about."""
        self._parts.desk.open_explanation()
        if self._panel is not None:
            self.asked, self._is_listed, self._is_page_new = (), True, False
            self._panel.show_message(words)

    def take_plot(self, plot: Plot) -> None:
        """List what a plot shows, of every candidate in it; the page's numbers where it shows none of those."""
        self._parts.desk.open_explanation()
        self._plot = plot
        self._list_soon.start()

    def _list(self) -> None:
        """What the plot shows that was asked about, or else the page's numbers, where no number is explained."""
        from gpuplanner_gui.drawing.explained_numbers import numbers_of_plot

        plot, self._plot = self._plot, None
        pane = self._parts.results_pane
        if plot is not None and pane is not None and pane.results is not None and _shows(plot, pane.results):
            numbers = self.numbers(candidates=plot.shown_candidates())
            self.show_numbers(some=numbers_of_plot(plot.as_rows(), numbers, pane.results, plot.made_of))
        elif plot is not None or self._is_page_new or self._is_unlisted():
            self.show_numbers()

    def show_numbers(self, page: str = "", some: list[Number] | None = None) -> None:
        """List the numbers of the page in front, or some of them."""
        self._is_page_new = False
        if self._panel is not None and self._parts.desk.explain_dock.isVisible():
            self._is_listed = True
            self._panel.show_numbers(some or self.numbers(page))

    def ask(self, stage: str, place: str) -> None:
        """Ask where a number comes from."""
        pane = self._parts.results_pane
        if pane is not None and pane.results is not None:
            self.asked, self._is_page_new = (stage, place), False
            self._parts.compute.explain_number(pane.results, stage, place)

    def ask_column(self, workload: str, candidate: int, quantity: str) -> None:
        """Ask where a figure of a candidate comes from."""
        self.asked, self._is_page_new = (workload, str(candidate), quantity), False
        self._parts.compute.explain(workload, candidate, quantity)

    def ask_again(self, asked: tuple[str, ...]) -> None:
        """Ask what another window was asked."""
        if len(asked) == 3:
            self.ask_column(asked[0], int(asked[1]), asked[2])
        else:
            self.ask(*asked)

    def numbers(self, page: str = "", candidates: Mapping[str, Sequence[int]] | None = None) -> list[Number]:
        """The numbers of the page in front, or of the named page."""
        from gpuplanner_gui.drawing.numbers import numbers_of

        pane = self._parts.results_pane
        if pane is None or pane.results is None:
            return []
        view = pane.view_in_front()
        stages = view.named_stages() if view is not None and not page else ()
        return list(numbers_of(pane.results, page or pane.page_name(), stages, candidates))

    def open_number(self, number: Number) -> None:
        """Explain a number, with room made for the answer."""
        self._parts.desk.open_explanation()
        self.ask(number.stage, number.place)

    def _is_unlisted(self) -> bool:
        return self._panel is not None and self._panel.explanation is None and not self._is_listed

    def _on_page_changed(self) -> None:
        self._is_page_new = True
        self._list_soon.start()

    def _on_visible(self, is_visible: Any) -> None:
        if is_visible and self._panel is not None and self._panel.explanation is None:
            self._is_listed = False
            self._list_soon.start()


def _shows(plot: Plot, results: Results) -> bool:
    """Whether a plot is of this plan: until it is drawn anew, its candidates are rows of another table."""
    return isValid(plot) and plot.results is not None and plot.results.plan is results.plan
