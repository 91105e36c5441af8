"""APIs beside the planned service: their bill, and from which load the own fleet is cheaper."""

from __future__ import annotations

import math

from gpuplanner_gui.domain.price import ApiAlternative
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import Column, Rows
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.engine.decision.ownership_view import api_alternatives
from gpuplanner_gui.files.shipped_tables import load_api_prices


def alternatives_of(results: Results) -> tuple[ApiAlternative, ...]:
    """Of the recommended service, by the prices that are known."""
    return api_alternatives(results.scenario, results.catalog, results.plan, load_api_prices())


def wins_text(one: ApiAlternative) -> str:
    """From which mean load the fleet is cheaper."""
    if math.isinf(one.wins_above_per_s):
        return tr("at no load that this fleet can serve")
    return tr("above {rate} on average").format(rate=format_value(one.wins_above_per_s, "req/s"))


def api_rows(results: Results) -> Rows:
    """Each price that is known for the model's architecture, the cheapest first."""
    columns = (
        Column(tr("API")), Column(tr("Prompt, a million tokens"), "USD"), Column(tr("Answer, a million tokens"), "USD"),
        Column(tr("At the mean load"), "USD/month"), Column(tr("The own fleet is cheaper")), Column(tr("As of")),
        Column(tr("Page")),
    )  # fmt: skip
    cells = tuple(
        (
            f"{one.price.provider}: {one.price.name}", one.price.input_usd_per_million,
            one.price.output_usd_per_million, round(one.usd_per_month, 2), wins_text(one), one.date, one.price.page,
        )
        for one in alternatives_of(results)
    )  # fmt: skip
    return Rows(columns, cells)


def api_sentence(results: Results) -> str:
    """The cheapest API beside the fleet; what is missing where none is known; empty without a service by the token."""
    answer = results.plan.serving
    if (
        answer is None
        or answer.best < 0
        or not math.isfinite(answer.mean_output_tokens)
        or answer.mean_output_tokens <= 0
    ):
        return ""
    found = alternatives_of(results)
    if not found:
        return tr("No API price is known for this model. Enter one in api_prices.json of your catalogue folder.")
    one = found[0]
    text = tr("{provider} asks {usd} for the same requests; the planned fleet is {fleet} and cheaper {when} ({date}).")
    return text.format(
        provider=one.price.provider, usd=format_value(one.usd_per_month, "USD/month"),
        fleet=format_value(one.fleet_usd_per_month, "USD/month"), when=wins_text(one), date=one.date,
    )  # fmt: skip
