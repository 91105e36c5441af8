"""Devices whose makers state no power: what is assumed, how far off it may be, and that the pages say so."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.desktop.store import replaced
from gpuplanner_gui.domain.economics import Economics, PriceOverride
from gpuplanner_gui.domain.quantity import Money
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.drawing.decision_rows import energy_text
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.decision.monte_carlo_plan import uncertainty_of_plan
from gpuplanner_gui.engine.decision.ownership_view import ownership_of_plan
from gpuplanner_gui.engine.hardware.devices import assumed_power

H200 = "nvidia-h200-sxm-141gb"
WITHOUT_NODES = "nvidia-h100-pcie-80gb"


def unstated(catalog, name):
    entry = msgspec.structs.replace(catalog.accelerators[name], tdp_w=None)
    return msgspec.structs.replace(catalog, accelerators={**catalog.accelerators, name: entry})


def test_every_device_that_states_none_takes_its_relatives(catalog):
    found = assumed_power(tuple(catalog.accelerators.values()))
    assert set(found) == {name for name, entry in catalog.accelerators.items() if entry.tdp_w is None}
    assert all(math.isfinite(one.watts) and one.watts > 0 for one in found.values())


def test_a_guess_is_the_geometric_mean_of_the_nearest_three(catalog):
    """A twin of a device among three others of its own: their watts by hand, however far the rest is."""
    base = catalog.accelerators[H200]
    others = [msgspec.structs.replace(base, id=f"o{watts}", tdp_w=float(watts)) for watts in (400, 500, 800)]
    far = [
        msgspec.structs.replace(base, id=f"f{n}", tdp_w=5.0, memory_bandwidth_bytes_per_s=1e9, kind="npu")
        for n in range(3)
    ]
    asked = msgspec.structs.replace(base, id="asked", tdp_w=None)
    found = assumed_power((*others, *far, asked))
    assert found["asked"].watts == pytest.approx((400 * 500 * 800) ** (1 / 3))


def test_the_spread_is_that_of_known_devices_left_out(catalog):
    """Each known device guessed as if it stated none: the root mean square is what is said of the others."""
    entries = tuple(catalog.accelerators.values())
    said = next(iter(assumed_power(entries).values())).log_sd
    off = []
    for place, entry in enumerate(entries):
        if entry.tdp_w is None or place % 5:
            continue
        without = (*entries[:place], msgspec.structs.replace(entry, tdp_w=None), *entries[place + 1 :])
        off.append(math.log(assumed_power(without)[entry.id].watts / entry.tdp_w))
    assert 0.2 < said < 0.6
    assert float(np.sqrt(np.mean(np.square(off)))) == pytest.approx(said, rel=0.35)
    assert np.mean(np.abs(off) < 1.2816 * said) > 0.75


@pytest.fixture(scope="module")
def owned(catalog):
    economics = Economics(
        serving_procurement="own",
        overrides=(PriceOverride(accelerator=WITHOUT_NODES, purchase_per_device=Money(25_000.0)),),
    )
    return Scenario(
        name="own", model=catalog.models["llama-3.1-8b"].model, economics=economics,
        serving=ServingWorkload(classes=(RequestClass(peak_rate_per_s=5.0),)),
        hardware=HardwareChoice(accelerators=(WITHOUT_NODES,)),
    )  # fmt: skip


def answers(scenario, catalog, calibration):
    found, context = plan(scenario, catalog, calibration), context_of(catalog, calibration)
    told = ownership_of_plan(scenario, found, context, "serving")
    return told, uncertainty_of_plan(scenario, found, context, seed=1, samples=500)


def test_the_page_says_that_the_power_is_assumed_and_the_band_is_wider(owned, catalog, calibration):
    stated, sure = answers(owned, catalog, calibration)
    guessed, unsure = answers(owned, unstated(catalog, WITHOUT_NODES), calibration)
    assert "assumed" not in energy_text(stated)
    assert "is assumed from related devices (80 % range" in energy_text(guessed)
    assert stated.energy.assumed_log_sd == 0.0
    assert guessed.owned_usd_per_calendar_hour > 0
    assert "rated_power" in unsure.inputs
    assert "rated_power" not in sure.inputs
    bands = [one.headline("serving.usd_per_month") for one in (sure, unsure)]
    assert bands[1].p90 / bands[1].p10 > bands[0].p90 / bands[0].p10


def test_more_power_makes_an_owned_month_dearer(owned, catalog, calibration):
    _, unsure = answers(owned, unstated(catalog, WITHOUT_NODES), calibration)
    month = next(one for one in unsure.tornados if one.code == "serving.usd_per_month_needed")
    bar = next(one for one in month.bars if one.input == "rated_power")
    assert bar.low_input < 1 < bar.high_input
    assert bar.result_at_low < month.middle < bar.result_at_high


def test_power_of_what_is_rented_moves_no_bill(owned, catalog, calibration):
    rented = replaced(owned, "economics.serving_procurement", "rent_on_demand")
    _, unsure = answers(rented, unstated(catalog, WITHOUT_NODES), calibration)
    assert "rated_power" not in unsure.inputs
