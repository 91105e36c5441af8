"""Energy of a service and of a run, from the power of their devices at each load to carbon and water."""

from __future__ import annotations

import msgspec
import pytest

from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import OwnedStock, Scenario
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.advisor.case import draw_share_of, serving_case, training_case
from gpuplanner_gui.engine.decision.ownership_view import energy_of

HOURS = 8760
H100_IDLE, H100_LOADED = 2200 / 10_200, 0.76
"""Of the rating: HGX H100 in the node catalogue, and intense training."""


def test_energy_of_a_service_is_that_of_its_hours_at_each_load(both, both_plan, context):
    case = serving_case(both, both_plan, context)
    found, site = energy_of(case), both.economics.site
    assert found.facility_power_w == pytest.approx(found.it_power_w * central(site.pue))
    assert found.it_power_w < found.rated_power_w
    assert sum(one.hours for one in found.by_load) == pytest.approx(HOURS)
    assert sum(one.hours * one.power_w / 1000 for one in found.by_load) == pytest.approx(found.energy_kwh)
    assert [one.power_w for one in found.by_load] == sorted((one.power_w for one in found.by_load), reverse=True)
    assert found.electricity_usd == pytest.approx(found.energy_kwh * central(site.electricity_usd_per_kwh))
    millions = 40.0 * case.mean_over_peak * both_plan.serving.mean_output_tokens * HOURS * 3600 / 1e6
    assert found.kwh_per_million_tokens == pytest.approx(found.energy_kwh / millions)


def served_at(both: Scenario, mean_over_peak: float) -> Scenario:
    hardware = msgspec.structs.replace(both.hardware, accelerators=("nvidia-h100-sxm-80gb",))
    traffic = msgspec.structs.replace(both.serving.traffic, mean_over_peak=mean_over_peak)
    serving = msgspec.structs.replace(both.serving, traffic=traffic)
    return msgspec.structs.replace(both, training=None, serving=serving, hardware=hardware)


def test_a_service_that_is_hardly_used_draws_little_more_than_idle(both, catalog, calibration, context):
    """The same fleet at means of 1, 1/2, 1/10 and 1/50 of its peak: once all drew 76 % of the rating."""
    shares, tokens = [], []
    for mean in (1.0, 0.5, 0.1, 0.02):
        scenario = served_at(both, mean)
        found = energy_of(serving_case(scenario, plan(scenario, catalog, calibration), context))
        shares.append(found.it_power_w / found.rated_power_w)
        tokens.append(found.kwh_per_million_tokens)
    assert shares == sorted(shares, reverse=True)
    assert tokens == sorted(tokens)
    assert H100_LOADED > shares[0] > shares[1] + 0.05
    assert H100_IDLE < shares[3] < H100_IDLE + 0.1


def test_the_site_says_what_idle_and_lone_sequences_draw(both, catalog, calibration, context):
    scenario = served_at(both, 0.5)

    def share(**given: float) -> float:
        site = msgspec.structs.replace(scenario.economics.site, **given)
        economics = msgspec.structs.replace(scenario.economics, site=site)
        other = msgspec.structs.replace(scenario, economics=economics)
        found = energy_of(serving_case(other, plan(other, catalog, calibration), context))
        return found.it_power_w / found.rated_power_w

    usual = share()
    assert share(idle_share_of_rating=0.05) < usual < share(idle_share_of_rating=0.5)
    assert share(idle_share_of_rating=0.9) == pytest.approx(H100_LOADED)
    assert share(batch_one_power_share=0.0) < usual < share(batch_one_power_share=1.0)


@pytest.mark.parametrize("arrivals", ["poisson", "batch"])
def test_a_released_replica_draws_nothing(arrivals: str, both, catalog, calibration, context):
    """Energy, carbon and water of the hours that are paid for, and of a batch those in which it is done."""

    def drawn(is_autoscaled: bool, term: str, owned: int = 0):
        scenario = served_at(both, 0.3)
        traffic = msgspec.structs.replace(
            scenario.serving.traffic, arrivals=arrivals, batch_requests=500_000.0, batch_time_s=6 * 3600.0
        )
        start = msgspec.structs.replace(scenario.serving.start, is_autoscaled=is_autoscaled)
        stock = (OwnedStock(accelerator="nvidia-h100-sxm-80gb", devices=owned),) if owned else ()
        scenario = msgspec.structs.replace(
            scenario,
            serving=msgspec.structs.replace(scenario.serving, traffic=traffic, start=start),
            hardware=msgspec.structs.replace(scenario.hardware, owned=stock),
            economics=msgspec.structs.replace(scenario.economics, serving_procurement=term),
        )
        case = serving_case(scenario, plan(scenario, catalog, calibration), context)
        return case, energy_of(case)

    case, found = drawn(True, "rent_on_demand")
    always, held = drawn(False, "rent_on_demand")
    share = case.best.of("running_share")
    assert case.devices == always.devices
    assert 0 < share < 0.9
    assert found.embodied_carbon_kg == pytest.approx(held.embodied_carbon_kg * share)
    assert found.energy_kwh == pytest.approx(sum(one.hours * one.power_w / 1000 for one in found.by_load))
    assert found.energy_kwh < 0.9 * held.energy_kwh
    assert found.water_litres / held.water_litres == pytest.approx(found.energy_kwh / held.energy_kwh)
    if arrivals == "batch":
        for one, energy, hours in ((case, found, share * HOURS), (always, held, HOURS)):
            worked = 365 * 500_000 / (one.replicas * one.best.of("max_rate_per_s") * 3600)
            assert [level.load for level in energy.by_load] == [1.0, 0.0]
            assert [level.hours for level in energy.by_load] == pytest.approx([worked, hours - worked])
        assert found.by_load[1].power_w == pytest.approx(held.by_load[1].power_w)
    for scaled, term, owned in ((True, "rent_1y", 0), (True, "rent_on_demand", 1000)):
        same, other = drawn(scaled, term, owned)
        assert other.embodied_carbon_kg == pytest.approx(held.embodied_carbon_kg * same.devices / always.devices)
        assert other.it_power_w == pytest.approx(held.it_power_w * (1.08 if owned else 1.0), rel=1e-3)


def test_devices_that_wait_for_data_draw_less(both, catalog, calibration, context):
    """At a hundredth of the pace nearly all of the run is waiting; the energy of the same tokens is many times as
    much, at little more than idle power."""

    def trained(rate: float):
        data = msgspec.structs.replace(both.training.data, storage_read_bytes_per_s=rate)
        training = msgspec.structs.replace(both.training, data=data, deadline_s=None)
        hardware = msgspec.structs.replace(both.hardware, accelerators=("nvidia-h100-sxm-80gb",), training_devices=8)
        scenario = msgspec.structs.replace(both, serving=None, training=training, hardware=hardware)
        made = plan(scenario, catalog, calibration)
        return energy_of(training_case(scenario, made, context)), made.training

    fed, made = trained(10e9)
    pace = float(made.table.tokens_per_s[made.best]) * 4
    starved, _ = trained(pace / 100)
    assert fed.it_power_w / fed.rated_power_w == pytest.approx(H100_LOADED, abs=0.05)
    assert starved.it_power_w / starved.rated_power_w == pytest.approx(H100_IDLE, abs=0.02)
    assert starved.by_load[1].hours > 50 * starved.by_load[0].hours
    assert starved.energy_kwh > 20 * fed.energy_kwh


def test_energy_of_a_run_is_that_of_its_device_hours(both, both_plan, context):
    case = training_case(both, both_plan, context)
    found, table, row = energy_of(case), both_plan.training.table, both_plan.training.best
    per_device_w = found.facility_power_w / float(table.devices[row])
    assert found.energy_kwh == pytest.approx(per_device_w / 1000 * float(table.device_hours[row]))
    carbon = found.electricity_carbon_kg + found.embodied_carbon_kg
    assert found.grams_per_million_tokens == pytest.approx(carbon * 1000 / (both_plan.training.tokens / 1e6))


def test_owned_devices_draw_what_they_draw_on_every_term(both, catalog, calibration, context):
    """With the 8 % of their switches and storage, which a provider feeds for those that are rented."""

    def drawn(owned: int, term: str):
        stock = (OwnedStock(accelerator="nvidia-h100-sxm-80gb", devices=owned),) if owned else ()
        hardware = msgspec.structs.replace(
            both.hardware, accelerators=("nvidia-h100-sxm-80gb",), owned=stock, training_devices=8
        )
        economics = msgspec.structs.replace(both.economics, serving_procurement=term, training_procurement=term)
        scenario = msgspec.structs.replace(both, hardware=hardware, economics=economics)
        made = plan(scenario, catalog, calibration)
        cases = serving_case(scenario, made, context), training_case(scenario, made, context)
        return cases, [energy_of(one) for one in cases], [draw_share_of(one) for one in cases]

    (service, _), rented, shares = drawn(0, "rent_on_demand")
    for owned, term in ((1000, "own"), (1000, "rent_on_demand"), (1000, "rent_spot"), (1, "rent_on_demand")):
        cases, found, same_shares = drawn(owned, term)
        assert cases[0].devices == service.devices
        for one, before, case in zip(found, rented, cases, strict=True):
            share = 1.0 if owned > 1 else 1 / case.devices if case is cases[0] else 0.0
            assert one.facility_power_w == pytest.approx(before.facility_power_w * (1 + 0.08 * share), rel=1e-3)
            by_load = sum(level.hours * level.power_w / 1000 for level in one.by_load)
            assert by_load == pytest.approx(one.energy_kwh, rel=1e-3)
        assert same_shares == pytest.approx(shares, rel=1e-3)
