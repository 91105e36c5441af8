"""Every row as a fit predicts it that has not seen its group of canonical architecture × accelerator."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.predict.door import serving_answers
from tools.fit_inference.catalogue import Residual
from tools.fit_inference.fit import Design, fitted_effects
from tools.fit_inference.problem import NOT_FITTED, InferenceProblem
from tools.fit_serving.tables import MeasuredCase

FOLDS = 10
"""Groups are left out a tenth at a time; none is split."""


@dataclass(frozen=True)
class LeftOutRow:
    """A row, which tenth of the groups it belongs to, and how far off its prediction is."""

    position: int
    """Among the problem's cases."""
    fold: int
    residual: Residual


def folds_of(groups: Sequence[str], number: int = FOLDS) -> NDArray[np.int64]:
    """A fold for every row: groups whole, large ones first, each into the fold with the fewest rows so far."""
    sizes: dict[str, int] = defaultdict(int)
    for group in groups:
        sizes[group] += 1
    filled, fold = np.zeros(number), {}
    for group in sorted(sizes, key=lambda one: (-sizes[one], one)):
        fold[group] = int(filled.argmin())
        filled[fold[group]] += sizes[group]
    return np.array([fold[group] for group in groups])


def left_out(
    problem: InferenceProblem, design: Design, usual: dict[str, float], number: int = FOLDS
) -> list[LeftOutRow]:
    """All rows, each predicted by a fit of the other folds from the usual values on, which has nothing of this one."""
    folds = folds_of(problem.groups, number)
    pairs = [(one.software, one.family) for one in problem.traits]
    found = []
    for fold in range(number):
        out = folds == fold
        vector = fitted_effects(problem, design, usual, ~out)
        logs = problem.log_measured - problem.logs(design.stack(vector, usual))
        seen = {pair for pair, is_out in zip(pairs, out) if not is_out}
        for position in np.flatnonzero(out):
            case, metric = problem.cases[position].case, problem.metric[position]
            residual = Residual(case.load, metric, pairs[position] in seen, float(logs[position]))
            found.append(LeftOutRow(int(position), fold, residual))
    return sorted(found, key=lambda one: one.position)


def memory_residuals(cases: Sequence[MeasuredCase], context: Context) -> list[Residual]:
    """Of peak memory, which no fit has seen."""
    own = [one for one in cases if one.questions[0].asked in NOT_FITTED and one.questions[0].measured]
    found = []
    for one, answers in zip(own, serving_answers([one.case for one in own], context)):
        question, value = one.questions[0], answers[0].value
        if value and question.measured:
            log = math.log(question.measured / question.per_si_unit / value)
            found.append(Residual(one.case.load, question.asked, True, log))
    return found
