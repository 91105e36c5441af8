"""Effects of software, families of devices and kinds of models on a stack's parameters, by ridge regression of logs.

A parameter's logarithm is the sum of effects, each drawn towards 0 by what it usually is; rows count by their groups.
The prediction is differentiated by parameter, and by effect through the chain rule, so that a step costs as many
evaluations as there are parameters.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import msgspec
import numpy as np
import scipy.linalg
import scipy.sparse
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Booleans, Floats
from gpuplanner_gui.domain.serving_engine import StackBand
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.predict.door import quantity_of, serving_answers
from gpuplanner_gui.engine.serving.predict.stacks import NAMES, StackParameters
from gpuplanner_gui.engine.serving.samples import StackTraits
from tools.fit_inference.problem import NOT_FITTED, InferenceProblem
from tools.fit_serving.tables import MeasuredCase
from tools.repository import CATALOGS

FEWEST = 25
"""Rows from which a class has a band of its own."""
LOW, HIGH = 0.1, 0.9
NARROWEST = 0.01
"""A band holds its own prediction, however one-sided the residuals are."""


@dataclass(frozen=True)
class Residual:
    """Logarithm of measured over predicted of a row whose group was left out, and the class it belongs to."""

    load: str
    metric: str
    is_known: bool
    log: float


def bands_of(residuals: Sequence[Residual]) -> tuple[StackBand, ...]:
    """The bands of all classes with enough rows, the more special first."""
    return tuple(_bands(residuals))


def _bands(residuals: Sequence[Residual]) -> Iterator[StackBand]:
    loads = sorted({one.load for one in residuals})
    quantities = sorted({quantity_of(one.metric) for one in residuals})
    classes: list[tuple[str, str, bool | None]] = [
        (load, quantity, known) for load in loads for quantity in quantities for known in (True, False)
    ]
    classes += [(load, "", known) for load in loads for known in (True, False)]
    classes += [("", "", known) for known in (True, False)]
    classes.append(("", "", None))
    for load, quantity, known in classes:
        logs = [
            one.log
            for one in residuals
            if load in ("", one.load) and quantity in ("", quantity_of(one.metric)) and known in (None, one.is_known)
        ]
        if len(logs) >= FEWEST:
            low, high = np.quantile(logs, [LOW, HIGH])
            yield StackBand(
                load=load,
                quantity=quantity,
                is_known=known,
                low=round(min(float(low), -NARROWEST), 3),
                high=round(max(float(high), NARROWEST), 3),
                rows=len(logs),
            )


FILE = CATALOGS / "inference_stacks.json"
SMALLEST = 0.01
"""Effects below are left out."""


def write_stacks(design: Design, effects: NDArray[np.float64], bands: Sequence[StackBand]) -> None:
    """Replace effects and bands."""
    found: dict[EffectKey, dict[str, float]] = defaultdict(dict)
    for (parameter, key), value in zip(design.keys, effects):
        logs = found[key]
        if abs(value) >= SMALLEST:
            logs[parameter] = round(float(value), 3)
    entry: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    entry["effects"] = [_stated(key) | {"logs": logs} for key, logs in sorted(found.items())]
    entry["bands"] = [msgspec.to_builtins(band) for band in bands]
    FILE.write_text(_lines(entry), encoding="utf-8")


def _stated(key: EffectKey) -> dict[str, Any]:
    return {name: value for name, value in asdict(key).items() if value}


def _lines(entry: dict[str, Any]) -> str:
    """One line for each thing in a list."""
    parts = []
    for name, value in entry.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            rows = ",\n".join(f"  {json.dumps(one, ensure_ascii=False)}" for one in value)
            parts.append(f'"{name}": [\n{rows}\n]')
        else:
            parts.append(f'"{name}": {json.dumps(value, ensure_ascii=False)}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


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
    "sample_balance": ("common",),
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
    sizes = Counter(groups)
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
