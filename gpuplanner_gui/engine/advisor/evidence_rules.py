"""Rules about what a decision was measured on: the phase that is bought for, or the other one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import numpy as np

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.domain.economics import Procurement
from gpuplanner_gui.domain.hardware import Accelerator
from gpuplanner_gui.domain.knowledge import LocalPhase
from gpuplanner_gui.domain.measurement import EvidenceKind
from gpuplanner_gui.domain.plan import Plan, ServingPlan, ServingTable, TrainingPlan, TrainingTable
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.verdict import Finding
from gpuplanner_gui.engine.advisor.case import NOTE, WARNING, Advised, AdvisedRun, AdvisedService, finding, remedy
from gpuplanner_gui.engine.cost.offers import offers_of
from gpuplanner_gui.engine.cost.prices import bought_node
from gpuplanner_gui.engine.cost.quotations import quoted_purchase
from gpuplanner_gui.engine.cost.units import Stock, owned_size
from gpuplanner_gui.engine.evidence.pace import fastest_run, published_log, serving_pace
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.demand import demand_of
from gpuplanner_gui.engine.serving.deployments import candidate_deployments
from gpuplanner_gui.engine.uncertainty.sampling import log_sd_of_pace

OLD_PRICE_DAYS = 90
"""Contract prices of H100s moved by 38 % in five months of 2025-26: a quarter is enough to be wrong by 20 %."""
VERY_OLD_DAYS = 365


def price_findings(scenario: Scenario, plan: Plan, catalog: Catalog, today: date) -> tuple[Finding, ...]:
    """A finding for each price that was read long ago of a recommended device; quoted prices have no date."""
    found: list[Finding] = []
    told: set[tuple[str, Procurement]] = set()
    terms: dict[str, Procurement] = {
        "serving": scenario.economics.serving_procurement,
        "training": scenario.economics.training_procurement,
    }
    for workload, answer in (("serving", plan.serving), ("training", plan.training)):
        if answer is None or answer.best < 0:
            continue
        entry = catalog.accelerators.get(plan.accelerators[int(answer.table.accelerator[answer.best])])
        if entry is None or (entry.id, terms[workload]) in told:
            continue
        added = _added_share(scenario, answer, entry, catalog, terms[workload])
        if added <= 0:
            continue  # What is owned has no price any more.
        told.add((entry.id, terms[workload]))
        is_owned = terms[workload] == "own"
        table, best = answer.table, answer.best
        replicas = 1.0 if isinstance(table, TrainingTable) else float(table.replicas[best])
        fleet = float(table.devices[best]) / replicas, replicas
        asked = None if is_owned else offers_of(catalog).quote(entry, terms[workload], scenario.economics, *fleet)
        is_quoted = quoted_purchase(entry.id, scenario.economics) is not None
        purchase = entry.price.as_of if entry.price and not is_quoted else None
        read = day_of(purchase if asked is None else asked.date)
        age = (today - read).days if read else 0
        if age > OLD_PRICE_DAYS:
            cost = answer.table.usd_per_month if isinstance(answer, ServingPlan) else answer.table.usd_per_run
            severity = WARNING if age > VERY_OLD_DAYS else NOTE
            values = {"age_s": age * 86_400.0, "limit_s": OLD_PRICE_DAYS * 86_400.0, "device": entry.name}
            usd = 0.2 * added * float(cost[answer.best])
            found.append(finding("old_price", workload, severity, values, usd, remedy("read_price_again")))
    return tuple(found)


def _added_share(
    scenario: Scenario, answer: ServingPlan | TrainingPlan, entry: Accelerator, catalog: Catalog, term: Procurement
) -> float:
    """Share of the recommended fleet's devices that the planner does not have yet. [1]"""
    table, best, first = answer.table, answer.best, np.zeros(1, np.int64)
    held = sum(one.devices for one in scenario.hardware.owned if one.accelerator == entry.id)
    is_card = owned_size(entry, bought_node(entry, catalog.nodes_of(entry.id))) == 1
    stock = Stock(np.array([float(held)]), np.zeros(1), np.array([is_card]) if term == "own" else None)
    devices, is_run = np.array([float(table.devices[best])]), isinstance(table, TrainingTable)
    together = devices if isinstance(table, TrainingTable) else np.array([float(table.devices_per_replica[best])])
    return float(1.0 - stock.used_by(first, devices, together, is_run)[0] / devices[0])


def day_of(text: str | None) -> date | None:
    """The first day of 2026-10-10, 2026-10 or 2026; None for nothing."""
    if not text:
        return None
    year, month, day = (*(int(part) for part in text.split("-")), 1, 1)[:3]
    return date(year, month, day)


SERVING_PHASES: tuple[LocalPhase, ...] = ("prefill", "decode")
TRAINING_PHASES: tuple[LocalPhase, ...] = ("training",)


def service_judged_by_training(case: AdvisedService) -> Iterator[Finding]:
    """Own measurements exist, and none of them is of serving."""
    points = _points_of_other_phase(case, SERVING_PHASES)
    if not points:
        return
    table, row = case.best.table, case.best.row
    assert isinstance(table, ServingTable)
    band = float(np.exp(Z_80 * log_sd_of_pace(table, row)))
    values = {"points": points, "band_factor": band, "device": case.best.accelerator.name}
    yield finding("service_judged_by_training", "serving", WARNING, values, remedy=remedy("measure_service"))


def training_judged_by_service(case: AdvisedRun) -> Iterator[Finding]:
    """Own measurements exist, and none of them is of training."""
    points = _points_of_other_phase(case, TRAINING_PHASES)
    if not points:
        return
    table, row = case.best.table, case.best.row
    assert isinstance(table, TrainingTable)
    band = float(np.sqrt(table.step_high80_s[row] / table.step_low80_s[row]))
    values = {"points": points, "band_factor": band, "device": case.best.accelerator.name}
    yield finding("training_judged_by_service", "training", WARNING, values, remedy=remedy("measure_training"))


def _model_name(catalog: Catalog, published: str) -> str:
    """The catalogue's name of a model that a publisher writes his own way: Llama 2 7B for llama2-7b."""
    wanted = _letters(published)
    found = next((entry for known, entry in catalog.models.items() if _letters(known) == wanted), None)
    return found.name if found is not None else published.replace("_", " ")


def _letters(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


AS_FAST = 0.01
"""Lead over a published run that is none: runs of one recipe differ by as much. Our choice."""


def faster_than_published(case: AdvisedRun) -> Iterator[Finding]:
    """The plan's devices do more than the best published run of their kind in this format ever did."""
    accelerator = case.best.accelerator
    has_experts = case.scenario.model.kind == "moe_decoder"
    training = case.context.calibration.training
    best = training.best_of(accelerator.id, case.workload.recipe, has_experts)
    rate = case.best.of("tokens_per_s_per_device") * case.plan.trained.flop_per_token
    if best is None or not rate > (1 + AS_FAST) * best.flop_per_s:
        return
    over = rate / best.flop_per_s - 1
    values: dict[str, float | str] = {
        "flop_per_s": rate, "best_flop_per_s": best.flop_per_s, "over_share": over,
        "model": _model_name(case.context.catalog, best.model),
        "devices": float(best.devices), "device": accelerator.name,
    }  # fmt: skip
    hours, price = case.best.of("device_hours"), case.best.of("usd_per_device_hour")
    # At the published rate the run takes that much longer.
    at_risk = case.run_usd(hours * (1 + over), price) - case.run_usd(hours, price)
    severity = WARNING if over > training.published_lead else NOTE
    yield finding("faster_than_published", "training", severity, values, at_risk, remedy("measure_steps"))


def held_at_published(case: AdvisedService) -> Iterator[Finding]:
    """No published run of the plan's device and format was as fast as predicted: its steps are lengthened for that."""
    table, row = case.best.table, case.best.row
    assert isinstance(table, ServingTable)
    precision = int(table.weight_precision[row])
    held = float(np.exp(published_log(case.context)[int(table.accelerator[row]), precision]))
    run = fastest_run(case.context, case.best.accelerator.id, case.plan.precisions[precision])
    if run is None or held <= 1 or int(table.evidence_kind[row]) == EvidenceKind.OWN:
        return
    over = run.slowdown / held - 1
    values: dict[str, float | str] = {
        "runs": float(run.runs), "slowdown_ratio": run.slowdown, "slower_share": run.slowdown - 1,
        "held_share": held - 1, "over_share": over, "device": case.best.accelerator.name,
    }  # fmt: skip
    at_risk = 0.0
    if np.isfinite(case.replicas):
        # Slower steps are as more load: replicas are bought whole.
        needed = float(case.need.replicas(np.asarray(case.peak_rate_per_s * (1 + max(over, 0.0)))))
        at_risk = case.month_usd(replicas=needed) - case.month_usd()
        values |= {"replicas": case.replicas, "published_replicas": needed, "more_usd_per_month": at_risk}
    yield finding("held_at_published", "serving", NOTE, values, at_risk, remedy("measure_it"))


def measured_beyond_hardware(case: AdvisedService) -> Iterator[Finding]:
    """Own measurements are faster than the device can be: the plan stays at what it can."""
    table, row = case.best.table, case.best.row
    assert isinstance(table, ServingTable)
    chosen = ServingCandidates.of_table(table, np.array([row]))
    if case.context.calibration.local is None or chosen.is_apart.any():
        return
    demand, deployed = (
        demand_of(case.workload, case.scenario.model), candidate_deployments(case.scenario, case.context, chosen)
    )  # fmt: skip
    pace = serving_pace(case.context, case.scenario, chosen, deployed, demand)
    if pace is not None and pace.beyond_log[0] > 0:
        values: dict[str, float | str] = {
            "beyond_share": float(np.expm1(pace.beyond_log[0])), "device": case.best.accelerator.name
        }  # fmt: skip
        yield finding("measured_beyond_hardware", "serving", WARNING, values)


def _points_of_other_phase(case: Advised, wanted: tuple[LocalPhase, ...]) -> int:
    """How many points the planner measured, if all are of another phase; else 0."""
    local = case.context.calibration.local
    if local is None or any(point.phase in wanted for point in local.points):
        return 0
    return len(local.points)
