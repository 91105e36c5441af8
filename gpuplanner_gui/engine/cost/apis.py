"""What the requests of a planned service cost at an API, and from which load its own fleet costs less."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.constants import HOURS_PER_MONTH
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.price import Alternative
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.serving.fleet_split import load_multiple

SECONDS_PER_MONTH = HOURS_PER_MONTH * 3600.0


@dataclass(frozen=True)
class PlannedFleet:
    """What alternatives stand beside."""

    usd_per_month: float
    rate_per_s: float
    """Mean over the day, as the peak is what fleets are sized for."""
    most_per_s: float

    def wins_above(self, per_s: float) -> float:
        """Infinity where the fleet does not carry the load from which it would be cheaper."""
        return per_s if per_s <= self.most_per_s else math.inf


def planned_fleet(scenario: Scenario, plan: Plan) -> PlannedFleet | None:
    serving, answer = scenario.serving, plan.serving
    if serving is None or answer is None or answer.best < 0:
        return None
    fleet = float(answer.table.usd_per_month[answer.best])
    rate = answer.peak_rate_per_s * serving.traffic.mean_share_of_peak
    most = rate * max(1.0, load_multiple(answer))
    return PlannedFleet(fleet, rate, most) if math.isfinite(fleet) and rate > 0 else None


def api_alternatives(scenario: Scenario, catalog: Catalog, plan: Plan) -> tuple[Alternative, ...]:
    """Prices known for a model of this architecture, the cheapest first."""
    planned, answer = planned_fleet(scenario, plan), plan.serving
    if planned is None or answer is None:
        return ()
    tokens = (answer.mean_prompt_tokens, answer.mean_output_tokens)
    if not all(math.isfinite(one) and one > 0 for one in tokens):
        return ()
    return tuple(sorted(_priced(scenario.model, catalog, planned, tokens), key=lambda one: one.usd_per_month))


def _priced(
    model: Model, catalog: Catalog, planned: PlannedFleet, tokens: tuple[float, float]
) -> Iterator[Alternative]:
    for file in catalog.api_prices:
        for one in file.prices:
            known = catalog.models.get(one.model)
            if known is None or not _is_alike(known.model, model):
                continue
            usd = (tokens[0] * one.input_usd_per_million + tokens[1] * one.output_usd_per_million) / 1e6
            even = planned.usd_per_month / (usd * SECONDS_PER_MONTH) if usd > 0 else math.inf
            yield Alternative(
                kind="api", model=one.name, price=one, date=file.date,
                usd_per_month=usd * planned.rate_per_s * SECONDS_PER_MONTH,
                fleet_usd_per_month=planned.usd_per_month, mean_rate_per_s=planned.rate_per_s,
                wins_above_per_s=planned.wins_above(even),
            )  # fmt: skip


def _is_alike(known: Model, model: Model) -> bool:
    """The same architecture and inputs: layers, widths, vocabulary, images, audio. Formats and names may differ."""
    return _architecture(known) == _architecture(model)


def _architecture(model: Model) -> tuple[object, ...]:
    inputs = model.vision is not None, model.audio is not None
    return model.hidden_size, model.vocab_size, model.layers, *inputs
