"""What "why?" lists of a plot: its own numbers, and no others of the page."""

from __future__ import annotations

import pytest

from gpuplanner_gui.domain.scenario import HardwareChoice, Project, Scenario
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.drawing.explained_numbers import numbers_of_plot
from gpuplanner_gui.drawing.numbers import Number, numbers_of
from gpuplanner_gui.drawing.plots.cost import CostPlot
from gpuplanner_gui.drawing.plots.memory import MemoryPlot
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import Column, Rows
from gpuplanner_gui.engine import plan
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration

H100, L40S = "nvidia-h100-sxm-80gb", "nvidia-l40s"


@pytest.fixture(scope="module")
def results() -> Results:
    catalog = load_shipped_catalog()
    scenario = Scenario(
        name="chat", model=catalog.models["llama-3.1-8b"].model,
        serving=ServingWorkload(classes=(RequestClass(peak_rate_per_s=20.0),)),
        hardware=HardwareChoice(accelerators=(H100, L40S)),
    )  # fmt: skip
    planned = plan(scenario, catalog, load_calibration())
    return Results(project=Project(scenarios=(scenario,)), scenario=scenario, plan=planned, catalog=catalog)


def listed(results: Results, rows: Rows, *numbers: Number) -> list[str]:
    return [one.title for one in numbers_of_plot(rows, numbers, results)]


def test_a_number_is_shown_by_its_value_or_its_words(results: Results) -> None:
    rows = Rows((Column("Cost", "USD"), Column("Time", "s")), ((1234.5678, "1.50 s"),))
    same, other = Number("a", "x", "cost", "USD", 1234.5678), Number("a", "y", "cost", "USD", 1234.57)
    written = Number("a", "z", "wait", "s", 1.5)
    assert listed(results, rows, same, other, written) == ["cost", "wait"]


class Unwritten(Number):
    @property
    def text(self) -> str:
        raise AssertionError("to write out each of a thousand numbers takes longer than a frame")


def test_numbers_are_written_out_only_where_a_plot_has_numbers_in_words(results: Results) -> None:
    rows = Rows((Column("Candidate"), Column("Part"), Column("Cost", "USD")), (("2 × H100 · FP8", "KV", 1234.5678),))
    assert listed(results, rows, Unwritten("a", "x", "cost", "USD", 1234.5678)) == ["cost"]


def test_hours_are_found_where_a_plot_shows_seconds(results: Results) -> None:
    rows = Rows((Column("From", "s"),), ((9000.5 * 3600,),))
    assert listed(results, rows, Number("a", "x", "from", "h", 9000.5)) == ["from"]


@pytest.mark.parametrize(
    ("title", "unit", "is_listed"), [("Devices", "", True), ("Replicas", "", False), ("Pool", "devices", True)]
)
def test_round_numbers_are_shared_by_chance(results: Results, title: str, unit: str, is_listed: bool) -> None:
    rows = Rows((Column("Devices", "devices"),), ((8,),))
    assert bool(listed(results, rows, Number("a", "x", title, unit, 8.0))) is is_listed


@pytest.mark.parametrize("make_plot", [CostPlot, MemoryPlot])
def test_bars_list_the_figures_of_every_candidate_that_they_show(qapp, make_plot, results: Results) -> None:
    plot = make_plot()
    plot.show(results)
    shown = plot.shown_candidates()
    assert len(shown["serving"]) > 1
    numbers = list(numbers_of(results, "cost", (), shown))
    found = numbers_of_plot(plot.as_rows(), numbers, results)
    assert {int(one.place.split("/")[0]) for one in found} == set(shown["serving"])
    assert len(found) < len(numbers) / 3


def test_shares_that_a_plot_works_out_lead_to_what_they_are_made_of(qapp, results: Results) -> None:
    plot = CostPlot()
    plot.show(results)
    numbers = list(numbers_of(results, "cost", (), plot.shown_candidates()))
    found = {one.place for one in numbers_of_plot(plot.as_rows(), numbers, results, plot.made_of)}
    best = results.candidate("serving")
    assert {f"{best}/load_per_replica_per_s", f"{best}/max_rate_per_s"} <= found
