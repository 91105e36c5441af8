"""Pages of plots about training: candidates, one step in depth, scaling, what fits, and data and storage."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from PySide6.QtWidgets import QVBoxLayout

from gpuplanner_gui.desktop.pages.plot_page import PlotPage
from gpuplanner_gui.desktop.pages.result_view import ResultView
from gpuplanner_gui.desktop.tasks.decision_tasks import FITS, SCALING, STEP
from gpuplanner_gui.desktop.widgets.flow_layout import STRETCH, lay_out
from gpuplanner_gui.desktop.widgets.labels import WrappingLabel, plain_label
from gpuplanner_gui.desktop.widgets.rows_table import RowsTable
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.plots.cost import StepTimePlot
from gpuplanner_gui.drawing.plots.memory import MemoryPlot, StageMemoryPlot
from gpuplanner_gui.drawing.plots.scaling import ScalingPlot
from gpuplanner_gui.drawing.plots.scaling_curve import ScalingCurvePlot
from gpuplanner_gui.drawing.plots.step_phases import PipelinePlot, StepPhasesPlot
from gpuplanner_gui.drawing.plots.sweep import SweepPlot
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import accelerator_of
from gpuplanner_gui.drawing.words.training import data_text, largest_model_text, store_rows, store_text, waiting_text


class StoragePage(ResultView):
    """Two sentences about the candidate, and the recommended run over stores from fast to slow."""

    def __init__(self) -> None:
        super().__init__()
        self.data = WrappingLabel("", self, is_selectable=True)
        self.store = WrappingLabel("", self, is_selectable=True)
        self.heading = plain_label(tr("The recommended run with other checkpoint stores"), self, name="sectionTitle")
        self.table = RowsTable(self.heading.text(), self, fits=True)
        lay_out(
            QVBoxLayout(self), self.data, self.store, self.heading, self.table, STRETCH, margins=(20, 8, 16, 8),
            spacing=8,
        )  # fmt: skip

    def draw(self, context: Results) -> None:
        candidate = context.candidate("training")
        self.data.setText(data_text(context, candidate) or tr("No candidate can train this. The table says why."))
        self.store.setText(store_text(context, candidate))
        rows = store_rows(context)
        self.table.show_rows(rows)
        self.heading.setVisible(bool(rows.cells))
        self.table.setVisible(bool(rows.cells))
        self.table.show_whole()


class TrainingCandidatesPage(PlotPage):
    """The candidates beside each other: run time, the parts of a step, and memory."""

    workload = "training"
    plots: ClassVar = {
        "scaling": ScalingPlot,
        "step": partial(StepTimePlot, "training"),
        "memory": partial(MemoryPlot, "training"),
    }


class TrainingStepPage(PlotPage):
    """One candidate's step: its phases, its passes over the pipeline, and the memory of each stage."""

    follows = ("training",)
    wanted = (STEP,)
    workload = "training"
    plots: ClassVar = {"phases": StepPhasesPlot, "memory": StageMemoryPlot, "pipeline": PipelinePlot}


class TrainingScalingPage(PlotPage):
    """Run time, efficiency and cost from one device to a hundred thousand."""

    follows = ("training",)
    wanted = (SCALING,)
    workload = "training"
    plots: ClassVar = {name: partial(ScalingCurvePlot, name) for name in ("time", "cost", "efficiency")}


class TrainingFitsPage(ResultView):
    """How long sequences, how large micro-batches and how large a model the devices of the candidate can train."""

    follows = ("training",)
    wanted = (FITS,)

    def __init__(self) -> None:
        super().__init__()
        self.largest = plain_label("", self, wraps=True)
        self.largest.setContentsMargins(20, 8, 16, 0)
        self.plots = _SweepPlots(self)
        lay_out(QVBoxLayout(self), self.largest, (self.plots, 1), margins=(0, 0, 0, 0), spacing=0)

    def draw(self, context: Results) -> None:
        fits = context.in_depth.fits
        self.largest.setText(_largest_text(context) if fits is not None else "")
        self.largest.setVisible(fits is not None)
        self.plots.show_results(context)

    def is_drawing(self) -> bool:
        return super().is_drawing() or self.plots.is_drawing()


class _SweepPlots(PlotPage):
    workload = "training"
    plots: ClassVar = {name: partial(SweepPlot, name) for name in ("sequence_length", "micro_batch")}


def _largest_text(context: Results) -> str:
    fits = context.in_depth.fits
    answer, candidate = context.plan.training, context.candidate("training")
    if fits is None or answer is None or candidate < 0:
        return waiting_text(context, "fits", "")
    name = accelerator_of(context.plan, context.catalog, answer.table, candidate)
    where = f"{format_value(fits.largest_model.devices, '', 7)} × {name}"
    return largest_model_text(fits, context.scenario, where)
