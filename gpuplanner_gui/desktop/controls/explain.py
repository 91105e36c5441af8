"""Between the window and "why?": numbers of the page in front, the one that is asked about, and its explanation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from gpuplanner_gui.desktop.views.why import WHY

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.main_window import MainWindow
    from gpuplanner_gui.desktop.results_pane import ResultsPane
    from gpuplanner_gui.desktop.views.verdict import VerdictBar
    from gpuplanner_gui.drawing.numbers import Number
    from gpuplanner_gui.drawing.plots.base import Plot

VERDICT = "verdict"


class ExplainControls(QObject):
    """Answers views that ask about their numbers: at once where one is meant, else with the list to choose from."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.asked: tuple[str, ...] = ()
        """What was asked about last: stage and place of a number, or workload, candidate and column."""

    def connect_pane(self, pane: ResultsPane, verdict: VerdictBar) -> None:
        pane.asked.connect(self.take_wish)
        pane.plot_asked.connect(self.take_plot)
        pane.tabs.currentChanged.connect(lambda _: self.show_numbers())
        verdict.asked.connect(lambda wish: self.take_wish(wish, VERDICT))
        self._window.explain_panel.numbers.chosen.connect(self.ask)
        self._window.explain_panel.back_requested.connect(self.show_numbers)
        self._window.explain_dock.visibilityChanged.connect(self._on_visible)

    def take_wish(self, wish: str, page: str = "") -> None:
        """A wish of a view; others' wishes are left alone."""
        if not wish.startswith(WHY):
            return
        from gpuplanner_gui.drawing.shown_numbers import numbers_in

        words = wish.removeprefix(WHY)
        meant = numbers_in(words, self._numbers(page)) if words else []
        self._window.open_explanation()
        if len({one.place for one in meant}) == 1:
            self.ask(meant[0].stage, meant[0].place)
        else:
            self.show_numbers(page, meant)

    def take_plot(self, plot: Plot) -> None:
        """List what a plot shows, of every candidate in it; the page's numbers where it shows none of those."""
        from gpuplanner_gui.drawing.shown_numbers import numbers_of_plot

        pane = self._window.results_pane
        if pane is None or pane.results is None:
            return
        numbers = self._numbers(candidates=plot.shown_candidates())
        self._window.open_explanation()
        self.show_numbers(some=numbers_of_plot(plot.as_rows(), numbers, pane.results, plot.made_of))

    def show_numbers(self, page: str = "", some: list[Number] | None = None) -> None:
        """List the numbers of the page in front, or some of them."""
        if self._window.explain_dock.isVisible():
            self._window.explain_panel.show_numbers(some or self._numbers(page))

    def ask(self, stage: str, place: str) -> None:
        """Ask where a number comes from."""
        pane = self._window.results_pane
        if pane is not None and pane.results is not None:
            self.asked = (stage, place)
            self._window.compute.explain_number(pane.results, stage, place)

    def ask_column(self, workload: str, candidate: int, quantity: str) -> None:
        """Ask where a figure of a candidate comes from."""
        self.asked = (workload, str(candidate), quantity)
        self._window.compute.explain(workload, candidate, quantity)

    def ask_again(self, asked: tuple[str, ...]) -> None:
        """Ask what another window was asked."""
        if len(asked) == 3:
            self.ask_column(asked[0], int(asked[1]), asked[2])
        else:
            self.ask(*asked)

    def _numbers(self, page: str = "", candidates: Mapping[str, Sequence[int]] | None = None) -> list[Number]:
        from gpuplanner_gui.drawing.numbers import numbers_of

        pane = self._window.results_pane
        if pane is None or pane.results is None:
            return []
        view = pane.view_in_front()
        stages = view.named_stages() if view is not None and not page else ()
        return list(numbers_of(pane.results, page or pane.page_name(), stages, candidates))

    def _on_visible(self, is_visible: Any) -> None:
        if is_visible and self._window.explain_panel.explanation is None:
            self.show_numbers()
