"""A training step: its phases as a staircase, and its passes over the stages of a pipeline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter

from gpuplanner_gui.domain.field import field_of
from gpuplanner_gui.domain.plan import Resource
from gpuplanner_gui.domain.training_results import PipelineTimeline, StepDetail, StepPhases
from gpuplanner_gui.drawing.language import phrase, tr
from gpuplanner_gui.drawing.palette import Theme, resource_colour
from gpuplanner_gui.drawing.plots.bars import BarPlot, Span
from gpuplanner_gui.drawing.plots.legend import LegendEntry
from gpuplanner_gui.drawing.plots.picks import Pick
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import NO_ROWS, Column, Rows, rows_of
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.training import schedule_name, waiting_text


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
        "The parts of a training step from left to right: each row starts where the one above ends. Work "
        "that overlaps with other work takes no time here."
    )

    workload = "training"

    LENGTH, UNIT, MOST_ROWS = phrase("Time since the step began"), "s", len(PHASES)
    _phases: StepPhases | None = None
    _shown: tuple[Phase, ...] = ()

    def draw(self, results: Results) -> None:
        detail = results.in_depth.step
        self._phases = detail.phases if detail is not None else None
        if detail is None or self._phases is None:
            waiting = tr("Calculating the step of the selected candidate…")
            cannot = tr("The selected candidate cannot run.")
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


HALF = 0.42
NAME_PIXELS = 16
_KINDS = ("forward", "backward", "recompute", "weights")
_KIND_NAMES = {
    "forward": "Forward",
    "backward": "Backward",
    "recompute": "Recompute",
    "weights": "Backward, weights",
    "idle": "Bubble",
}


class PipelinePlot(BarPlot):
    """Stages from top to bottom, time from left to right."""

    ABOUT = phrase(
        "One training step over the pipeline stages. Each block is the forward or backward pass of a "
        "micro-batch; gaps are the pipeline bubble, in which a stage waits."
    )

    workload = "training"

    LENGTH, UNIT, MOST_ROWS = phrase("Time since the step began"), "s", 64

    def __init__(self) -> None:
        super().__init__()
        self._detail: StepDetail | None = None
        self._blocks = BlockItem()
        self._room = 0.0
        self._drawn_with: tuple[bool, float] | None = None
        self.add(self._blocks)

    def _colours(self) -> dict[str, str]:
        forward, backward, recompute = (phase_colour(phase, self.theme) for phase in PHASES[:3])
        weights = pale(forward, 0.58, self.theme)
        return {
            "forward": forward, "backward": backward, "recompute": recompute, "weights": weights,
            "idle": self.theme.unused,
        }  # fmt: skip

    def fit(self, width: float, height: float) -> None:
        super().fit(width, height)
        if self._room != height:
            self._room = height
            self.draw_again()

    def draw(self, results: Results) -> None:
        detail = results.in_depth.step
        drawn_with = (self.theme.is_dark, self._room)
        if detail is not None and detail is self._detail and self._drawn_with == drawn_with:
            return
        self._detail, self._drawn_with = detail, drawn_with
        timeline = detail.timeline if detail is not None else None
        if detail is None or timeline is None:
            waiting = tr("Calculating the timeline of a step…")
            cannot = tr("The selected candidate cannot run.")
            self.show_message(waiting_text(results, "step", waiting if detail is None else cannot))
            return
        apart = max(1, int(np.ceil(NAME_PIXELS * timeline.stages / max(self._room - 60.0, NAME_PIXELS))))
        names = [
            tr("Stage {number}").format(number=stage + 1) if stage % apart == 0 else ""
            for stage in range(timeline.stages)
        ]
        self.names.show_names(tuple(names))
        self.show_range((0.0, timeline.total_s), (-0.6, max(timeline.stages, 2) - 0.4))
        colours = self._colours()
        blocks = blocks_of(detail)
        self._blocks.show_blocks(blocks, colours, self.theme, timeline)
        kinds = {kind for kind, *_ in blocks}
        there = [kind for kind in _KINDS if kind in kinds]
        bubble = [] if timeline.stages == 1 else ["idle"]
        self.set_legend(*(LegendEntry(tr(_KIND_NAMES[kind]), colours[kind]) for kind in [*there, *bubble]))
        self.say(self._sentence(detail, timeline))

    def _sentence(self, detail: StepDetail, timeline: PipelineTimeline) -> str:
        phases = detail.phases
        assert phases is not None
        if timeline.stages == 1:
            said = tr("No pipeline, so no bubble: each copy runs {count} micro-batches in a step")
            if phases.micro_batches == 1:
                said = tr("No pipeline, so no bubble: each copy runs one micro-batch in a step")
            said = said.format(count=format_value(phases.micro_batches))
        else:
            bubble = format_value(phases.bubble_s / phases.total_s, "share", 2)
            said = tr("{schedule} over {stages} stages: the bubble takes {bubble} of the step").format(
                schedule=schedule_name(detail.schedule), stages=timeline.stages, bubble=bubble
            )
        if timeline.micro_batches < phases.micro_batches:
            drawn, count = format_value(timeline.micro_batches), format_value(phases.micro_batches)
            said += tr("; {drawn} of {count} micro-batches drawn").format(drawn=drawn, count=count)
        return said

    def pick_at(self, x: float, y: float) -> Pick | None:
        """A block stands for no candidate."""
        return None

    def readout_at(self, x: float, y: float) -> str:
        timeline = self._detail.timeline if self._detail is not None else None
        stage = round(y)
        if timeline is None or not 0 <= stage < timeline.stages:
            return ""
        where = tr("Stage {number}").format(number=stage + 1)
        for task in timeline.tasks:
            if task.stage == stage and task.start_s <= x < task.end_s:
                what = tr(_KIND_NAMES[task.kind])
                number = tr("micro-batch {number}").format(number=task.micro_batch + 1)
                times = f"{format_value(task.start_s, 's')} – {format_value(task.end_s, 's')}"
                chunk = [tr("chunk {number}").format(number=task.chunk + 1)] if task.chunk else []
                return " · ".join([where, f"{what}, {number}", *chunk, times])
        return f"{where} · {tr('waits')}" if 0 <= x <= timeline.total_s else ""

    def table(self, results: Results) -> Rows:
        timeline = self._detail.timeline if self._detail is not None else None
        tasks = sorted(timeline.tasks, key=lambda one: (one.stage, one.start_s)) if timeline is not None else ()
        return rows_of(
            tasks,
            (tr("Stage"), "", lambda task: task.stage + 1),
            (tr("Pass"), "", lambda task: tr(_KIND_NAMES[task.kind])),
            (tr("Micro-batch"), "", lambda task: task.micro_batch + 1),
            (tr("Chunk"), "", lambda task: task.chunk + 1),
            (tr("From"), "s", lambda task: task.start_s),
            (tr("Until"), "s", lambda task: task.end_s),
        )


Block = tuple[str, int, float, float]
"""Kind, stage, start and end."""


def blocks_of(detail: StepDetail) -> list[Block]:
    """The passes, with recomputation as the first part of each backward pass."""
    timeline, phases = detail.timeline, detail.phases
    if timeline is None or phases is None:
        return []
    again = phases.recompute_s / max(phases.recompute_s + phases.backward_s, 1e-30)
    has_weights = any(task.kind == "weights" for task in timeline.tasks)
    # Gradients of weights need nothing recomputed: then it is all in the other half of the backward pass.
    share = min(1.0, again * (2.0 if has_weights else 1.0))
    blocks: list[Block] = []
    for task in timeline.tasks:
        start = task.start_s
        if task.kind == "backward" and share > 0.005:
            start += share * (task.end_s - task.start_s)
            blocks.append(("recompute", task.stage, task.start_s, start))
        blocks.append((task.kind, task.stage, start, task.end_s))
    return blocks


class BlockItem(pg.GraphicsObject):
    """All blocks of a kind in one call to the painter."""

    def __init__(self) -> None:
        super().__init__()
        self._rectangles: dict[str, list[QRectF]] = {}
        self._bounds = QRectF()
        self._line = QColor("white")

    def show_blocks(
        self, blocks: list[Block], colours: dict[str, str], theme: Theme, timeline: PipelineTimeline
    ) -> None:  # fmt: skip
        self.prepareGeometryChange()
        rectangles: dict[str, list[QRectF]] = {colours["idle"]: []} if timeline.stages > 1 else {}
        for stage in range(timeline.stages if timeline.stages > 1 else 0):
            rectangles[colours["idle"]].append(QRectF(0.0, stage - HALF, timeline.total_s, 2 * HALF))
        for kind, stage, start, end in blocks:
            rectangles.setdefault(colours[kind], []).append(QRectF(start, stage - HALF, end - start, 2 * HALF))
        self._rectangles = rectangles
        self._bounds = QRectF(0.0, -0.6, timeline.total_s, timeline.stages + 0.2)
        self._line = QColor(theme.surface)
        self.update()

    def boundingRect(self) -> QRectF:
        return self._bounds

    def paint(self, painter: QPainter, *arguments: Any) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for place, (colour, rectangles) in enumerate(self._rectangles.items()):
            is_ground = place == 0 and len(self._rectangles) > 1
            painter.setPen(Qt.PenStyle.NoPen if is_ground else pg.mkPen(self._line, width=1))
            painter.setBrush(QBrush(QColor(colour)))
            painter.drawRects(rectangles)
