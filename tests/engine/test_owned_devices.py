"""What the planner owns already is its own whatever the term on which more would be paid for."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.economics import Economics, Procurement
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import HardwareChoice, OwnedStock, Scenario
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.engine import plan

A100, H100, H200, MI325X = "nvidia-a100-sxm-80gb", "nvidia-h100-sxm-80gb", "nvidia-h200-sxm-141gb", "amd-mi325x"
L40S = "nvidia-l40s"


@pytest.fixture
def planned(llama_8b, catalog, calibration):
    """Plans a service at a rate, or a training run, with devices of which so many are owned."""

    def of(
        devices: dict[str, int], term: Procurement, rate: float = 0.0, training_devices: int = 0,
        site: dict[str, Any] | None = None, **training: object,
    ) -> Plan:  # fmt: skip
        stock = tuple(OwnedStock(accelerator=name, devices=count) for name, count in devices.items() if count)
        scenario = Scenario(
            name="owned", model=llama_8b,
            serving=ServingWorkload(classes=(RequestClass(peak_rate_per_s=rate),)) if rate else None,
            training=None if rate else msgspec.convert({"tokens": 1e9} | training, TrainingWorkload),
            hardware=HardwareChoice(
                accelerators=tuple(devices), owned=stock, max_training_devices=64, training_devices=training_devices,
                **(site or {}),
            ),
            economics=Economics(serving_procurement=term, training_procurement=term),
        )  # fmt: skip
        return plan(scenario, catalog, calibration)

    return of


def device_of(found: Plan) -> str:
    """The accelerator that is recommended."""
    (answer,) = found.answers.values()
    return found.accelerators[int(answer.table.accelerator[answer.best])]


def usd_of(found: Plan) -> float:
    """What the recommended fleet or run costs."""
    if found.serving is not None:
        return float(found.serving.table.usd_per_month[found.serving.best])
    return float(found.training.table.usd_per_run[found.training.best])


@pytest.mark.parametrize(("owned", "best"), [(0, H200), (1, H200), (64, MI325X)])
@pytest.mark.parametrize("rate", [60.0, 0.0])
def test_few_offers_put_behind_what_is_rented_alone(planned, owned: int, best: str, rate: float) -> None:
    """Fewer than three providers rent MI325X out: whoever owns all that the plan needs asks none of them."""
    found = planned({H200: 0, MI325X: owned}, "rent_on_demand", rate, deadline_s=40_000.0)
    assert device_of(found) == best


@pytest.mark.parametrize("rate", [20.0, 0.0])
def test_owned_devices_that_nobody_offers_on_the_term_are_used(planned, rate: float) -> None:
    """Nobody reserves A100 for three years."""
    assert device_of(planned({H100: 0, A100: 0}, "rent_3y", rate)) == H100
    assert device_of(planned({H100: 0, A100: 8}, "rent_3y", rate)) == A100


def test_a_run_may_use_all_that_is_owned(planned) -> None:
    """Of 16,384 owned devices 1,024 were used: the most allowed, here 64, is meant for what is bought or rented."""
    found = planned({H100: 256, H200: 0}, "own", tokens=60e9, deadline_s=24 * 3600.0)
    table, owned = found.training.table, found.accelerators.index(H100)
    assert table.devices[table.accelerator == owned].max() == 256
    assert table.devices[table.accelerator != owned].max() == 64
    assert device_of(found) == H100
    assert table.meets_targets[found.training.best]
    assert 64 < table.devices[found.training.best] <= 256


@pytest.mark.parametrize("restartable", [False, True])
def test_what_is_owned_is_not_taken_away(planned, restartable: bool) -> None:
    """Spot capacity would be interrupted; a run on one's own devices is the same whatever more would be paid for."""
    for devices in (8, 16):
        free, spot = (
            planned({H100: 8}, term, training_devices=devices, restartable=restartable).training
            for term in ("rent_on_demand", "rent_spot")
        )
        is_owned = devices == 8
        assert (spot.best == free.best) or not is_owned
        assert np.array_equal(spot.table.goodput, free.table.goodput, equal_nan=True) == is_owned
        assert np.array_equal(spot.table.reason, free.table.reason) == (is_owned or restartable)


def test_only_what_is_rented_of_a_service_is_interrupted(planned) -> None:
    """A replica that is rented is taken away once in the time that a spot node lasts."""
    interval_s = central(Economics().spot_interruption_interval_s)
    for owned in (0, 4, 64):
        found = planned({L40S: owned}, "rent_spot", 60.0)
        table, best = found.serving.table, found.serving.best
        rented = (table.devices[best] - table.owned_devices[best]) / table.devices_per_replica[best]
        assert (rented > 0) == (owned < 64)
        said = [one.values["interruptions"] for one in found.findings if one.code == "service_on_spot"]
        assert said == ([pytest.approx(rented * 730 * 3600 / interval_s)] if rented else [])


@pytest.mark.parametrize(
    ("device", "site", "fed"),
    [
        (H100, {"max_kw_total": 12.0}, 0), (H100, {"max_kw_total": 13.0}, 8), (H100, {"max_kw_per_rack": 10.0}, 0),
        (L40S, {"max_kw_total": 5.0}, 6), (L40S, {"max_kw_per_rack": 3.0}, 5), (L40S, {"max_kw_per_rack": 5.0}, 16),
    ],
)  # fmt: skip
@pytest.mark.parametrize("rate", [200.0, 0.0])
def test_what_a_site_cannot_feed_is_left_aside(planned, device: str, site: dict[str, Any], fed: int, rate: float):
    """Eight owned devices at a site of 5 kW made a service cost five times what it does with none: only layouts that
    could not use them fitted. A board of H100 takes 10.2 kW, an L40S 0.59 kW, before a PUE of 1.25."""
    none, some, all_of_it = (
        planned({device: owned}, "rent_on_demand", rate, 16, tokens=20e9, site=site) for owned in (0, fed, 16)
    )
    assert usd_of(all_of_it) == usd_of(some) <= usd_of(none)
    said = [one.values["fed"] for one in all_of_it.findings if one.code == "owned_beyond_site"]
    assert said == ([fed] if fed < 16 else [])
