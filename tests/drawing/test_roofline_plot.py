"""The roofline of one phase: named points, numbers of what is clicked, shares that add up, the crossover in words."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from gpuplanner_gui.drawing.plots.export import svg_bytes
from gpuplanner_gui.drawing.plots.phase_shares import BatchSharesPlot, PhaseSharesPlot
from gpuplanner_gui.drawing.plots.roofline import RooflinePlot
from gpuplanner_gui.drawing.plots.roofline_words import decode_ceiling_text, mean_prompt_text
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import crossover_text, operation_name
from tests.drawing import synthetic

NBSP = "\N{NO-BREAK SPACE}"


@pytest.fixture
def results(qapp: QApplication) -> Results:
    return synthetic.results()


def decode(results: Results) -> RooflinePlot:
    plot = RooflinePlot("serving", phase="decode")
    plot.item.resize(600, 340)
    plot.fit(600, 340)
    plot.show(results)
    return plot


def test_one_phase_shows_its_own_points_and_says_what_takes_its_time(results: Results) -> None:
    plot = decode(results)
    assert plot.title == "Decode, batch 24: a step takes 20 ms, 70 % of it memory bandwidth"
    assert {row[1] for row in plot.as_rows().cells} == {"decode"}


def test_hover_and_click_name_the_points_numbers(results: Results) -> None:
    plot = decode(results)
    one = next(point for point in results.rooflines["serving"].points if point.code == "decode_attention")
    x = plot.x_scale.place_one(one.intensity_flop_per_byte)
    y = plot.y_scale.place_one(one.achieved_flop_per_s)
    said = plot.readout_at(x, y)
    for words in ("8 FLOP/B", "6 ms", "30 % of its phase", "memory bandwidth 83 %", "limit memory bandwidth"):
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
    assert any("can be reached" in name and "memory bandwidth" in name for name in names)
    assert any(name.startswith("BF16") and "can be reached" in name for name in names)


@pytest.mark.parametrize(("used", "named"), [("fp8", "FP8 1.20 PFLOP/s"), ("bf16", "BF16 1 PFLOP/s")])
def test_of_ceilings_close_to_each_other_that_of_the_plans_format_is_named(
    results: Results, used: str, named: str
) -> None:
    roofline = msgspec.structs.replace(
        results.rooflines["serving"], peak_flop_per_s={"fp8": 1.2e15, "bf16": 1e15}, formats=(used,)
    )
    plot = RooflinePlot("serving")
    plot.item.resize(600, 500)
    plot.fit(600, 500)
    plot.show(replace(results, rooflines={"serving": roofline}))
    assert [name for name in plot.labels.shown() if "FLOP/s" in name] == [named]


def test_shares_of_a_phase_are_its_whole_time(results: Results) -> None:
    plot = PhaseSharesPlot()
    plot.fit(600, 300)
    plot.show(results)
    assert plot.title == "Prefill: 80 % compute, decode: 70 % memory bandwidth"
    for row in plot.as_rows().cells:
        assert sum(float(cell) for cell in row[3:]) == pytest.approx(float(row[2]), rel=0.01)


@pytest.mark.parametrize("height", [180, 300])
def test_rows_under_a_phase_add_up_to_it(results: Results, height: float) -> None:
    """The bars shown were the longest, without a word about what the others take."""
    whole = results.rooflines["serving"]
    (first,) = (one for one in whole.points if one.code == "decode")
    names = ("ffn", "attention", "qkv", "output", "norms", "head", "activation", "rotary")
    halves = [0.4, 0.25, 0.1, 0.08, 0.06, 0.05, 0.04, 0.02]
    fields = ("time_s", "compute_s", "bandwidth_s", "interconnect_s", "host_s")
    parts = tuple(
        msgspec.structs.replace(first, code=name, **{field: share * getattr(first, field) for field in fields})
        for name, share in zip(names, halves)
    )
    plot = PhaseSharesPlot()
    plot.fit(600, height)
    plot.show(replace(results, rooflines={"serving": msgspec.structs.replace(whole, points=(first, *parts))}))
    lengths = plot.drawn_lengths.sum(axis=1)
    assert lengths[0] == pytest.approx(1.0)
    assert lengths[1:].sum() == pytest.approx(1.0), "what is left stands in a row of its own"
    last = plot.row_readout(results, len(lengths) - 1, 0.0)
    assert last.startswith("Decode, All others: ") is (len(lengths) < 1 + len(names))


@pytest.mark.parametrize("kind", [PhaseSharesPlot, BatchSharesPlot])
def test_the_legend_names_no_part_that_no_bar_has(results: Results, kind: type[PhaseSharesPlot]) -> None:
    """Of one device a step has no interconnect, which the legend named."""
    whole = results.rooflines["serving"]
    shares = synthetic.batch_shares()
    alone = msgspec.structs.replace(
        whole, batches=msgspec.structs.replace(shares, interconnect_s=0 * shares.interconnect_s),
        points=tuple(msgspec.structs.replace(one, interconnect_s=0.0) for one in whole.points),
    )  # fmt: skip
    plot = kind()
    plot.fit(600, 300)
    plot.show(replace(results, rooflines={"serving": alone}))
    names = [entry.name for entry in plot.legend._entries]
    assert "compute" in names
    assert "interconnect" not in names
    several = tuple(msgspec.structs.replace(one, interconnect_s=one.time_s) for one in whole.points)
    joined = msgspec.structs.replace(alone, points=several, batches=shares)
    plot.show(replace(results, rooflines={"serving": joined}))
    assert kind is BatchSharesPlot or "interconnect" in [entry.name for entry in plot.legend._entries]


def test_batch_shares_say_where_compute_takes_over(results: Results) -> None:
    shares = synthetic.batch_shares()
    assert crossover_text(shares) == "Compute limits decode from batch 417; memory holds a batch of 300"
    assert (
        crossover_text(msgspec.structs.replace(shares, largest_batch=900.0)) == "Compute limits decode from batch 417"
    )
    never = msgspec.structs.replace(shares, crossover_batch=float("inf"))
    assert crossover_text(never) == "Memory bandwidth limits decode at every batch size"
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
        assert float(rate) == pytest.approx(float(batch) / sum(float(one) for one in seconds))
    rates = [float(row[1]) for row in rows.cells]
    assert rates == sorted(rates)
    assert "tok/s" in plot.readout_at(2.0, 0.5)


def test_a_candidate_that_cannot_run_says_so(results: Results) -> None:
    empty = msgspec.structs.replace(results.rooflines["serving"], points=(), batches=None)
    nothing = replace(results, rooflines={"serving": empty})
    for plot in (RooflinePlot("serving", phase="decode"), PhaseSharesPlot(), BatchSharesPlot()):
        plot.show(nothing)
        assert plot.message.startswith("The selected candidate cannot run")


def test_every_operation_of_the_engine_has_a_name_of_its_own() -> None:
    from gpuplanner_gui.drawing.words.candidates import OPERATIONS
    from gpuplanner_gui.engine.model.operations import operations
    from gpuplanner_gui.files.catalogs import load_shipped_catalog

    codes = {one.code for entry in load_shipped_catalog().models.values() for one in operations(entry.model)}
    assert {code for code in codes if not code.endswith("all_reduce")} <= set(OPERATIONS)
    assert operation_name("head") == "LM head"
    assert np.unique(list(OPERATIONS.values())).size == len(OPERATIONS)


def rival_names(plot: RooflinePlot) -> list[str]:
    return [entry.name for entry in plot.legend.entries if entry.key.startswith("rival")]


def rival_points(plot: RooflinePlot) -> int:
    return len(plot._rivals.points.getData()[0])


def roofs(plot: RooflinePlot) -> int:
    return sum(
        curve.isVisible() and curve.getData()[0] is not None and len(curve.getData()[0]) > 0
        for curve in plot._rivals.roofs
    )


def test_each_rival_has_marks_a_ceiling_and_a_legend_entry_that_hides_them(results: Results) -> None:
    plot = decode(results)
    rivals = results.rivals["serving"]
    assert len(rival_names(plot)) == len(set(rival_names(plot))) == len(rivals) == 4
    before = rival_points(plot)
    assert before == 4, "the phase of each; their operations would lie on one another"
    assert roofs(plot) == 4
    plot.toggle(f"rival{rivals[0].mark}")
    assert rival_points(plot) == before * 3 / 4
    assert roofs(plot) == 3
    assert len(rival_names(plot)) == 4, "what is hidden can be shown again"
    plot.toggle(f"rival{rivals[0].mark}")
    assert (rival_points(plot), roofs(plot)) == (before, 4)


def test_a_small_overview_shows_phases_alone_and_one_entry_for_all_rivals(results: Results) -> None:
    plot = RooflinePlot("serving")
    plot.fit(400, 160)
    plot.show(results)
    assert rival_names(plot) == ["other candidates"]
    assert rival_points(plot) == 4 * 2
    assert roofs(plot) == 0
    plot.toggle("rivals")
    assert rival_points(plot) == 0


def test_without_rivals_a_roofline_is_as_it_was(results: Results) -> None:
    plot = decode(replace(results, rivals={}))
    assert rival_names(plot) == []
    assert rival_points(plot) == roofs(plot) == 0
    assert {row[0] for row in plot.as_rows().cells} == {plot._name}


def test_rivals_on_the_selected_accelerator_share_its_ceilings_and_are_told_apart_by_name(results: Results) -> None:
    own = results.rooflines["serving"]
    same = tuple(replace(one, roofline=own) for one in results.rivals["serving"])
    plot = decode(replace(results, rivals={"serving": same}))
    assert roofs(plot) == 0
    assert len(set(rival_names(plot))) == 4
    assert all(" × " in name for name in rival_names(plot)), "the device alone would say nothing"


def test_the_table_beside_the_plot_has_the_rivals_operations_too(results: Results) -> None:
    known = [results.rooflines["serving"], *(one.roofline for one in results.rivals["serving"])]
    operations = sum(one.phase == "decode" for roofline in known for one in roofline.points)
    assert operations > len(known)
    assert len(decode(results).as_rows().cells) == operations


def test_what_is_exported_has_the_rivals_too(results: Results) -> None:
    plot = decode(results)
    names = rival_names(plot)
    drawn = svg_bytes(plot).decode()
    assert all(name in drawn for name in names)
    table = plot.as_rows().csv_text()
    assert all(one.name in table for one in plot._rivals.shown)


def test_an_edit_that_leaves_the_rooflines_alone_draws_nothing_anew(results: Results) -> None:
    plot = decode(results)
    changes: list[object] = []
    plot._rivals.points.sigPlotChanged.connect(changes.append)
    plot.show(replace(results))
    assert changes == []
    plot.show(replace(results, rivals={"serving": results.rivals["serving"][:2]}))
    assert changes
    assert len(rival_names(plot)) == 2


def test_an_operation_that_no_figure_times_is_drawn(results: Results) -> None:
    roofline = results.rooflines["serving"]
    points = tuple(msgspec.structs.replace(point, share=np.nan) for point in roofline.points)
    unknown = msgspec.structs.replace(roofline, points=points)
    plot = decode(replace(results, rooflines={"serving": unknown}))
    assert plot.as_rows().cells


def test_the_encoder_before_a_prompt_is_said_beside_the_prefill(results: Results) -> None:
    heard = msgspec.structs.replace(results.rooflines["serving"], encoder_s=0.0766)
    audio = replace(results, rooflines={**results.rooflines, "serving": heard})
    plot = RooflinePlot("serving", phase="prefill")
    plot.show(audio)
    assert plot.title.endswith("of it compute. The encoder takes 76.6 ms before it.")
    plot.show(results)
    assert "encoder" not in plot.title


def test_the_decode_rate_is_tokens_over_the_time_of_a_step(results: Results) -> None:
    """Beside 47 % of the time, 1 520 of 3 590 tok/s did not divide: the title says the rate, and what a step takes."""
    roof = msgspec.structs.replace(results.rooflines["serving"], decode_ceiling_tokens_per_s=3600.0)
    title = decode(replace(results, rooflines={"serving": roof})).title
    assert title.startswith(f"Decode, batch 24: 2{NBSP}520 tok/s while no prefill runs; a step takes ")
    assert "memory traffic" not in title


def test_a_prefill_says_what_it_leaves_out_of_the_mean_prompt(results: Results) -> None:
    """5 200 tokens stood beside a median of 6 000 and a mean of 6 500."""
    roof = msgspec.structs.replace(results.rooflines["serving"], prompt_tokens=5200.0)
    assert mean_prompt_text(roof, 6500.0, 8192) == f"mean prompt 6{NBSP}500, 20 % cached"
    assert mean_prompt_text(roof, 6500.0, 5200) == f"the token budget of a step; mean prompt 6{NBSP}500"
    assert mean_prompt_text(roof, 5200.0, 8192) == ""


def test_what_bandwidth_would_allow_names_the_datasheets_figure(results: Results) -> None:
    """The share of time is at the rate that kernels reach: beside it, the ceiling says that it is another one."""
    roof = synthetic.roofline(0)
    bandwidth = roof.bandwidth_bytes_per_s
    # Bytes move at 70 % of the datasheet's rate, and drafts yield as much from them as the ceiling says.
    said = decode_ceiling_text(msgspec.structs.replace(roof, decode_ceiling_tokens_per_s=3600.0))
    assert said == (
        f"While no prefill runs, this batch decodes 2{NBSP}520 tok/s. If it only read memory, at the datasheet's "
        f"{format_value(bandwidth, 'bytes/s')}, it would decode 3{NBSP}600 tok/s."
    )


def test_the_legend_says_whose_the_thin_ceilings_are(results: Results) -> None:
    """Ceilings of other devices were drawn as lines, and the legend had symbols alone."""
    plot = decode(results)
    lined = {entry.key for entry in plot.legend.entries if entry.has_line}
    drawn = {
        f"rival{mark}" for mark, curve in enumerate(plot._rivals.roofs)
        if curve.getData()[0] is not None and len(curve.getData()[0])
    }  # fmt: skip
    assert lined == drawn
    assert len(lined) == 4
