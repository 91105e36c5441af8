"""Which candidates stand beside the selected one, and what a shared fleet costs."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.drawing.candidates import best_of_each_device, compared_candidates, layout_neighbours, runs
from gpuplanner_gui.drawing.plots.cost import CostPlot, StepTimePlot, busy_share, time_shares
from gpuplanner_gui.drawing.plots.memory import MemoryPlot
from gpuplanner_gui.drawing.results import Results
from tests.drawing import synthetic


@pytest.fixture(scope="module")
def results() -> Results:
    return synthetic.results(4000)


def test_best_of_each_device_are_different_devices_in_ranking(results: Results) -> None:
    assert results.plan.serving is not None
    table = results.plan.serving.table
    best = best_of_each_device(results.plan.serving, 6)
    assert len(best) == 6
    assert len({int(table.accelerator[one]) for one in best}) == 6
    places = [int(np.flatnonzero(table.order == one)[0]) for one in best]
    assert places == sorted(places)
    assert best[0] == table.order[0]


def test_selected_candidate_is_always_among_them(results: Results) -> None:
    assert results.plan.serving is not None
    table = results.plan.serving.table
    low = int(table.order[runs(table)[table.order]][-1])
    best = best_of_each_device(results.plan.serving, 6, low)
    assert low in best
    assert len(best) == 6
    devices = [int(table.accelerator[one]) for one in best]
    assert len(set(devices)) == len(devices)


def test_pinned_candidates_are_compared_in_ranking_with_the_selected_one(results: Results) -> None:
    answer = results.plan.serving
    assert answer is not None
    ranked = answer.table.order[runs(answer.table)[answer.table.order]]
    cannot = int(np.flatnonzero(~runs(answer.table))[0])
    pinned = [int(ranked[9]), cannot, int(ranked[2])]
    assert compared_candidates(answer, 6, int(ranked[5]), pinned) == tuple(int(ranked[one]) for one in (2, 5, 9))
    assert compared_candidates(answer, 6, answer.best, ()) == best_of_each_device(answer, 6, answer.best)


@pytest.mark.parametrize("make", [CostPlot, StepTimePlot, MemoryPlot])
def test_bars_show_the_selected_candidate_and_the_pinned_ones(
    make: type[CostPlot | StepTimePlot | MemoryPlot], qapp: QApplication, results: Results
) -> None:
    answer = results.plan.serving
    assert answer is not None
    ranked = answer.table.order[runs(answer.table)[answer.table.order]]
    pinned = (int(ranked[4]), int(ranked[1]))
    plot = make("serving")
    plot.show(replace(results, pinned={"serving": pinned}))
    assert set(plot.shown_candidates()["serving"]) == {results.candidate("serving"), *pinned}


def test_neighbours_differ_in_size_only(results: Results) -> None:
    assert results.plan.serving is not None
    table, selected = results.plan.serving.table, results.plan.serving.best
    near = layout_neighbours(table, selected, 5)
    assert selected in near
    assert {int(table.accelerator[one]) for one in near} == {int(table.accelerator[selected])}
    assert {int(table.weight_precision[one]) for one in near} == {int(table.weight_precision[selected])}
    sizes = [int(table.devices_per_replica[one]) for one in near]
    assert sizes == sorted(set(sizes))


def test_candidates_that_only_miss_a_target_run(results: Results) -> None:
    assert results.plan.serving is not None
    table = results.plan.serving.table
    able = runs(table)
    assert able[table.reason == Reason.MISSES_TARGET].all()
    assert not able[table.reason == Reason.DOES_NOT_FIT].any()


def test_prefill_is_a_part_of_the_paid_time(results: Results) -> None:
    """All of it was drawn as compute: no interconnect in the bar, 15 % of it in the roofline of the same prompt."""
    assert results.plan.serving is not None
    table, row = results.plan.serving.table, results.plan.serving.best
    per_s = table.max_rate_per_s[row]
    steps = table.decode_compute_s[row] / table.decode_step_s[row]
    for share in (0.0, 0.6, 1.0):
        read = msgspec.structs.replace(table, prefill_s=np.full(len(table.order), share / per_s))
        prefill, compute, bandwidth = time_shares(read, [row])[0][:3]
        assert prefill == pytest.approx(share, abs=0.02)
        assert compute == pytest.approx((1 - share) * steps, abs=0.02)
        assert (bandwidth > 0) == (share < 1)


def test_time_shares_add_up(results: Results) -> None:
    for workload in results.workloads():
        answer = results.answer(workload)
        assert answer is not None
        rows = list(best_of_each_device(answer, 8))
        assert time_shares(answer.table, rows).sum(axis=1) == pytest.approx(np.ones(len(rows)))
        busy = busy_share(answer, rows, results.scenario)
        assert ((busy >= 0) & (busy <= 1)).all()


def test_spares_are_paid_and_carry_nothing_of_the_load(results: Results) -> None:
    answer, serving = results.plan.serving, results.scenario.serving
    assert answer is not None
    assert serving is not None
    assert serving.availability.spare_replicas > 0
    table, best = answer.table, answer.best
    capacity = table.replicas[best] * table.max_rate_per_s[best]
    by_hand = answer.peak_rate_per_s * serving.traffic.mean_share_of_peak / capacity
    assert busy_share(answer, [best], results.scenario) == pytest.approx([by_hand])
