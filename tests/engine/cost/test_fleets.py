"""A service with a day and a year, and a training run in a window: how fleets are sized and what they cost."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplanner_gui.engine.cost import fleets
from gpuplanner_gui.engine.cost.commitment import MixPrices
from gpuplanner_gui.engine.cost.fleets import FleetDemand, FleetHardware, TrainingWindow, shared_fleet
from gpuplanner_gui.engine.cost.plan_years import hourly_load
from gpuplanner_gui.engine.cost.resources import Resources

YEAR_H = 8_760
TRAIN, SERVE, CPU = 0, 1, 2
"""A dense training node, an inference card, and a device that can only serve, slowly."""


def same(value: float) -> Resources:
    return Resources(*(np.full(3, value) for _ in range(5)))


HARDWARE = FleetHardware(
    devices_per_node=np.array([8.0, 4, 1]),
    devices_per_replica=np.array([2.0, 4, 1]),
    requests_per_s_per_replica=np.array([10.0, 6, 0.1]),
    training_device_hours=np.array([64 * 24 * 14.0, 64 * 24 * 14 * 5.0, np.inf]),
    training_least_devices=np.array([16.0, 64, np.inf]),
    committed_usd_per_h=np.array([2.0, 0.6, 0.2]),
    on_demand_usd_per_h=np.array([3.2, 1.0, 0.4]),
    cost_shares=same(0.2),
    training_use=same(0.5),
    serving_use=same(0.25),
)


def demand(
    peak: float = 40.0, windows: tuple[TrainingWindow, ...] = (TrainingWindow(720, 720 + 24 * 21),)
) -> FleetDemand:
    hours = np.arange(24)
    day = peak * (0.55 - 0.45 * np.cos(2 * np.pi * (hours - 3) / 24))
    return FleetDemand(hourly_load(day, 0.0, YEAR_H), windows)


def test_training_fleet_finishes_within_its_window_in_whole_nodes():
    devices = fleets.training_devices(demand(), HARDWARE)
    assert devices[TRAIN] == 48  # 64·14/21 = 42.7 devices, six nodes of eight
    assert devices[SERVE] == 216  # 213.3 devices, 54 nodes of four
    assert devices[CPU] == np.inf


def test_service_needs_its_peak_and_a_spare():
    replicas = fleets.serving_replicas(demand(), HARDWARE)
    assert replicas.max(axis=1).tolist() == [4 + 1, 7 + 1, 400 + 1]
    assert replicas[TRAIN, 3] == 1 + 1


def test_hardware_that_cannot_serve_costs_without_bound():
    unable = dataclasses.replace(HARDWARE, requests_per_s_per_replica=np.array([10.0, 0.0, 0.1]))
    usd = fleets.serving_fleet(demand(), unable).usd
    assert np.isfinite(usd).tolist() == [True, False, True]
    assert np.isfinite(shared_fleet(demand(), HARDWARE).usd).tolist() == [True, True, False]


def test_hardware_without_a_price_is_not_chosen():
    unpriced = dataclasses.replace(
        HARDWARE, committed_usd_per_h=np.array([np.nan, 0.6, 0.2]), on_demand_usd_per_h=np.array([3.2, np.nan, np.nan])
    )
    hourly_only, owned_only, _ = fleets.serving_fleet(demand(), unpriced).usd
    replicas = fleets.serving_replicas(demand(), unpriced)
    assert hourly_only == pytest.approx(replicas[TRAIN].sum() * 2 * 3.2)
    assert owned_only == pytest.approx(8 * 4 * YEAR_H * 0.6)
    assert shared_fleet(demand(), unpriced).usd.tolist()[TRAIN] == np.inf
    assert fleets.burst_training_fleet(demand(), unpriced).usd.tolist()[SERVE] == np.inf


def test_burst_is_paid_for_its_device_hours_alone():
    burst = fleets.burst_training_fleet(demand(), HARDWARE)
    assert burst.usd[TRAIN] == pytest.approx(64 * 24 * 14 * 3.2)
    assert burst.paid_hours[TRAIN] == burst.training_hours[TRAIN]


def test_kept_training_fleet_is_paid_to_the_end_of_the_horizon():
    kept = fleets.kept_training_fleet(demand(), HARDWARE)
    assert kept.usd[TRAIN] == pytest.approx(48 * (YEAR_H - 720) * 2.0)
    assert kept.paid_hours[TRAIN] == pytest.approx(48 * (YEAR_H - 720))
    assert kept.training_hours[TRAIN] == pytest.approx(64 * 24 * 14)


def test_serving_fleet_that_follows_the_load_never_costs_more_than_one_held_at_peak():
    follows = fleets.serving_fleet(demand(), HARDWARE)
    held = fleets.serving_replicas(demand(), HARDWARE).max(axis=1) * HARDWARE.devices_per_replica
    assert np.all(follows.usd <= held * YEAR_H * HARDWARE.committed_usd_per_h)
    assert np.all(follows.committed_usd <= follows.usd)


def test_serving_is_paid_from_the_day_it_opens():
    opens = 100 * 24
    late = FleetDemand(np.where(np.arange(YEAR_H) >= opens, 40.0, 0.0), ())
    # A flat load: the seven replicas and their spare are held from then on.
    assert fleets.serving_fleet(late, HARDWARE).usd[SERVE] == pytest.approx(8 * 4 * (YEAR_H - opens) * 0.6)


def test_a_service_over_zones_holds_the_loss_of_one_in_every_hour():
    over_three = dataclasses.replace(demand(), zones=3)
    # Four replicas carry the peak: two in each of three zones, and a spare.
    assert fleets.serving_replicas(over_three, HARDWARE).max(axis=1)[TRAIN] == 3 * 2 + 1


def test_a_service_pays_for_what_its_whole_units_leave_over():
    spread = dataclasses.replace(HARDWARE, committed_spread=np.full(3, 1.25), hourly_spread=np.full(3, 1.25))
    plain, dearer = (fleets.serving_fleet(demand(), one) for one in (HARDWARE, spread))
    assert dearer.usd == pytest.approx(1.25 * plain.usd)
    assert dearer.paid_hours == pytest.approx(plain.paid_hours)


def test_shared_fleet_holds_both_at_the_windows_peak():
    shared = shared_fleet(demand(), HARDWARE)
    assert shared.devices[TRAIN] == 64  # 48 to train + 5 replicas of 2, in nodes of eight
    assert shared.usd[TRAIN] == pytest.approx(64 * YEAR_H * 2.0)


def test_shared_fleet_outside_the_window_needs_only_the_harder_of_the_two():
    before_opening = FleetDemand(hourly_load(demand().load_per_s[:24], 0.0, YEAR_H, 60 * 24), demand().windows)
    assert shared_fleet(before_opening, HARDWARE).devices[TRAIN] == 48


def test_time_sharing_trains_at_night_on_fewer_devices():
    busy = demand(peak=300.0)
    side_by_side = shared_fleet(busy, HARDWARE)
    by_night = shared_fleet(busy, HARDWARE, is_time_shared=True)
    assert by_night.devices[TRAIN] < side_by_side.devices[TRAIN]
    assert by_night.devices[TRAIN] >= fleets.serving_replicas(busy, HARDWARE).max(axis=1)[TRAIN] * 2


def test_time_shared_fleet_is_the_smallest_that_finishes():
    busy = demand(peak=300.0)
    devices = shared_fleet(busy, HARDWARE, is_time_shared=True).devices[TRAIN]
    serving = fleets.serving_replicas(busy, HARDWARE)[TRAIN, 720 : 720 + 24 * 21] * 2

    def trained(size: float) -> float:
        left = size - serving
        return np.where(left >= 16, left, 0).sum() * (1 - busy.switching_loss)

    assert trained(devices) >= HARDWARE.training_device_hours[TRAIN]
    assert trained(devices - 8) < HARDWARE.training_device_hours[TRAIN]


def test_no_training_at_all():
    alone = demand(windows=())
    assert fleets.kept_training_fleet(alone, HARDWARE).usd[TRAIN] == 0
    assert shared_fleet(alone, HARDWARE).devices[TRAIN] == 16


def test_load_grows_and_repeats():
    load = hourly_load(np.arange(24.0), 0.5, 2 * YEAR_H)
    assert load[YEAR_H + 5] == pytest.approx(load[5] * 1.5, rel=1e-3)
    assert hourly_load(np.arange(7 * 24.0).reshape(7, 24), 0.0, 400)[7 * 24 + 3] == 3


@settings(max_examples=30)
@given(
    peak=st.floats(1, 500),
    more=st.floats(1, 3),
    start=st.integers(0, 4_000),
    days=st.integers(2, 60),
    time_shared=st.booleans(),
)
def test_more_load_or_dearer_devices_never_cost_less(peak, more, start, days, time_shared):
    windows = (TrainingWindow(start, start + 24 * days),)
    base, grown = demand(peak, windows), demand(peak * more, windows)
    dearer = dataclasses.replace(
        HARDWARE,
        committed_usd_per_h=HARDWARE.committed_usd_per_h * more,
        on_demand_usd_per_h=HARDWARE.on_demand_usd_per_h * more,
    )
    for cost in (
        lambda asked, of: shared_fleet(asked, of, time_shared),
        fleets.serving_fleet,
        fleets.kept_training_fleet,
        fleets.burst_training_fleet,
    ):
        usd = cost(base, HARDWARE).usd[:2]
        assert np.all(cost(grown, HARDWARE).usd[:2] >= usd * (1 - 1e-12))
        assert np.all(cost(base, dearer).usd[:2] >= usd * (1 - 1e-12))
        found = cost(base, HARDWARE)
        assert np.all(found.paid_hours - found.training_hours - found.serving_hours >= -1e-6)


def two_years(windows: tuple[TrainingWindow, ...] = ()) -> FleetDemand:
    """Flat at 40 requests a second in the first year, at 80 in the second; a spare."""
    return FleetDemand(np.repeat([40.0, 80.0], YEAR_H), windows)


@pytest.mark.parametrize("is_time_shared", [False, True])
def test_a_shared_fleet_grows_when_the_load_does(is_time_shared: bool):
    """By hand, two devices a replica: 5 replicas in two nodes of eight, then 9 in three; nothing is held for later."""
    cost = shared_fleet(two_years(), HARDWARE, is_time_shared)
    assert cost.devices[TRAIN] == 24
    assert cost.paid_hours[TRAIN] == (16 + 24) * YEAR_H
    assert cost.usd[TRAIN] == pytest.approx((16 + 24) * YEAR_H * 2.0)
    assert cost.committed_devices[TRAIN] == 20


def test_a_shared_fleet_keeps_what_a_run_of_the_first_year_needed():
    """48 devices beside ten that serve: eight nodes in the first year, and they stay."""
    cost = shared_fleet(two_years((TrainingWindow(720, 720 + 24 * 21),)), HARDWARE)
    assert cost.paid_hours[TRAIN] == 64 * 2 * YEAR_H


def test_a_committed_base_grows_when_the_load_does_and_stays_when_it_falls():
    cost = fleets.serving_fleet(two_years(), HARDWARE)
    assert cost.usd[TRAIN] == pytest.approx((5 + 9) * 2 * YEAR_H * 2.0)
    assert cost.paid_hours[TRAIN] == cost.serving_hours[TRAIN]
    falling = FleetDemand(np.repeat([80.0, 40.0], YEAR_H), ())
    assert fleets.serving_fleet(falling, HARDWARE).usd[TRAIN] == pytest.approx(9 * 2 * 2 * YEAR_H * 2.0)


RENTED = dataclasses.replace(
    HARDWARE,
    offers=tuple((MixPrices(6.4, 4.0, provider="terms"), MixPrices(6.0, provider="plain")) for _ in range(3)),
)
"""Of a replica; one provider sells a year of it too, the other hours alone."""


def test_a_rented_service_pays_one_providers_terms_year_by_year_from_its_opening():
    """Flat at five replicas for a year and a half from its opening: a year's term, then half a year by the hour."""
    opens = 100 * 24
    late = FleetDemand(np.where(np.arange(opens + YEAR_H * 3 // 2) >= opens, 40.0, 0.0), ())
    cost = fleets.serving_fleet(late, RENTED)
    assert cost.committed_usd[TRAIN] == pytest.approx(5 * YEAR_H * 4.0)
    assert cost.usd[TRAIN] == pytest.approx(5 * YEAR_H * (4.0 + 6.4 / 2))
    assert cost.paid_hours[TRAIN] == pytest.approx(5 * 2 * YEAR_H * 3 / 2)


def test_a_rented_service_that_opens_later_pays_the_prices_of_then():
    """Half as much after a year: of the term that begins then, too."""
    late = FleetDemand(np.repeat([0.0, 40.0], YEAR_H), (), price_trend_per_year=-0.5)
    cost = fleets.serving_fleet(late, RENTED)
    assert cost.usd[TRAIN] == pytest.approx(5 * YEAR_H * 4.0 / 2)
    assert fleets.serving_fleet(late, dataclasses.replace(RENTED, offers=((), (), ()))).usd[TRAIN] == np.inf
