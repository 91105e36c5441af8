"""Rent or buy, through a plan: worked cases E11 and E12, and what adds up."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.desktop.store import replaced
from gpuplanner_gui.domain.constants import HOURS_PER_YEAR
from gpuplanner_gui.domain.economics import Economics, Ownership, PriceOverride, RentalTerms, Site
from gpuplanner_gui.domain.quantity import Money, central
from gpuplanner_gui.domain.traffic import Traffic
from gpuplanner_gui.drawing.decision_rows import ways_rows
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.cost.prices import bought_node
from gpuplanner_gui.engine.decision.ownership_view import ownership_of_plan

H100 = "nvidia-h100-sxm-80gb"
WORKED = Economics(
    serving_procurement="own",
    overrides=(PriceOverride(accelerator=H100, purchase_per_device=Money(42_000.0)),),
    ownership=Ownership(
        network_usd_per_device=0.0, storage_usd_per_device=0.0, installation_share=0.0, useful_life_years=4.0,
        residual_share=0.1, cost_of_capital=0.1, facility_usd_per_kw_month=195.0, infrastructure_power_share=0.0,
        support_share_per_year=0.05, staff_usd_per_device_year=0.0, insurance_and_tax_share_per_year=0.0,
        availability=0.97,
    ),
    site=Site(electricity_usd_per_kwh=0.085, pue=1.3, power_share_of_rating=0.76, idle_share_of_rating=0.76),
)  # fmt: skip
"""The cases have one draw, whatever the load."""


def _quoted(rent: float) -> PriceOverride:
    return PriceOverride(accelerator=H100, purchase_per_device=Money(42_000.0), rent_per_device_hour=Money(rent))


@pytest.fixture(scope="module")
def worked(service, catalog, calibration, context):
    scenario = replaced(msgspec.structs.replace(service, economics=WORKED), "hardware.accelerators", (H100,))
    return ownership_of_plan(scenario, plan(scenario, catalog, calibration), context, "serving")


def test_worked_case_e11_owned_cost_of_a_device(worked):
    assert worked.annual.capital_usd == pytest.approx(12_344.796380, rel=1e-6)
    assert worked.straight_line_usd_per_hour == pytest.approx(1.078767, rel=1e-6)
    assert worked.annual.facility_usd == pytest.approx(2_983.50, rel=1e-6)
    assert worked.annual.energy_usd == pytest.approx(937.972620, rel=1e-6)
    assert worked.annual.support_usd == pytest.approx(2_100.0, rel=1e-6)
    assert worked.annual.total == pytest.approx(18_366.269, rel=1e-6)
    assert worked.owned_usd_per_calendar_hour == pytest.approx(2.096606, rel=1e-6)


@pytest.mark.parametrize(("rent", "use"), [(1.70, 1.233298), (2.35, 0.892173), (3.93, 0.533488), (6.88, 0.304739)])
def test_worked_case_e12_break_even_use(service, catalog, calibration, context, rent, use):
    """The case is per hour on the calendar and device bought; an hour in which one is up and in use costs more."""
    economics = msgspec.structs.replace(WORKED, overrides=(_quoted(rent),))
    scenario = replaced(msgspec.structs.replace(service, economics=economics), "hardware.accelerators", (H100,))
    found = ownership_of_plan(scenario, plan(scenario, catalog, calibration), context, "serving")
    hourly = next(one for one in found.terms if one.term == "rent_on_demand")
    in_use = 0.97 * found.devices / found.bought_devices
    assert found.bought_devices == 8
    assert hourly.break_even_share * in_use == pytest.approx(use, rel=1e-5)


def test_worked_case_e11_worth_of_12_000_saved_a_year(service, worked, catalog, calibration, context):
    """A rent that pays 2,983.50 + 937.97262 + 2,100 of running costs and 12,000 more of each device that is bought."""
    rent = (12_000 + 6_021.47262) * worked.bought_devices / worked.devices / (0.97 * 8760)
    economics = msgspec.structs.replace(WORKED, overrides=(_quoted(rent),))
    scenario = replaced(msgspec.structs.replace(service, economics=economics), "hardware.accelerators", (H100,))
    found = ownership_of_plan(scenario, plan(scenario, catalog, calibration), context, "serving").investment
    assert found.npv_usd / worked.bought_devices == pytest.approx(-1_092.958131, rel=1e-6)
    assert (found.irr, found.payback_years) == (pytest.approx(0.08846697, rel=1e-6), pytest.approx(3.5))


def test_parts_of_capital_and_of_a_year_add_up(worked):
    assert worked.capital.total == pytest.approx(42_000.0)
    assert sum(worked.annual.values()) == pytest.approx(worked.annual.total)


@pytest.mark.parametrize("device", ["nvidia-h20-96gb", "nvidia-rtx-pro-6000-blackwell-ws", "nvidia-l40s", "apple-m4"])
def test_a_quote_of_what_the_catalogue_asks_changes_no_price(context, device):
    """An H20 of $14,000 costs $18,900 with its server, whoever asks it: quoted, it lost the server."""
    entry = context.catalog.accelerators[device]
    node = bought_node(entry, context.catalog.nodes_of(device))
    asked = entry.price.usd if node is None else node.capex.usd
    quoted = Money(central(asked) / (1 if node is None else node.accelerator_count))
    economics = Economics(overrides=(PriceOverride(accelerator=device, purchase_per_device=quoted),))
    book = context.price_book.of(entry)
    (same,), (catalogued,) = (book.owned(one).node_usd for one in (economics, Economics()))
    assert same == pytest.approx(catalogued)
    assert same == pytest.approx(central(quoted.amount) * (1.35 if node is None and entry.kind == "gpu" else 1.0))


def test_presets_give_other_owners_their_own_hour(worked):
    """S119 beside others: the neocloud pays more for the same device than the hyperscaler."""
    owners = {one.id: one.usd_per_device_hour for one in worked.owners}
    assert owners["hyperscaler"] < owners["neocloud"]


def test_a_dear_rent_makes_the_purchase_pay(service, catalog, calibration, context):
    def found(rent: float):
        economics = msgspec.structs.replace(WORKED, overrides=(_quoted(rent),), serving_procurement="rent_on_demand")
        scenario = replaced(msgspec.structs.replace(service, economics=economics), "hardware.accelerators", (H100,))
        answer = ownership_of_plan(scenario, plan(scenario, catalog, calibration), context, "serving")
        return answer.investment

    cheap, dear = found(1.0), found(12.0)
    assert dear.npv_usd > 0 > cheap.npv_usd
    assert dear.payback_years < 2 < cheap.payback_years
    assert dear.irr > 0.5


@pytest.mark.parametrize(("data", "life"), [(False, 4.0), (True, 2.5)])
def test_present_value_break_even_and_npv_agree_near_break_even(
    service, worked, catalog, calibration, context, data, life
):
    """Over the useful life, on both sides of the rent at which both cost the same, one page says one thing."""
    renting = RentalTerms(serving_egress_bytes_per_month=20e12, support_share=0.1) if data else RentalTerms()
    signs = set()
    for over in (0.9, 0.97, 0.99, 1.01, 1.03, 1.1):
        economics = msgspec.structs.replace(
            WORKED, overrides=(_quoted(worked.held_usd_per_hour * over),), horizon_years=life, renting=renting,
            ownership=msgspec.structs.replace(WORKED.ownership, useful_life_years=life),
        )  # fmt: skip
        asked = replaced(msgspec.structs.replace(service, economics=economics), "hardware.accelerators", (H100,))
        found = ownership_of_plan(asked, plan(asked, catalog, calibration), context, "serving")
        terms = {one.term: one for one in found.terms}
        hourly, own = terms["rent_on_demand"], terms["own"]
        saves = own.usd < hourly.usd
        assert (hourly.break_even_share < 1) == saves == (found.investment.npv_usd > 0) == (found.investment.irr > 0.1)
        signs.add(saves)
        # Capital today less its resale, and running costs at the end of each year, per hour that is up.
        bought, running = found.bought_devices, found.annual.total - found.annual.capital_usd
        years = {4.0: 1 / 1.1 + 1 / 1.1**2 + 1 / 1.1**3 + 1 / 1.1**4, 2.5: 1 / 1.1 + 1 / 1.1**2 + 0.5 / 1.1**2.5}
        paid = 42_000 * (1 - 0.1 / 1.1**life) + running * years[life]
        assert own.usd == pytest.approx(paid * bought / 0.97)
    assert data or signs == {False, True}


def test_commitments_cost_no_more_than_all_by_the_hour_or_all_reserved(service, catalog, calibration, context):
    scenario = replaced(service, "hardware.accelerators", ("nvidia-h200-sxm-141gb",))
    scenario = replaced(scenario, "serving.classes[0].peak_rate_per_s", 300.0)
    answer = plan(scenario, catalog, calibration)
    found = ownership_of_plan(scenario, answer, context, "serving")
    hourly = next(one for one in found.terms if one.term == "rent_on_demand").usd_per_device_hour
    years = len(found.commitments)
    assert found.commitment_usd <= hourly * found.devices * 8760 * years * (1 + 1e-9)
    worth = 1.1 ** -(np.arange(3) + 1)
    assert found.commitment_usd == pytest.approx(sum(np.array([one.usd for one in found.commitments]) * worth))
    assert all(one.three_years + one.one_year + one.by_the_hour > 0 for one in found.commitments)


def test_energy_of_a_run_grows_with_its_device_hours(both, both_plan, context):
    found = ownership_of_plan(both, both_plan, context, "training")
    hours = both_plan.training.table.device_hours[both_plan.training.best]
    energy = found.energy
    assert energy.energy_kwh == pytest.approx(energy.facility_power_w / found.devices / 1e3 * hours)
    assert energy.carbon_kg > energy.electricity_carbon_kg > 0
    table, best = both_plan.training.table, both_plan.training.best
    assert energy.energy_kwh * 3.6e6 == pytest.approx(float(table.energy_j[best]), rel=1e-6)


def test_training_pays_for_hours_in_use_when_rented_and_for_all_when_owned(both, both_plan, context):
    """S114, S119: a burst is cheapest by the hour."""
    found = ownership_of_plan(both, both_plan, context, "training")
    terms = {one.term: one.usd for one in found.terms}
    assert found.use_share < 0.2
    assert terms["rent_on_demand"] < terms["own"]


def test_user_and_request_costs_follow_from_tokens(service, service_plan, context):
    """S132: dollars per million tokens of each kind, per request, per user."""
    found = ownership_of_plan(service, service_plan, context, "serving")
    costs = {one.code: one.value for one in found.unit_costs}
    assert costs["million_cached_input"] < costs["million_input"] < costs["million_output"]
    assert costs["user_month"] == pytest.approx(costs["request"] * 20 * 365 / 12)
    assert np.isfinite(list(costs.values())).all()


def test_users_who_wait_ask_as_often_as_their_think_time_lets_them(service, context, catalog, calibration):
    traffic = Traffic(arrivals="users", users=50.0, think_time_s=30.0, mean_over_peak=0.5)
    loop = msgspec.structs.replace(service, serving=msgspec.structs.replace(service.serving, traffic=traffic))
    made = plan(loop, catalog, calibration)
    user = {one.code: one for one in ownership_of_plan(loop, made, context, "serving").unit_costs}["user_month"]
    table, best = made.serving.table, made.serving.best
    assert user.requests_per_day == pytest.approx(0.5 * 86_400 / (30.0 + table.e2e_mean_s[best]), rel=1e-3)
    assert user.value == pytest.approx(table.usd_per_month[best] / 50)


@pytest.fixture(scope="module")
def part_of_a_node(both, catalog, calibration):
    """A run on four devices, of nodes that hold eight, and its plan."""
    few = msgspec.structs.replace(both, hardware=msgspec.structs.replace(both.hardware, training_devices=4))
    return few, plan(few, catalog, calibration)


def test_an_hour_in_use_pays_for_the_rest_of_the_node_whoever_owns_it(part_of_a_node, context):
    both, both_plan = part_of_a_node
    found = ownership_of_plan(both, both_plan, context, "training")
    terms = {one.term: one for one in found.terms}
    idle = found.bought_devices / found.devices
    assert terms["own"].paid_devices == found.bought_devices > found.devices == terms["rent_on_demand"].paid_devices
    book = context.price_book.of(context.catalog.accelerators[found.accelerator])
    presets = [one for one in context.calibration.economics.presets if one.place is None]
    for preset, one in zip(presets, found.owners, strict=True):
        alone = book.owned(preset.applied_to(both.economics), found.draw_share).usd_per_available_hour[0]
        assert one.usd_per_device_hour == pytest.approx(alone * idle)


def test_year_hour_and_break_even_of_what_is_held_are_of_one_use(part_of_a_node, context):
    """Parts, hour and break-even of one use: that of the runs, between which the devices draw little."""
    both, both_plan = part_of_a_node
    found = ownership_of_plan(both, both_plan, context, "training")
    terms = {one.term: one for one in found.terms}
    up = HOURS_PER_YEAR * central(both.economics.ownership.availability)
    held = found.annual.total / up * found.bought_devices / found.devices
    assert found.held_usd_per_hour == pytest.approx(held)
    assert found.bought_devices > found.devices
    assert found.owned_usd_per_useful_hour == pytest.approx(held / found.use_share)
    hourly = terms["rent_on_demand"]
    assert hourly.break_even_share == pytest.approx(held / hourly.usd_per_device_hour)
    rows = {str(row[0]): row for row in ways_rows(found).cells}
    paid, used = rows["Own"][2:4]
    assert found.use_share < 1
    assert (paid, used) == (pytest.approx(held), pytest.approx(held / found.use_share))
    assert rows["Rent by the hour"][2] == rows["Rent by the hour"][3] == hourly.usd_per_device_hour


def test_a_batch_has_no_users(service, context, catalog, calibration):
    traffic = Traffic(arrivals="batch", batch_requests=100_000.0, batch_time_s=28_800.0)
    batch = msgspec.structs.replace(service, serving=msgspec.structs.replace(service.serving, traffic=traffic))
    found = ownership_of_plan(batch, plan(batch, catalog, calibration), context, "serving")
    assert {one.code for one in found.unit_costs} >= {"request", "million_output"}
    assert "user_month" not in {one.code for one in found.unit_costs}


def test_the_planners_own_site_decides_water_carbon_and_what_a_user_costs(service, service_plan, context):
    """Dry cooling evaporates nothing; twice the requests cost a user twice as much."""
    usual = ownership_of_plan(service, service_plan, context, "serving")
    changed = service
    for path, value in (
        ("economics.site.water_litres_per_kwh", 0.0), ("economics.site.embodied_kg_co2e_per_device", 656.0),
        ("economics.requests_per_user_day", 40.0),
    ):  # fmt: skip
        changed = replaced(changed, path, value)
    own = ownership_of_plan(changed, service_plan, context, "serving")
    it_kwh = usual.energy.it_power_w / 1e3 * 8760
    assert usual.energy.water_litres == pytest.approx(it_kwh)
    assert own.energy.water_litres == 0
    assert own.energy.embodied_carbon_kg == pytest.approx(2 * usual.energy.embodied_carbon_kg)
    users = [{one.code: one.value for one in found.unit_costs}["user_month"] for found in (usual, own)]
    assert users[1] == pytest.approx(2 * users[0])


def test_a_rental_bill_holds_storage_data_moved_out_and_support(service, service_plan, context):
    """By hand: 50 TB out at 0.09 and 10 TB kept at 0.023 are 4,730 USD a month, with support of 10 % on the whole."""
    changed = service
    for path, value in (
        ("serving_egress_bytes_per_month", 50e12), ("stored_bytes", 10e12), ("support_share", 0.1),
    ):  # fmt: skip
        changed = replaced(changed, f"economics.renting.{path}", value)
    usual = ownership_of_plan(service, service_plan, context, "serving")
    billed = ownership_of_plan(changed, service_plan, context, "serving")
    beside = {one.code: one.value for one in billed.unit_costs}["beside_devices"]
    assert beside == pytest.approx(4_730 * 1.1)
    assert "beside_devices" not in {one.code for one in usual.unit_costs}
    years = usual.terms[0].usd / (usual.terms[0].usd_per_device_hour * usual.devices * 8760)
    for before, after in zip(usual.terms, billed.terms, strict=True):
        expected = before.usd if before.term == "own" else before.usd * 1.1 + beside * 12 * years
        assert after.usd == pytest.approx(expected, nan_ok=True)
    assert billed.investment.npv_usd > usual.investment.npv_usd


def test_data_moved_out_of_training_is_billed_by_the_run(both, both_plan, context):
    changed = replaced(both, "economics.renting.training_egress_bytes_per_run", 12e12)
    found = ownership_of_plan(changed, both_plan, context, "training")
    assert {one.code: one.value for one in found.unit_costs}["beside_devices"] == pytest.approx(12e3 * 0.09 / 12)


def test_s116_a_run_costs_less_in_fp8_on_spot_capacity_or_both(both, catalog, calibration, context):
    """Faster training, spot, or both, each with its saving; planning the run so again gives the same cost."""
    scenario = replaced(both, "hardware.accelerators", (H100,))
    before = plan(scenario, catalog, calibration)
    answer = ownership_of_plan(scenario, before, context, "training")
    saved = {one.code: one for one in answer.levers}
    assert list(saved) == ["faster", "spot"]
    assert all(one.alone_usd > 0 for one in saved.values())
    assert saved["faster"].in_order_usd == pytest.approx(saved["faster"].alone_usd)
    assert saved["spot"].in_order_usd < saved["spot"].alone_usd
    cost = float(before.training.table.usd_per_run[before.training.best])
    devices = int(before.training.table.devices[before.training.best])
    narrow = replaced(replaced(scenario, "training.recipe", "fp8"), "hardware.training_devices", devices)
    again = plan(narrow, catalog, calibration).training
    assert cost - saved["faster"].alone_usd == pytest.approx(float(again.table.usd_per_run[again.best]))
    spot = replaced(
        replaced(scenario, "economics.training_procurement", "rent_spot"), "hardware.training_devices", devices
    )
    interrupted = plan(spot, catalog, calibration).training
    assert cost - saved["spot"].alone_usd == pytest.approx(
        float(interrupted.table.usd_per_run[interrupted.best]), rel=0.02
    )


def test_s116_a_run_that_cannot_restart_has_no_spot_lever(both, catalog, calibration, context):
    scenario = replaced(replaced(both, "hardware.accelerators", (H100,)), "training.restartable", False)
    answer = ownership_of_plan(scenario, plan(scenario, catalog, calibration), context, "training")
    assert [one.code for one in answer.levers] == ["faster"]
