"""A line of a price list as it was understood: codes and values; the words are made where it is shown."""

from __future__ import annotations

from typing import Literal

import msgspec

PriceTerm = Literal["purchase", "on_demand", "reserved_1y", "reserved_3y", "spot"]
PRICE_TERMS: tuple[PriceTerm, ...] = ("purchase", "on_demand", "reserved_1y", "reserved_3y", "spot")
PriceFault = Literal[
    "no_device", "unknown_device", "no_price", "bad_price", "bad_currency", "no_rate", "bad_date", "future_date",
    "unknown_term", "bad_count",
]  # fmt: skip


class PriceRow(msgspec.Struct, frozen=True, kw_only=True):
    """One price of one device; with a fault it is not taken."""

    line: int
    device: str
    """As it is written."""
    accelerator_id: str = ""
    term: PriceTerm = "purchase"
    amount: float = float("nan")
    """Of one device, in the list's own currency."""
    currency: str = "USD"
    usd: float = float("nan")
    as_of: str = ""
    provider: str = ""
    region: str = ""
    fault: PriceFault | None = None
    detail: str = ""
    """What stands there that could not be read."""
    age_days: int | None = None
