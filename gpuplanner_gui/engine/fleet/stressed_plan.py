"""The recommended fleet of a plan under its stress tests, and the verdict that follows."""

from __future__ import annotations

from collections.abc import Callable

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.load_result import Readiness
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.decision.verdicts import judged
from gpuplanner_gui.engine.fleet.fleet_sizing import fleet_sizing
from gpuplanner_gui.engine.fleet.readiness import readiness
from gpuplanner_gui.engine.fleet.stress import StressTooLongError
from gpuplanner_gui.engine.planning import CancelledError


def stressed_plan(
    scenario: Scenario,
    catalog: Catalog,
    calibration: Calibration,
    plan: Plan,
    seed: int,
    is_cancelled: Callable[[], bool] | None = None,
) -> Plan:
    """The plan with the stress tests of its serving fleet and its verdict; without tests where none can be run.

    Raises CancelledError.
    """

    def check() -> None:
        if is_cancelled is not None and is_cancelled():
            raise CancelledError

    stress: Readiness | None = None
    answer, serving = plan.serving, scenario.serving
    if serving is not None and answer is not None and answer.best >= 0 and answer.table.meets_targets[answer.best]:
        start_s = fleet_sizing(scenario, plan, answer.best).start.total_s
        steps = readiness(
            scenario, catalog, calibration, plan, answer.best,
            replica_start_s=start_s, seed=seed % 2**32, is_cancelled=is_cancelled,
        )  # fmt: skip
        try:
            for step in steps:
                check()
                stress = step
        except StressTooLongError:
            stress = None
    return judged(scenario, plan, context_of(catalog, calibration), seed, check, stress)
