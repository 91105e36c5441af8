"""What the usable rows of a price list put into the planner's own catalogue."""

from __future__ import annotations

import re
import statistics
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from gpuplanner_gui.domain.catalog import Catalog, CatalogKind
from gpuplanner_gui.domain.price_row import PriceRow


def stated_by(
    rows: Sequence[PriceRow], catalog: Catalog, list_name: str
) -> dict[CatalogKind, tuple[dict[str, Any], ...]]:
    """What the usable rows put into the planner's own catalogue: prices of accelerators, and an offer for each rental.

    Several prices of a device and term become a range from the lowest over the median to the highest.
    """
    usable = [row for row in rows if row.fault is None]
    by_device: dict[str, list[PriceRow]] = defaultdict(list)
    for row in usable:
        by_device[row.accelerator_id].append(row)
    accelerators = tuple(_stated_device(each, of, catalog, list_name) for each, of in by_device.items())
    offers = tuple(_offers([row for row in usable if row.term != "purchase"], list_name))
    stated: dict[CatalogKind, tuple[dict[str, Any], ...]] = {}
    if accelerators:
        stated["accelerators"] = accelerators
    if offers:
        stated["offers"] = offers
    return stated


def _stated_device(accelerator_id: str, rows: Sequence[PriceRow], catalog: Catalog, list_name: str) -> dict[str, Any]:
    stated: dict[str, Any] = {"id": accelerator_id}
    entry = catalog.accelerators[accelerator_id]
    bought = [row for row in rows if row.term == "purchase"]
    if bought:
        stated["price"] = {
            "usd": _spread([row.usd for row in bought]),
            "as_of": max(row.as_of for row in bought),
            "confidence": "user",
            "source": list_name,
        }
    rented = [row for row in rows if row.term != "purchase"]
    if rented:
        known = msgspec.to_builtins(entry.rental) if entry.rental is not None else {}
        stated["rental"] = known | _rental(rented, list_name)
    if bought or rented:
        known_confidence = msgspec.to_builtins(entry.confidence)
        own = ({"price": "user"} if bought else {}) | ({"cloud": "user"} if rented else {})
        stated["confidence"] = known_confidence | own
    return stated


_RENTAL_FIELDS = {
    "on_demand": "on_demand_usd_per_h", "reserved_1y": "reserved_1y_usd_per_h", "reserved_3y": "reserved_3y_usd_per_h",
    "spot": "spot_usd_per_h",
}  # fmt: skip


def _rental(rows: Sequence[PriceRow], list_name: str) -> dict[str, Any]:
    by_term: dict[str, list[PriceRow]] = defaultdict(list)
    for row in rows:
        by_term[row.term].append(row)
    found: dict[str, Any] = {
        "offers_counted": len(rows),
        "as_of_from": min(row.as_of for row in rows),
        "as_of_to": max(row.as_of for row in rows),
        "confidence": "user",
        "source": list_name,
    }
    for term, of_term in by_term.items():
        prices = [row.usd for row in of_term]
        found[_RENTAL_FIELDS[term]] = _spread(prices) if term == "on_demand" else statistics.median(prices)
    if by_term["on_demand"]:
        ranked = sorted(by_term["on_demand"], key=lambda row: row.usd)
        found["lowest_provider"], found["highest_provider"] = ranked[0].provider, ranked[-1].provider
    return found


def _spread(prices: Sequence[float]) -> float | dict[str, Any]:
    low, high = min(prices), max(prices)
    if low == high:
        return low
    return {"type": "triangular", "low": low, "mode": statistics.median(prices), "high": high}


def _provider(row: PriceRow, list_name: str) -> str:
    return row.provider or Path(list_name).stem


def _offer_id(provider: str, accelerator_id: str, region: str, taken: set[str]) -> str:
    """The same for the same words, so that a later list replaces it; told apart where letters were left out."""
    words = "\0".join((provider, accelerator_id, region)).casefold()
    key = re.sub(r"[^a-z0-9]+", "-", f"own-{words}").strip("-")
    if key not in taken and re.fullmatch(r"[a-z0-9 ]*", f"{provider}{region}".casefold()):
        return key
    return f"{key}-{zlib.crc32(words.encode()):08x}"


def _offers(rows: Sequence[PriceRow], list_name: str) -> Iterator[dict[str, Any]]:
    """An offer for each provider, device and region, with the terms that the list has of it."""
    grouped: dict[tuple[str, str, str], list[PriceRow]] = defaultdict(list)
    for row in rows:
        grouped[_provider(row, list_name).casefold(), row.accelerator_id, row.region.casefold()].append(row)
    taken: set[str] = set()
    for (_, accelerator_id, _), of_offer in grouped.items():
        provider, region = _provider(of_offer[0], list_name), of_offer[0].region
        key = _offer_id(provider, accelerator_id, region, taken)
        taken.add(key)
        prices = {_RENTAL_FIELDS[row.term]: row.usd for row in of_offer}
        yield {
            "id": key,
            "provider": provider,
            "market": "own",
            "instance": of_offer[0].device,
            "accelerator_id": accelerator_id,
            "accelerator_count": 1,
            "region": region,
            "as_of": max(row.as_of for row in of_offer),
            "source": list_name,
            "confidence": "user",
            **prices,
        }
