"""Ways to pay for one need: the same load, the same bill, the same day's money, against sums by hand."""

from __future__ import annotations

import itertools
import math

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.desktop.store import replaced
from gpuplanner_gui.domain.economics import (
    Economics,
    Ownership,
    PriceOverride,
    RentalTerms,
    RentedTerm,
    UncertaintyTerms,
)
from gpuplanner_gui.domain.quantity import Money
from gpuplanner_gui.domain.scenario import OwnedStock
from gpuplanner_gui.drawing.order_rows import order_lines
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.decision.monte_carlo_plan import uncertainty_of_plan
from gpuplanner_gui.engine.decision.ownership_view import ownership_of_plan

pytestmark = pytest.mark.usefixtures("short_simulations")

RTX_PRO = "nvidia-rtx-pro-6000-blackwell-server"
GROWTHS = (-0.3, 0.0, 0.5)


@pytest.fixture(scope="module")
def asked(service):
    """A service on one device that one provider offers on every term."""
    scenario = replaced(service, "hardware.accelerators", (RTX_PRO,))
    scenario = replaced(scenario, "economics.uncertainty.confidence", "expected")
    return replaced(scenario, "serving.classes[0].peak_rate_per_s", 300.0)


@pytest.fixture(scope="module")
def planned(asked, catalog, calibration):
    return plan(asked, catalog, calibration)


def changed(scenario, **places):
    for place, value in places.items():
        scenario = replaced(scenario, place.replace("__", "."), value)
    return scenario


def growing(scenario, growth, horizon=3.0):
    return changed(scenario, serving__traffic__growth_per_year=growth, economics__horizon_years=horizon)


def held_by_hand(planned, peaks):
    """Replicas for so many times today's peak, from the plan's own columns."""
    table, best = planned.serving.table, planned.serving.best
    rate = float(table.slo_rate_per_s[best]) * 0.75
    return [math.ceil(planned.serving.peak_rate_per_s * peak / rate - 1e-9) + 1 for peak in peaks]


def test_fleets_that_are_held_step_up_with_the_load(asked, planned, context):
    found = ownership_of_plan(growing(asked, 0.5), planned, context, "serving")
    steps = held_by_hand(planned, (1.5, 2.25, 3.375))
    assert found.replicas_by_year == tuple(steps)
    assert steps[0] > found.replicas
    terms = {one.term: one for one in found.terms}
    each = planned.serving.table.devices_per_replica[planned.serving.best]
    # By the hour: each year its fleet, all year.
    price = terms["rent_on_demand"].usd_per_device_hour
    paid = [count * each * price * 8760 for count in steps]
    assert terms["rent_on_demand"].usd_by_year == pytest.approx(paid)
    assert terms["rent_on_demand"].usd == pytest.approx(sum(usd * 1.1 ** -(y + 1) for y, usd in enumerate(paid)))
    # For three years: what is added later takes a year at a time, so that nothing is bound beyond the plan.
    three, one = terms["rent_3y"].usd_per_device_hour, terms["rent_1y"].usd_per_device_hour
    assert terms["rent_3y"].provider == terms["rent_1y"].provider == "Google Cloud"
    paid = [each * 8760 * (steps[0] * three + (count - steps[0]) * one) for count in steps]
    # Google's instances of two sizes differ in the fifth digit.
    assert terms["rent_3y"].usd_by_year == pytest.approx(paid, rel=1e-4)


def test_owned_fleets_step_too_and_their_capital_is_an_annuity(asked, planned, context):
    found = ownership_of_plan(growing(asked, 0.5), planned, context, "serving")
    own = next(one for one in found.terms if one.term == "own")
    each = planned.serving.table.devices_per_replica[planned.serving.best]
    devices = [count * each / 0.97 for count in held_by_hand(planned, (1.5, 2.25, 3.375))]
    worth = sum(count * found.annual.total * 1.1 ** -(year + 1) for year, count in enumerate(devices))
    # Ports of boxes that are not full differ by year.
    assert own.usd == pytest.approx(worth, rel=1e-3)
    assert own.usd_by_year == pytest.approx([count * found.annual.total for count in devices], rel=1e-3)


def test_owned_devices_stay_where_the_load_falls(asked, planned, context):
    found = ownership_of_plan(growing(asked, -0.3), planned, context, "serving")
    own, hourly = (next(one for one in found.terms if one.term == term) for term in ("own", "rent_on_demand"))
    assert own.usd_by_year == pytest.approx([own.usd_by_year[0]] * 3)
    assert hourly.usd_by_year[2] < hourly.usd_by_year[1] < hourly.usd_by_year[0]
    assert found.replicas_by_year == tuple(held_by_hand(planned, (1.0, 0.7, 0.49)))


LADDER: dict[RentedTerm, float] = {"rent_on_demand": 3.0, "rent_1y": 2.2, "rent_3y": 1.7, "rent_spot": 1.1}


def with_quotations(scenario, *terms: RentedTerm, horizon: float = 3.0):
    rows = tuple(
        PriceOverride(accelerator=RTX_PRO, term=term, rent_per_device_hour=Money(LADDER[term]), provider="Nordkap")
        for term in terms
    )
    return changed(scenario, economics__overrides=rows, economics__horizon_years=horizon)


@pytest.mark.parametrize("term", LADDER)
def test_a_fleet_costs_on_each_term_what_was_quoted_for_it(asked, catalog, calibration, term):
    """Hours of a month and of a year, by hand; the mix has the quoted terms beside AWS's hour, which is lower."""
    scenario = changed(with_quotations(asked, *LADDER), economics__serving_procurement=term, serving__restartable=True)
    planned = plan(scenario, catalog, calibration)
    table, best = planned.serving.table, planned.serving.best
    devices = float(table.devices[best])
    assert table.usd_per_month[best] == pytest.approx(devices * LADDER[term] * 730)
    found = ownership_of_plan(scenario, planned, context_of(catalog, calibration), "serving")
    terms = {one.term: one for one in found.terms}
    for name, price in LADDER.items():
        assert terms[name].provider == "Nordkap"
        assert terms[name].usd_by_year == pytest.approx([devices * price * 8760] * 3)
    assert found.commitment_usd <= min(terms[name].usd for name in ("rent_on_demand", "rent_1y", "rent_3y"))
    first = found.commitments[0]
    assert (first.provider, first.quoted_by) == ("AWS", "Nordkap")
    assert first.on_demand_usd_per_device_hour < LADDER["rent_on_demand"]


@pytest.mark.parametrize("missing", LADDER)
def test_a_term_that_was_not_quoted_costs_what_it_costs_without_quotations(asked, planned, context, missing):
    plain, ladder = (
        {one.term: one for one in ownership_of_plan(scenario, planned, context, "serving").terms}
        for scenario in (asked, with_quotations(asked, *(one for one in LADDER if one != missing)))
    )
    assert ladder[missing].usd_per_device_hour == pytest.approx(plain[missing].usd_per_device_hour)
    assert ladder[missing].usd_by_year == pytest.approx(plain[missing].usd_by_year)
    assert ladder[missing].provider == plain[missing].provider
    for term in LADDER.keys() - {missing}:
        assert ladder[term].provider == "Nordkap"
        assert ladder[term].usd_per_device_hour == pytest.approx(LADDER[term])


def test_after_a_quoted_year_what_is_left_is_rented_at_the_catalogues_hour(asked, planned, context):
    """Two years and a half: two reserved years, then half a year by the hour."""
    scenario = with_quotations(asked, "rent_1y", horizon=2.5)
    terms = {one.term: one for one in ownership_of_plan(scenario, planned, context, "serving").terms}
    devices, hour = terms["rent_1y"].paid_devices, terms["rent_on_demand"].usd_per_device_hour
    assert terms["rent_on_demand"].provider == "AWS"
    by_hand = [devices * 8760 * usd for usd in (2.2, 2.2, hour / 2)]
    assert terms["rent_1y"].usd_by_year == pytest.approx(by_hand)


H100 = "nvidia-h100-sxm-80gb"


def quoted_for_three_years(scenario, usd):
    row = PriceOverride(accelerator=H100, term="rent_3y", rent_per_device_hour=Money(usd), provider="Nordkap")
    return changed(scenario, economics__overrides=(row,))


@pytest.fixture(scope="module")
def on_h100(asked):
    return growing(changed(asked, hardware__accelerators=(H100,)), 0.3, 4.0)


def test_what_is_added_later_takes_the_lowest_price_of_its_term_quoted_or_not(on_h100, catalog, calibration, context):
    """Three years at Google's price: what is added after the first two years of four takes another provider's year,
    as it does beside a quotation at that very price."""
    planned = plan(on_h100, catalog, calibration)
    plain = {one.term: one for one in ownership_of_plan(on_h100, planned, context, "serving").terms}
    three, year = plain["rent_3y"], plain["rent_1y"]
    assert three.provider != year.provider
    scenario = quoted_for_three_years(on_h100, three.usd_per_device_hour)
    quoted = {one.term: one for one in ownership_of_plan(scenario, planned, context, "serving").terms}["rent_3y"]
    assert three.paid_devices == quoted.paid_devices
    assert three.usd_by_year == pytest.approx(quoted.usd_by_year, rel=1e-6)
    first, second, third, fourth = (usd / 8760 for usd in three.usd_by_year)
    assert first < second < third
    each = planned.serving.table.devices_per_replica[planned.serving.best]
    need = [count * each for count in held_by_hand(planned, [1.3**end for end in (1, 2, 3, 4)])]
    begun, over = need[1] - need[0], year.usd_per_device_hour
    assert third - second == pytest.approx((need[2] - need[1]) * over)
    assert fourth == pytest.approx(begun * three.usd_per_device_hour + (need[3] - begun) * over)


def test_a_dear_quotation_of_a_shorter_term_makes_three_years_no_dearer(on_h100, catalog, calibration, context):
    """What is added after the first day took the quoted year and hour, however much less the catalogue asks."""
    planned = plan(on_h100, catalog, calibration)
    rows: list[tuple[RentedTerm, float]] = [("rent_1y", 10.0), ("rent_on_demand", 20.0)]
    asked_of = [
        changed(on_h100, economics__overrides=tuple(
            PriceOverride(accelerator=H100, term=term, rent_per_device_hour=Money(usd)) for term, usd in rows[:count]
        ))
        for count in (0, 1, 2)
    ]  # fmt: skip
    plain, *dear = (
        {one.term: one.usd_by_year for one in ownership_of_plan(one, planned, context, "serving").terms}
        for one in asked_of
    )
    assert [one["rent_3y"] for one in dear] == [pytest.approx(plain["rent_3y"])] * 2
    assert dear[0]["rent_1y"][0] > 2 * plain["rent_1y"][0]  # its own price is as quoted


def test_a_term_that_is_free_frees_no_other(on_h100, catalog, calibration, context):
    """After three free years a fleet pays what it pays after three at almost nothing."""
    planned = plan(on_h100, catalog, calibration)
    free, cheap = (
        next(
            one
            for one in ownership_of_plan(quoted_for_three_years(on_h100, usd), planned, context, "serving").terms
            if one.term == "rent_3y"
        )
        for usd in (0.0, 1e-6)
    )
    assert free.usd_by_year[0] == 0
    assert free.usd_by_year[3] > 10_000
    assert free.usd == pytest.approx(cheap.usd, rel=1e-4)


@pytest.mark.parametrize("term", ["rent_on_demand", "rent_1y", "rent_3y"])
def test_a_quotation_below_the_catalogues_price_makes_no_mix_dearer(asked, planned, context, term):
    plain = ownership_of_plan(asked, planned, context, "serving")
    scenario = replaced(with_quotations(asked, term), "economics.overrides[0].rent_per_device_hour", Money(1.5))
    found = ownership_of_plan(scenario, planned, context, "serving")
    assert found.commitment_usd <= plain.commitment_usd * (1 + 1e-9)
    rented = [one.usd for one in found.terms if one.term not in ("own", "rent_spot") and math.isfinite(one.usd)]
    assert found.commitment_usd <= min(rented) * (1 + 1e-9)


@pytest.mark.parametrize(
    ("growth", "horizon", "zones", "days"),
    [
        *itertools.product(GROWTHS, (1.0, 3.0, 4.0), (1,), ((),)),
        *itertools.product(GROWTHS, (2.5, 0.5), (1,), ((),)),
        (0.5, 3.0, 3, (1.0,) * 5),
    ],
)
def test_following_the_load_never_costs_more_than_holding_it(
    asked, context, catalog, calibration, growth, horizon, zones, days
):
    """On equal demand and equal bills, the mix may do all that each single term does."""
    scenario = changed(
        growing(asked, growth, horizon), serving__availability__zones=zones, serving__traffic__days=days,
        economics__renting=RentalTerms(serving_egress_bytes_per_month=50e12, stored_bytes=10e12, support_share=0.1),
    )  # fmt: skip
    found = ownership_of_plan(scenario, plan(scenario, catalog, calibration), context, "serving")
    rented = [one.usd for one in found.terms if one.term not in ("own", "rent_spot") and math.isfinite(one.usd)]
    assert found.commitment_usd <= min(rented) * (1 + 1e-9)
    assert found.horizon_years == horizon


def test_a_flat_load_costs_the_same_held_or_followed(asked, context, catalog, calibration):
    """Nothing to follow: with offers by the hour alone, the mix and the fleet are one and the same."""
    nobody = {"reserved_1y_usd_per_h": None, "reserved_3y_usd_per_h": None}
    hourly = {key: msgspec.structs.replace(one, **nobody) for key, one in catalog.offers.items()}
    only = msgspec.structs.replace(catalog, offers=hourly)
    renting = RentalTerms(stored_bytes=1e13, support_share=0.1)
    scenario = changed(asked, serving__traffic__mean_over_peak=1.0, economics__renting=renting)
    found = ownership_of_plan(scenario, plan(scenario, only, calibration), context_of(only, calibration), "serving")
    terms = {one.term: one for one in found.terms}
    assert found.commitment_usd == pytest.approx(terms["rent_on_demand"].usd)
    assert math.isnan(terms["rent_3y"].usd)


def test_a_term_that_outlasts_the_horizon_has_a_price_and_no_sum(asked, planned, context):
    found = ownership_of_plan(growing(asked, 0.0, 2.0), planned, context, "serving")
    long = next(one for one in found.terms if one.term == "rent_3y")
    assert long.usd_per_device_hour > 0
    assert math.isnan(long.usd)
    assert long.usd_by_year == ()


def test_data_moved_out_grows_with_the_load(asked, planned, context):
    """Half a petabyte a month at 0.09 is 45,000 USD: in the first year of 50 % growth 1.2332 times as much."""
    egress = RentalTerms(serving_egress_bytes_per_month=0.5e15)
    plain = ownership_of_plan(growing(asked, 0.5), planned, context, "serving")
    moved = ownership_of_plan(changed(growing(asked, 0.5), economics__renting=egress), planned, context, "serving")
    extra = moved.terms[0].usd_by_year[0] - plain.terms[0].usd_by_year[0]
    assert extra == pytest.approx(45_000 * 12 * 0.5 / math.log(1.5))


@pytest.mark.parametrize("growth", GROWTHS)
def test_a_fleet_that_is_autoscaled_already_costs_what_the_mix_by_the_hour_does(asked, catalog, calibration, growth):
    """Renting by the hour then follows the load through every year, as the mix does: one thing, one sum."""
    nobody = {"reserved_1y_usd_per_h": None, "reserved_3y_usd_per_h": None}
    hourly = {key: msgspec.structs.replace(one, **nobody) for key, one in catalog.offers.items()}
    only = msgspec.structs.replace(catalog, offers=hourly)
    scenario = changed(growing(asked, growth), serving__start__is_autoscaled=True)
    found = ownership_of_plan(scenario, plan(scenario, only, calibration), context_of(only, calibration), "serving")
    terms = {one.term: one for one in found.terms}
    assert terms["rent_on_demand"].usd == pytest.approx(found.commitment_usd)


@pytest.mark.parametrize("is_autoscaled", [False, True])
@pytest.mark.parametrize("term", ["rent_on_demand", "rent_1y", "rent_3y", "own"])
@pytest.mark.parametrize("growth", GROWTHS)
def test_cost_over_the_horizon_is_one_number_on_every_page(
    asked, catalog, calibration, context, term, growth, is_autoscaled
):
    """Cost, with its terms, and Uncertainty, with its band, speak of the same fleet and the same day's money."""
    economics = Economics(
        serving_procurement=term, ownership=Ownership(), horizon_years=3.0, uncertainty=UncertaintyTerms(samples=100),
        renting=RentalTerms(serving_egress_bytes_per_month=50e12, stored_bytes=10e12, support_share=0.1),
    )  # fmt: skip
    scenario = growing(changed(asked, economics=economics, serving__start__is_autoscaled=is_autoscaled), growth)
    found = plan(scenario, catalog, calibration)
    told = ownership_of_plan(scenario, found, context, "serving")
    sure = uncertainty_of_plan(scenario, found, context, seed=1, samples=100)
    expected = next(one.usd for one in told.terms if one.term == term)
    assert sure.headline("serving.lifetime_usd").planned == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("term", ["rent_on_demand", "own"])
def test_cost_over_the_horizon_is_one_number_where_some_devices_are_owned(asked, catalog, calibration, context, term):
    economics = Economics(serving_procurement=term, horizon_years=3.0, uncertainty=UncertaintyTerms(samples=100))
    stock = (OwnedStock(accelerator=RTX_PRO, devices=2),)
    scenario = changed(asked, economics=economics, hardware__owned=stock)
    found = plan(scenario, catalog, calibration)
    told = ownership_of_plan(scenario, found, context, "serving")
    sure = uncertainty_of_plan(scenario, found, context, seed=1, samples=100)
    expected = next(one.usd for one in told.terms if one.term == term)
    assert sure.headline("serving.lifetime_usd").planned == pytest.approx(expected, rel=1e-6)
    month = float(found.serving.table.usd_per_month[found.serving.best])
    assert sure.headline("serving.usd_per_month").planned == pytest.approx(month)


def test_a_fleet_that_is_owned_needs_nobody_to_rent_from(asked, catalog, calibration, context):
    """Ten devices in the cellar cost power, space, support and staff, and none is missing."""
    economics = Economics(serving_procurement="own", horizon_years=3.0)
    small = changed(asked, economics=economics, serving__classes=asked.serving.classes)
    small = changed(small, **{"serving__classes[0]__peak_rate_per_s": 5.0})
    held = changed(small, hardware__owned=(OwnedStock(accelerator=RTX_PRO, devices=10),))
    new, told = (ownership_of_plan(one, plan(one, catalog, calibration), context, "serving") for one in (small, held))
    assert told.is_owned_already
    assert told.investment is None
    assert told.annual.capital_usd == 0 < new.annual.capital_usd
    own, rent = ({one.term: one for one in found.terms}["own"] for found in (told, new)), new.terms[0]
    cheap, dear = own
    assert cheap.usd_per_device_hour < dear.usd_per_device_hour
    assert told.terms[0].usd_per_device_hour == pytest.approx(rent.usd_per_device_hour)
    assert {one.reason for one in told.terms if one.term != "own"} == {"nothing_missing"}


def beside_owned(asked, catalog, calibration, context, devices, **places):
    """What each term comes to beside so many owned devices, with the plan."""
    scenario = changed(asked, hardware__owned=(OwnedStock(accelerator=RTX_PRO, devices=devices),), **places)
    found = plan(scenario, catalog, calibration)
    return found.serving, ownership_of_plan(scenario, found, context, "serving")


@pytest.fixture(scope="module")
def growing_beside(asked, catalog, calibration, context):
    """By owned devices: none, some, and all that today needs, while the load grows by half a year."""
    return {
        count: beside_owned(growing(asked, 0.5), catalog, calibration, context, count) for count in (0, 2, 4, 40, 41)
    }


RTX_GOOGLE = {"rent_on_demand": ("rent_on_demand",) * 3, "rent_3y": ("rent_3y", "rent_1y", "rent_1y")}


@pytest.mark.parametrize("term", RTX_GOOGLE)
@pytest.mark.parametrize("count", [2, 4])
def test_owned_devices_are_used_first_in_every_year_and_all_else_is_on_the_term(growing_beside, count, term):
    (table, told), (_, plain) = growing_beside[count], growing_beside[0]
    best, prices = table.best, {one.term: one.usd_per_device_hour for one in plain.terms}
    running = table.table.owned_usd_per_device_hour[best] * table.table.devices[best] / count
    each = table.table.devices_per_replica[best]
    missing = [replicas * each - count for replicas in told.replicas_by_year]
    added = np.diff(missing, prepend=0.0)
    rents = np.array([[more * prices[one]] for more, one in zip(added, RTX_GOOGLE[term], strict=True)]).cumsum()
    (found,) = [one for one in told.terms if one.term == term]
    assert found.usd_by_year == pytest.approx((rents + count * running) * 8760, rel=1e-4)


def test_one_more_owned_device_makes_no_way_to_pay_dearer(growing_beside):
    fewer = None
    for _, told in growing_beside.values():
        usd = {one.term: one.usd for one in told.terms if math.isfinite(one.usd)} | {"mixed": told.commitment_usd}
        usd |= {"order": told.order.present_value_usd}
        if fewer is not None:
            assert all(usd[one] <= fewer[one] * (1 + 1e-9) for one in usd.keys() & fewer.keys() if usd[one] >= 0)
        fewer = usd


def test_the_trend_of_rents_leaves_owned_devices_alone(asked, catalog, calibration, context):
    """At -50 % a year what is rented costs 1, 0.5 and 0.25 times its price in the middle of the first year."""
    falling = changed(asked, economics=msgspec.structs.replace(asked.economics, price_trend_per_year=-0.5))
    falling = changed(falling, economics__horizon_years=3.0)
    served, told = beside_owned(falling, catalog, calibration, context, 2)
    table, best = served.table, served.best
    owned = table.owned_usd_per_device_hour[best] * table.devices[best] * 8760
    rented = np.array(told.terms[0].usd_by_year) - owned
    assert rented == pytest.approx(rented[0] * np.array([1, 0.5, 0.25]))
    todays = table.usd_per_device_hour[best] * table.devices[best] * 8760 - owned
    assert rented[0] == pytest.approx(todays * 0.5**0.5)


def test_a_provider_supports_what_it_rents_out_alone(asked, catalog, calibration, context):
    supported = changed(asked, economics__renting=RentalTerms(support_share=0.1))
    month = {}
    for share, scenario in ((0.0, asked), (0.1, supported)):
        served, told = beside_owned(scenario, catalog, calibration, context, 2)
        month[share] = float(served.table.usd_per_month[served.best])
        assert told.order.planned_usd_per_year == pytest.approx(12 * month[share])
    owned = served.table.owned_usd_per_device_hour[served.best] * served.table.devices[served.best] * 730
    assert month[0.1] == pytest.approx(owned + (month[0.0] - owned) * 1.1)
    assert told.terms[0].usd_by_year[0] == pytest.approx(12 * month[0.1])


def test_break_even_counts_the_support_that_is_billed_on_rent(asked, planned, context):
    supported = changed(asked, economics__renting=RentalTerms(support_share=0.25))
    plain, dearer = (ownership_of_plan(one, planned, context, "serving").terms[0] for one in (asked, supported))
    assert dearer.break_even_share == pytest.approx(plain.break_even_share / 1.25)
    assert np.isclose(dearer.usd, plain.usd * 1.25)


def test_on_demand_price_beside_a_term_is_of_the_same_instance(asked, catalog, calibration, context):
    """Google rents L4 out in instances of many sizes at prices of their own; each term is of those that are rented."""
    alone = changed(asked, hardware__accelerators=("nvidia-l4",), economics__horizon_years=3.0)
    found = ownership_of_plan(alone, plan(alone, catalog, calibration), context, "serving")
    terms = {one.term: one for one in found.terms}
    year, hourly = terms["rent_1y"], terms["rent_on_demand"]
    offers = [
        one for one in catalog.offers.values() if (one.provider, one.accelerator_id) == (year.provider, "nvidia-l4")
    ]
    same = [one for one in offers if one.reserved_1y_usd_per_accelerator_h == pytest.approx(year.usd_per_device_hour)]
    assert year.provider == hourly.provider
    assert year.by_the_hour_usd == hourly.usd_per_device_hour
    assert year.by_the_hour_usd in {one.on_demand_usd_per_accelerator_h for one in same}


def offered(catalog, *rows):
    """The catalogue with these offers of the device alone: devices, USD an hour by the hour, for a year and as spot."""
    (one,) = (offer for offer in catalog.offers.values() if offer.id == "hyperstack-rtx-pro-6000-se-global")
    offers = {
        f"test-{count}": msgspec.structs.replace(
            one, id=f"test-{count}", provider=f"Of {count}", accelerator_count=count, on_demand_usd_per_h=hourly,
            reserved_1y_usd_per_h=year, spot_usd_per_h=spot,
        )
        for count, hourly, year, spot in rows
    }  # fmt: skip
    return msgspec.structs.replace(catalog, offers=offers)


def told_beside(asked, catalog, calibration, devices, **places):
    only = context_of(catalog, calibration)
    served, told = beside_owned(asked, catalog, calibration, only, devices, **places)
    return served, told, {one.term: one for one in told.terms}


@pytest.fixture(scope="module")
def small(asked):
    """Six devices today, eight and twelve in two years of growth by half; the cheapest offer suits."""
    cheapest = changed(growing(asked, 0.5, 2.0), economics__price_level="low")
    return changed(cheapest, **{"serving__classes[0]__peak_rate_per_s": 60.0})


def running_usd(served, devices):
    """A year of one of so many owned devices. [USD]"""
    table, best = served.table, served.best
    return table.owned_usd_per_device_hour[best] * table.devices[best] / devices * 8760


def test_an_order_grows_to_the_offer_that_suits_later_years(small, catalog, calibration):
    """Two devices are missing today, and taken one by one at $3; eight at $1 each suit the years, and then take it."""
    offers = offered(catalog, (1, 3.0, None, None), (8, 8.0, None, None))
    served, told, terms = told_beside(small, offers, calibration, 4)
    assert told.replicas_by_year == (8, 12)
    eight, four, up = 8 * 8760, 4 * running_usd(served, 4), 0.97
    assert terms["rent_on_demand"].usd_by_year == pytest.approx([eight, eight + four])
    assert sum(one.operating_usd for one in told.order.cash[:4]) == pytest.approx(eight)
    assert sum(one.operating_usd for one in told.order.cash[4:]) == pytest.approx(eight + four * up)
    assert told.order.devices_by_year == (8, 12)


@pytest.mark.parametrize("term", ["own", "rent_on_demand"])
def test_the_mix_counts_the_units_that_are_rented(small, catalog, calibration, term):
    """Cards are bought one by one and rented by eight: renting by the hour, autoscaled, is one thing on every term."""
    scenario = changed(small, serving__start__is_autoscaled=True, economics__serving_procurement=term)
    for owned in (0, 3):
        _, told, terms = told_beside(scenario, offered(catalog, (8, 8.0, None, None)), calibration, owned)
        assert told.commitment_usd == pytest.approx(terms["rent_on_demand"].usd)


def test_the_mix_reserves_nothing_beside_owned_devices_that_suffice(small, catalog, calibration):
    """The load falls from six devices to five, and six are owned: the last year is what five take to run."""
    offers, falling = offered(catalog, (1, 3.0, 0.1, None)), growing(small, -0.3, 2.0)
    falling = changed(falling, **{"serving__classes[0]__peak_rate_per_s": 70.0})
    served, told, _ = told_beside(falling, offers, calibration, 6)
    assert told.replicas_by_year == (7, 5)
    last = told.commitments[1]
    assert (last.one_year, last.by_the_hour) == (0, 0)
    assert last.usd == pytest.approx(5 * running_usd(served, 6))


def test_a_term_that_nobody_offers_says_so_and_a_fleet_that_is_owned_needs_none(small, catalog, calibration):
    offers = offered(catalog, (1, 3.0, None, None))
    for owned, reason in ((0, "no_offer"), (3, "no_offer"), (40, "nothing_missing")):
        _, _, terms = told_beside(small, offers, calibration, owned)
        assert terms["rent_1y"].reason == reason
        assert math.isnan(terms["rent_1y"].usd)


def test_an_owned_fleet_that_grows_rents_what_is_missing_not_what_it_has(small, catalog, calibration):
    """Six are owned and eight needed: two at $3 cost less than an instance of eight at $2 each."""
    offers = offered(catalog, (1, 3.0, None, None), (8, 16.0, None, None))
    served, _, terms = told_beside(growing(small, 0.5, 1.0), offers, calibration, 6)
    assert terms["rent_on_demand"].usd_by_year == pytest.approx([6 * running_usd(served, 6) + 2 * 3 * 8760])


H100 = "nvidia-h100-sxm-80gb"
"""Sold on boards of eight."""


def test_owned_devices_that_bought_nodes_set_aside_are_what_renting_takes_to_run(small, catalog, calibration):
    """A node holds all that is needed; whoever rents runs three owned devices beside what is rented."""
    boards = changed(
        growing(small, 0.0), hardware__accelerators=(H100,), hardware__owned=(OwnedStock(accelerator=H100, devices=3),),
        economics__serving_procurement="own",
    )  # fmt: skip
    boards = changed(boards, **{"serving__classes[0]__peak_rate_per_s": 100.0})
    told = ownership_of_plan(boards, plan(boards, catalog, calibration), context_of(catalog, calibration), "serving")
    own, rent = ({one.term: one for one in told.terms}[term] for term in ("own", "rent_on_demand"))
    table = plan(replaced(boards, "economics.serving_procurement", "rent_on_demand"), catalog, calibration).serving
    assert 3 < told.devices <= 8
    running = sum(3 * running_usd(table, 3) * 1.1**-year for year in (1, 2, 3))
    assert rent.break_even_share == pytest.approx((own.usd - running) / (rent.usd - running), rel=1e-4)
    yearly = 0.97 * rent.usd_by_year[0] - told.order.yearly_usd
    assert told.investment.cash_flows_usd[1] == pytest.approx(yearly, rel=1e-4)


def test_what_was_bought_serves_first_where_the_load_falls(small, catalog, calibration):
    """A card is bought beside six owned ones; when five are needed, four of the owned ones run beside it."""
    falling = changed(growing(small, -0.3, 2.0), economics__serving_procurement="own")
    falling = changed(falling, **{"serving__classes[0]__peak_rate_per_s": 70.0})
    served, told, terms = told_beside(falling, catalog, calibration, 6)
    assert told.replicas_by_year == (7, 5)
    first, last = terms["own"].usd_by_year
    assert first - last == pytest.approx(2 * running_usd(served, 6))
    quarters = [one.operating_usd for one in told.order.cash]
    assert sum(quarters[:4]) - sum(quarters[4:]) == pytest.approx(2 * running_usd(served, 6) * 0.97)


def test_an_owned_fleet_that_outgrows_itself_has_known_payments_on_a_term_that_nobody_offers(
    small, catalog, calibration
):
    """Six are owned and suffice today; what later years need has no price, and the known payments stand alone."""
    year = changed(small, economics__serving_procurement="rent_1y")
    offers = offered(catalog, (1, 3.0, None, None))
    served, told, terms = told_beside(year, offers, calibration, 6)
    assert terms["rent_1y"].reason == "no_offer"
    paid = [one.operating_usd for one in told.order.cash]
    assert paid == pytest.approx([6 * running_usd(served, 6) * 0.97 / 4] * 8)
    assert told.order.unpriced_from_year == 1
    assert told.order.devices_by_year == (8, 12)
    said = " ".join(order_lines(told.order))
    assert "devices that the load needs beyond today's fleet from year 1 on: no price is known" in said
    assert "The load needs 8 → 12 devices in the years" in said
    assert "Cash counts" not in said


def test_an_owned_fleet_that_outgrows_itself_says_what_is_bought_beyond_it(small, catalog, calibration):
    """Six suffice today: nothing is bought for that, yet two are for the growth of the first year, four in the next."""
    _, told, _ = told_beside(changed(small, economics__serving_procurement="own"), catalog, calibration, 6)
    capital = [one.capital_usd for one in told.order.cash]
    assert told.order.capital_usd == 0 < capital[0] < capital[4]
    said = " ".join(order_lines(told.order))
    later = format_value(capital[0] + capital[4], "USD")
    assert f"Capital $0 for today's load and another {later} over the horizon" in said
    assert "price trend" not in said
