"""A first estate of a project: its workloads and prices are those of each scenario's own pages."""

from __future__ import annotations

import math
from dataclasses import replace

import msgspec
import pytest

from gpuplanner_gui.domain.economics import Confidence, PriceOverride, RentedTerm
from gpuplanner_gui.domain.estate import (
    Estate,
    EstateHardware,
    EstateWorkload,
    HourClass,
    StandingUnits,
    estate_problems,
)
from gpuplanner_gui.domain.field import problems_of
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.quantity import Money, central
from gpuplanner_gui.domain.scenario import OwnedStock, Project
from gpuplanner_gui.engine.decision import doors
from gpuplanner_gui.engine.estate.answer import options_of_plans, planned_estate
from gpuplanner_gui.engine.estate.draft import PriceTerms, drafted_estate, offered_hardware
from gpuplanner_gui.engine.estate.left_out import left_out_data_usd, left_out_stock
from gpuplanner_gui.engine.estate.problem import Option
from gpuplanner_gui.engine.planning import plan
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import load_project
from gpuplanner_gui.paths import resources_dir


def project_of(*accelerators: str, **traffic: float) -> Project:
    """The example of one 13B model that is tuned and served, on some devices."""
    project = load_project(resources_dir() / "examples" / "13b-two-deployments.gpuplan")
    (scenario,) = project.scenarios
    hardware = msgspec.structs.replace(scenario.hardware, accelerators=accelerators)
    serving = msgspec.structs.replace(
        scenario.serving, traffic=msgspec.structs.replace(scenario.serving.traffic, **traffic)
    )
    return msgspec.structs.replace(
        project, scenarios=(msgspec.structs.replace(scenario, hardware=hardware, serving=serving),)
    )


def drafted(project: Project) -> tuple[Estate, dict[str, Plan]]:
    catalog, calibration = load_shipped_catalog(), load_calibration()
    plans = {one.name: plan(one, catalog, calibration) for one in project.scenarios}
    return drafted_estate(project, catalog, calibration, plans), plans


def test_a_first_estate_holds_every_workload_on_hardware_that_is_had():
    project, catalog = project_of(), load_shipped_catalog()
    estate, _ = drafted(project)
    assert estate_problems(estate, {"13B assistant": ("serving", "training")}) == []
    assert [(one.part, one.start, one.end) for one in estate.workloads] == [
        ("serving", None, None), ("training", "2027-01", "2027-02"), ("training", "2028-01", "2028-02"),
        ("training", "2029-01", "2029-02"),
    ]  # fmt: skip
    assert 2 <= len({one.accelerator for one in estate.hardware}) <= 8
    assert sum(one.hours_per_day for one in estate.hours) == pytest.approx(24)
    for one in estate.hardware:
        entry = catalog.accelerators[one.accelerator]
        assert one.purchase_usd or one.rent_usd_per_device_hour or one.reservations
        assert math.isfinite(one.kw_per_unit)
        assert one.kw_per_unit * 1000 >= 0.9 * one.devices_per_unit * (entry.tdp_w or 0)
        assert one.purchase_usd is None or one.devices_per_unit % 8 == 0 or not entry.form_factor.startswith("SXM")
        hour = one.rent_usd_per_device_hour or math.inf
        assert all(term.usd_per_device_hour < hour and term.months in (12, 36) for term in one.reservations)


def test_a_first_estate_offers_only_what_can_carry_a_workload():
    """Devices that the scenario leaves out came along, with no number for their draw."""
    project = load_project(resources_dir() / "examples" / "7b-continued-pretraining.gpuplan")
    (scenario,) = project.scenarios
    hardware = msgspec.structs.replace(scenario.hardware, accelerators=("nvidia-h100-sxm-80gb",))
    scenario = msgspec.structs.replace(scenario, hardware=hardware)
    estate, plans = drafted(msgspec.structs.replace(project, scenarios=(scenario,)))
    assert {one.accelerator for one in estate.hardware} == {"nvidia-h100-sxm-80gb"}
    assert problems_of(estate) == []
    assert all(options_of_plans(estate, (scenario,), plans).values())


def test_what_any_scenario_owns_stands_from_the_start():
    """A second scenario's four L40S were bought again."""
    project = project_of("nvidia-l40s")
    (first,) = project.scenarios
    stock = (OwnedStock(accelerator="nvidia-l40s", devices=4),)
    second = msgspec.structs.replace(
        first, name="second", hardware=msgspec.structs.replace(first.hardware, owned=stock)
    )  # fmt: skip
    estate, _ = drafted(msgspec.structs.replace(project, scenarios=(first, second)))
    (standing,) = estate.pools[0].standing
    unit = next(one for one in estate.hardware if one.name == standing.hardware)
    assert unit.accelerator == "nvidia-l40s"
    assert standing.units * unit.devices_per_unit == 4


def owning(project: Project, *devices: int) -> Project:
    """The project with MI300X that are owned, in so many rows."""
    stock = tuple(OwnedStock(accelerator="amd-mi300x", devices=one) for one in devices)
    (scenario,) = project.scenarios
    hardware = msgspec.structs.replace(scenario.hardware, owned=stock)
    return msgspec.structs.replace(project, scenarios=(msgspec.structs.replace(scenario, hardware=hardware),))


def test_rows_of_owned_devices_add_up_and_parts_of_a_unit_are_told():
    """Eight in each of two rows were one node of eight; 4 of 20 were dropped without a word, and so were 6 of 6."""
    estate, _ = drafted(owning(project_of("amd-mi300x"), 8, 8))
    assert [one.units for one in estate.pools[0].standing] == [2]
    for devices, units, left in (((8, 8), [2], {}), ((12, 8), [2], {"amd-mi300x": 4}), ((6,), [], {"amd-mi300x": 6})):
        project = owning(project_of("amd-mi300x"), *devices)
        standing = tuple(StandingUnits(hardware=estate.hardware[1].name, units=one) for one in units)
        (pool,) = estate.pools
        changed = msgspec.structs.replace(estate, pools=(msgspec.structs.replace(pool, standing=standing),))
        assert left_out_stock(project, changed) == left


@pytest.mark.parametrize(
    ("accelerator", "limit", "is_sold", "cooling"),
    [
        ("nvidia-h100-sxm-80gb", {}, True, "air"),
        ("nvidia-h100-sxm-80gb", {"max_kw_per_rack": 8.0}, False, "air"),
        ("nvidia-h100-sxm-80gb", {"max_kw_per_rack": 10.2}, True, "air"),
        ("amd-mi355x", {"cooling": ("air",)}, False, "liquid"),
        ("amd-mi355x", {"cooling": ("liquid",)}, True, "liquid"),
        ("nvidia-b200-sxm-180gb", {"cooling": ("air",)}, True, "air"),
    ],
)  # fmt: skip
def test_a_first_estate_buys_only_what_its_site_feeds_and_cools(accelerator: str, limit, is_sold: bool, cooling: str):
    """An HGX H100 draws 10.2 kW; an MI355X needs liquid, a B200 is cooled by either."""
    (scenario,) = project_of(accelerator).scenarios
    scenario = msgspec.structs.replace(scenario, hardware=msgspec.structs.replace(scenario.hardware, **limit))
    terms = PriceTerms(load_shipped_catalog(), load_calibration(), scenario, {})
    offered = offered_hardware(accelerator, terms, must_fit=True)
    assert any(one.purchase_usd is not None for one in offered) == is_sold
    assert {one.cooling for one in offered} <= {cooling}
    # Prices of an estate that stands at another site are renewed whatever this one holds.
    assert any(one.purchase_usd is not None for one in offered_hardware(accelerator, terms))


def test_a_service_rents_beside_owned_devices_and_keeps_them():
    """It ran on one entry alone: owned nodes were sold on the first day, and everything was rented.

    Ten devices are needed for an hour a day, else eight: the node that is owned, and one that is rented by the hour.
    """
    project = owning(project_of("amd-mi300x"), 8)
    estate, plans = drafted(project)
    single, node = (one for one in estate.hardware if one.accelerator == "amd-mi300x")
    assert node.rent_usd_per_device_hour == single.rent_usd_per_device_hour
    assert estate.pools[0].standing == (StandingUnits(hardware=node.name, units=1),)
    ((workload, (option,)),) = of_the_recommended(project, estate, plans).items()
    needed = {workload: (replace(option, devices_per_replica=1, carrying_replicas=10.0, spare_replicas=0),)}
    (load,) = alone(estate).workloads
    ten = msgspec.structs.replace(
        alone(estate, single, node),
        hours=(HourClass(name="peak", hours_per_day=1.0), HourClass(name="rest", hours_per_day=23.0, load_share=0.8)),
        workloads=(msgspec.structs.replace(load, load_shares=()),),
    )  # fmt: skip
    answer = planned_estate(ten, needed, gap=0.0)
    decisions = answer.found.decisions
    assert (decisions.owned(answer.problem)[0, 1] == 1).all()
    assert (decisions.rented[0, 1] == [1, 0]).all()
    bare = msgspec.structs.replace(node, rent_usd_per_device_hour=None)
    apart = planned_estate(msgspec.structs.replace(ten, hardware=(single, bare)), needed, gap=0.0)
    assert answer.found.evaluation.present_value_usd < apart.found.evaluation.present_value_usd


@pytest.mark.parametrize(("years", "periods", "runs"), [(2.5, 10, 3), (3.0, 12, 3), (1.1, 5, 2), (7.0, 20, 5)])
def test_an_estate_lasts_as_long_as_costs_are_compared(years: float, periods: int, runs: int):
    """Five years at most; at its end a unit is worth what its annuity leaves then, not after three years."""
    project = project_of("nvidia-a100-pcie-80gb")
    (scenario,) = project.scenarios
    economics = msgspec.structs.replace(scenario.economics, horizon_years=years)
    project = msgspec.structs.replace(project, scenarios=(msgspec.structs.replace(scenario, economics=economics),))
    estate, _ = drafted(project)
    assert estate.periods == periods
    assert sum(one.part == "training" for one in estate.workloads) == runs
    own, rate = economics.ownership, central(economics.ownership.cost_of_capital)
    life, residual = central(own.useful_life_years), central(own.residual_share)
    length = periods / 4
    left = residual
    if length < life:
        paid = (1 - residual * (1 + rate) ** -life) * rate / (1 - (1 + rate) ** -life)
        left = (1 + rate) ** length - paid * ((1 + rate) ** length - 1) / rate
    bought = next(one for one in estate.hardware if one.purchase_usd is not None)
    assert bought.resale_share * (1 + bought.resale_trend_per_year) ** length == pytest.approx(left, abs=0.002)


def test_data_that_an_estate_does_not_count_are_told_by_the_month_and_run():
    """A petabyte at $0.023/GB with 20 % support is $27,600 a month; one run a year stores it for twelve months."""
    project = project_of("amd-mi300x")
    (scenario,) = project.scenarios
    renting = msgspec.structs.replace(
        scenario.economics.renting, stored_bytes=1e15, storage_usd_per_gb_month=0.023, support_share=0.2,
        serving_egress_bytes_per_month=0.0, training_egress_bytes_per_run=0.0,
    )  # fmt: skip
    economics = msgspec.structs.replace(scenario.economics, renting=renting)
    project = msgspec.structs.replace(project, scenarios=(msgspec.structs.replace(scenario, economics=economics),))
    loads = (EstateWorkload(scenario=scenario.name), EstateWorkload(scenario=scenario.name, part="training"))
    assert left_out_data_usd(project, Estate(workloads=loads)) == {
        (scenario.name, "serving"): pytest.approx(27_600), (scenario.name, "training"): pytest.approx(12 * 27_600),
    }  # fmt: skip
    assert list(left_out_data_usd(project, Estate(workloads=loads[:1]))) == [(scenario.name, "serving")]


def test_a_first_estate_offers_the_candidate_that_the_file_names():
    """It took the eight cheapest accelerators alone."""
    project = project_of()
    (scenario,) = project.scenarios
    estate, plans = drafted(project)
    table, names = plans[scenario.name].serving.table, plans[scenario.name].accelerators
    offered = {one.accelerator for one in estate.hardware}
    dear = next(name for name in (names[int(table.accelerator[row])] for row in table.order) if name not in offered)
    chosen = msgspec.structs.replace(scenario, chosen_serving=f"{dear}/fp16/fp16/1/1")
    again = drafted_estate(
        msgspec.structs.replace(project, scenarios=(chosen,)), load_shipped_catalog(), load_calibration(), plans
    )
    assert dear in {one.accelerator for one in again.hardware}
    assert len({one.accelerator for one in again.hardware}) == len(offered)


def of_the_recommended(
    project: Project, estate: Estate, plans: dict[str, Plan]
) -> dict[tuple[str, str], tuple[Option, ...]]:
    """The options that the Cost page speaks of."""
    options = options_of_plans(estate, project.scenarios, plans)
    (name,) = plans
    best = plans[name].serving.best
    return {(name, "serving"): tuple(one for one in options[name, "serving"] if one.candidate == best)}


def alone(estate: Estate, *hardware: EstateHardware) -> Estate:
    return msgspec.structs.replace(estate, workloads=estate.workloads[:1], hardware=hardware)


@pytest.mark.parametrize(
    ("accelerator", "growth"), [("amd-mi300x", 0.0), ("nvidia-a100-pcie-80gb", 0.0), ("nvidia-a100-pcie-80gb", 0.5)]
)
def test_an_estate_of_one_service_reserves_and_pays_what_the_cost_page_says(accelerator: str, growth: float):
    """The program over quarters and hour classes against the exact mix hour by hour, on one device's rent."""
    project = project_of(accelerator, growth_per_year=growth)
    estate, plans = drafted(project)
    (scenario,) = project.scenarios
    rented = [
        msgspec.structs.replace(one, purchase_usd=None)
        for one in estate.hardware
        if one.rent_usd_per_device_hour is not None
    ]
    answer = planned_estate(alone(estate, *rented), of_the_recommended(project, estate, plans), gap=1e-4)
    cost = doors.ownership(scenario, load_shipped_catalog(), load_calibration(), plans[scenario.name])["serving"]
    each = cost.devices / cost.replicas
    assert answer.found.evaluation.present_value_usd == pytest.approx(
        cost.commitment_usd, rel=0.05 if growth else 0.005
    )
    decisions = answer.found.decisions
    reserved = sum(decisions.kept(answer.problem)[0, index] * one.devices_per_unit for index, one in enumerate(rented))
    if not growth:
        for year, said in enumerate(cost.commitments):
            assert reserved[4 * year] == (said.one_year + said.three_years) * each
            assert said.provider in rented[0].name


def rented_out(accelerator: str, *quoted: PriceOverride) -> list[EstateHardware]:
    """What an estate may rent of a device, with some quotations."""
    (scenario,) = project_of(accelerator).scenarios
    economics = msgspec.structs.replace(scenario.economics, overrides=quoted)
    scenario = msgspec.structs.replace(scenario, economics=economics)
    offered = offered_hardware(accelerator, PriceTerms(load_shipped_catalog(), load_calibration(), scenario, {}))
    return [one for one in offered if one.rent_usd_per_device_hour is not None]


def quotation(accelerator: str, term: RentedTerm | None, usd: float, provider: str) -> PriceOverride:
    return PriceOverride(accelerator=accelerator, term=term, rent_per_device_hour=Money(usd), provider=provider)


@pytest.mark.parametrize(("provider", "named"), [("Nordkap", "Nordkap"), ("", "your quotation")])
def test_an_estate_rents_at_what_was_quoted_for_each_term(provider: str, named: str):
    """A year is quoted, the hour is the catalogue's: the name says which of them is whose."""
    rented = rented_out("amd-mi300x", quotation("amd-mi300x", "rent_1y", 1.5, provider))
    assert [(one.devices_per_unit, one.rent_usd_per_device_hour) for one in rented] == [(1, 2.59), (8, 2.59)]
    for one in rented:
        assert [(term.months, term.usd_per_device_hour) for term in one.reservations] == [(12, 1.5)]
    assert [one.name.partition(" (")[2] for one in rented] == [
        f"1 year: {named})", f"rent: DigitalOcean, 1 year: {named})",
    ]  # fmt: skip


def test_a_provider_that_quotes_is_told_apart_from_its_list_price():
    rented = rented_out("nvidia-h100-sxm-80gb", quotation("nvidia-h100-sxm-80gb", "rent_on_demand", 3.1, "Hyperstack"))
    assert [one.name for one in rented[:2]] == [
        "H100 SXM5 80GB, Hyperstack as quoted", "H100 SXM5 80GB, Hyperstack as quoted (1 year: Hyperstack)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("term", "usd", "provider"),
    [
        ("rent_on_demand", 4.4, "Acme"), ("rent_on_demand", 3.1, "Acme"), ("rent_on_demand", 3.1, "Hyperstack"),
        ("rent_on_demand", 9.9, "Google Cloud"), ("rent_on_demand", 0.0, "Acme"), ("rent_1y", 2.8, "Acme"),
        ("rent_3y", 1.5, ""), ("rent_3y", 9.9, "Acme"), (None, 2.9, "Acme"), (None, 0.0, ""),
    ],
)  # fmt: skip
def test_one_more_quotation_never_makes_an_estate_dearer(term: RentedTerm | None, usd: float, provider: str):
    """A quoted hour took the place of a cheaper one, and a quotation of nothing took renting away."""
    device = "nvidia-h100-sxm-80gb"
    plain, rented = rented_out(device), rented_out(device, quotation(device, term, usd, provider))
    assert len({one.name for one in rented}) == len(rented)

    def asked(unit: EstateHardware, months: int) -> float:
        """What so many months cost by the hour or reserved, whichever is less."""
        reserved = [one.usd_per_device_hour for one in unit.reservations if one.months == months]
        return min([*reserved, unit.rent_usd_per_device_hour])

    for before in plain:
        assert any(
            before.devices_per_unit % after.devices_per_unit == 0
            and (before.purchase_usd is None or after.purchase_usd == before.purchase_usd)
            and all(asked(after, months) <= asked(before, months) for months in (0, 12, 36))
            for after in rented
        ), before.name
    if term in (None, "rent_on_demand"):
        assert min(one.rent_usd_per_device_hour for one in rented) == min(usd, 3.2)
    assert all(one.reservations == () for one in rented if one.rent_usd_per_device_hour == 0)


def test_an_estate_of_one_service_and_one_job_is_one_fleet_or_two():
    """On the recommended devices, by the hour, as expected: the service beside runs that rent for their hours."""
    project = project_of("amd-mi300x")
    (scenario,) = project.scenarios
    economics = scenario.economics
    opened = msgspec.structs.replace(economics.fleets, service_opens_s=0.0)
    expected = msgspec.structs.replace(economics.uncertainty, confidence="expected")
    economics = msgspec.structs.replace(economics, fleets=opened, uncertainty=expected)
    scenario = msgspec.structs.replace(scenario, economics=economics)
    project = msgspec.structs.replace(project, scenarios=(scenario,))
    estate, plans = drafted(project)
    made = plans[scenario.name]
    options = of_the_recommended(project, estate, plans)
    runs = options_of_plans(estate, project.scenarios, plans)[scenario.name, "training"]
    best = tuple(one for one in runs if one.candidate == made.training.best)
    rented = tuple(one for one in estate.hardware if one.purchase_usd is None)
    answer = planned_estate(
        msgspec.structs.replace(estate, hardware=rented), options | {(scenario.name, "training"): best}, gap=1e-4
    )
    fleets = doors.fleets(scenario, load_shipped_catalog(), load_calibration(), made)
    assert fleets.best.strategy == "burst"
    assert answer.found.evaluation.present_value_usd == pytest.approx(fleets.best.usd, rel=0.005)
    hours = (
        sum(one.sum() for one in answer.found.decisions.run_hours.values())
        * made.training.table.devices[best[0].candidate]
    )
    assert hours == pytest.approx(fleets.best.fleets[0].training_hours, rel=1e-3)


@pytest.mark.parametrize(("confidence", "score"), [("expected", 0.0), ("p80", 0.8416), ("p95", 1.6449)])
def test_an_estate_holds_devices_for_a_run_at_the_confidence_asked_for(confidence: Confidence, score: float):
    """Beyond its start the run takes exp(score · σ) times as long, σ by the 80 % band of its step (± 1.2816 σ)."""
    project = project_of("amd-mi300x")
    (scenario,) = project.scenarios
    asked = msgspec.structs.replace(scenario.economics.uncertainty, confidence=confidence)
    scenario = msgspec.structs.replace(
        scenario, economics=msgspec.structs.replace(scenario.economics, uncertainty=asked),
        training=msgspec.structs.replace(scenario.training, tokens=central(scenario.training.tokens)),
    )  # fmt: skip
    project = msgspec.structs.replace(project, scenarios=(scenario,))
    estate, plans = drafted(project)
    table, row = plans[scenario.name].training.table, plans[scenario.name].training.best
    options = options_of_plans(estate, project.scenarios, plans)[scenario.name, "training"]
    (option,) = [one for one in options if one.candidate == row]
    start = central(scenario.training.start_up_s)
    sigma = math.log(table.step_high80_s[row] / table.step_low80_s[row]) / (2 * 1.28155)
    longer = (start + (table.run_time_s[row] - start) * math.exp(score * sigma)) / table.run_time_s[row]
    assert option.run_hours == pytest.approx(longer * table.device_hours[row] / table.devices[row], rel=1e-3)


@pytest.mark.parametrize("most_devices", [32, 8])
def test_a_first_estate_serves_a_run_without_a_deadline_as_recommended(most_devices: int):
    """It had 30 days, in which no candidate could end; eight devices take longer than a year."""
    project = project_of("amd-mi300x")
    (scenario,) = project.scenarios
    training = msgspec.structs.replace(scenario.training, tokens=2e12, deadline_s=None)
    hardware = msgspec.structs.replace(scenario.hardware, max_training_devices=most_devices)
    scenario = msgspec.structs.replace(scenario, training=training, serving=None, hardware=hardware)
    project = msgspec.structs.replace(project, scenarios=(scenario,))
    estate, plans = drafted(project)
    table, row = plans[scenario.name].training.table, plans[scenario.name].training.best
    days = table.run_time_s[row] / 86_400
    assert days > (365 if most_devices == 8 else 90)
    options = options_of_plans(estate, project.scenarios, plans)
    best = tuple(one for one in options[scenario.name, "training"] if one.candidate == row)
    rented = tuple(one for one in estate.hardware if one.purchase_usd is None)
    only_rented = msgspec.structs.replace(estate, hardware=rented)
    answer = planned_estate(only_rented, {(scenario.name, "training"): best}, gap=1e-4)
    assert answer.found.evaluation.unserved == ()
    assert answer.found.evaluation.violations == ()
    (option,) = best
    assert answer.found.decisions.run_hours[0].sum() == pytest.approx(option.run_hours, rel=1e-6)


def over_years(project: Project, horizon_years: float, useful_life_years: float) -> Project:
    (scenario,) = project.scenarios
    own = msgspec.structs.replace(scenario.economics.ownership, useful_life_years=useful_life_years)
    economics = msgspec.structs.replace(scenario.economics, ownership=own, horizon_years=horizon_years)
    return msgspec.structs.replace(project, scenarios=(msgspec.structs.replace(scenario, economics=economics),))


@pytest.mark.parametrize(("horizon", "life"), [(3.0, 4.0), (5.0, 1.0), (5.0, 2.0), (5.0, 4.0), (5.0, 5.0)])
def test_what_is_bought_costs_what_the_cost_page_says_of_owning(horizon: float, life: float):
    """Purchase less what its annuity leaves, running cost and power, of cards that are bought one by one.

    An estate's devices draw what they draw in all of its work; here they draw what they do in the service. What wore
    out before the estate's end was used on for nothing.
    """
    project = over_years(project_of("nvidia-a100-pcie-80gb"), horizon, life)
    estate, plans = drafted(project)
    cost = doors.ownership(project.scenarios[0], load_shipped_catalog(), load_calibration(), plans["13B assistant"])
    at_load = central(project.scenarios[0].economics.site.power_share_of_rating)
    assert cost["serving"].draw_share < estate.hardware[0].power_use_share / at_load < 1
    bought = msgspec.structs.replace(
        estate.hardware[0], rent_usd_per_device_hour=None, reservations=(),
        power_use_share=at_load * cost["serving"].draw_share,
    )  # fmt: skip
    answer = planned_estate(alone(estate, bought), of_the_recommended(project, estate, plans), gap=1e-4)
    own = next(one for one in cost["serving"].terms if one.term == "own")
    assert answer.found.decisions.bought.sum() == cost["serving"].devices
    # The Cost page spreads the same money over the hours in which devices are up.
    up = central(project.scenarios[0].economics.ownership.availability)
    assert answer.found.evaluation.present_value_usd == pytest.approx(own.usd * up, rel=0.01)


def test_the_running_cost_of_what_wears_out_holds_its_replacement():
    """By hand, of a node of eight for $300,696, at 10 % and a residual of 10 %: 0.917355 · 0.576190 = 0.528571 of it
    a year over two years, 0.937908 · 0.263797 = 0.247418 over five; $84,542 a year more."""
    project = over_years(project_of("nvidia-h100-sxm-80gb"), 5.0, 2.0)
    found = []
    for life in (2.0, 5.0):
        (scenario,) = over_years(project, 5.0, life).scenarios
        terms = PriceTerms(load_shipped_catalog(), load_calibration(), scenario, {}, years=5.0)
        (node,) = (one for one in offered_hardware("nvidia-h100-sxm-80gb", terms) if one.purchase_usd is not None)
        assert node.purchase_usd == 300_696
        found.append(node)
    worn, lasting = found
    assert worn.resale_share == lasting.resale_share
    assert worn.running_usd_per_month - lasting.running_usd_per_month == pytest.approx(84_542 / 12, abs=0.1)
