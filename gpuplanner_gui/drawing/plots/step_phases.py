"""Where the time of a training step goes, phase after phase, as a staircase from its start to its end."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QColor

from gpuplanner_gui.domain.field import field_of
from gpuplanner_gui.domain.plan import Resource
from gpuplanner_gui.domain.training_results import StepPhases
from gpuplanner_gui.drawing.language import phrase, tr
from gpuplanner_gui.drawing.palette import Theme, resource_colour
from gpuplanner_gui.drawing.plots.bars import BarPlot, Span
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import NO_ROWS, Column, Rows
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.training import waiting_text


@dataclass(frozen=True)
class Phase:
    """A part of the step, the resource that it is spent on (None: nothing is used), and how pale it is drawn."""

    name: str
    resource: Resource | None
    paleness: float = 0.0


PHASES = (
    Phase("forward_s", Resource.COMPUTE),
    Phase("backward_s", Resource.COMPUTE, 0.4),
    Phase("recompute_s", Resource.COMPUTE, 0.75),
    Phase("optimizer_s", Resource.MEMORY_BANDWIDTH),
    Phase("tensor_communication_s", Resource.INTERCONNECT),
    Phase("pipeline_communication_s", Resource.INTERCONNECT),
    Phase("expert_communication_s", Resource.INTERCONNECT),
    Phase("context_communication_s", Resource.INTERCONNECT),
    Phase("bubble_s", None),
    Phase("data_communication_s", Resource.INTERCONNECT),
    Phase("host_s", Resource.HOST),
    Phase("input_s", Resource.INPUT),
)
ALWAYS_SHOWN = ("forward_s", "backward_s", "optimizer_s")


class StepPhasesPlot(BarPlot):
    """A row for each phase that takes time; each starts where the one above ends."""

    ABOUT = phrase(
        "What a training step consists of, from left to right: each row begins where the one above ends. "
        "What runs hidden behind other work takes no time of its own."
    )

    workload = "training"

    LENGTH, UNIT, MOST_ROWS = phrase("Time since the step began"), "s", len(PHASES)
    _phases: StepPhases | None = None
    _shown: tuple[Phase, ...] = ()

    def draw(self, results: Results) -> None:
        detail = results.training.step if results.training is not None else None
        self._phases = detail.phases if detail is not None else None
        if detail is None or self._phases is None:
            waiting = tr("Calculating the step of the selected candidate…")
            cannot = tr("The selected candidate cannot run: it has no step.")
            self.show_nothing(waiting_text(results, "step", waiting if detail is None else cannot))
            return
        phases = self._phases
        self._shown = tuple(one for one in PHASES if seconds(phases, one) > 0 or one.name in ALWAYS_SHOWN)
        spans, notes, at = [], [], 0.0
        for row, phase in enumerate(self._shown):
            taken = seconds(phases, phase)
            spans.append(Span(row, at, at + taken, phase_colour(phase, self.theme), is_hatched=phase.resource is None))
            share = format_value(taken / phases.total_s, "share", 2)
            notes.append(f"{format_value(taken, 's')} · {share}")
            at += taken
        self.show_spans([_title(one) for one in self._shown], spans, (0.0, phases.total_s), notes=notes)
        self.say(self._sentence(phases))

    def _sentence(self, phases: StepPhases) -> str:
        total = phases.total_s
        useful = (phases.forward_s + phases.backward_s) / total
        worst = max(PHASES[2:], key=lambda one: seconds(phases, one))
        return tr("A step takes {time}: {share} forward and backward, {its} {what}").format(
            time=format_value(total, "s"), share=format_value(useful, "share", 2), what=_title(worst).lower(),
            its=format_value(seconds(phases, worst) / total, "share", 2),
        )  # fmt: skip

    def row_readout(self, results: Results, row: int, x: float) -> str:
        phase = self._shown[row]
        if self._phases is None:
            return ""
        about = field_of(StepPhases, phase.name).about
        said = f"{_title(phase)} {format_value(seconds(self._phases, phase), 's')}"
        return f"{said} · {tr(about.help)}" if about.help else said

    def table(self, results: Results) -> Rows:
        phases = self._phases
        if phases is None:
            return NO_ROWS
        columns = (Column(tr("Phase")), Column(tr("Time"), "s"), Column(tr("Share"), "share"))
        cells = [(_title(one), seconds(phases, one), seconds(phases, one) / phases.total_s) for one in PHASES]
        return Rows(columns, (*cells, (tr("Step"), phases.total_s, 1.0)))


def seconds(phases: StepPhases, phase: Phase) -> float:
    return float(getattr(phases, phase.name))


def phase_colour(phase: Phase, theme: Theme) -> str:
    """The colour of its resource, paler where several share it."""
    return (
        theme.muted if phase.resource is None else pale(resource_colour(phase.resource, theme), phase.paleness, theme)
    )


def pale(colour: str, share: float, theme: Theme) -> str:
    """A colour with some of the ground in it."""
    own, ground = QColor(colour), QColor(theme.surface)
    mixed = [
        round((1 - share) * one + share * other)
        for one, other in ((own.red(), ground.red()), (own.green(), ground.green()), (own.blue(), ground.blue()))
    ]
    return QColor(*mixed).name()


def _title(phase: Phase) -> str:
    return tr(field_of(StepPhases, phase.name).about.title)
