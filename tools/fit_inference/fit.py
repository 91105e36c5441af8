"""Effects of software, families of devices and kinds of models on a stack's parameters, by ridge regression of logs.

A parameter's logarithm is the sum of effects, each drawn towards 0 by what it usually is; rows count by their groups.
The prediction is differentiated by parameter, and by effect through the chain rule, so that a step costs as many
evaluations as there are parameters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.linalg
import scipy.sparse
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Booleans, Floats
from gpuplanner_gui.engine.serving.predict.stacks import NAMES, StackParameters
from gpuplanner_gui.engine.serving.samples import StackTraits
from tools.fit_inference.problem import InferenceProblem

SCALE = 0.15
"""Size of a residual from which it counts less than its square."""
STRENGTH = 1.0
TAIL = 1.0
"""Usual sizes from which an effect is pulled back less than in proportion: few stacks are very unlike their kin."""
STEP = 1e-3
LONGEST = 0.7
ITERATIONS = 18
ENOUGH = 1e-2


@dataclass(frozen=True, order=True)
class EffectKey:
    """What an effect holds for; empty: everywhere."""

    software: str = ""
    family: str = ""
    kind: str = ""
    is_narrow: bool = False


Level = Callable[[StackTraits], EffectKey | None]

LEVELS: dict[str, tuple[Level, float]] = {
    "common": (lambda one: EffectKey(), 0.4),
    "software": (lambda one: EffectKey(software=one.software), 0.5),
    "family": (lambda one: EffectKey(family=one.family) if one.family else None, 0.3),
    "pair": (lambda one: EffectKey(software=one.software, family=one.family) if one.family else None, 0.5),
    "narrow": (lambda one: EffectKey(software=one.software, is_narrow=True) if one.is_narrow else None, 0.3),
    "kind": (lambda one: EffectKey(kind=one.kind), 0.4),
    "software and kind": (lambda one: EffectKey(software=one.software, kind=one.kind), 0.3),
    "family and kind": (lambda one: EffectKey(family=one.family, kind=one.kind) if one.family else None, 0.25),
    "narrow family": (lambda one: EffectKey(family=one.family, is_narrow=True) if one.is_narrow else None, 0.25),
    "narrow pair": (
        lambda one: EffectKey(software=one.software, family=one.family, is_narrow=True) if one.is_narrow else None,
        0.3,
    ),
}
"""Each with the usual size of its effects."""

TOKENS = ("common", "software", "family", "pair")
SAMPLES = ("common", "software", "family", "pair", "kind", "software and kind", "family and kind", "narrow family")
PARAMETER_LEVELS: dict[str, tuple[str, ...]] = {
    "decode_kernels": (*TOKENS, "narrow", "narrow pair", "kind", "software and kind"),
    "prefill_kernels": (*TOKENS, "narrow", "narrow pair", "kind", "software and kind"),
    "prefill_power": ("common",),
    "collectives": ("common", "software", "pair"),
    "host_collectives": ("common", "software"),
    "layer_sync_s": ("common", "software", "pair"),
    "batch_compute": (*TOKENS, "narrow", "kind"),
    "cache_reads": TOKENS,
    "layer_host_s": TOKENS,
    "sequence_host_s": TOKENS,
    "prefill_host_s": TOKENS,
    "prefill_launch": TOKENS,
    "stage_loss": ("common", "software"),
    "full_engine": ("common", "software", "pair"),
    "latency_limit": ("common", "software"),
    "interactive_limit": ("common",),
    "speculation": ("common",),
    "sample_compute": SAMPLES,
    "sample_power": ("common",),
    "sample_memory": ("common", "software"),
    "sample_host_s": ("common", "software", "family", "kind", "software and kind"),
    "sample_fill": ("common", "software", "family", "kind", "software and kind"),
    "sample_limit": ("common", "software", "kind"),
}


@dataclass(frozen=True)
class Design:
    """Effects by parameter: which rows each holds for."""

    keys: tuple[tuple[str, EffectKey], ...]
    """Parameter and effect of every column."""
    ridge: Floats
    columns: dict[str, NDArray[np.int64]]
    """By parameter: its columns."""
    holds: dict[str, scipy.sparse.csr_array]
    """By parameter: 1 where the row (first axis) has the column's effect."""

    def stack(self, vector: Floats, usual: dict[str, float]) -> StackParameters:
        """Parameters of all rows."""
        return StackParameters(
            **{name: usual[name] * np.exp(self.holds[name] @ vector[self.columns[name]]) for name in NAMES}
        )


def design_of(traits: Sequence[StackTraits], is_of_samples: Booleans) -> Design:
    """All effects that rows of these traits may have, on the parameters that their loads have."""
    keys: list[tuple[str, EffectKey]] = []
    ridge: list[float] = []
    columns, holds = {}, {}
    for name in NAMES:
        first, own = len(keys), []
        for level in PARAMETER_LEVELS[name]:
            key_of, size = LEVELS[level]
            found = [key_of(one) if matters else None for one, matters in zip(traits, _matters(name, is_of_samples))]
            for key in sorted({key for key in found if key is not None}):
                keys.append((name, key))
                ridge.append(1.0 / size)
                own.append(np.array([one == key for one in found], np.float64))
        columns[name] = np.arange(first, len(keys))
        holds[name] = scipy.sparse.csr_array(np.stack(own, axis=1) if own else np.zeros((len(traits), 0)))
    return Design(tuple(keys), np.array(ridge), columns, holds)


def _matters(name: str, is_of_samples: Booleans) -> Booleans:
    return is_of_samples if name.startswith("sample_") else ~is_of_samples


def weights_of(problem: InferenceProblem) -> Floats:
    """Rows of one group, software and metric count together as the root of their number."""
    names = [f"{one.group} {traits.software} {metric}"
             for one, traits, metric in zip(problem.cases, problem.traits, problem.metric)]  # fmt: skip
    sizes = Counter(names)
    return STRENGTH / np.sqrt(np.array([sizes[name] for name in names], np.float64))


def fitted_effects(problem: InferenceProblem, design: Design, usual: dict[str, float], kept: Booleans) -> Floats:
    """The effects that make robust residuals of the kept rows small."""
    vector = np.zeros(len(design.keys))
    weight = weights_of(problem) * kept
    for _ in range(ITERATIONS):
        residual, slopes = _linearised(problem, design, usual, vector)
        robust = weight / (SCALE**2 * np.sqrt(1.0 + (residual / SCALE) ** 2))
        weighted = slopes.multiply(robust[:, None]).tocsr()
        pull = design.ridge**2 / np.sqrt(1.0 + (design.ridge * vector / TAIL) ** 2)
        curvature = (weighted.T @ slopes).toarray() + np.diag(pull)
        gradient = weighted.T @ residual + pull * vector
        change = np.clip(scipy.linalg.solve(curvature, -gradient, assume_a="pos"), -LONGEST, LONGEST)
        vector = vector + change
        if np.abs(change).max() < ENOUGH:
            break
    return vector


def _linearised(
    problem: InferenceProblem, design: Design, usual: dict[str, float], vector: Floats
) -> tuple[Floats, scipy.sparse.csr_array]:
    at = design.stack(vector, usual)
    logs = problem.logs(at)
    slopes = []
    for name in NAMES:
        values = {other: getattr(at, other) for other in NAMES}
        values[name] = values[name] * np.exp(STEP)
        slope = (problem.logs(StackParameters(**values)) - logs) / STEP
        slopes.append(design.holds[name].multiply(slope[:, None]))
    return logs - problem.log_measured, scipy.sparse.hstack(slopes).tocsr()
