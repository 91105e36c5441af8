"""A plan about candidates that the planner chose instead of the recommended ones: its findings are about them."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.advisor import findings
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.fleet.readiness import stressed_plan


def plan_about(
    scenario: Scenario,
    catalog: Catalog,
    calibration: Calibration,
    plan: Plan,
    chosen: Mapping[str, int],
    seed: int = 0,
) -> Plan:
    """The plan with the chosen candidates, by workload, in the recommended ones' place.

    Raises IndexError for a candidate that the plan lacks, ValueError for one that cannot run.
    """
    changed = plan
    for workload, candidate in chosen.items():
        answer = plan.serving if workload == "serving" else plan.training
        if answer is None or not 0 <= candidate < len(answer.table.accelerator):
            raise IndexError(f"the plan has no candidate {candidate} of {workload}")
        if not answer.table.fits[candidate]:
            raise ValueError(f"candidate {candidate} of {workload} cannot run")
        if candidate != answer.best:
            changed = msgspec.structs.replace(changed, **{workload: msgspec.structs.replace(answer, best=candidate)})
    if changed is plan:
        return plan
    changed = msgspec.structs.replace(changed, findings=findings(scenario, changed, context_of(catalog, calibration)))
    return stressed_plan(scenario, catalog, calibration, changed, seed)
