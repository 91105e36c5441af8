"""Prices worked by hand: one named offer for each term, the middle provider, terms within one provider."""

from __future__ import annotations

import dataclasses
import itertools
import math

import msgspec
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gpuplanner_gui.domain.economics import (
    RENTED_TERMS,
    Economics,
    ExchangeRate,
    PriceLevel,
    PriceOverride,
    Procurement,
    RentedTerm,
)
from gpuplanner_gui.domain.hardware import Accelerator, PeakRates
from gpuplanner_gui.domain.price import Market, Offer, RentalPrice
from gpuplanner_gui.domain.quantity import Money
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.cost.offers import LEAST_PROVIDERS, Offers, price_of
from gpuplanner_gui.engine.cost.prices import purchase_price
from gpuplanner_gui.engine.cost.units import paid_fleet
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration

TYPICAL = Economics()
LEVELS: tuple[PriceLevel, ...] = ("low", "typical", "high")


def device(**more) -> Accelerator:
    return Accelerator(
        id="d", name="D", vendor="V", kind="gpu", ecosystem="cuda", architecture="a", memory_nominal_bytes=8e10,
        memory_bandwidth_bytes_per_s=1e12, peak_dense_flop_per_s=PeakRates(), **more,
    )  # fmt: skip


def offer(provider: str, usd: float | None, market: Market = "neocloud", count: int = 8, **more) -> Offer:
    """`usd` is of one device, the offer of the whole machine."""
    terms = {key: value * count for key, value in more.items() if key.endswith("usd_per_h")}
    rest = {key: value for key, value in more.items() if key not in terms}
    return Offer(
        id=rest.pop("id", f"{provider}-{count}-{rest.get('region', '')}"), provider=provider, market=market,
        instance="i",
        accelerator_id="d", accelerator_count=count, on_demand_usd_per_h=None if usd is None else usd * count,
        **({"as_of": "2026-10"} | rest), **terms,
    )  # fmt: skip


def quoted(offers, term="rent_on_demand", economics=TYPICAL, entry=None, together=8):
    return Offers(offers).quote(entry or device(), term, economics, together)


def at(level: PriceLevel) -> Economics:
    return Economics(price_level=level)


FOUR = (
    offer("Acme", 2.0),
    offer("Bolt", 3.0),
    offer("Cirrus", 5.0, region="a"),
    offer("Cirrus", 7.0, region="b"),
    offer("Cirrus", 6.0, region="c"),
    offer("Dell", 11.0),
    offer("Bazaar", 0.5, market="marketplace", count=1),
)


def test_a_quotation_counts_once_its_currency_has_a_rate_and_the_catalogues_price_holds_till_then():
    asked = (PriceOverride(accelerator="d", rent_per_device_hour=Money(1.0, "EUR")),)
    rated = Economics(overrides=asked, rates=(ExchangeRate("EUR", 1.25),))
    assert quoted(FOUR, economics=Economics(overrides=asked)).usd_per_hour == quoted(FOUR).usd_per_hour == 6.0
    assert quoted(FOUR, economics=rated).usd_per_hour == 1.25


def test_the_middle_provider_is_named_and_a_provider_counts_once():
    """Providers ask 2, 3, 6 (the middle of 5, 6, 7) and 11: of the two in the middle, 3 and 6, the dearer."""
    found = quoted(FOUR)
    assert (found.provider, found.usd_per_hour, found.providers) == ("Cirrus", 6.0, 4)
    assert (found.low_usd, found.high_usd) == (2.0, 11.0)
    assert found.offer.region == "c"
    assert found.is_borne_out


def test_of_two_providers_the_one_nearer_to_the_devices_usual_price_is_typical():
    """One asks 10.5, the other 27: the dearer alone was "typical", although the device usually costs 10.5."""
    two = (offer("Acme", 10.5, reserved_1y_usd_per_h=8.0), offer("Bolt", 27.0, reserved_1y_usd_per_h=20.0))
    for usual, provider in ((10.5, "Acme"), (20.0, "Bolt"), (None, "Bolt")):
        entry = device(rental=RentalPrice(on_demand_usd_per_h=usual, confidence="secondary"))
        assert quoted(two, entry=entry).provider == provider
        assert quoted(two, "rent_1y", entry=entry).provider == provider
        assert not quoted(two, entry=entry).is_borne_out
        assert quoted(two, entry=entry).source.endswith("one of 2 providers' on-demand prices (10.50 to 27.00 USD/h)")
        three = (*two, offer("Cirrus", 40.0))
        assert quoted(three, entry=entry).provider == "Bolt", "the middle of three"
    assert "one of 2 providers' 1-year prices (8.00 to 20.00 USD/h)" in quoted(two, "rent_1y", entry=device()).source
    assert quoted(two, entry=device()).provider == "Bolt"


def test_a_price_ends_at_its_offer_and_a_marketplace_is_marked():
    beside = "typical price level: closest to the median of 4 providers' on-demand prices (2.00 to 11.00 USD/h)"
    assert quoted(FOUR).source == f"offers: Cirrus, i, c, 2026-10; {beside}"
    read = dataclasses.replace(quoted(FOUR), offer=msgspec.structs.replace(quoted(FOUR).offer, source="a price page"))
    assert read.source == f"{quoted(FOUR).source}; read in a price page"
    assert "price page" not in read.asked_by
    assert quoted(FOUR, economics=at("low")).source.startswith("offers: Bazaar, marketplace, i, 2026-10")


def test_an_instance_of_another_size_is_named_and_priced_as_itself():
    sold = (
        offer("Acme", 1.0, count=2, region="a", id="two"), offer("Acme", 0.7, count=1, region="a", id="one"),
        offer("Acme", 1.2, count=8, region="a", id="eight"),
    )  # fmt: skip
    found = quoted(sold, together=2)
    assert (found.offer.id, found.sizes) == ("two", ((1, 0.7), (2, 1.0), (8, 1.2)))
    assert [found.in_instances_of(size).offer.id for size in (1, 2, 8, 4)] == ["one", "two", "eight", "two"]


def test_the_cheapest_of_another_size_is_not_called_nearest_the_median():
    sold = (*FOUR, offer("Cirrus", 2.5, count=1, region="c", id="alone"))
    alone = quoted(sold).in_instances_of(1)
    assert alone.offer.id == "alone"
    assert "median of 4" not in alone.asked_by
    said = "cheapest of its size there; 4 providers' on-demand prices are 2.00 to 11.00 USD/h (medians of all sizes)"
    assert alone.asked_by.endswith(said)


@pytest.mark.parametrize(
    ("together", "replicas", "provider"),
    [(1, 1, "Egon"), (2, 1, "Egon"), (3, 1, "Egon"), (7, 1, "Cid"), (8, 1, "Cid"), (1, 4, "Egon"), (1, 64, "Cid")],
)
def test_devices_left_over_in_the_typical_offer_are_not_paid_where_fewer_are_had_for_less(together, replicas, provider):
    """Nodes of eight cost 1, 2, 3 and 3.5 a device, cards by the piece 5 and 6, a hyperscaler's single machines 9: of
    all the middle asks 3.5, 28 a node. One device suits what is sold alone (5, 6, 9), a few stand in one machine,
    priced by the piece (5, 6: of two the dearer). Seven of those cost 42, and 64 cost 384 for 224 in nodes."""
    sold = (
        offer("Acme", 1.0), offer("Bolt", 2.0), offer("Bruno", 3.0), offer("Cid", 3.5), offer("Dora", 5.0, count=1),
        offer("Egon", 6.0, count=1), offer("Fata", 9.0, market="hyperscaler", count=1),
    )  # fmt: skip
    assert Offers(sold).quote(device(), "rent_on_demand", TYPICAL, together, replicas).provider == provider
    nodes = Offers(sold[:3]).quote(device(), "rent_on_demand", TYPICAL, together, replicas)
    assert nodes.provider == "Bolt", "nobody sells fewer"


def test_the_typical_offer_stands_where_it_leaves_no_device_over():
    sold = (offer("Acme", 1.0), offer("Bolt", 2.0, count=1), offer("Cid", 3.0, count=1))
    assert quoted(sold, together=1).provider == "Bolt"


def test_marketplaces_count_at_the_low_level_alone():
    assert quoted(FOUR, economics=at("low")).provider == "Bazaar"
    assert quoted(FOUR, economics=at("high")).usd_per_hour == 11.0
    only = (offer("Bazaar", 0.5, market="marketplace"),)
    assert math.isnan(quoted(only).usd_per_hour)
    assert quoted(only, economics=at("low")).usd_per_hour == 0.5


def test_the_highest_price_is_of_machines_that_a_fleet_fills_by_half_and_never_below_the_typical_one():
    """By the piece 3 and 5 a device, in nodes of eight 4 and 20: the typical offer, the dearer of the two in the
    middle, asks 5. Nobody rents a node of 160 for four devices; six may be asked that."""
    sold = (offer("Acme", 3.0, count=1), offer("Bolt", 5.0, count=1), offer("Cid", 4.0), offer("Dora", 20.0))
    for replicas, high in ((1, 5.0), (4, 5.0), (5, 20.0), (6, 20.0), (9, 20.0)):
        typical, dear = (Offers(sold).quote(device(), "rent_on_demand", at(one), 1, replicas) for one in LEVELS[1:])
        assert (typical.usd_per_hour, dear.usd_per_hour) == (5.0, high)
    assert dear.asked_by.endswith("; the highest of 4 providers' on-demand prices (3.00 to 20.00 USD/h)")
    assert quoted(FOUR, economics=at("low")).asked_by.endswith("of 4 providers' on-demand prices (0.50 to 11.00 USD/h)")


@example(together=1, replicas=1, term="rent_on_demand", accelerator="nvidia-t4")
@example(together=2, replicas=3, term="rent_1y", accelerator="nvidia-a100-sxm-40gb")
@given(
    together=st.integers(1, 24), replicas=st.integers(1, 80), term=st.sampled_from(RENTED_TERMS),
    accelerator=st.sampled_from(sorted({one.accelerator_id for one in load_shipped_catalog().offers.values()})),
)  # fmt: skip
def test_a_level_never_costs_less_than_one_below_it(together, replicas, term, accelerator):
    context = context_of(load_shipped_catalog(), load_calibration())
    entry = context.catalog.accelerators[accelerator]
    book, usd = context.price_book.of(entry), []
    for level in LEVELS:
        units = book.prices(at(level), term).units
        paid = paid_fleet(units, np.zeros(1, int), np.array([float(replicas)]), np.array([float(together)]))
        usd.append(float(paid.usd_per_device_hour[0]) * replicas * together)
        if usd[-1] > 0:
            quote = context.offers.quote(entry, term, at(level), together, replicas)
            listed = dict(quote.sizes)[int(paid.unit_devices[0])]
            assert usd[-1] == pytest.approx(listed * paid.devices[0]), "the order is priced as the plan"
    low, typical, high = usd
    assert math.isnan(typical) or low <= typical * (1 + 1e-9) <= high * (1 + 1e-8)


def test_a_term_is_priced_where_it_is_sold_beside_the_same_offers_hour():
    """The middle hour is 4. Near sells a year at 2.7 beside an hour of 3.2, Far at 7.7 beside 11."""
    offers = (
        offer("Near", 3.2, reserved_1y_usd_per_h=2.7),
        offer("Middle", 4.0),
        offer("Far", 11.0, reserved_1y_usd_per_h=7.7, reserved_3y_usd_per_h=4.9),
    )
    year, three = quoted(offers, "rent_1y"), quoted(offers, "rent_3y")
    assert (year.provider, year.usd_per_hour, year.of("rent_on_demand")) == ("Near", 2.7, 3.2)
    assert (three.provider, three.usd_per_hour, three.of("rent_on_demand")) == ("Far", 4.9, 11.0)
    assert math.isnan(year.of("rent_3y"))
    mixed = Offers(offers).mixing_quotes(device(), TYPICAL, ["rent_1y", "rent_3y"])
    assert [one.provider for one in mixed] == ["Near", "Far", "Middle"]
    assert year.is_borne_out
    assert not quoted(offers[:2], "rent_1y").is_borne_out


def test_an_offer_that_its_provider_replaced_no_longer_counts():
    offers = (offer("Acme", 2.9, as_of="2025-12"), offer("Acme", 4.5, as_of="2026-10", region="x"))
    assert quoted(offers).usd_per_hour == 4.5
    assert quoted(offers[:1]).usd_per_hour == 2.9


def test_own_quotations_come_first():
    own_list = (*FOUR, offer("Ours", 9.0, market="own"))
    assert (quoted(own_list).provider, quoted(own_list).is_own) == ("Ours", True)
    stated = device(rental=RentalPrice(on_demand_usd_per_h=8.0, confidence="user"))
    assert quoted(own_list, entry=stated).usd_per_hour == 8.0
    scenario = Economics(overrides=(PriceOverride(accelerator="d", rent_per_device_hour=Money(1.5, "USD")),))
    found = quoted(own_list, "rent_1y", scenario, stated)
    assert (found.usd_per_hour, found.is_borne_out) == (1.5, True)


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_the_lowest_quotation_of_each_price_counts_in_whatever_row_it_stands(order):
    rows = (
        PriceOverride(accelerator="d", rent_per_device_hour=Money(2.5)),
        PriceOverride(accelerator="d", purchase_per_device=Money(24_000.0)),
        PriceOverride(accelerator="d", rent_per_device_hour=Money(2.0), purchase_per_device=Money(30_000.0)),
        PriceOverride(accelerator="d", rent_per_device_hour=Money(0.1, "SEK"), note="of unknown worth"),
    )
    economics = Economics(overrides=tuple(rows[place] for place in order))
    assert quoted((), "rent_1y", economics).usd_per_hour == 2.0
    assert purchase_price(device(), None, economics).usd == 24_000.0


SOLD = (
    offer("Near", 3.2, reserved_1y_usd_per_h=2.7, reserved_3y_usd_per_h=2.1, spot_usd_per_h=1.5),
    offer("Middle", 4.0),
    offer("Far", 11.0, reserved_1y_usd_per_h=7.7, reserved_3y_usd_per_h=4.9),
)
LADDER: dict[RentedTerm, float] = {"rent_on_demand": 3.0, "rent_1y": 2.2, "rent_3y": 1.7, "rent_spot": 1.1}
LISTED: dict[RentedTerm, float] = {"rent_on_demand": 4.0, "rent_1y": 2.7, "rent_3y": 2.1, "rent_spot": 1.5}


def with_quotations(*rows: tuple[RentedTerm | None, float], provider: str = "Nordkap") -> Economics:
    return Economics(overrides=tuple(
        PriceOverride(accelerator="d", term=term, rent_per_device_hour=Money(usd), provider=provider)
        for term, usd in rows
    ))  # fmt: skip


@pytest.mark.parametrize("missing", [None, *LADDER])
def test_each_term_costs_its_own_quotation_and_one_without_costs_what_the_catalogue_says(missing):
    economics = with_quotations(*(row for row in LADDER.items() if row[0] != missing))
    for term, usd in LADDER.items():
        found = quoted(SOLD, term, economics)
        assert found.usd_per_hour == (LISTED[term] if term == missing else usd)
        assert found.is_own == (term != missing)
        assert (found.provider == "Nordkap") == (term != missing)
        assert ("the scenario's quotation, Nordkap" in found.source) == (term != missing)
    if missing is not None:
        assert math.isnan(quoted((), missing, economics).usd_per_hour), "nobody sells it"


def test_a_quotation_without_a_term_is_of_every_one_and_the_lowest_of_each_term_counts():
    economics = with_quotations((None, 2.5), ("rent_1y", 2.2), ("rent_3y", 2.8))
    assert [quoted(SOLD, term, economics).usd_per_hour for term in LADDER] == [2.5, 2.2, 2.5, 2.5]


@pytest.mark.parametrize("term", ["rent_on_demand", "rent_1y", "rent_3y"])
def test_a_quotation_of_one_term_is_mixed_with_an_offers_prices_of_the_others(term):
    """Near's hour is 3.2, and its terms are the cheapest; what is quoted stands in place of its price."""
    terms: list[Procurement] = ["rent_1y", "rent_3y"]
    near = {"rent_on_demand": 3.2, "rent_1y": 2.7, "rent_3y": 2.1, term: 1.0}
    mixed = Offers(SOLD).mixing_quotes(device(), with_quotations((term, 1.0)), terms)
    (found,) = {tuple(one.of(name) for name in near) for one in mixed if one.provider == "Near"}
    assert found == tuple(near.values())
    assert {one.quoted[term].provider for one in mixed if one.provider == "Near"} == {"Nordkap"}
    assert all(one.of(term) == 1.0 for one in mixed)


ROWS = st.lists(st.tuples(st.sampled_from([None, *LADDER]), st.floats(0.1, 12.0)), max_size=3)


@example(rows=[], more=("rent_on_demand", 3.5))
@example(rows=[("rent_3y", 1.5)], more=(None, 4.4))
@given(rows=ROWS, more=st.tuples(st.sampled_from([None, *LADDER]), st.floats(0.1, 12.0)))
def test_one_more_quotation_makes_no_price_of_a_mix_dearer(rows, more):
    """Near still asks 3.2 an hour, whatever others ask: each ladder of before is to be had at its prices or less."""
    before, after = (
        [[np.nan_to_num(one.of(term), nan=np.inf) for term in LISTED] for one in mixed]
        for mixed in (
            Offers(SOLD).mixing_quotes(device(), with_quotations(*quoted_so), ["rent_1y", "rent_3y"])
            for quoted_so in (rows, [*rows, more])
        )
    )
    for ladder in before:
        assert (np.array(after) <= ladder).all(axis=1).any()


@pytest.mark.parametrize(("usd", "asked"), [(3.5, 3.2), (3.0, 3.0)])
@pytest.mark.parametrize("provider", ["Near", "Nordkap"])
def test_a_quotation_stands_in_place_of_a_listed_price_that_is_higher_whoever_quotes_it(provider, usd, asked):
    """Near lists 3.2: what it quotes above that, nobody has to take."""
    economics = with_quotations(("rent_on_demand", usd), provider=provider)
    mixed = Offers(SOLD).mixing_quotes(device(), economics, ["rent_1y"])
    assert {one.of("rent_on_demand") for one in mixed if one.offer is not None and one.provider == "Near"} == {asked}


def test_a_catalogues_summary_is_no_price():
    summed = device(rental=RentalPrice(on_demand_usd_per_h=8.0, confidence="secondary"))
    assert math.isnan(quoted((), entry=summed).usd_per_hour)


@given(prices=st.lists(st.floats(0.1, 50), min_size=1, max_size=9))
def test_a_typical_price_is_one_that_a_provider_asks(prices):
    found = quoted([offer(f"P{place}", usd) for place, usd in enumerate(prices)])
    asked = sorted(price_of(offer("x", usd), "rent_on_demand") for usd in prices)
    assert found.usd_per_hour == asked[len(asked) // 2]
    assert found.is_borne_out == (len(prices) >= LEAST_PROVIDERS)


@pytest.mark.parametrize("level", ["low", "typical", "high"])
def test_no_shipped_term_is_dearer_than_a_shorter_one_of_the_same_offer_unless_the_offer_says_so(level):
    catalog = load_shipped_catalog()
    offers = Offers(catalog.offers.values())
    shorter: dict[Procurement, Procurement] = {"rent_1y": "rent_on_demand", "rent_3y": "rent_1y"}
    for entry in catalog.accelerators.values():
        for term in RENTED_TERMS:
            found = offers.quote(entry, term, at(level))
            if found.offer is None:
                continue
            assert found.usd_per_hour == price_of(found.offer, term)
            if term in shorter and found.of(shorter[term]) > 0:
                assert found.usd_per_hour <= found.of(shorter[term])


def test_a_spot_price_is_as_old_as_its_own_reading():
    asked = offer("Acme", 2.0, spot_usd_per_h=1.0, as_of="2026-06-18", source="a", spot_as_of="2026-10-10",
                  spot_source="b")  # fmt: skip
    hourly, spot = (quoted([asked], term) for term in ("rent_on_demand", "rent_spot"))
    assert (hourly.date, spot.date) == ("2026-06-18", "2026-10-10")
    assert "2026-10-10" in spot.asked_by
    assert (hourly.source.rsplit(" ", 1)[1], spot.source.rsplit(" ", 1)[1]) == ("a", "b")
    undated = offer("Acme", 2.0, spot_usd_per_h=1.0, as_of="2026-06-18")
    assert quoted([undated], "rent_spot").date == "2026-06-18"
