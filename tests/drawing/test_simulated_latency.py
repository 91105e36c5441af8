"""The latency plot with a simulation in front of the closed form."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from gpuplanner_gui.api import plan as answered
from gpuplanner_gui.drawing.plots.latency_marks import closed_form_columns, simulated_columns
from gpuplanner_gui.drawing.plots.load import LatencyPlot
from gpuplanner_gui.drawing.results import LoadSimulation, Results
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.engine.serving.curves import latency_band_s
from gpuplanner_gui.files.project import load_project
from tests.conftest import SMALL_CHAT
from tests.drawing import synthetic
from tests.drawing.words.test_load import RATES, curve


@pytest.fixture
def results() -> Results:
    plain = synthetic.results()
    simulation = LoadSimulation(candidate=plain.candidate("serving"), curve=curve())
    return replace(plain, simulation=simulation)


def test_simulated_percentiles_take_the_place_of_the_closed_form(qapp: QApplication, results: Results) -> None:
    plot = LatencyPlot("ttft")
    plot.show(replace(results, simulation=None))
    closed_form = plot.columns
    assert not closed_form.is_simulated
    plot.show(results)
    assert plot.columns.is_simulated
    x, y = plot._curves["p95"].getData()
    assert x == pytest.approx(RATES)
    assert y == pytest.approx(np.log10(RATES * 0.1))
    closed_x, _ = plot._closed_form.getData()
    assert len(closed_x) == len(results.load_curve.rates_per_s)
    assert plot.marks.knee.isVisible()
    assert "KV cache" in plot.readout_at(1.5, 0.0)


def test_a_trace_has_no_closed_form_beside_it(qapp: QApplication, results: Results) -> None:
    plot = LatencyPlot("ttft")
    assert results.simulation is not None
    plot.show(replace(results, simulation=replace(results.simulation, curve=curve(is_trace=True))))
    assert not len(plot._closed_form.getData()[0])


def test_a_simulation_of_another_candidate_is_not_drawn(qapp: QApplication, results: Results) -> None:
    plot = LatencyPlot("ttft")
    assert results.simulation is not None
    plot.show(replace(results, simulation=replace(results.simulation, candidate=results.simulation.candidate + 1)))
    assert plot.columns is not None
    assert not plot.columns.is_simulated


def test_gaps_between_tokens_come_with_the_simulation(qapp: QApplication, results: Results) -> None:
    plot = LatencyPlot("itl")
    plot.show(replace(results, simulation=None))
    assert plot.message
    plot.show(results)
    assert plot.message == ""
    assert plot.title.startswith("ITL p95 is")


def test_simulated_numbers_are_the_table(qapp: QApplication, results: Results) -> None:
    plot = LatencyPlot("e2e")
    plot.show(results)
    rows = plot.as_rows()
    assert [row[0] for row in rows.cells] == RATES.tolist()


def test_the_band_holds_the_models_uncertainty_and_chance() -> None:
    closed = synthetic.results().load_curve
    assert closed is not None
    columns = simulated_columns(curve(max_rate_per_s=9.0), "ttft", closed)
    low_s, high_s = latency_band_s(closed, "ttft", columns.statistic("p95"), RATES, 9.0)
    assert (columns.low_s < low_s + 1e-12).all()
    assert (columns.high_s > high_s - 1e-12).all()
    certain = curve(band_s={"ttft": {"p95": np.full(3, np.nan)}}, max_rate_per_s=9.0)
    assert simulated_columns(certain, "ttft", closed).high_s == pytest.approx(high_s)
    # Its last rate is more than slower machines take: the band is drawn up to beyond the view.
    saturated = simulated_columns(curve(max_rate_per_s=3.5), "ttft", closed)
    assert np.isposinf(saturated.high_s).tolist() == [False, False, True]


def test_the_closed_form_knows_no_single_gaps() -> None:
    closed = synthetic.results().load_curve
    assert closed is not None
    assert not closed_form_columns(closed, "itl").has_latency
    assert closed_form_columns(closed, "ttft").has_latency
    assert not closed_form_columns(msgspec.structs.replace(closed, rates_per_s=np.zeros(0)), "itl").has_latency


def test_the_plot_of_a_batch_tells_the_latency_at_which_it_runs(qapp: QApplication) -> None:
    (scenario,) = load_project(SMALL_CHAT).scenarios
    serving = scenario.service
    traffic = msgspec.structs.replace(
        serving.traffic, arrivals="batch", batch_requests=100_000.0, batch_time_s=8 * 3600.0
    )
    batch = msgspec.structs.replace(scenario, serving=msgspec.structs.replace(serving, traffic=traffic))
    (results,) = answered(batch)
    plot = LatencyPlot("tpot")
    plot.show(results)
    table, best = results.plan.served.table, results.plan.served.best
    assert plot.title == f"TPOT p95 is {format_value(float(table.tpot_p95_s[best]), 's')} while the batch runs"
