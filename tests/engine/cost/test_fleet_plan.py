"""One configuration sized for the harder workload against two: the case that the product is known for."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from gpuplanner_gui.domain.decision import StrategyAnswer
from gpuplanner_gui.engine.cost.fleet_plan import compare_strategies
from gpuplanner_gui.engine.cost.fleets import FleetDemand, FleetHardware, TrainingWindow
from gpuplanner_gui.engine.cost.plan_years import hourly_load
from gpuplanner_gui.engine.cost.resources import RESOURCES, Resources

YEAR_H = 8_760
H100, L40S = 0, 1


def resources(*rows: tuple[float, float]) -> Resources:
    return Resources(*(np.array(row) for row in rows))


HARDWARE = FleetHardware(
    devices_per_node=np.array([8.0, 8]),
    devices_per_replica=np.array([1.0, 2]),
    requests_per_s_per_replica=np.array([6.0, 4]),
    training_device_hours=np.array([30_000.0, 180_000]),
    training_least_devices=np.array([16.0, 32]),
    committed_usd_per_h=np.array([2.0, 0.5]),
    on_demand_usd_per_h=np.array([3.0, 0.9]),
    cost_shares=resources((0.3, 0.4), (0.25, 0.15), (0.1, 0.15), (0.2, 0.05), (0.15, 0.25)),
    training_use=resources((0.45, 0.3), (0.5, 0.4), (0.9, 0.9), (0.4, 0.9), (0.3, 0.3)),
    serving_use=resources((0.15, 0.3), (0.6, 0.7), (0.8, 0.9), (0.03, 0.05), (0.3, 0.3)),
    names=("h100", "l40s"),
    serving=np.array([3, 4]),
    training=np.array([5, 6]),
)


def demand() -> FleetDemand:
    day = 30 * (0.6 - 0.4 * np.cos(2 * np.pi * (np.arange(24) - 3) / 24))
    return FleetDemand(hourly_load(day, 0.3, 2 * YEAR_H, start_h=60 * 24), (TrainingWindow(0, 30 * 24),))


def plans(asked: FleetDemand | None = None, hardware: FleetHardware = HARDWARE) -> dict[str, StrategyAnswer]:
    strategies, _ = compare_strategies(asked or demand(), hardware)
    return {plan.strategy: plan for plan in strategies}


def test_burst_with_release_beats_two_kept_fleets_and_one_shared():
    made = plans()
    assert made["burst"].usd < 0.5 * made["two_fleets"].usd
    assert made["burst"].usd < 0.5 * made["shared"].usd
    assert made["time_shared"].usd <= made["shared"].usd


def test_each_workload_gets_its_own_hardware():
    training, serving = plans()["burst"].fleets
    assert (training.role, training.accelerator, training.training_candidate) == ("training", "h100", 5)
    assert (serving.role, serving.accelerator, serving.serving_candidate) == ("serving", "l40s", 4)
    assert (training.serving_candidate, serving.training_candidate) == (-1, -1)


def test_timeline_releases_the_training_fleet_and_pays_all_the_money():
    for plan in plans().values():
        assert sum(entry.usd for entry in plan.timeline) == pytest.approx(plan.usd)
    training = [entry for entry in plans()["burst"].timeline if entry.role == "training"]
    assert [(entry.start_h, entry.end_h) for entry in training] == [(0, 625)]  # 30,000 h on 48 devices
    kept = [entry for entry in plans()["two_fleets"].timeline if entry.role == "training"]
    assert [(entry.start_h, entry.end_h) for entry in kept] == [(0, 2 * YEAR_H)]
    serving = [entry for entry in plans()["burst"].timeline if entry.role == "serving"]
    assert {entry.start_h for entry in serving} == {60 * 24}


def test_shared_fleet_pays_for_interconnect_it_hardly_uses():
    (fleet,) = plans()["shared"].fleets
    assert fleet.used.interconnect / fleet.paid.interconnect < 0.05


def test_accounts_divide_the_cost_and_waste_is_what_nobody_used():
    for plan in plans().values():
        for fleet in plan.fleets:
            assert fleet.paid.total == pytest.approx(fleet.usd)
            assert all(used <= paid + 1e-9 for used, paid in zip(fleet.used.values(), fleet.paid.values(), strict=True))
        assert 0 < plan.unused_usd < plan.usd


def test_use_is_that_of_the_workload_times_the_hours_it_ran():
    training, _ = plans()["burst"].fleets
    use = np.divide(training.used.values(), training.paid.values())
    assert training.busy_share == pytest.approx(1)
    assert use == pytest.approx(HARDWARE.training_use.of(H100).stacked())
    kept, _ = plans()["two_fleets"].fleets
    use = np.divide(kept.used.values(), kept.paid.values())
    assert use == pytest.approx(kept.busy_share * HARDWARE.training_use.of(H100).stacked())


def test_workloads_on_each_others_hardware():
    _, (training, serving) = compare_strategies(demand(), HARDWARE)
    assert (training.workload, training.home, training.elsewhere) == ("training", "h100", "l40s")
    assert training.slowdown == pytest.approx(6.0)
    assert training.home_usd == pytest.approx(30_000 * 3.0)
    assert training.elsewhere_usd == pytest.approx(180_000 * 0.9)
    assert (serving.workload, serving.home, serving.elsewhere) == ("serving", "l40s", "h100")
    assert serving.slowdown == pytest.approx((4 / 2) / 6)
    assert serving.elsewhere_usd > serving.home_usd


def test_hardware_that_cannot_train_is_left_to_serving():
    unable = dataclasses.replace(
        HARDWARE, training_device_hours=np.array([np.inf, np.inf]), training_least_devices=np.array([np.inf, np.inf])
    )
    made = plans(hardware=unable)
    assert not made["shared"].is_possible
    assert not made["burst"].is_possible
    assert made["burst"].fleets[1].usd < np.inf


def test_project_without_training_has_a_serving_fleet_alone():
    alone = FleetDemand(demand().load_per_s, ())
    made = plans(alone)
    assert {entry.role for entry in made["burst"].timeline} == {"serving"}
    assert made["burst"].usd == pytest.approx(made["two_fleets"].usd)


def test_resources_are_named_in_one_order():
    assert RESOURCES == ("compute", "bandwidth", "capacity", "interconnect", "host_and_storage")
