"""Every plot of every example: names keep apart and inside, axes have titles, and no name of code is to be read."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import msgspec
import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtWidgets import QApplication

from gpuplanner_gui import paths
from gpuplanner_gui.domain.catalog import merged_with_snapshot
from gpuplanner_gui.drawing.in_depth import in_depth
from gpuplanner_gui.drawing.method_pages import method_html
from gpuplanner_gui.drawing.palette import DARK, LIGHT
from gpuplanner_gui.drawing.plots.base import Plot
from gpuplanner_gui.drawing.plots.cost import CostPlot, ResourceUsePlot, StepTimePlot
from gpuplanner_gui.drawing.plots.export import plot_widget
from gpuplanner_gui.drawing.plots.load import LatencyPlot
from gpuplanner_gui.drawing.plots.memory import MemoryPlot, StageMemoryPlot
from gpuplanner_gui.drawing.plots.memory_frontier import MemoryFrontierPlot
from gpuplanner_gui.drawing.plots.names import MARGIN
from gpuplanner_gui.drawing.plots.ownership import OwnedPartsPlot, TermsPlot
from gpuplanner_gui.drawing.plots.phase_gain import PhaseGainPlot
from gpuplanner_gui.drawing.plots.phase_shares import BatchSharesPlot, PhaseSharesPlot
from gpuplanner_gui.drawing.plots.roofline import RooflinePlot
from gpuplanner_gui.drawing.plots.scaling import ScalingPlot
from gpuplanner_gui.drawing.plots.scaling_curve import PICTURES, ScalingCurvePlot
from gpuplanner_gui.drawing.plots.step_phases import PipelinePlot, StepPhasesPlot
from gpuplanner_gui.drawing.plots.strategies import PaidUsedPlot, StrategiesPlot, TimelinePlot
from gpuplanner_gui.drawing.plots.sweep import TITLES, SweepPlot
from gpuplanner_gui.drawing.plots.uncertainty import BandsPlot, RivalsPlot, TornadoPlot
from gpuplanner_gui.drawing.report import write_report
from gpuplanner_gui.drawing.results import Results, TrainingDetail
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.explaining.formula import FORMULAS
from gpuplanner_gui.engine.phases.gains import speeds, work_of
from gpuplanner_gui.engine.serving.limits import plan_limits
from gpuplanner_gui.engine.training import exploring
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import load_project
from gpuplanner_gui.files.shipped_tables import methods

pytestmark = pytest.mark.usefixtures("short_simulations")

USUAL = frozenset(("13b-two-deployments", "70b-chat", "7b-continued-pretraining"))
"""Examples of every run; `make test-deep` draws all."""
EXAMPLES = [
    path
    for path in sorted((paths.resources_dir() / "examples").glob("*.gpuplan"))
    if path.stem in USUAL or "GPUPLANNER_DEEP" in os.environ
]
SIZES = ((300, 150), (420, 190), (1000, 420))
SAMPLES = 60
PAIR = ("nvidia-h100-sxm-80gb", "nvidia-a100-sxm-80gb")
SNAKE = re.compile(r"(?<![\w/.\-:{])[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?![\w/]|\.\w)")
PART_OF_A_DEVICE = re.compile(r"\d\.\d+ × [A-Z](?!.*on average)")
"""Devices are whole, unless a mean over time is meant."""
COMMANDS = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
"""What a launcher is told is in its own words."""


@pytest.fixture(scope="module", params=EXAMPLES, ids=lambda path: path.stem)
def results(request: pytest.FixtureRequest) -> Results:
    """The first scenario of an example, with all that its plots show."""
    project, calibration = load_project(request.param), load_calibration()
    catalog = merged_with_snapshot(load_shipped_catalog(), project.catalog)
    scenario = project.scenarios[0]
    fewer = msgspec.structs.replace(scenario.economics.uncertainty, samples=SAMPLES)
    scenario = msgspec.structs.replace(
        scenario, economics=msgspec.structs.replace(scenario.economics, uncertainty=fewer)
    )
    given = (scenario, catalog, calibration)
    planned = plan(*given, seed=project.seed)
    found = in_depth(Results(project=project, scenario=scenario, plan=planned, catalog=catalog), calibration)
    assert found.decision is not None
    limits = plan_limits(*given, planned) if planned.serving is not None else None
    phases = speeds(scenario.model, catalog, calibration, work_of(scenario))
    found = replace(found, decision=replace(found.decision, limits=limits, phases=phases))
    if planned.training is None or planned.training.best < 0:
        return found
    best = planned.training.best
    device = planned.accelerators[int(planned.training.table.accelerator[best])]
    detail = TrainingDetail(
        step=exploring.step_detail(*given, planned, best),
        fits=exploring.fits(*given, planned, best),
        scaling=exploring.scaling(*given, device),
    )
    return replace(found, training=detail)


def gain_plot() -> PhaseGainPlot:
    made = PhaseGainPlot()
    made.pair = PAIR
    return made


def plots_of(results: Results) -> Iterator[Callable[[], Plot]]:
    """All plots that a scenario can have."""
    yield from (gain_plot, ResourceUsePlot, StrategiesPlot, PaidUsedPlot, TimelinePlot, BandsPlot)
    for workload in results.workloads():
        for kind in (RooflinePlot, StepTimePlot, MemoryPlot, CostPlot, TermsPlot, OwnedPartsPlot, RivalsPlot):
            yield lambda kind=kind, workload=workload: kind(workload)  # type: ignore[misc]
    if results.plan.serving is not None:
        yield from (lambda metric=metric: LatencyPlot(metric) for metric in ("ttft", "itl", "tpot", "e2e"))
        yield from (lambda phase=phase: RooflinePlot("serving", phase=phase) for phase in ("prefill", "decode"))
        yield from (PhaseSharesPlot, BatchSharesPlot, MemoryFrontierPlot)
    if results.plan.training is not None:
        yield from (ScalingPlot, StageMemoryPlot, StepPhasesPlot, PipelinePlot)
        yield from (lambda picture=picture: ScalingCurvePlot(picture) for picture in PICTURES)
        yield from (lambda code=code: SweepPlot(code) for code in TITLES)
    uncertainty = results.known.uncertainty
    for one in uncertainty.tornados if uncertainty is not None else ():
        yield lambda one=one: TornadoPlot(one.code, one.unit)  # type: ignore[misc]


def letters(plot: Plot) -> list[tuple[str, QRectF]]:
    """Names within the plot, and the rectangles that their letters take in the scene."""
    texts = [one for one in plot.item.items if isinstance(one, pg.TextItem) and one.isVisible()]
    return [
        (one.toPlainText(), one.mapRectToScene(one.boundingRect()).adjusted(0, MARGIN, 0, -MARGIN)) for one in texts
    ]


MOST_ON_CURVE, BLANK = 0.1, 2.0
"""Of a name's width: a curve may pass its corner. Pixels above and below letters."""


def names_on_curves(plot: Plot) -> list[str]:
    """Names of lines and points through whose letters a curve runs; not behind the ground of one in its own line."""
    view, found = plot.item.getViewBox(), []
    curves = [one for one in plot.item.items if isinstance(one, pg.PlotCurveItem) and one.isVisible()]
    texts = [one for one in plot.item.items if isinstance(one, pg.TextItem) and one.isVisible()]
    for one, (text, box) in zip(texts, letters(plot), strict=True):
        if one.fill.style() != Qt.BrushStyle.NoBrush and one.fill.color().alpha() == 255:
            continue
        across = np.linspace(box.left(), box.right(), 80)
        for curve in curves:
            x, y = curve.getData()
            if x is None or len(x) < 2 or curve.opts["connect"] == "pairs":
                continue
            points = [view.mapViewToScene(pg.Point(*place)) for place in zip(x, y) if np.isfinite(place).all()]
            lefts = np.array([point.x() for point in points])
            if len(points) < 2 or np.any(np.diff(lefts) < 0):
                continue
            down = np.interp(across, lefts, [point.y() for point in points], left=np.nan, right=np.nan)
            inside = (down > box.top() + BLANK) & (down < box.bottom() - BLANK)
            if np.mean(inside) > MOST_ON_CURVE:
                found.append(text)
    return found


def words_of(plot: Plot) -> Iterator[str]:
    """All that can be read of a plot: sentence, help, legend, names, readouts and table."""
    yield from (plot.title, plot.message, plot.about(), *(entry.name for entry in plot.legend.entries))
    yield from (text for text, _ in letters(plot))
    (left, right), (low, high) = plot.item.getViewBox().viewRange()
    for x in range(8):
        for y in range(6):
            yield plot.readout_at(left + (x + 0.5) / 8 * (right - left), low + (y + 0.5) / 6 * (high - low))
    rows = plot.as_rows()
    yield from (column.title for column in rows.columns)
    yield from (cell for row in rows.cells for cell in row if isinstance(cell, str))


def test_names_keep_apart_and_inside_and_say_no_name_of_code(qapp: QApplication, results: Results) -> None:
    drawn = 0
    for place, make in enumerate(plots_of(results)):
        plot = make()
        canvas = plot_widget(plot)
        plot.use_theme(DARK if place % 2 else LIGHT)
        for width, height in SIZES:
            canvas.resize(width, height)
            canvas.show()
            plot.show(results)
            plot.fit(width, height)
            canvas.grab()
            what = f"{type(plot).__name__} at {width} × {height}"
            if plot.message:
                break
            named, view = letters(plot), plot.item.getViewBox().sceneBoundingRect().adjusted(-1, -1, 1, 1)
            drawn += len(named)
            for (one, first), (other, second) in combinations(named, 2):
                assert not first.intersects(second), f"{what}: {one!r} lies on {other!r}"
            outside = [text for text, box in named if not view.contains(box)]
            assert not outside, f"{what}: {outside} leave the plot"
            assert not (crossed := names_on_curves(plot)), f"{what}: curves run through {crossed}"
            if isinstance(plot, LatencyPlot) and width > 400:
                assert any("planned" in text for text, _ in named), f"{what}: the planned rate has no name"
        assert plot.item.getAxis("bottom").labelText, f"{type(plot).__name__}: what the axis measures is not said"
        for text in words_of(plot):
            assert not SNAKE.search(text), f"{type(plot).__name__}: {text}"
            assert not PART_OF_A_DEVICE.search(text), f"{type(plot).__name__}: {text}"
        canvas.close()
    assert drawn > 20


def test_reports_say_no_name_of_code(results: Results, tmp_path: Path) -> None:
    (written,) = (path for path in write_report(results.project, (results,), tmp_path / "r.md") if path.suffix == ".md")
    said = COMMANDS.sub("", written.read_text(encoding="utf-8"))
    assert SNAKE.findall(said) == []


def test_methods_say_no_name_of_code() -> None:
    formulas = list(FORMULAS.values())
    assert len(formulas) > 50
    pages = [method_html(one, (), "#000") for one in methods()] + [method_html(methods()[0], formulas, "#000")]
    for page in pages:
        words = re.sub(r"<a name=[^>]*>", "", page)
        assert SNAKE.findall(words) == []
