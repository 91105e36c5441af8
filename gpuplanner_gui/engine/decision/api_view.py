"""An API's bill for the same requests, and the load above which the planned fleet is cheaper.

The fleet costs the same at any load that it can serve; an API is paid by the token. See
docs/derivations/cost.md#an-api.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.constants import HOURS_PER_MONTH
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.price import ApiAlternative, ApiPrices
from gpuplanner_gui.domain.scenario import Scenario

SECONDS_PER_MONTH = HOURS_PER_MONTH * 3600.0


def api_alternatives(
    scenario: Scenario, catalog: Catalog, plan: Plan, prices: Iterable[ApiPrices]
) -> tuple[ApiAlternative, ...]:
    """Prices known for a model of this architecture, the cheapest first; none without a recommended fleet."""
    serving, answer = scenario.serving, plan.serving
    if serving is None or answer is None or answer.best < 0:
        return ()
    table, row = answer.table, answer.best
    fleet, rate = float(table.usd_per_month[row]), answer.peak_rate_per_s * serving.traffic.mean_share_of_peak
    # Headroom is how far the peak may grow before a target is missed.
    most = rate * (1.0 + max(0.0, float(table.headroom[row])))
    tokens = (answer.mean_prompt_tokens, answer.mean_output_tokens)
    if not (math.isfinite(fleet) and rate > 0 and all(math.isfinite(one) and one > 0 for one in tokens)):
        return ()
    return tuple(
        sorted(_found(scenario.model, catalog, prices, fleet, rate, most, tokens), key=lambda one: one.usd_per_month)
    )


def _found(
    model: Model, catalog: Catalog, prices: Iterable[ApiPrices], fleet_usd: float, rate_per_s: float,
    most_per_s: float, tokens: tuple[float, float],
) -> Iterator[ApiAlternative]:  # fmt: skip
    for file in prices:
        for one in file.prices:
            known = catalog.models.get(one.model)
            if known is None or not _is_alike(known.model, model):
                continue
            usd = (tokens[0] * one.input_usd_per_million + tokens[1] * one.output_usd_per_million) / 1e6
            even = fleet_usd / (usd * SECONDS_PER_MONTH) if usd > 0 else math.inf
            yield ApiAlternative(
                price=one, date=file.date, usd_per_month=usd * rate_per_s * SECONDS_PER_MONTH,
                fleet_usd_per_month=fleet_usd, wins_above_per_s=even if even <= most_per_s else math.inf,
            )  # fmt: skip


def _is_alike(known: Model, model: Model) -> bool:
    """The same architecture: layers, widths and vocabulary. Formats and names may differ."""
    return (known.hidden_size, known.vocab_size, known.layers) == (model.hidden_size, model.vocab_size, model.layers)
