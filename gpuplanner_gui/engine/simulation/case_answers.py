"""Published runs at a request rate answered by simulation, all other loads as the serving model answers them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from types import MappingProxyType

import numpy as np

from gpuplanner_gui.domain.benchmark import LoadKind, ServingCase
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.deployments import Deployments, case_deployments
from gpuplanner_gui.engine.serving.predict.case_traffic import USUAL_REQUESTS
from gpuplanner_gui.engine.serving.predict.estimate import Estimates, estimates
from gpuplanner_gui.engine.serving.predict.layouts import settled_layouts
from gpuplanner_gui.engine.serving.predict.loads import LOADS, Load
from gpuplanner_gui.engine.serving.predict.open_loop import open_loop_values
from gpuplanner_gui.engine.simulation.case_load import OVERLOADED_TTFT_S, case_metrics, case_service, reseeded
from gpuplanner_gui.engine.simulation.replica import RunControl, SimulationCancelled

REQUESTS = 1500
"""Simulated for a case: runs of a few hundred are chance, so that several stand for it."""

MOST_RUNS = 4
MOST_LOOKS = 1000
"""At a run, each some hundred events after the last: millions of prompt chunks, which no client sent, end here."""

MOST_REPLICAS = 1000

OVERLOADED = "overloaded"
"""Remark: requests pile up over the run."""


def of_simulated_open_loop(cases: Sequence[ServingCase], context: Context, engine: EngineFacts) -> Estimates:
    """Requests at a rate, each case simulated with as many of them as its client sent.

    A case that nobody can have run, as its simulation shows by not ending, is answered in closed form.
    """
    cases = settled_layouts(cases, context, engine)
    found = case_deployments(cases, [case.layout for case in cases], context, engine)
    values = open_loop_values(cases, found, engine)
    for index, case in enumerate(cases):
        if case.layout.replicas > MOST_REPLICAS:
            continue
        try:
            run = mean_of_runs(case, index, found, engine)
        except SimulationCancelled:
            continue
        for name, column in values.items():
            column[index] = run[name]
    answered = estimates(values, found, context)
    is_over = values["ttft_mean"] > OVERLOADED_TTFT_S
    remarks = tuple((*said, OVERLOADED) if over else said for said, over in zip(answered.remarks, is_over, strict=True))
    return replace(answered, remarks=remarks)


def mean_of_runs(case: ServingCase, index: int, found: Deployments, engine: EngineFacts) -> dict[str, float]:
    """Metrics of a case, as the mean of runs that differ by chance alone.

    Raises
    ------
    SimulationCancelled
        If a run does not end.
    """
    number = min(max(math.ceil(REQUESTS / (case.requests or USUAL_REQUESTS)), 1), MOST_RUNS)
    service = case_service(case, index, found, engine)
    under_test = [reseeded(service, case, seed) for seed in range(number)]
    runs = [case_metrics(one.run(case.rate_per_s, control=_bounded())) for one in under_test]
    return {name: float(np.mean([run[name] for run in runs])) for name in runs[0]}


def _bounded() -> RunControl:
    looks = count()
    return RunControl(lambda: next(looks) > MOST_LOOKS)


SIMULATED_LOADS: MappingProxyType[LoadKind, Load] = MappingProxyType({**LOADS, "open_loop": of_simulated_open_loop})
"""For `serving.predict.door.serving_answers`."""
