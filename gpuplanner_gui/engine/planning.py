"""The one door into the engine: a scenario and the catalogues become a plan."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.advisor import findings
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.decision.confident_fleet import confident_fleet
from gpuplanner_gui.engine.decision.shared_site import on_one_site
from gpuplanner_gui.engine.decision.verdicts import judged
from gpuplanner_gui.engine.model.precision import PRECISIONS
from gpuplanner_gui.engine.serving.plan import serving_plan
from gpuplanner_gui.engine.training.plan import training_plan
from gpuplanner_gui.engine.training.store_sizing import with_stores


class CancelledError(Exception):
    """The caller has lost interest; nothing was answered."""


def plan(
    scenario: Scenario,
    catalog: Catalog,
    calibration: Calibration,
    *,
    seed: int = 0,
    is_cancelled: Callable[[], bool] | None = None,
) -> Plan:
    """Rank every candidate for what the scenario trains and serves, and judge the best.

    `seed` is of the samples that the verdict counts.

    Raises CancelledError soon after `is_cancelled` first returns True.
    """

    def check() -> None:
        if is_cancelled is not None and is_cancelled():
            raise CancelledError

    start = time.perf_counter()
    context = context_of(catalog, calibration)
    stages: dict[str, float] = {}
    serving = serving_plan(scenario, context, check) if scenario.serving else None
    stages["serving"] = time.perf_counter() - start
    training = training_plan(scenario, context, check) if scenario.training else None
    stages["training"] = time.perf_counter() - start - stages["serving"]
    check()
    found = Plan(
        accelerators=context.devices.ids,
        precisions=PRECISIONS,
        serving=serving,
        training=training,
        findings=(),
        calibration_digest=calibration.digest,
        elapsed_s=time.perf_counter() - start,
        stage_elapsed_s=stages,
    )
    found, served = confident_fleet(scenario, on_one_site(scenario, found, context), context, seed, check)
    found = with_stores(scenario, on_one_site(scenario, found, context), context)
    found = msgspec.structs.replace(found, findings=findings(scenario, found, context))
    is_same = served is not None and found.serving is not None and int(served.rows[0]) == found.serving.best
    found = judged(scenario, found, context, seed, check, served=served if is_same else None)
    return msgspec.structs.replace(found, elapsed_s=time.perf_counter() - start)
