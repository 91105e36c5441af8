"""A service with a day and a year, and training runs in windows: how many devices they need, apart and together."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplanner_gui.domain.economics import Economics, FleetTerms
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.engine.fleet.devices_over_time import RunNeed, TrainingWindow, shared_devices, training_windows

YEAR_H = 8_760
RUN = RunNeed(device_hours=64 * 24 * 14.0, devices=16.0, least_devices=16.0, node_devices=8.0)
WINDOW = (TrainingWindow(720, 720 + 24 * 21),)
LOSS = 0.05


def day(peak: float) -> np.ndarray:
    """Devices that serve, by the hour of a year: two a replica, full at 15 h and a tenth of it at 3 h."""
    hours = np.arange(YEAR_H)
    return np.ceil(peak * (0.55 - 0.45 * np.cos(2 * np.pi * (hours - 3) / 24)) / 2) * 2


def test_a_run_that_would_end_late_gets_whole_nodes_and_one_in_time_the_planned_devices():
    assert RUN.devices_within(WINDOW) == 48  # 64·14/21 = 42.7 devices, six nodes of eight
    assert replace(RUN, devices=44.0).devices_within(WINDOW) == 44
    assert replace(RUN, least_devices=64.0).devices_within(WINDOW) == 64
    assert replace(RUN, device_hours=np.inf).devices_within(WINDOW) == np.inf
    assert RUN.devices_within(()) == 0


@pytest.mark.parametrize(
    ("run_h", "may_overlap", "windows"),
    [
        (100.0, False, [(0, 720), (8_760, 9_480), (17_520, 18_240)]),
        (6_000.5, False, [(0, 6_001), (8_760, 14_761), (17_520, 23_521)]),
        (10_000.0, False, [(0, 8_760), (8_760, 17_520), (17_520, 26_280)]),
        (10_000.0, True, [(0, 10_000), (8_760, 18_760)]),
        (50_000.0, True, [(0, 26_280)]),
        (np.inf, True, [(0, 26_280)]),
    ],
)
def test_a_run_without_a_deadline_has_the_time_that_it_takes(
    llama_8b, run_h: float, may_overlap: bool, windows: list[tuple[int, int]]
):
    """One a year over three years. Every run had 30 days, however long it takes; a deadline or a time holds still."""
    run = TrainingWorkload(tokens=1e12)
    scenario = Scenario(name="run", model=llama_8b, training=run)
    assert [(one.start_h, one.end_h) for one in training_windows(scenario, run_h, may_overlap)] == windows
    fortnight = 14 * 24 * 3600.0
    due = msgspec.structs.replace(scenario, training=msgspec.structs.replace(run, deadline_s=fortnight))
    timed = msgspec.structs.replace(scenario, economics=Economics(fleets=FleetTerms(training_window_s=fortnight)))
    for one in (due, timed):
        assert {window.hours for window in training_windows(one, run_h, may_overlap)} == {14 * 24}


def test_a_shared_fleet_holds_both_at_the_windows_peak():
    assert shared_devices(day(10), RUN, WINDOW, 8.0).tolist() == [64] * YEAR_H  # 48 and 10, in nodes of eight
    assert shared_devices(day(10), RUN, WINDOW, 1.0).max() == 58  # rented one by one
    assert shared_devices(day(10), RUN, (), 8.0).max() == 16


def test_a_service_that_opens_after_the_run_needs_no_devices_beside_it():
    late = np.where(np.arange(YEAR_H) >= 60 * 24, day(10), 0)
    assert shared_devices(late, RUN, WINDOW, 8.0).max() == 48


def test_training_in_idle_hours_takes_the_smallest_fleet_that_finishes():
    serving = day(300)
    held = shared_devices(serving, RUN, WINDOW, 8.0, LOSS).max()
    assert serving.max() <= held < shared_devices(serving, RUN, WINDOW, 8.0).max()

    def trained(size: float) -> float:
        left = size - serving[720 : 720 + 24 * 21]
        return np.where(left >= 16, left, 0).sum() * (1 - LOSS)

    assert trained(held) >= RUN.device_hours
    assert held - 8 < serving.max() or trained(held - 8) < RUN.device_hours


@pytest.mark.parametrize("loss", [None, LOSS])
def test_a_shared_fleet_has_what_each_year_needs(loss: float | None):
    """Ten and eighteen devices a year, in nodes of eight. A fleet once held for more stayed so, even where it was
    rented by the year."""
    for serving, nodes in (([10.0, 18.0], [16, 24]), ([18.0, 10.0], [24, 16])):
        assert shared_devices(np.repeat(serving, YEAR_H), RUN, (), 8.0, loss)[[0, YEAR_H]].tolist() == nodes
    with_run = shared_devices(np.repeat([18.0, 10.0], YEAR_H), RUN, WINDOW, 8.0, loss)[[0, YEAR_H]].tolist()
    assert with_run == [72 if loss is None else 64, 16]  # 48 and 18; 64 · 14/21 / 0.95 + 18 = 62.9


@pytest.mark.parametrize("loss", [None, LOSS])
def test_a_run_over_the_turn_of_a_year_has_its_devices_in_both(loss: float | None):
    """From a week before the end of the first of three years: 48 devices beside ten, for it does not pause."""
    window = (TrainingWindow(YEAR_H - 168, YEAR_H - 168 + 24 * 21),)
    held = shared_devices(np.full(3 * YEAR_H, 10.0), RUN, window, 8.0, loss)
    assert held[[0, YEAR_H, 2 * YEAR_H]].tolist() == [64, 64, 16] if loss is None else [56, 56, 16]


@settings(max_examples=20)
@given(peak=st.floats(1, 500), more=st.floats(1, 3), start=st.integers(0, 4_000), days=st.integers(2, 60),
       loss=st.sampled_from([None, LOSS]))  # fmt: skip
def test_more_load_or_work_never_needs_fewer_devices(peak, more, start, days, loss):
    windows = (TrainingWindow(start, start + 24 * days),)
    least = shared_devices(day(peak), RUN, windows, 8.0, loss).max()
    assert shared_devices(day(peak * more), RUN, windows, 8.0, loss).max() >= least
    busier = replace(RUN, device_hours=RUN.device_hours * more)
    assert shared_devices(day(peak), busier, windows, 8.0, loss).max() >= least


def test_a_device_that_cannot_train_has_no_shared_fleet():
    assert shared_devices(day(10), replace(RUN, device_hours=np.inf), WINDOW, 8.0, LOSS).max() == np.inf
