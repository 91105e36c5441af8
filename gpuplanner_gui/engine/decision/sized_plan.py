"""Candidates ranked and their fleets sized at the confidence asked for: a plan before anything judges it."""

from __future__ import annotations

import time
from collections.abc import Callable

from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.decision.confident_fleet import confident_fleet
from gpuplanner_gui.engine.decision.serving_response import ServingResponse
from gpuplanner_gui.engine.decision.shared_site import on_one_site
from gpuplanner_gui.engine.model.precision import PRECISIONS
from gpuplanner_gui.engine.serving.plan import serving_plan
from gpuplanner_gui.engine.training.plan import training_plan


def sized_plan(
    scenario: Scenario, context: Context, seed: int, check: Callable[[], None]
) -> tuple[Plan, ServingResponse | None]:
    """The plan without findings and verdicts, and what the engine answered about its recommended fleet on the way.

    `check` raises when the caller has lost interest.
    """
    start = time.perf_counter()
    serving = serving_plan(scenario, context, check) if scenario.serving else None
    served_at = time.perf_counter()
    training = training_plan(scenario, context, check) if scenario.training else None
    trained_at = time.perf_counter()
    check()
    found = Plan(
        accelerators=context.devices.ids,
        precisions=PRECISIONS,
        serving=serving,
        training=training,
        findings=(),
        calibration_digest=context.calibration.digest,
        elapsed_s=trained_at - start,
        stage_elapsed_s={"serving": served_at - start, "training": trained_at - served_at},
        quoted=tuple(one.accelerator for one in scenario.economics.overrides),
    )
    found, served = confident_fleet(scenario, on_one_site(scenario, found, context), context, seed, check)
    return on_one_site(scenario, found, context), served
