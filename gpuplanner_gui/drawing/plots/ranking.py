"""Scenarios ranked by the planner's weights: how much each criterion adds to a score."""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.domain.decision import ComparisonAnswer
from gpuplanner_gui.drawing.decision import awaited_text
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.palette import LIGHT, Theme
from gpuplanner_gui.drawing.plots.bars import Bars, Part, StackedBars
from gpuplanner_gui.drawing.plots.base import ROW_REACH, BarPlot
from gpuplanner_gui.drawing.plots.legend import Entry, keyed
from gpuplanner_gui.drawing.plots.picks import Pick
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import NO_ROWS, Cell, Column, Rows
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.decision import criterion_name

CRITERIA = ("cost", "latency", "stability", "certainty", "power")


def comparison_of(results: Results) -> ComparisonAnswer | None:
    return results.decision.comparison if results.decision is not None else None


class RankingPlot(BarPlot):
    """The best scenario on top."""

    def __init__(self, theme: Theme = LIGHT) -> None:
        super().__init__("share", theme, 6)
        self._bars = StackedBars()
        self.set_toggles(**self._bars.switches())
        self.item.addItem(self._bars, ignoreBounds=True)
        self.use_theme(theme)

    def recolour(self) -> None:
        self.set_legend(*keyed(Entry(criterion_name(one), colour) for one, colour in zip(CRITERIA, self.theme.series)))

    def about(self) -> str:
        return tr(
            "Scenarios by your weights, the best on top. Each colour is how much one criterion adds to the "
            "score; the weights stand above the table."
        )

    def draw(self, results: Results) -> None:
        answer = comparison_of(results)
        self._bars.setVisible(answer is not None)
        if answer is None:
            self.show_message(awaited_text(results.decision, "comparison", tr("Comparing…")))
            return
        weights = results.scenario.economics.ranking
        total = sum(getattr(weights, one) for one in CRITERIA) or 1.0
        ranked = [answer.scenarios[place] for place in answer.ranking]
        lengths = np.array([[one.scores[name] * getattr(weights, name) / total for name in CRITERIA] for one in ranked])
        names = tuple(one.name for one in ranked)
        notes = tuple(format_value(one.score, "share", 2) for one in ranked)
        end = self.set_bars(names, 1.0, notes)
        parts = tuple(Part(name, colour) for name, colour in zip(CRITERIA, self.theme.series))
        self._bars.show_bars(Bars(parts, lengths, None, notes, 0), self.theme, end)
        self.say(self._sentence(answer))

    def _sentence(self, answer: ComparisonAnswer) -> str:
        first, second = answer.ranking[0], answer.ranking[1]
        beats = answer.beats[first][second]
        return tr("{name} ranks first; it costs less than {other} in {share} of the samples").format(
            name=answer.scenarios[first].name, other=answer.scenarios[second].name,
            share=format_value(beats, "share", 2),
        )  # fmt: skip

    def pick_at(self, x: float, y: float) -> Pick | None:
        """A bar stands for a scenario."""
        answer, row = comparison_of(self.results) if self.results is not None else None, round(y)
        if answer is None or self.results is None or not 0 <= row < len(answer.ranking) or abs(y - row) > ROW_REACH:
            return None
        name = answer.scenarios[answer.ranking[row]].name
        return Pick(name) if name != self.results.scenario.name else None

    def as_rows(self) -> Rows:
        answer = comparison_of(self.results) if self.results is not None else None
        if answer is None:
            return NO_ROWS
        columns = (
            Column(tr("Scenario")),
            Column(tr("Score"), "share"),
            *(Column(criterion_name(one), "share") for one in CRITERIA),
        )
        cells: list[tuple[Cell, ...]] = [
            (one.name, one.score, *(one.scores[name] for name in CRITERIA)) for one in answer.scenarios
        ]
        return Rows(columns, tuple(cells))
