"""What else would answer a service's requests: an API, a smaller model, processors; and from which load the plan wins.

A smaller model is one of the same family with the same vocabulary: only then do requests keep their tokens.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import msgspec

from gpuplanner_gui.domain.constants import HOURS_PER_MONTH
from gpuplanner_gui.domain.plan import Plan, Reason
from gpuplanner_gui.domain.price import Alternative, AlternativeKind
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.cost.apis import PlannedFleet, api_alternatives, planned_fleet
from gpuplanner_gui.engine.decision.sized_plan import sized_plan
from gpuplanner_gui.engine.model.smaller import smaller_models
from gpuplanner_gui.engine.recent import aside
from gpuplanner_gui.engine.serving.fleet_split import load_multiple

SECONDS_PER_MONTH = HOURS_PER_MONTH * 3600.0
PROCESSORS = "cpu"


def alternatives(
    scenario: Scenario, plan: Plan, context: Context, seed: int, check: Callable[[], None]
) -> tuple[Alternative, ...]:
    """APIs, the cheapest first, then smaller models, then processors; none without a recommended, priced fleet."""
    planned = planned_fleet(scenario, plan)
    if planned is None:
        return ()
    others = _fleets(scenario, plan, context, planned, seed, check)
    return (*api_alternatives(scenario, context.catalog, plan), *others)


def _fleets(
    scenario: Scenario, plan: Plan, context: Context, planned: PlannedFleet, seed: int, check: Callable[[], None]
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
    kind: AlternativeKind,
    scenario: Scenario,
    context: Context,
    planned: PlannedFleet,
    seed: int,
    check: Callable[[], None],
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
    reason, usd, replicas = int(table.reason[row]), float(table.usd_per_month[row]), float(table.replicas[row])
    if reason not in (Reason.NONE, Reason.NO_PRICE):
        return msgspec.structs.replace(nothing, reason=reason)
    made = msgspec.structs.replace(
        nothing, accelerator=found.accelerators[int(table.accelerator[row])], devices=float(table.devices[row]),
        reason=reason,
    )  # fmt: skip
    if reason == Reason.NO_PRICE or not math.isfinite(usd):
        return made
    # Replicas that the planned fleet's money buys, and the load that they carry.
    affordable = math.floor(planned.usd_per_month / usd * replicas + 1e-9) if usd > 0 else math.inf
    carried = planned.rate_per_s * max(1.0, load_multiple(answer)) * affordable / replicas
    return msgspec.structs.replace(made, usd_per_month=usd, wins_above_per_s=planned.wins_above(carried))
