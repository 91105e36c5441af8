"""The plots of a scenario, made when a format wants them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from gpuplanner_gui.drawing.application import drawing_application
from gpuplanner_gui.drawing.report.model import FIGURE_HEIGHT, FIGURE_WIDTH, ReportFigure, clean
from gpuplanner_gui.drawing.results import Results

WIDTH = FIGURE_WIDTH


def figures_of(results: Results) -> Iterator[ReportFigure]:
    """Every plot that has something to show, in reading order; must be called on the thread that draws."""
    return filter(None, (figure_of(results, (name,), name) for name in _makers(results)))


def figure_of(results: Results, names: Sequence[str], called: str, height: int = FIGURE_HEIGHT) -> ReportFigure | None:
    """The first of these plots that has something to show, under a name of its own; on the thread that draws."""
    makers = _makers(results)
    return _figure(results, [makers[name] for name in names if name in makers], called, height)


def estate_figures(results: Results) -> Iterator[ReportFigure]:
    """The estate over time; must be called on the thread that draws."""
    from gpuplanner_gui.drawing.plots.estate import EstateCashPlot, EstatePowerPlot, EstateTimelinePlot

    makers = {"timeline": EstateTimelinePlot, "cash": EstateCashPlot, "power": EstatePowerPlot}
    figures = (_figure(results, [make], f"estate-{name}", FIGURE_HEIGHT) for name, make in makers.items())
    return filter(None, figures)


def _figure(results: Results, makers: Sequence[Callable[[], Any]], called: str, height: int) -> ReportFigure | None:
    drawing_application()
    for make in makers:
        plot = _shown(make, results)
        title, has_message = plot.title, bool(plot.message)
        plot.deleteLater()
        if not has_message:
            return ReportFigure(
                file_name(results.scenario.name, called), clean(title), partial(_shown, make, results), height
            )
    return None


def _shown(make: Callable[[], Any], results: Results) -> Any:
    plot = make()
    plot.show(results)
    return plot


def figure_png(figure: ReportFigure) -> bytes:
    """The figure as a picture."""
    from gpuplanner_gui.drawing.plots.export import png_bytes

    return _drawn(figure, lambda plot: png_bytes(plot, WIDTH, figure.height))


def figure_picture(figure: ReportFigure) -> bytes:
    """The figure as vectors: a `QPicture`."""
    from gpuplanner_gui.drawing.plots.export import picture_bytes

    return _drawn(figure, lambda plot: picture_bytes(plot, WIDTH, figure.height))


def _drawn(figure: ReportFigure, render: Callable[[Any], bytes]) -> bytes:
    application = drawing_application()
    plot = figure.draw()
    content = render(plot)
    plot.deleteLater()
    application.processEvents()
    return content


def _makers(results: Results) -> dict[str, Callable[[], Any]]:
    from gpuplanner_gui.drawing.plots.cost import CostPlot, ResourceUsePlot, StepTimePlot
    from gpuplanner_gui.drawing.plots.load import LatencyPlot
    from gpuplanner_gui.drawing.plots.memory import MemoryPlot
    from gpuplanner_gui.drawing.plots.roofline import RooflinePlot
    from gpuplanner_gui.drawing.plots.scaling import ScalingPlot

    makers: dict[str, Callable[[], Any]] = {}
    if results.plan.serving is not None:
        if results.scenario.first_latency == "e2e":
            makers["latency-whole-answer"] = lambda: LatencyPlot("e2e")
        else:
            makers["latency-first-token"] = lambda: LatencyPlot("ttft")
            if "tpot" in results.scenario.told_latencies:
                makers["latency-each-token"] = lambda: LatencyPlot("tpot")
    if results.plan.training is not None:
        makers["training-time"] = ScalingPlot
    kinds = {"roofline": RooflinePlot, "step": StepTimePlot, "memory": MemoryPlot, "cost": CostPlot}
    for workload in results.workloads():
        for kind, plot_type in kinds.items():
            makers[f"{workload}-{kind}"] = partial(plot_type, workload)
    if len(results.workloads()) > 1:
        makers["both-resources"] = ResourceUsePlot
    return makers | _decision_makers(results)


def _decision_makers(results: Results) -> dict[str, Callable[[], Any]]:
    """Plots of fleets, terms and uncertainty, as far as they were computed."""
    from gpuplanner_gui.drawing.plots.ownership import OwnedPartsPlot, TermsPlot
    from gpuplanner_gui.drawing.plots.strategies import PaidUsedPlot, StrategiesPlot, TimelinePlot
    from gpuplanner_gui.drawing.plots.uncertainty import BandsPlot, RivalsPlot, TornadoPlot

    makers: dict[str, Callable[[], Any]] = {}
    known = results.known
    if known.fleets is not None:
        makers |= {"fleets": StrategiesPlot, "fleets-paid": PaidUsedPlot}
        makers["fleets-timeline"] = TimelinePlot
    for workload in known.ownership:
        makers[f"{workload}-terms"] = partial(TermsPlot, workload)
        makers[f"{workload}-owning"] = partial(OwnedPartsPlot, workload)
    if known.uncertainty is not None:
        makers["uncertainty"] = BandsPlot
        for tornado in known.uncertainty.tornados:
            makers[f"moves-{tornado.code}"] = partial(TornadoPlot, tornado.code, tornado.unit)
        for workload in dict.fromkeys(one.workload for one in known.uncertainty.rivals):
            makers[f"{workload}-rivals"] = partial(RivalsPlot, workload)
    return makers


def file_name(scenario: str, plot: str) -> str:
    """A name that every file system takes."""
    safe = re.sub(r"[^a-z0-9]+", "-", scenario.casefold()).strip("-")[:60]
    return f"{safe or 'scenario'}-{plot}.png"
