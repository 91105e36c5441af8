"""Published inference results with the work of their passes, so that a fit only combines numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.benchmark import PoolLayout, ServingCase
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.deployments import Deployments, case_deployments
from gpuplanner_gui.engine.serving.predict.batch import (
    batch_values,
    batch_work,
    full_values,
    full_work,
    sample_values,
    sample_work,
)
from gpuplanner_gui.engine.serving.predict.door import settled_formats, settled_layouts
from gpuplanner_gui.engine.serving.predict.stacks import StackParameters, traits_of
from gpuplanner_gui.engine.serving.rates import rates_of
from gpuplanner_gui.engine.serving.samples import StackTraits
from tools.fit_serving.closed_loops import chosen, joined_passes
from tools.fit_serving.tables import MeasuredCase

Values = Callable[[Any, StackParameters], dict[str, Floats]]

NOT_FITTED = ("peak_memory",)
"""Memory has no stack's parameter."""


@dataclass(frozen=True)
class Part:
    """Rows of one kind of load: their work joined, and which metric each asks for."""

    rows: NDArray[np.int64]
    """Positions among all rows of the problem."""
    work: Any
    values: Values
    metric: tuple[str, ...]
    is_of_samples: bool

    def logs(self, stack: StackParameters) -> Floats:
        """Predicted logarithms of what the rows ask for."""
        found = self.values(self.work, stack)
        asked = np.array(self.metric)
        result = np.full(len(asked), np.nan)
        for metric in set(self.metric):
            result = np.where(asked == metric, np.log(np.maximum(found[metric], 1e-300)), result)
        return result


@dataclass(frozen=True)
class InferenceProblem:
    """All rows that can be fitted, in the order of `cases`."""

    cases: tuple[MeasuredCase, ...]
    traits: tuple[StackTraits, ...]
    metric: tuple[str, ...]
    log_measured: Floats
    parts: tuple[Part, ...]

    @property
    def groups(self) -> list[str]:
        """What is left out together."""
        return [one.group for one in self.cases]

    @property
    def is_of_samples(self) -> NDArray[np.bool_]:
        """Rows of models without tokens."""
        return np.isin(
            np.arange(len(self.cases)), np.concatenate([one.rows for one in self.parts if one.is_of_samples])
        )

    def logs(self, stack: StackParameters) -> Floats:
        """Predicted logarithms of all rows."""
        result = np.empty(len(self.cases))
        for part in self.parts:
            result[part.rows] = part.logs(chosen(stack, part.rows))
        return result


WORK: dict[str, tuple[Callable[[Sequence[ServingCase], Deployments, EngineFacts], Any], Values]] = {
    "batch": (lambda cases, found, facts: batch_work(cases, found, rates_of(facts)), batch_values),
    "full": (lambda cases, found, facts: full_work(cases, found, facts, rates_of(facts)), full_values),
    "samples": (lambda cases, found, facts: sample_work(cases, found), sample_values),
}


def _kind(case: ServingCase) -> str:
    return case.load if case.load in ("batch", "samples") else "full"


def _settled(case: ServingCase, context: Context) -> ServingCase:
    if case.load == "samples":
        return settled_formats([case], context)[0]
    return settled_layouts([case], context, context.calibration.engine(case.engine))[0]


def inference_problem(measured: Sequence[MeasuredCase], context: Context) -> InferenceProblem:
    """The rows with a positive measured value of a metric that stacks matter to."""
    own = [one for one in measured if one.questions[0].measured and one.questions[0].asked not in NOT_FITTED]
    settled = [_settled(one.case, context) for one in own]
    parts = []
    for name, (_, values) in WORK.items():
        rows = np.array([index for index, case in enumerate(settled) if _kind(case) == name], np.int64)
        work = joined_passes([settled[index] for index in rows], partial(_work, context, name))
        metric = tuple(own[index].questions[0].asked for index in rows)
        parts.append(Part(rows, work, values, metric, name == "samples"))
    return InferenceProblem(
        cases=tuple(own),
        traits=tuple(traits_of(case, context) for case in settled),
        metric=tuple(one.questions[0].asked for one in own),
        log_measured=np.log([(one.questions[0].measured or 1.0) / one.questions[0].per_si_unit for one in own]),
        parts=tuple(parts),
    )


def _work(context: Context, name: str, cases: Sequence[ServingCase], engine: str) -> Any:
    facts = context.calibration.engine(engine)
    layouts = [PoolLayout() if name == "samples" else case.layout for case in cases]
    return WORK[name][0](cases, case_deployments(cases, layouts, context, facts), facts)
