"""Plans with all that the advisor says about them, that which takes plans made again too."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.advisor import findings
from gpuplanner_gui.engine.context import Context, context_of
from gpuplanner_gui.engine.decision.sized_plan import sized_plan

Advised = Callable[[Scenario], Plan]


def again(scenario: Scenario, context: Context, /, found: Plan | None = None) -> Plan:
    return found or sized_plan(scenario, context, 0, lambda: None)[0]


@pytest.fixture(scope="session")
def advised(catalog, calibration) -> Advised:
    context = context_of(catalog, calibration)

    def made(scenario: Scenario) -> Plan:
        quick = plan(scenario, catalog, calibration)
        return msgspec.structs.replace(quick, findings=findings(scenario, quick, context, again))

    return made
