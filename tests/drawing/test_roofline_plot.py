"""The roofline of one phase: named points, numbers of what is clicked, shares that add up, the crossover in words."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from gpuplanner_gui.drawing.plots.batch_shares import BatchSharesPlot
from gpuplanner_gui.drawing.plots.phase_shares import PhaseSharesPlot
from gpuplanner_gui.drawing.plots.roofline import RooflinePlot
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.words_operations import crossover_text, operation_name
from tests.drawing import synthetic


@pytest.fixture
def results(qapp: QApplication) -> Results:
    return synthetic.results()


def decode(results: Results) -> RooflinePlot:
    plot = RooflinePlot("serving", phase="decode")
    plot.fit(600, 340)
    plot.show(results)
    return plot


def test_one_phase_shows_its_own_points_and_says_what_takes_its_time(results: Results) -> None:
    plot = decode(results)
    assert plot.title == "Decode, batch 24: 70 % of the time is memory bandwidth"
    assert {row[0] for row in plot.as_rows().cells} == {"decode"}


def test_hover_and_click_name_the_points_numbers(results: Results) -> None:
    plot = decode(results)
    one = next(point for point in results.rooflines["serving"].points if point.code == "decode_attention")
    x = plot.x_scale.place_one(one.intensity_flop_per_byte)
    y = plot.y_scale.place_one(one.achieved_flop_per_s)
    said = plot.readout_at(x, y)
    for words in ("8 FLOP/B", "6 ms", "30 % of its phase", "B 83 %", "limit memory bandwidth"):
        assert words in said
    plot.clicked_at(x, y)
    assert plot.title == said
    assert plot.picked == "decode_attention"
    plot.clicked_at(x, y)
    assert plot.picked == ""
    assert plot.title.startswith("Decode")


def test_legend_holds_datasheet_and_measured_figures(results: Results) -> None:
    plot = decode(results)
    names = [entry.name for entry in plot.legend._entries]
    assert any("measured" in name and "memory bandwidth" in name for name in names)
    assert any(name.startswith("C BF16") and "measured" in name for name in names)


def test_shares_of_a_phase_are_its_whole_time(results: Results) -> None:
    plot = PhaseSharesPlot()
    plot.fit(600, 300)
    plot.show(results)
    assert plot.title == "Prefill is 80 % compute, decode is 70 % memory bandwidth"
    for row in plot.as_rows().cells:
        assert sum(float(cell) for cell in row[3:]) == pytest.approx(float(row[2]), rel=0.01)


def test_batch_shares_say_where_compute_takes_over(results: Results) -> None:
    shares = synthetic.batch_shares()
    assert crossover_text(shares) == "Compute leads from batch 417 on; the memory holds 300"
    assert crossover_text(msgspec.structs.replace(shares, largest_batch=900.0)) == "Compute leads from batch 417 on"
    never = msgspec.structs.replace(shares, crossover_batch=float("inf"))
    assert crossover_text(never) == "At every batch memory traffic outweighs compute"
    plot = BatchSharesPlot()
    plot.show(results)
    assert "batch 100" in plot.readout_at(2.0, 0.5)


def test_tokens_per_second_rise_with_the_batch_and_are_tabulated_from_one(results: Results) -> None:
    plot = BatchSharesPlot()
    plot.show(results)
    rows = plot.as_rows()
    assert [column.title for column in rows.columns[:2]] == ["Batch", "Tokens/s"]
    assert rows.cells[0][0] == 1.0
    for batch, rate, *seconds in rows.cells:
        assert float(rate) == pytest.approx(float(batch) / sum(float(one) for one in seconds))  # type: ignore[arg-type]
    rates = [float(row[1]) for row in rows.cells]  # type: ignore[arg-type]
    assert rates == sorted(rates)
    assert "tok/s" in plot.readout_at(2.0, 0.5)


def test_a_candidate_that_cannot_run_says_so(results: Results) -> None:
    empty = msgspec.structs.replace(results.rooflines["serving"], points=(), batches=None)
    nothing = replace(results, rooflines={"serving": empty})
    for plot in (RooflinePlot("serving", phase="decode"), PhaseSharesPlot(), BatchSharesPlot()):
        plot.show(nothing)
        assert plot.message.startswith("The selected candidate cannot run")


def test_every_operation_of_the_engine_has_a_name_of_its_own() -> None:
    from gpuplanner_gui.drawing.words_operations import OPERATIONS
    from gpuplanner_gui.engine.operations import operations
    from gpuplanner_gui.files.catalogs import load_shipped_catalog

    codes = {one.code for entry in load_shipped_catalog().models.values() for one in operations(entry.model)}
    assert {code for code in codes if not code.endswith("all_reduce")} <= set(OPERATIONS)
    assert operation_name("head") == "LM head"
    assert np.unique(list(OPERATIONS.values())).size == len(OPERATIONS)
