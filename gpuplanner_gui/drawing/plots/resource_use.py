"""What training and serving make of the devices that are paid for, resource by resource."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.plan import Resource
from gpuplanner_gui.drawing.language import listed, phrase, tr
from gpuplanner_gui.drawing.plots.bars import BarPlot, Part
from gpuplanner_gui.drawing.plots.cost import MADE_OF, USED, paid_shares, shares_text, used_columns, used_parts
from gpuplanner_gui.drawing.plots.picks import Pick, candidate_pick
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import Column, Rows, numbers_beside
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import candidate_text, resource_name

_VERBS = {"training": "Train: {name}", "serving": "Serve: {name}"}


class ResourceUsePlot(BarPlot):
    """Shares of the paid time, one bar for each workload's selected candidate."""

    ABOUT = phrase(
        "Share of the paid time that training and serving spend on each resource. Where the same colour "
        "differs much in length, one kind of device hardly suits both."
    )

    LENGTH, UNIT, MOST_ROWS = phrase("Share of the paid time"), "share", 2
    made_of = MADE_OF
    _shares: NDArray[np.float64] = np.zeros((0, len(USED) + 1))
    _chosen: Mapping[str, tuple[int]] = MappingProxyType({})
    _names: tuple[str, ...] = ()

    def parts(self) -> tuple[Part, ...]:
        return used_parts(self.theme)

    def draw(self, results: Results) -> None:
        chosen = [(workload, results.candidate(workload)) for workload in ("training", "serving")]
        chosen = [(workload, candidate) for workload, candidate in chosen if candidate >= 0]
        self._chosen = {workload: (candidate,) for workload, candidate in chosen}
        if not chosen:
            self.show_nothing(tr("No candidate to show."))
            return
        answers = [(answer, one) for workload, one in chosen if (answer := results.answer(workload)) is not None]
        self._shares = np.concatenate([paid_shares(answer, [one], results.scenario) for answer, one in answers])
        self._names = tuple(
            tr(_VERBS[workload]).format(name=candidate_text(results.plan, results.catalog, workload, one))
            for workload, one in chosen
        )
        self.show_stacks(self._names, self.parts(), self._shares, longest=1.0)
        self.say(self._sentence())

    def _sentence(self) -> str:
        parts = []
        for workload, shares in zip(self._chosen, self._shares):
            largest = int(np.argmax(shares[:-1]))
            share = format_value(float(shares[largest]), "share", 2)
            sentence = tr("training pays for {resource} ({share})")
            if workload == "serving":
                sentence = tr("serving pays for {resource} ({share})")
            parts.append(sentence.format(resource=resource_name(Resource(USED[largest])), share=share))
        text = listed(parts)
        return text[:1].upper() + text[1:]

    def pick_at(self, x: float, y: float) -> Pick | None:
        """Each bar is the selected candidate of its workload."""
        row = self.row_at(y)
        if self.results is None or row < 0:
            return None
        workload = tuple(self._chosen)[row]
        return candidate_pick(self.results, workload, self.results.candidate(workload))

    def row_readout(self, results: Results, row: int, x: float) -> str:
        return shares_text(self._shares[row], 1.0, "share", 2)

    def shown_candidates(self) -> Mapping[str, Sequence[int]]:
        return self._chosen

    def table(self, results: Results) -> Rows:
        return Rows((Column(tr("Candidate")), *used_columns()), numbers_beside(self._names, self._shares))
