"""Several questions about the same deployments asked as one, which takes little longer than one of them.

Deployments stand beside each other, once for every question, and what the questions differ in has a value for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import msgspec
import numpy as np

from gpuplanner_gui.domain.workload import Slo
from gpuplanner_gui.engine.serving.demand import Demand
from gpuplanner_gui.engine.serving.engine_release import Admission
from gpuplanner_gui.engine.serving.load.states import ClassLengths, ClassSlo
from gpuplanner_gui.engine.serving.load.steps import MixesTogether
from gpuplanner_gui.engine.serving.load_grid import LoadModel
from gpuplanner_gui.engine.serving.step_table import side_by_side
from gpuplanner_gui.engine.simulation.arrays import over_columns


def kinds_of_targets(demand: Demand) -> tuple[Any, ...]:
    """What targets limit, whatever their limits: only demands that limit the same are asked together."""
    return tuple((slo.metric, slo.percentile, isinstance(slo, ClassSlo)) for slo in demand.slos)


def asked_together(demands: Sequence[Demand]) -> tuple[tuple[int, ...], ...]:
    """Places of the questions that can be asked as one; those about full batches are asked one after another."""
    groups: dict[Any, list[int]] = {}
    for place, demand in enumerate(demands):
        groups.setdefault(place if demand.filled is not None else _alike(demand), []).append(place)
    return tuple(map(tuple, groups.values()))


def _alike(demand: Demand) -> tuple[Any, ...]:
    """What has one value for all deployments of a question."""
    return (
        demand.token_budget, demand.users, demand.speculation, demand.batches_whole, demand.mix.verified_tokens,
        kinds_of_targets(demand),
    )  # fmt: skip


def models_together(models: Sequence[LoadModel]) -> LoadModel:
    """Step times and caps of all questions beside each other; `deployed` stays that of the first."""
    first = models[0]
    if len(models) == 1:
        return first
    count = len(first.places)
    admission = Admission(
        over_columns([one.admission.host_s for one in models], count),
        over_columns([one.admission.late_steps for one in models], count),
    )
    names = ("sequences", "most_requests", "places", "groups")
    columns: dict[str, Any] = {name: np.concatenate([getattr(one, name) for one in models]) for name in names}
    return replace(first, step=side_by_side([one.step for one in models]), admission=admission, **columns)


def demands_together(demands: Sequence[Demand], count: int) -> Demand:
    """What each question asks of its own `count` deployments."""
    first = demands[0]
    if len(demands) == 1:
        return first
    return replace(
        first,
        mix=MixesTogether.of([one.mix for one in demands], count),
        arrival_cv=over_columns([one.arrival_cv for one in demands], count),
        slos=tuple(_targets_together(alike, count) for alike in zip(*(one.slos for one in demands), strict=True)),
    )


def _targets_together(slos: Sequence[Slo], count: int) -> Slo:
    changes: dict[str, Any] = {"limit_s": over_columns([one.limit_s for one in slos], count)}
    lengths = [one.lengths for one in slos if isinstance(one, ClassSlo)]
    if lengths:
        changes["lengths"] = ClassLengths(
            MixesTogether.of([one.prompts for one in lengths], count),
            over_columns([one.output_tokens for one in lengths], count),
            over_columns([one.output_spread for one in lengths], count),
            tuple(chain.from_iterable(one.lengths for one in lengths)),
        )
    return msgspec.structs.replace(slos[0], **changes)
