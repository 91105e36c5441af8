"""Hardware in the units in which it is had: worked by hand, and through plans."""

from __future__ import annotations

from itertools import pairwise

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.domain.economics import Economics, Site
from gpuplanner_gui.domain.scenario import HardwareChoice, OwnedStock, Scenario
from gpuplanner_gui.domain.workload import Availability, ReplicaStart, RequestClass, ServingWorkload
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.cost.offers import offers_of
from gpuplanner_gui.engine.cost.prices import bought_node
from gpuplanner_gui.engine.cost.units import Stock, Units, owned_size, paid_devices, paid_fleet

H100, A100, GB200, L40S = "nvidia-h100-sxm-80gb", "nvidia-a100-sxm-80gb", "nvidia-gb200", "nvidia-l40s"
V100 = "nvidia-v100-sxm2-32gb"


@pytest.mark.parametrize(
    ("replicas", "each", "unit", "paid"),
    [
        (1, 1, 8, 8),
        (5, 2, 8, 16),  # four replicas on one node, one on the next
        (3, 3, 8, 16),  # two on a node, with two devices over
        (2, 16, 8, 32),  # a replica of two nodes
        (1, 12, 8, 16),
        (2, 1, 72, 72),  # a rack for two GPUs
        (7, 4, 1, 28),  # cards, one by one
    ],
)
def test_replicas_are_placed_whole(replicas, each, unit, paid):
    assert paid_devices(np.array(float(replicas)), np.array(float(each)), np.array(float(unit))) == paid


@given(replicas=st.integers(1, 500), each=st.integers(1, 64), unit=st.sampled_from([1, 2, 4, 8, 16, 72]))
def test_whole_units_hold_every_replica_and_none_is_bought_in_vain(replicas, each, unit):
    paid = float(paid_devices(replicas, each, unit))
    assert paid % unit == 0
    assert paid >= replicas * each
    assert float(paid_devices(replicas + 1, each, unit)) >= paid
    if unit >= each:
        assert (paid / unit - 1) * (unit // each) < replicas


def test_the_cheapest_size_is_taken_and_its_rest_spread():
    """A 4-device instance at 3 an hour and device, an 8-device one at 2: three replicas of two cost 24 and 16."""
    units = Units.of([((4, 3.0), (8, 2.0))], [False])
    found = paid_fleet(units, np.zeros(1, int), np.array([3.0]), np.array([2.0]))
    assert (found.devices[0], found.unit_devices[0]) == (8, 8)
    assert found.usd_per_device_hour[0] * 6 == pytest.approx(16)
    one = paid_fleet(units, np.zeros(1, int), np.array([1.0]), np.array([2.0]))
    assert (one.devices[0], one.usd_per_device_hour[0]) == (4, 6.0)
    wide = paid_fleet(units, np.zeros(1, int), np.array([1.0]), np.array([8.0]))
    assert wide.unit_devices[0] == 8  # an instance of four does not hold a replica of eight


def chat(model, device: str, rate: float, **money) -> Scenario:
    return Scenario(
        name="chat", model=model, serving=ServingWorkload(classes=(RequestClass(peak_rate_per_s=rate),)),
        hardware=HardwareChoice(accelerators=(device,)), economics=Economics(**money),
    )  # fmt: skip


@pytest.mark.parametrize(("device", "unit"), [(H100, 8), (GB200, 72), (L40S, 1)])
def test_an_owner_buys_cards_nodes_and_racks_as_they_are_sold(llama_8b, catalog, calibration, device, unit):
    table = (found := plan(chat(llama_8b, device, 2.0, serving_procurement="own"), catalog, calibration).serving).table
    best = found.best
    assert table.unit_devices[best] == unit
    assert table.paid_devices[best] % unit == 0
    assert table.paid_devices[best] >= table.devices[best]
    whole = catalog.nodes["gb200-nvl72"]
    if device == GB200:
        assert table.paid_devices[best] == whole.accelerator_count
    spread = table.usd_per_device_hour[best] * table.devices[best] / table.paid_devices[best]
    assert table.usd_per_hour[best] == pytest.approx(spread * table.paid_devices[best])


def test_a_unit_is_what_the_catalogue_sells(catalog):
    """A tray of an NVL72 is rented alone and bought with its rack; a wafer is a system of its own."""
    nodes = tuple(catalog.nodes.values())

    def bought(device: str) -> tuple[str, int]:
        entry = catalog.accelerators[device]
        node = bought_node(entry, nodes)
        return node.id if node else "", owned_size(entry, node)

    assert bought(GB200) == ("gb200-nvl72", 72)
    assert bought("amd-mi455x") == ("amd-helios-72", 72)
    assert bought("nvidia-groq3-lpu") == ("nvidia-lpx-256", 256)
    assert bought("cerebras-wse-3") == ("", 1)


def test_a_node_of_eight_is_paid_whole_only_where_nobody_rents_out_fewer(llama_8b, catalog, calibration):
    """V100s with 32 GB are rented out by eight alone: a few cost what eight do. A100s are had one by one."""
    for device, used, paid in ((V100, 4, 8), (A100, 2, 2)):
        found = plan(chat(llama_8b, device, 2.0), catalog, calibration).serving
        each = found.table.devices_per_replica[found.best]
        quote = offers_of(catalog).quote(catalog.accelerators[device], "rent_on_demand", Economics(), each)
        assert found.table.devices[found.best] == used
        assert found.table.paid_devices[found.best] == paid
        assert found.table.usd_per_hour[found.best] == pytest.approx(paid * quote.usd_per_hour)


def test_training_pays_for_whole_nodes_too(both, catalog, calibration):
    hardware = HardwareChoice(accelerators=(H100,), training_devices=4)
    economics = Economics(training_procurement="own")
    scenario = msgspec.structs.replace(both, serving=None, hardware=hardware, economics=economics)
    table = plan(scenario, catalog, calibration).training.table
    ran = np.isfinite(table.usd_per_run)
    assert ran.any()
    assert set(table.paid_devices[ran]) == {8.0}


def test_a_single_box_needs_no_network_and_a_cluster_the_one_it_names(both, catalog, calibration):
    """64 owned H100s cost less on 10 GbE than on NDR; eight in one box cost the same on both. Power is free here:
    devices that wait for a slow network draw less."""
    economics = Economics(training_procurement="own", site=Site(electricity_usd_per_kwh=0.0))

    def usd(devices: int, network: str) -> float:
        hardware = HardwareChoice(accelerators=(H100,), training_devices=devices, network=network)
        scenario = msgspec.structs.replace(both, serving=None, hardware=hardware, economics=economics)
        found = plan(scenario, catalog, calibration).training
        return float(found.table.usd_per_device_hour[found.best])

    slow, fast = usd(64, "eth-10"), usd(64, "ib-ndr-400")
    assert slow < fast
    assert usd(8, "eth-10") == pytest.approx(usd(8, "ib-ndr-400"))
    assert usd(8, "eth-10") < slow


def test_a_board_of_eight_draws_its_power_with_three_devices_in_use(llama_8b, catalog, calibration):
    """HGX H100: 10.2 kW, also where fewer than eight devices are used; 9 kW in a rack are too little for an owner."""
    scenario = chat(llama_8b, H100, 2.0, serving_procurement="own")
    narrow = msgspec.structs.replace(scenario.hardware, max_kw_per_rack=9.0)
    found = plan(msgspec.structs.replace(scenario, hardware=narrow), catalog, calibration)
    assert found.serving.table.devices[found.serving.best] < 8
    (said,) = [one for one in found.findings if one.code == "node_exceeds_rack"]
    assert said.values["node_w"] == pytest.approx(10_200)


def test_what_is_owned_already_is_used_first_and_costs_its_running(llama_8b, catalog, calibration):
    """Four H100s in the cellar: a fleet within them pays no rent, one beyond them rents the rest at Nebius' 4.50."""
    stock = (OwnedStock(accelerator=H100, devices=4),)
    small, large = (chat(llama_8b, H100, rate) for rate in (2.0, 400.0))
    for scenario in (small, large):
        owned = msgspec.structs.replace(scenario, hardware=msgspec.structs.replace(scenario.hardware, owned=stock))
        before, after = (plan(one, catalog, calibration).serving for one in (scenario, owned))
        row = before.best
        devices, each = before.table.devices[row], before.table.devices_per_replica[row]
        used = min(4 // each * each, devices)
        cheap = next(one for one in plan(owned, catalog, calibration).findings if one.code.startswith("owned_"))
        running = float(cheap.values["price_usd_per_hour"])
        assert 0 < running < 1.0
        expected = used * running + (devices - used) * 4.50
        assert after.table.usd_per_hour[row] == pytest.approx(expected)
        # Switches and storage of the owned ones draw 8 % more at the site; those of rented ones are at the provider's.
        assert after.table.power_w[row] == pytest.approx(before.table.power_w[row] * (1 + 0.08 * used / devices))
        assert after.table.usd_per_hour[row] < before.table.usd_per_hour[row]


def test_what_is_rented_beside_owned_devices_is_paid_for_while_it_runs(llama_8b, catalog, calibration):
    """Half of each day at the peak, half nearly none: one replica then, which an owned device carries."""
    found = {}
    for owned in (0, 2):
        scenario = chat(llama_8b, H100, 200.0)
        traffic = msgspec.structs.replace(scenario.serving.traffic, hours=(1.0,) * 12 + (1e-3,) * 12)
        serving = msgspec.structs.replace(
            scenario.serving, traffic=traffic, start=ReplicaStart(is_autoscaled=True),
            availability=Availability(target=0.5, spare_replicas=0),
        )  # fmt: skip
        stock = (OwnedStock(accelerator=H100, devices=owned),) if owned else ()
        hardware = msgspec.structs.replace(scenario.hardware, owned=stock)
        asked = msgspec.structs.replace(scenario, serving=serving, hardware=hardware)
        found[owned] = plan(asked, catalog, calibration)
    rented, table = found[0].served, found[2].served.table
    row = rented.best
    replicas, each = rented.table.replicas[row], rented.table.devices_per_replica[row]
    assert table.replicas[row] == replicas > 2
    assert each == 1
    at_peak = (rented.table.running_share[row] * replicas - 1) / (replicas - 1)
    assert at_peak == pytest.approx(0.5, abs=0.05)
    running = next(float(one.values["price_usd_per_hour"]) for one in found[2].findings if one.code == "owned_first")
    expected = 2 * running + (replicas - 2) * 4.50 * at_peak
    assert table.usd_per_hour[row] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("replicas", "each", "owned", "used", "added"),
    [
        (6, 1, 4, 0, 8),  # the node that two of them need holds all six
        (6, 1, 0, 0, 8),
        (11, 1, 8, 3, 8),
        (3, 3, 6, 3, 8),  # two on the node
        (2, 16, 16, 16, 16),
    ],
)
def test_owned_devices_that_whole_nodes_replace_cost_nothing(replicas, each, owned, used, added):
    def fleet(**known):
        stock = Stock(np.array([float(owned)]), np.array([0.5]), **known)
        units = Units.of([((8, 2.0),)], [False], stock=stock)
        return paid_fleet(units, np.zeros(1, np.int64), np.array([float(replicas)]), np.array([float(each)]))

    found = fleet()
    assert (found.devices[0], found.stock_devices[0]) == (used + added, used)
    assert found.usd_per_device_hour[0] * replicas * each == pytest.approx(0.5 * used + 2.0 * added)
    # What is released while the load does not need it leaves the owned ones to work.
    assert fleet(carries_base=True).stock_devices[0] == min(owned // each * each, replicas * each)


def test_owning_some_devices_makes_no_fleet_of_whole_nodes_dearer(llama_8b, catalog, calibration):
    scenario = chat(llama_8b, H100, 60.0, serving_procurement="own")
    months = []
    for owned in (0, 1, 2, 3, 4, 5, 8):
        stock = (OwnedStock(accelerator=H100, devices=owned),) if owned else ()
        held = msgspec.structs.replace(scenario, hardware=msgspec.structs.replace(scenario.hardware, owned=stock))
        found = plan(held, catalog, calibration).served.table
        months.append(float(found.usd_per_month[found.order[0]]))
    assert all(later <= sooner + 1e-6 for sooner, later in pairwise(months)), months


def test_an_owned_card_and_a_bought_one_serve_one_replica():
    """Cards stand in one machine whoever paid for them; a board's devices, and what is rented, do not."""
    one = (np.zeros(1, np.int64), np.ones(1), np.array([2.0]))

    def fleet(unit: int, joins: bool):
        stock = Stock(np.array([1.0]), np.array([0.1]), np.array([joins]))
        return paid_fleet(Units.of([((unit, 2.0),)], [False], stock=stock), *one)

    joined, apart = fleet(1, True), fleet(1, False)
    assert (joined.devices[0], joined.usd_per_device_hour[0]) == (2.0, pytest.approx((0.1 + 2.0) / 2))
    assert (apart.devices[0], apart.usd_per_device_hour[0]) == (2.0, pytest.approx(2.0))


def test_an_owned_device_that_is_no_longer_sold_serves(llama_8b, catalog, calibration):
    scenario = chat(llama_8b, A100, 2.0, serving_procurement="own")
    assert plan(scenario, catalog, calibration).serving.best < 0
    stock = (OwnedStock(accelerator=A100, devices=8),)
    held = msgspec.structs.replace(scenario, hardware=msgspec.structs.replace(scenario.hardware, owned=stock))
    found = plan(held, catalog, calibration).serving
    assert found.table.meets_targets[found.best]
    assert found.table.usd_per_device_hour[found.best] < 1.0
