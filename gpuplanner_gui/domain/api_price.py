"""What others ask for answers of a model by the token, and how that compares with a fleet of one's own."""

from __future__ import annotations

from typing import Annotated

import msgspec

from gpuplanner_gui.domain.field import about


class ApiPrice(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One provider's price for one model of the catalogue."""

    model: Annotated[str, about("Model", "", "Its identifier in the catalogue.")]
    provider: Annotated[str, about("Provider", longest=80)]
    name: Annotated[str, about("Name there", longest=120)]
    input_usd_per_million: Annotated[float, about("Prompt", "USD", "A million tokens of prompts.", minimum=0)]
    output_usd_per_million: Annotated[float, about("Answer", "USD", "A million tokens of answers.", minimum=0)]
    page: Annotated[str, about("Page", longest=400)]


class ApiPrices(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file of prices by the token: shipped, or the planner's own of the same form."""

    date: Annotated[str, about("As of", longest=20)]
    source: Annotated[str, about("Source", longest=400)]
    prices: Annotated[tuple[ApiPrice, ...], about("Prices", most=10_000)]


class ApiAlternative(msgspec.Struct, frozen=True, kw_only=True):
    """A service through somebody's API instead of the planned fleet."""

    price: ApiPrice
    date: str
    usd_per_month: float
    """At the mean load. No discount for cached prompts or batches."""
    fleet_usd_per_month: float
    wins_above_per_s: float
    """Mean requests a second above which the planned fleet costs less; inf: not within what it can serve."""
