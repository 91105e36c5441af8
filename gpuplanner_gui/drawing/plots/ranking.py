"""Scenarios ranked by the planner's weights: how much each criterion adds to a score."""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.domain.decision import ComparisonAnswer
from gpuplanner_gui.drawing.language import phrase, tr
from gpuplanner_gui.drawing.plots.bars import BarPlot, Part
from gpuplanner_gui.drawing.plots.picks import Pick
from gpuplanner_gui.drawing.results import Results, awaited_text
from gpuplanner_gui.drawing.rows import Rows, rows_of
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.decision import criterion_name
from gpuplanner_gui.drawing.words.verdict_level import chance_text

CRITERIA = ("cost", "latency", "stability", "certainty", "power")


class RankingPlot(BarPlot):
    """The best scenario on top."""

    ABOUT = phrase(
        "Scenarios ranked by your weights, the best on top. Each colour is one criterion's part of the "
        "score. Set the weights above the table."
    )

    LENGTH, UNIT, MOST_ROWS = phrase("Score"), "share", 6

    criteria: tuple[str, ...] = CRITERIA
    """What the scenarios that are shown are judged by."""

    def parts(self) -> tuple[Part, ...]:
        coloured = zip(CRITERIA, self.theme.series)
        return tuple(Part(criterion_name(one), colour) for one, colour in coloured if one in self.criteria)

    def draw(self, results: Results) -> None:
        answer = results.known.comparison
        if answer is None:
            self.show_nothing(awaited_text(results.known, "comparison", tr("Comparing…")))
            return
        weights = results.scenario.economics.ranking
        ranked = [answer.scenarios[place] for place in answer.ranking]
        self.criteria = tuple(one for one in CRITERIA if one in ranked[0].scores)
        share = {name: getattr(weights, name) for name in self.criteria}
        total = sum(share.values()) or 1.0
        lengths = np.array([[one.scores[name] * share[name] / total for name in self.criteria] for one in ranked])
        names = tuple(one.name for one in ranked)
        notes = tuple(format_value(one.score, "share", 2) for one in ranked)
        self.show_stacks(names, self.parts(), lengths, notes=notes, longest=1.0, chosen_row=0)
        self.say(self._sentence(answer))

    def _sentence(self, answer: ComparisonAnswer) -> str:
        first, second = answer.ranking[0], answer.ranking[1]
        beats = answer.beats[first][second]
        if np.isnan(beats):
            return tr(
                "{name} ranks first by your weights, for information only: these scenarios do different work"
            ).format(name=answer.scenarios[first].name)
        return tr("{name} ranks first by your weights; chance of costing less than {other}: {chance}").format(
            name=answer.scenarios[first].name, other=answer.scenarios[second].name, chance=chance_text(beats),
        )  # fmt: skip

    def pick_at(self, x: float, y: float) -> Pick | None:
        """A bar stands for a scenario."""
        answer, row = self.results.known.comparison if self.results is not None else None, self.row_at(y)
        if answer is None or self.results is None or row < 0:
            return None
        name = answer.scenarios[answer.ranking[row]].name
        return Pick(name) if name != self.results.scenario.name else None

    def table(self, results: Results) -> Rows:
        answer = results.known.comparison
        scenarios = answer.scenarios if answer is not None else ()
        criteria = tuple(scenarios[0].scores) if scenarios else CRITERIA
        return rows_of(
            scenarios,
            (tr("Scenario"), "", lambda one: one.name),
            (tr("Score"), "share", lambda one: one.score),
            *((criterion_name(name), "share", lambda one, name=name: one.scores[name]) for name in criteria),
        )
