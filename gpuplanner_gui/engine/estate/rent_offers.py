"""What an estate's devices are rented for: each provider's terms, and beside them what was quoted to the planner."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import msgspec

from gpuplanner_gui.domain.constants import MONTHS_PER_YEAR
from gpuplanner_gui.domain.economics import Economics, Procurement
from gpuplanner_gui.domain.estate import ReservationTerm
from gpuplanner_gui.domain.hardware import Accelerator
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.engine.cost.bill import TERM_LENGTHS
from gpuplanner_gui.engine.cost.offers import Offers, Quote
from gpuplanner_gui.engine.cost.quotations import Quotation, quoted_rents

ESTATE_TERMS: tuple[Procurement, ...] = ("rent_on_demand", *TERM_LENGTHS)
YOUR_QUOTATION = "your quotation"
"""Who asks a quoted price where the quotation names nobody."""


@dataclass(frozen=True)
class RentOffer:
    """Devices that are rented by the hour and reserved, on each term from whoever asks the least."""

    devices: int
    """Of its smallest instance."""
    own_usd_per_hour: float
    """What its provider asks itself; infinite where all is quoted to the planner. [USD/h]"""
    asked: Mapping[Procurement, Quotation]
    """Price and provider by term, support included. [USD/h]"""

    @property
    def hourly_usd(self) -> float:
        return round(self.asked["rent_on_demand"].usd, 4)

    @property
    def reservations(self) -> tuple[ReservationTerm, ...]:
        return tuple(
            ReservationTerm(months=MONTHS_PER_YEAR * years, usd_per_device_hour=round(self.asked[term].usd, 4))
            for term, years in TERM_LENGTHS.items()
            if term in self.asked
        )

    @property
    def provider(self) -> str:
        """Who rents out by the hour."""
        return self.asked["rent_on_demand"].provider

    @property
    def other_providers(self) -> str:
        """Who reserves, where that is not who rents out by the hour: "1 and 3 years: Acme"."""
        years_of: dict[str, list[int]] = {}
        for term, years in TERM_LENGTHS.items():
            if term in self.asked and self.asked[term].provider != self.provider:
                years_of.setdefault(self.asked[term].provider, []).append(years)
        return ", ".join(
            f"{' and '.join(map(str, years))} {'year' if years == [1] else 'years'}: {provider}"
            for provider, years in years_of.items()
        )


def rent_offers(
    entry: Accelerator, economics: Economics, offers: Offers, together: float, replicas: float
) -> tuple[RentOffer, ...]:
    """What was quoted by the hour, and each provider's offer of which a part may be rented by the hour.

    A provider keeps its own price of a term where a quotation is dearer: one more never makes an estate dearer.
    """
    plain = msgspec.structs.replace(economics, overrides=())
    quotes = _undercut_by_none(offers.mixing_quotes(entry, plain, tuple(TERM_LENGTHS), together, replicas))
    support, providers = 1.0 + central(economics.renting.support_share), {one.provider for one in quotes}
    quoted = {
        term: replace(one, provider=_quoted_by(one, providers))
        for term, one in quoted_rents(entry.id, economics).items()
        if term in ESTATE_TERMS
    }
    found = [RentOffer(1, math.inf, _least_asked({}, quoted, support))] if "rent_on_demand" in quoted else []
    for quote in quotes:
        own = {term: Quotation(quote.of(term), quote.provider) for term in ESTATE_TERMS if quote.of(term) > 0}
        asked = _least_asked(own, quoted, support)
        if all(one.asked != asked for one in found):
            devices = 1 if quote.is_single else quote.sizes[0][0]
            found.append(RentOffer(devices, quote.of("rent_on_demand"), asked))
    return tuple(found)


def _quoted_by(quotation: Quotation, providers: set[str]) -> str:
    """Who asks a quoted price, told apart from what the same provider asks of everybody."""
    if not quotation.provider:
        return YOUR_QUOTATION
    return f"{quotation.provider} as quoted" if quotation.provider in providers else quotation.provider


def _least_asked(
    own: Mapping[Procurement, Quotation], quoted: Mapping[Procurement, Quotation], support: float
) -> dict[Procurement, Quotation]:
    """The lower price of each term and who asks it. What is free by the hour needs no reservation."""
    least = {
        term: min((known[term] for known in (own, quoted) if term in known), key=lambda one: one.usd)
        for term in ESTATE_TERMS
        if term in own or term in quoted
    }
    is_free = least["rent_on_demand"].usd == 0
    return {
        term: replace(one, usd=one.usd * support)
        for term, one in least.items()
        if term == "rent_on_demand" or not is_free
    }


def _undercut_by_none(quotes: tuple[Quote, ...]) -> list[Quote]:
    """Offers by provider, but those that ask more for everything."""
    found: list[Quote] = []
    for quote in quotes:
        asked = {term: quote.of(term) for term in ESTATE_TERMS if quote.of(term) > 0}
        is_dearer = any(all(other.of(term) <= usd for term, usd in asked.items()) for other in found)
        if not is_dearer and all(one.provider != quote.provider for one in found):
            found.append(quote)
    return found
