"""What else would answer a service's requests: an API, a smaller model, processors; and from which load the plan wins.

A smaller model is one of the same family with the same vocabulary: only then do requests keep their tokens.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import msgspec

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.constants import HOURS_PER_MONTH
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.plan import Plan, Reason
from gpuplanner_gui.domain.price import Alternative, AlternativeKind, ApiPrices
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.decision.sized_plan import sized_plan
from gpuplanner_gui.engine.model.smaller import smaller_models
from gpuplanner_gui.engine.recent import aside

SECONDS_PER_MONTH = HOURS_PER_MONTH * 3600.0
PROCESSORS = "cpu"


@dataclass(frozen=True)
class _Planned:
    """What the alternatives stand beside."""

    usd_per_month: float
    rate_per_s: float
    """Mean over the day, as the peak is what fleets are sized for."""
    most_per_s: float

    def wins_above(self, per_s: float) -> float:
        """Infinity where the fleet does not carry the load from which it would be cheaper."""
        return per_s if per_s <= self.most_per_s else math.inf


def alternatives(
    scenario: Scenario, plan: Plan, context: Context, prices: Iterable[ApiPrices], seed: int, check: Callable[[], None]
) -> tuple[Alternative, ...]:
    """APIs, the cheapest first, then smaller models, then processors; none without a recommended, priced fleet."""
    planned = _planned(scenario, plan)
    if planned is None:
        return ()
    others = _fleets(scenario, plan, context, planned, seed, check)
    return (*api_alternatives(scenario, context.catalog, plan, prices), *others)


def _planned(scenario: Scenario, plan: Plan) -> _Planned | None:
    serving, answer = scenario.serving, plan.serving
    if serving is None or answer is None or answer.best < 0:
        return None
    fleet = float(answer.table.usd_per_month[answer.best])
    rate = answer.peak_rate_per_s * serving.traffic.mean_share_of_peak
    # Headroom is how far the peak may grow before a target is missed.
    most = rate * (1.0 + max(0.0, float(answer.table.headroom[answer.best])))
    return _Planned(fleet, rate, most) if math.isfinite(fleet) and rate > 0 else None


def api_alternatives(
    scenario: Scenario, catalog: Catalog, plan: Plan, prices: Iterable[ApiPrices]
) -> tuple[Alternative, ...]:
    """Prices known for a model of this architecture, the cheapest first."""
    planned, answer = _planned(scenario, plan), plan.serving
    if planned is None or answer is None:
        return ()
    tokens = (answer.mean_prompt_tokens, answer.mean_output_tokens)
    if not all(math.isfinite(one) and one > 0 for one in tokens):
        return ()
    return tuple(sorted(_priced(scenario.model, catalog, prices, planned, tokens), key=lambda one: one.usd_per_month))


def _priced(
    model: Model, catalog: Catalog, prices: Iterable[ApiPrices], planned: _Planned, tokens: tuple[float, float]
) -> Iterator[Alternative]:
    for file in prices:
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
    """The same architecture: layers, widths and vocabulary. Formats and names may differ."""
    return (known.hidden_size, known.vocab_size, known.layers) == (model.hidden_size, model.vocab_size, model.layers)


def _fleets(
    scenario: Scenario, plan: Plan, context: Context, planned: _Planned, seed: int, check: Callable[[], None]
) -> Iterator[Alternative]:
    """Other fleets for the same requests and targets, planned as the plan's own is."""
    asked = msgspec.structs.replace(scenario, training=None)
    for model in smaller_models(scenario.model, context.catalog):
        smaller = msgspec.structs.replace(asked, model=model)
        yield _fleet("smaller_model", smaller, context, planned, seed, check)
    entry = context.catalog.accelerators.get(plan.accelerators[int(plan.served.table.accelerator[plan.served.best])])
    if entry is not None and entry.ecosystem != PROCESSORS:
        hardware = msgspec.structs.replace(
            scenario.hardware, accelerators=(), vendors=(), kinds=(), ecosystems=(PROCESSORS,), owned=()
        )
        yield _fleet("cpu", msgspec.structs.replace(asked, hardware=hardware), context, planned, seed, check)


def _fleet(
    kind: AlternativeKind, scenario: Scenario, context: Context, planned: _Planned, seed: int, check: Callable[[], None]
) -> Alternative:
    with aside():
        found, _ = sized_plan(scenario, context, seed, check)
    answer = found.serving
    nothing = Alternative(
        kind=kind, model=scenario.model.name, usd_per_month=math.nan, fleet_usd_per_month=planned.usd_per_month,
        mean_rate_per_s=planned.rate_per_s, wins_above_per_s=math.nan, reason=int(Reason.DOES_NOT_FIT),
    )  # fmt: skip
    if answer is None or answer.best < 0:
        return nothing
    table, row = answer.table, answer.best
    usd, replicas = float(table.usd_per_month[row]), float(table.replicas[row])
    made = msgspec.structs.replace(
        nothing, accelerator=found.accelerators[int(table.accelerator[row])], devices=float(table.devices[row]),
        reason=int(table.reason[row]),
    )  # fmt: skip
    if made.reason != Reason.NONE or not math.isfinite(usd):
        return made
    # Replicas that the planned fleet's money buys, and the load that they carry.
    affordable = math.floor(planned.usd_per_month / usd * replicas + 1e-9) if usd > 0 else math.inf
    carried = planned.rate_per_s * (1.0 + max(0.0, float(table.headroom[row]))) * affordable / replicas
    return msgspec.structs.replace(made, usd_per_month=usd, wins_above_per_s=planned.wins_above(carried))
