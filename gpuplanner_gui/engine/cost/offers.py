"""What providers ask for an hour of an accelerator: one named offer for each term and price level.

A price is never a mixture: it is that of one offer of one provider, whose prices for other terms stand beside it. What
a marketplace's cheapest hosts ask counts at the low level alone. Where devices are left over in the instances of the
typical offer, those that leave the fewest over are compared apart. The highest that a fleet may be asked is that of
offers whose machines it fills by more than half, and never less than the typical one.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache, partial

import msgspec
import numpy as np

from gpuplanner_gui.domain.catalog import Catalog, age_days
from gpuplanner_gui.domain.economics import RENTED_TERMS, Economics, PriceLevel, Procurement
from gpuplanner_gui.domain.hardware import Accelerator
from gpuplanner_gui.domain.price import Offer
from gpuplanner_gui.domain.quantity import Quantity, Range, Triangular, central
from gpuplanner_gui.engine.cost.quotations import Quotation, quoted_rents, rents_usd
from gpuplanner_gui.engine.cost.units import Units, chosen_units, paid_fleet

NAN = float("nan")
LEAST_PROVIDERS = 3
"""Least providers that make a price reliable."""
SUPERSEDED_DAYS = 180
"""An offer read so long before its provider's newest of the same device no longer stands."""
LATER = date(2100, 1, 1)
"""Ages are compared with each other alone."""
OFFER_TERMS: dict[Procurement, str] = {
    "rent_on_demand": "on_demand", "rent_1y": "reserved_1y", "rent_3y": "reserved_3y", "rent_spot": "spot",
}  # fmt: skip
_TERM_WORDS: dict[Procurement, str] = {
    "rent_on_demand": "on-demand", "rent_1y": "1-year", "rent_3y": "3-year", "rent_spot": "spot",
}  # fmt: skip


@dataclass(frozen=True)
class Quote:
    """An hour of one accelerator on a term, as one provider sells it; NaN where nobody is known to."""

    usd_per_hour: float = NAN
    provider: str = ""
    """Empty for a quotation of the planner's that names nobody."""
    ladder: Mapping[Procurement, float] = field(default_factory=dict)
    """The same offer's prices on every term that it states; quoted ones in place of higher ones. [USD/h]"""
    providers: int = 0
    """Providers that rent the device out on any term, without marketplaces."""
    compared: int = 0
    """Providers whose instances suit what works together, on this term."""
    low_usd: float = NAN
    high_usd: float = NAN
    """Lowest and highest of those. [USD/h]"""
    sizes: tuple[tuple[int, float], ...] = ()
    """Instances of that provider by accelerators, each with the price of one of them for an hour. [USD/h]"""
    is_single: bool = False
    """Priced by the accelerator, whatever the machine."""
    offer: Offer | None = None
    instances: tuple[Offer, ...] = ()
    """What is rented in each of the sizes."""
    is_own: bool = False
    """The planner's own quotation or price list."""
    level: PriceLevel = "typical"
    """Of the offers compared, the lowest, a typical or the highest one."""
    is_of_other_size: bool = False
    """`offer` is the cheapest, at the high level the dearest, of another size than the one that `usd_per_hour`, a
    provider's median, is of."""
    term: Procurement = "rent_on_demand"
    own_source: str = ""
    """Where an own price without an offer stands."""
    quoted: Mapping[Procurement, Quotation] = field(default_factory=dict)
    """Prices of the ladder that were quoted to the planner, by term. [USD/h]"""

    @property
    def date(self) -> str:
        """When the offer's price on this term was read; empty where no date is stated."""
        if self.offer is None:
            return ""
        return (self.offer.spot_as_of if self.term == "rent_spot" else None) or self.offer.as_of or ""

    @property
    def instance(self) -> str:
        """What the provider calls the machine; empty for a price without an offer."""
        return self.offer.instance if self.offer is not None else ""

    def in_instances_of(self, devices: float) -> Quote:
        """The same offer in another of its sizes: what it is called there, and where its price was read."""
        offer = next((one for one in self.instances if one.accelerator_count == devices), self.offer)
        return replace(self, offer=offer, is_of_other_size=offer is not self.offer)

    @property
    def is_borne_out(self) -> bool:
        return self.is_own or self.level == "low" or self.providers >= LEAST_PROVIDERS

    @property
    def asked_by(self) -> str:
        """The offer by provider, instance, region and date, and how dear it is; a marketplace's is marked."""
        if self.offer is None:
            return self.own_source if self.is_own else ""
        offer = self.offer
        market = "marketplace" if offer.market == "marketplace" else ""
        named = (offer.provider, market, offer.instance, offer.region, self.date)
        middle = "typical price level: closest to the median" if self.compared >= LEAST_PROVIDERS else "one"
        which = {"low": "the lowest", "typical": middle, "high": "the highest"}[self.level]
        asked = f"{self.compared} providers' {_TERM_WORDS[self.term]}"
        spread = f"; {which} of {asked} prices ({self.low_usd:.2f} to {self.high_usd:.2f} USD/h)"
        if self.is_of_other_size and self.level != "low":
            end = "dearest" if self.level == "high" else "cheapest"
            spread = (
                f"; {end} of its size there; {asked} prices are {self.low_usd:.2f} to {self.high_usd:.2f} USD/h "
                "(medians of all sizes)"
            )
        return ", ".join(one for one in named if one) + (spread if self.low_usd < self.high_usd else "")

    @property
    def source(self) -> str:
        """Who asks it, and where it was read."""
        if self.offer is None:
            return self.asked_by
        read_in = (self.offer.spot_source if self.term == "rent_spot" else "") or self.offer.source
        return f"offers: {self.asked_by}" + (f"; read in {read_in}" if read_in else "")

    def of(self, term: Procurement) -> float:
        """Price of the same offer on another term; NaN where it states none. [USD/h]"""
        return self.ladder.get(term, NAN)

    def with_quoted(self, rents: Mapping[Procurement, Quotation]) -> Quote:
        """The same with what is quoted to the planner where the offer asks more: nobody signs what is dearer than what
        is asked of everybody."""
        if not self.usd_per_hour > 0:
            return self
        taken = {term: one for term, one in rents.items() if not self.of(term) <= one.usd}
        return replace(self, ladder={**self.ladder, **rents_usd(taken)}, quoted=taken)


class Offers:
    """All offers of a catalogue by accelerator; quotes are made at their first use."""

    def __init__(self, offers: Iterable[Offer]) -> None:
        self._of: dict[str, list[Offer]] = defaultdict(list)
        for offer in offers:
            self._of[offer.accelerator_id].append(offer)
        self._quotes: dict[tuple[str, Procurement, PriceLevel, float], Quote] = {}

    def of(self, accelerator: str) -> tuple[Offer, ...]:
        return tuple(self._of.get(accelerator, ()))

    def quoted_from(self, accelerator: str) -> tuple[float, ...]:
        """Devices together from which other instances suit than for fewer: each size that is sold, and one more;
        infinite for whatever is left over."""
        sizes = {one.accelerator_count for one in self.of(accelerator)}
        return (*sorted({1} | sizes | {size + 1 for size in sizes if size < max(sizes)}), math.inf)

    def quote(
        self, entry: Accelerator, term: Procurement, economics: Economics, together: float = 1.0, replicas: float = 1.0
    ) -> Quote:
        """What prices a fleet of so many replicas, or a job, of devices that work together: the level's offer, or one
        that suits them, as `paid_fleet` chooses between them."""
        levels: dict[PriceLevel, None] = {economics.price_level: None, "typical": None}
        found = [
            self.suited(entry, term, msgspec.structs.replace(economics, price_level=level), each)
            for level in levels for each in (together, math.inf)
        ]  # fmt: skip
        units = Units.of([one.sizes for one in found], [one.is_single for one in found], level=economics.price_level)
        units = replace(units, held_from=np.array([[1.0, math.inf]]))
        who, each = np.zeros(1, np.int64), np.array([together])
        return found[int(chosen_units(units, who, np.array([replicas]), each)[0][0])]

    def suited(self, entry: Accelerator, term: Procurement, economics: Economics, together: float) -> Quote:
        """The scenario's own quotation, the planner's price list, or what providers ask. What is quoted of other terms
        stands in place of an offer's prices of these that are higher."""
        rents = quoted_rents(entry.id, economics)
        if term in rents:
            usd, provider = rents[term].usd, rents[term].provider
            source = ", ".join(filter(None, ("the scenario's quotation", provider)))
            return Quote(
                usd, provider, rents_usd(rents), sizes=((1, usd),), is_single=True, is_own=True, term=term,
                own_source=source, quoted=rents,
            )  # fmt: skip
        asked = _own_rental(entry, term, economics) or self._offered(entry, term, economics, together)
        return asked.with_quoted(rents)

    def _offered(self, entry: Accelerator, term: Procurement, economics: Economics, together: float) -> Quote:
        """What providers ask: a typical one, if so many devices together leave none over in its instances, else one of
        those that leave the fewest over. Infinite: a typical one, whatever is left over."""
        size = max(one for one in self.quoted_from(entry.id) if one <= max(1.0, together))
        key = (entry.id, term, economics.price_level, size)
        if key not in self._quotes:
            summed_up = entry.rental.on_demand_usd_per_h if entry.rental is not None else None
            quoted = partial(_quoted, summed_up_usd=level_of(summed_up, "typical"))
            found = quoted(self.of(entry.id), term, economics.price_level, math.inf)
            if size < math.inf and _paid_devices(found, size) > size:
                found = quoted(self.of(entry.id), term, economics.price_level, size)
            self._quotes[key] = found
        return self._quotes[key]

    def mixing_quotes(
        self,
        entry: Accelerator,
        economics: Economics,
        terms: Iterable[Procurement],
        together: float = 1.0,
        replicas: float = 1.0,
    ) -> tuple[Quote, ...]:
        """Offers of which a part may be rented by the hour; those that state one of some terms as well come first.

        A quotation is mixed with the other prices of offers that state its term.
        """
        asked: tuple[Procurement, ...] = ("rent_on_demand", *terms)
        found = [self.quote(entry, one, economics, together, replicas) for one in asked]
        if rents := quoted_rents(entry.id, economics):
            plain = msgspec.structs.replace(economics, overrides=())
            offered = [self.quote(entry, one, plain, together, replicas) for one in asked if one in rents]
            found += [one.with_quoted(rents) for one in offered]
        hourly = [one for one in found if one.of("rent_on_demand") > 0]
        return tuple(sorted(hourly, key=lambda one: not any(one.of(term) > 0 for term in terms)))


@lru_cache(maxsize=4)
def offers_of(catalog: Catalog) -> Offers:
    """The offers of a catalogue, which is compared by identity."""
    return Offers(catalog.offers.values())


def price_of(offer: Offer, term: Procurement) -> float:
    """Price of one accelerator-hour; NaN where the offer states none. [USD/h]"""
    usd: float | None = getattr(offer, f"{OFFER_TERMS[term]}_usd_per_accelerator_h")
    return NAN if usd is None else usd


def level_of(quantity: Quantity | None, level: str) -> float:
    """The low, typical or high end of a price. NaN for a price that is not known."""
    if quantity is None:
        return NAN
    if isinstance(quantity, (Range, Triangular)) and level != "typical":
        return quantity.low if level == "low" else quantity.high
    return central(quantity)


def _own_rental(entry: Accelerator, term: Procurement, economics: Economics) -> Quote | None:
    """The price of an own catalogue entry; None where it states none on a term."""
    if entry.rental is None or not entry.is_own_rental:
        return None
    stated = {
        one: level_of(getattr(entry.rental, f"{name}_usd_per_h"), economics.price_level)
        for one, name in OFFER_TERMS.items()
    }
    usd = stated[term]
    if not usd > 0:
        return None
    return Quote(usd, ladder=stated, sizes=((1, usd),), is_single=True, is_own=True, own_source="your own catalogue")


def _quoted(
    offers: tuple[Offer, ...], term: Procurement, level: PriceLevel, together: float, summed_up_usd: float
) -> Quote:
    """One offer for so many devices together: the planner's own before the catalogue's; of the catalogue's a typical
    one at the typical level.

    `summed_up_usd` is the accelerator's usual price by the hour over all that was found; NaN where none is known.
    """
    current = [one for of_one in _by_provider(offers).values() for one in _current(of_one)]
    stated = [one for one in current if price_of(one, term) > 0]
    own = [one for one in stated if one.market == "own"]
    usual = _suiting(own or [one for one in stated if one.market != "marketplace"], together)
    middles = sorted((_middle(one, term) for one in _by_provider(usual).values()), key=lambda one: price_of(one, term))
    if level == "low":
        chosen = min(_suiting(own or stated, together), key=lambda one: price_of(one, term), default=None)
    elif level == "high":
        chosen = max(usual, key=lambda one: price_of(one, term), default=None)
    else:
        chosen = _typical(offers, middles, term, together, summed_up_usd)
    if chosen is None:
        return Quote()
    instances = _instances(stated, chosen, term, level)
    return Quote(
        price_of(chosen, term),
        chosen.provider,
        {one: price_of(chosen, one) for one in RENTED_TERMS if price_of(chosen, one) > 0},
        len({one.provider for one in offers if one.market != "marketplace"}),
        len(middles),
        min(price_of(one, term) for one in (chosen, *middles)),
        max(price_of(one, term) for one in (chosen, *middles)),
        tuple((one.accelerator_count, price_of(one, term)) for one in instances),
        _is_single(chosen),
        chosen,
        instances,
        bool(own),
        level,
        term=term,
    )


def _paid_devices(quote: Quote, together: float) -> float:
    """Devices paid for in the instances of one offer. [1]"""
    units = Units.of([quote.sizes], [quote.is_single])
    return float(paid_fleet(units, np.zeros(1, np.int64), np.ones(1), np.array([together])).devices[0])


def _is_single(offer: Offer) -> bool:
    """Priced by the accelerator: a hyperscaler's smallest instance is a machine of its own."""
    return offer.accelerator_count == 1 and offer.market != "hyperscaler"


def _suiting(offers: list[Offer], together: float) -> list[Offer]:
    """Offers in which devices that work together leave the fewest over. Fewer than a machine has are had in one alone,
    more than the largest has in several of those."""
    largest = max((one.accelerator_count for one in offers), default=1)
    if together == math.inf:
        return offers

    def paid(offer: Offer) -> float:
        size = offer.accelerator_count
        if _is_single(offer):
            return together
        return math.ceil(together / size) * size if size >= min(together, largest) else math.inf

    least = min(map(paid, offers), default=math.inf)
    return [one for one in offers if paid(one) == least]


def _instances(offers: list[Offer], chosen: Offer, term: Procurement, level: PriceLevel) -> tuple[Offer, ...]:
    """What the chosen offer's provider rents out in its region, by size: the cheapest of each, at the high level the
    dearest."""
    sign = -1.0 if level == "high" else 1.0
    found = {chosen.accelerator_count: chosen}
    for one in offers:
        size = one.accelerator_count
        if (one.provider, one.region) != (chosen.provider, chosen.region) or size == chosen.accelerator_count:
            continue
        if size not in found or sign * price_of(one, term) < sign * price_of(found[size], term):
            found[size] = one
    return tuple(found[size] for size in sorted(found))


def _typical(
    offers: tuple[Offer, ...], middles: list[Offer], term: Procurement, together: float, summed_up_usd: float
) -> Offer | None:
    """The typical offer: by the hour, the median provider's; on a term, that of the provider nearest to it: few sell
    terms, and a dear provider's term says nothing about what a term saves.

    Two providers have no middle: one is the lowest, the other the highest. The nearer to the usual price is typical.
    """
    if not middles:
        return None
    is_hourly = term == "rent_on_demand"
    by_hour = partial(_quoted, offers, "rent_on_demand", "typical", together, summed_up_usd)
    hour = summed_up_usd if is_hourly else by_hour().usd_per_hour
    compared = [one for one in middles if price_of(one, "rent_on_demand") > 0]
    if not compared or not hour > 0 or (is_hourly and len(middles) != 2):
        return middles[len(middles) // 2]
    return min(compared, key=lambda one: abs(math.log(price_of(one, "rent_on_demand") / hour)))


def _by_provider(offers: Iterable[Offer]) -> dict[str, list[Offer]]:
    found: dict[str, list[Offer]] = defaultdict(list)
    for offer in offers:
        found[offer.provider].append(offer)
    return found


def _current(offers: list[Offer]) -> list[Offer]:
    """Offers of a provider without those that its newer ones replaced."""
    ages = [age_days(one.as_of, LATER) for one in offers]
    newest = min((one for one in ages if one is not None), default=0)
    kept = [one for one, age in zip(offers, ages, strict=True) if age is None or age - newest <= SUPERSEDED_DAYS]
    return kept or offers


def _middle(offers: list[Offer], term: Procurement) -> Offer:
    """The median of a provider's regions and instances, the dearer of two."""
    ranked = sorted(offers, key=lambda one: (price_of(one, term), one.id))
    return ranked[len(ranked) // 2]
