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
from gpuplanner_gui.engine.cancelling import checking
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.decision.sized_plan import sized_plan
from gpuplanner_gui.engine.decision.verdicts import judged
from gpuplanner_gui.engine.serving.search_variants import searched_candidates
from gpuplanner_gui.engine.training.plan import candidate_layouts, job_for
from gpuplanner_gui.engine.training.run import with_stores


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
    start = time.perf_counter()
    context, check = context_of(catalog, calibration), checking(is_cancelled)
    found, served = sized_plan(scenario, context, seed, check)
    found = with_stores(scenario, found, context)
    found = msgspec.structs.replace(found, findings=findings(scenario, found, context))
    is_same = served is not None and found.serving is not None and int(served.rows[0]) == found.serving.best
    found = judged(scenario, found, context, seed, check, served=served if is_same else None)
    return msgspec.structs.replace(found, elapsed_s=time.perf_counter() - start)


def search_size(scenario: Scenario, catalog: Catalog, calibration: Calibration) -> int:
    """Candidates that a plan of the scenario begins with; counted in milliseconds, none of them evaluated.

    Raises TooManyCandidates.
    """
    context = context_of(catalog, calibration)
    served = 0 if scenario.serving is None else len(searched_candidates(scenario, context)[0])
    if scenario.training is None:
        return served
    return served + len(candidate_layouts(scenario, context, job_for(scenario, context, scenario.training)))
