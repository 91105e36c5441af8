"""What training and serving make of the devices that are paid for, resource by resource."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.plan import Resource
from gpuplanner_gui.drawing.language import listed, tr
from gpuplanner_gui.drawing.palette import LIGHT, Theme, resource_colour
from gpuplanner_gui.drawing.plots.bars import BarPlot, Part
from gpuplanner_gui.drawing.plots.cost import MADE_OF, USED, busy_share, time_shares
from gpuplanner_gui.drawing.plots.legend import Entry, keyed
from gpuplanner_gui.drawing.plots.picks import Pick, candidate_pick
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import NO_ROWS, Cell, Column, Rows
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import candidate_text, resource_letter, resource_name

_VERBS = {"training": "Train: {name}", "serving": "Serve: {name}"}


class ResourceUsePlot(BarPlot):
    """Shares of the paid time, one bar for each workload's selected candidate."""

    def __init__(self, theme: Theme = LIGHT) -> None:
        super().__init__("share", tr("Share of the paid time"), theme, 2)
        self.let_parts_hide()
        self._shares: NDArray[np.float64] = np.zeros((0, len(USED) + 1))
        self.made_of = MADE_OF
        self._chosen: dict[str, tuple[int]] = {}
        self._workloads: tuple[str, ...] = ()
        self._names: tuple[str, ...] = ()
        self.use_theme(theme)

    def recolour(self) -> None:
        entries = [
            Entry(f"{resource_letter(one)} {resource_name(one)}", resource_colour(one, self.theme)) for one in USED
        ]
        self.set_legend(*keyed([*entries, Entry(tr("paid, not used"), self.theme.unused)]))

    def about(self) -> str:
        return tr(
            "Share of the paid time that training and serving spend on each resource. Where the same colour "
            "differs much in length, one kind of device hardly suits both."
        )

    def draw(self, results: Results) -> None:
        chosen = [(workload, results.candidate(workload)) for workload in ("training", "serving")]
        chosen = [(workload, candidate) for workload, candidate in chosen if candidate >= 0]
        self._workloads = tuple(workload for workload, _ in chosen)
        self._chosen = {workload: (candidate,) for workload, candidate in chosen}
        if not chosen:
            self.show_nothing(tr("No candidate to show."))
            return
        self._shares = np.concatenate([self._share_of(results, workload, one) for workload, one in chosen])
        self._names = tuple(
            tr(_VERBS[workload]).format(name=candidate_text(results.plan, results.catalog, workload, one))
            for workload, one in chosen
        )
        colours = [*(resource_colour(resource, self.theme) for resource in USED), self.theme.unused]
        parts = tuple(Part(str(place), colour) for place, colour in enumerate(colours))
        self.show_stacks(self._names, parts, self._shares, longest=1.0)
        self.say(self._sentence())

    def _share_of(self, results: Results, workload: str, candidate: int) -> NDArray[np.float64]:
        answer = results.answer(workload)
        assert answer is not None
        busy = busy_share(answer.table, [candidate], results.scenario)[:, None]
        shares = time_shares(answer.table, [candidate]) * busy
        shares[:, -1] = 1 - shares[:, :-1].sum(axis=1)
        return shares

    def _sentence(self) -> str:
        parts = []
        for workload, shares in zip(self._workloads, self._shares):
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
        workload = self._workloads[row]
        return candidate_pick(self.results, workload, self.results.candidate(workload))

    def _row_count(self) -> int:
        return len(self._workloads)

    def readout_at(self, x: float, y: float) -> str:
        row = self.row_at(y)
        if row < 0:
            return ""
        names = [*(resource_name(resource) for resource in USED), tr("not used")]
        return " · ".join(
            f"{name} {format_value(float(share), 'share', 2)}"
            for name, share in zip(names, self._shares[row])
            if share > 0.005
        )

    def shown_candidates(self) -> Mapping[str, Sequence[int]]:
        return self._chosen

    def as_rows(self) -> Rows:
        if not self._workloads:
            return NO_ROWS
        columns = [Column(tr("Candidate")), *(Column(resource_name(resource), "share") for resource in USED)]
        columns.append(Column(tr("Paid, not used"), "share"))
        cells: list[tuple[Cell, ...]] = []
        for name, shares in zip(self._names, self._shares):
            cells.append((name, *(float(share) for share in shares)))
        return Rows(tuple(columns), tuple(cells))
