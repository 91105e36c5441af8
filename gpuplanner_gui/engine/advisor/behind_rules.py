"""Rules about cheaper devices that the ranking puts behind: for a price that few providers ask, or for doubt."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Booleans, Floats
from gpuplanner_gui.domain.measurement import EvidenceKind
from gpuplanner_gui.domain.plan import Reason, ServingTable, column
from gpuplanner_gui.domain.verdict import Finding, Remedy
from gpuplanner_gui.engine.advisor.case import NOTE, WARNING, Advised, AdvisedService, finding, remedy
from gpuplanner_gui.engine.advisor.lifted_rules import MUCH, Freed, freed
from gpuplanner_gui.engine.advisor.money_rules import WORTH_CHANGING, planned_so
from gpuplanner_gui.engine.cost.offers import LEAST_PROVIDERS
from gpuplanner_gui.engine.serving.ranking import price_tier, usd_with_doubt
from gpuplanner_gui.engine.training.held_cost import Sure, sure_held_usd
from gpuplanner_gui.engine.training.judging import is_thin


def cheaper_few_offers(case: Advised) -> Iterator[Finding]:
    """Another device would be cheaper, but fewer providers rent it out than bear a price out: it is ranked behind."""
    few = _is_of_few_offers(case)
    if few[case.best.row]:
        return
    found = _alone(case, few, _ranked_usd(case))
    if found is None:
        return
    entry = case.context.accelerators[int(found.of("accelerator"))]
    quote = case.context.offers.quote(entry, case.procurement, case.scenario.economics)
    values: dict[str, float | str] = {
        "device": entry.name, "providers": float(quote.providers), "needed": float(LEAST_PROVIDERS),
    }  # fmt: skip
    code = "cheaper_few_offers" if case.best.workload == "serving" else "cheaper_few_offers_run"
    severity = WARNING if found.saved_share > MUCH else NOTE
    cure = _allowed_alone(case, found, "ask_quotes")
    yield finding(code, case.best.workload, severity, values | found.worth, found.saved_usd, cure)


def cheaper_by_datasheet(case: AdvisedService) -> Iterator[Finding]:
    """Another device would be cheaper if it is as fast as its datasheet, which is all that is known of it."""
    table, row = case.best.table, case.best.row
    doubted = table.evidence_kind == EvidenceKind.DATASHEET
    if case.scenario.hardware.accelerators or doubted[row]:
        return
    few = _is_of_few_offers(case)
    found = _alone(case, doubted & (few <= few[row]), column(table, "usd_per_hour"))
    if found is not None:
        name = case.context.accelerators[int(found.of("accelerator"))].name
        values = {"device": name, "other_usd_per_month": found.usd}
        cure = _allowed_alone(case, found, "measure_it")
        yield finding("cheaper_by_datasheet", "serving", NOTE, values, found.saved_usd, cure)


def _is_of_few_offers(case: Advised) -> Booleans:
    table = case.best.table
    if isinstance(table, ServingTable):
        return np.asarray(price_tier(case.scenario, case.context, table) == 1)
    return is_thin(case.scenario, case.context, table)


def _ranked_usd(case: Advised) -> Floats:
    """Cost by which the ranking compares those that meet every target."""
    table = case.best.table
    if isinstance(table, ServingTable):
        return usd_with_doubt(case.scenario, table)
    sure = Sure(table.run_time_confident_s, table.usd_per_run_confident)
    return sure_held_usd(case.scenario, case.context, table, sure, msgspec.structs.asdict(table))


def _alone(case: Advised, which: Booleans, usd: Floats) -> Freed | None:
    """The plan with the device alone that is the cheapest of some, where it costs less than the recommended one."""
    table, row = case.best.table, case.best.row
    if table.reason[row] != Reason.NONE:
        return None
    others = np.where(which & (table.reason == Reason.NONE), np.nan_to_num(usd, nan=np.inf), np.inf)
    cheapest = int(np.argmin(others))
    if not others[cheapest] < WORTH_CHANGING * usd[row]:
        return None
    device = case.plan.accelerators[int(table.accelerator[cheapest])]
    return freed(case, {"hardware.accelerators": (device,)})


def _allowed_alone(case: Advised, found: Freed, otherwise: str) -> Remedy:
    """The device allowed alone: what brings it to the front. Beside another workload that may need others, no edit."""
    if case.scenario.serving is not None and case.scenario.training is not None:
        return remedy(otherwise)
    device = case.plan.accelerators[int(found.of("accelerator"))]
    return planned_so(case, found, "allow_device_alone", {"hardware.accelerators": (device,)})
