"""Scenarios ranked by the planner's weights: how much each criterion adds to a score."""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.domain.decision import ComparisonAnswer
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.palette import LIGHT, Theme
from gpuplanner_gui.drawing.plots.bars import BarPlot, Part
from gpuplanner_gui.drawing.plots.legend import Entry, keyed
from gpuplanner_gui.drawing.plots.picks import Pick
from gpuplanner_gui.drawing.results import Results, awaited_text
from gpuplanner_gui.drawing.rows import Rows, rows_of
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.decision import criterion_name

CRITERIA = ("cost", "latency", "stability", "certainty", "power")


class RankingPlot(BarPlot):
    """The best scenario on top."""

    def __init__(self, theme: Theme = LIGHT) -> None:
        super().__init__("share", tr("Score"), theme, 6)
        self.let_parts_hide()
        self.use_theme(theme)

    def recolour(self) -> None:
        self.set_legend(*keyed(Entry(criterion_name(one), colour) for one, colour in zip(CRITERIA, self.theme.series)))

    def about(self) -> str:
        return tr(
            "Scenarios by your weights, the best on top. Each colour is how much one criterion adds to the "
            "score; the weights stand above the table."
        )

    def draw(self, results: Results) -> None:
        answer = results.known.comparison
        if answer is None:
            self.show_nothing(awaited_text(results.decision, "comparison", tr("Comparing…")))
            return
        weights = results.scenario.economics.ranking
        total = sum(getattr(weights, one) for one in CRITERIA) or 1.0
        ranked = [answer.scenarios[place] for place in answer.ranking]
        lengths = np.array([[one.scores[name] * getattr(weights, name) / total for name in CRITERIA] for one in ranked])
        names = tuple(one.name for one in ranked)
        notes = tuple(format_value(one.score, "share", 2) for one in ranked)
        parts = tuple(Part(name, colour) for name, colour in zip(CRITERIA, self.theme.series))
        self.show_stacks(names, parts, lengths, notes=notes, longest=1.0, chosen_row=0)
        self.say(self._sentence(answer))

    def _sentence(self, answer: ComparisonAnswer) -> str:
        first, second = answer.ranking[0], answer.ranking[1]
        beats = answer.beats[first][second]
        return tr("{name} ranks first; it costs less than {other} in {share} of the simulations").format(
            name=answer.scenarios[first].name, other=answer.scenarios[second].name,
            share=format_value(beats, "share", 2),
        )  # fmt: skip

    def _row_count(self) -> int:
        answer = self.results.known.comparison if self.results is not None else None
        return len(answer.ranking) if answer is not None else 0

    def pick_at(self, x: float, y: float) -> Pick | None:
        """A bar stands for a scenario."""
        answer, row = self.results.known.comparison if self.results is not None else None, self.row_at(y)
        if answer is None or self.results is None or row < 0:
            return None
        name = answer.scenarios[answer.ranking[row]].name
        return Pick(name) if name != self.results.scenario.name else None

    def as_rows(self) -> Rows:
        answer = self.results.known.comparison if self.results is not None else None
        return rows_of(
            answer.scenarios if answer is not None else (),
            (tr("Scenario"), "", lambda one: one.name),
            (tr("Score"), "share", lambda one: one.score),
            *((criterion_name(name), "share", lambda one, name=name: one.scores[name]) for name in CRITERIA),
        )
