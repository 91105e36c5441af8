"""Spreads of errors by reason: variances that add up, fitted by moments over publishers of which each counts once.

The square of a row's error has the mean Σ v·x, x saying which reasons apply. The v are the least squares that are not
negative, every publisher having the same weight, and are drawn towards a common guess with the weight of part of a
publisher, since most reasons have been seen at two or three. What rows of one publisher share tells installations and
runs apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np
from scipy.optimize import nnls

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.domain.knowledge import PhaseError
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.evidence.certainty import evidence_record, log_variance
from gpuplanner_gui.engine.serving.predict.door import case_place, load_traits
from tools.fit_serving.parameters import weighted_quantile
from tools.repository import grouped

REASONS = ("run", "pools", "open_pools", "crowd", "burst", "unpublished", "transfer", "datasheet", "engine", "format",
           "architecture")  # fmt: skip
"""Of `PhaseError`; `run` stands here for the installation too, from which it is told apart at the end."""
GUESS = {"decode": 0.15, "prefill": 0.3}
"""Spread of a reason before any publisher is seen."""
LARGEST_BURST = 4.0
"""Of a first token's logarithm."""
COVERED = 0.82
"""Share of the rows that were seen to lie in bands."""
GUESS_PUBLISHERS = 0.25
"""How many publishers the guess is worth."""
LARGEST_LOG = {"decode": 0.8, "prefill": 1.0}
"""Errors beyond count as this large: one source in a unit of its own must not make everybody's band."""
NONE = PhaseError(**dict.fromkeys(("installation", *REASONS), 0.0))


@dataclass(frozen=True)
class ErrorRow:
    """The logarithm of measured over predicted of one row, and which reasons apply to it."""

    publisher: str
    phase: str
    log: float
    traits: tuple[float, ...]
    """Factors of the variance of each of `REASONS`."""
    is_lone: bool
    group: str
    load: str = "closed_loop"


def traits_of_row(case: ServingCase, log: float, context: Context) -> tuple[float, ...]:
    """What each reason would add to the variance with a spread of 1, towards the error's side: asked of the rule that
    ships."""
    load = load_traits(case)
    load = replace(load, is_burst=load.is_burst and log > 0)
    accelerator, precision = case_place(case, context)
    record = evidence_record(context, case.engine, case.model.kind, accelerator, precision)
    transfer = context.kernels(case.engine).log_sd[accelerator, precision]
    has_relative = context.has_timed_relative[accelerator]
    alone = [msgspec.structs.replace(NONE, **{reason: 1.0}) for reason in REASONS]
    return tuple(float(log_variance(one, record, transfer, has_relative, load)[0]) for one in alone)


def log_sd_of(row: ErrorRow, error: PhaseError) -> float:
    """Spread of a row's error."""
    total = error.installation**2 + sum(
        trait * getattr(error, name) ** 2 for name, trait in zip(REASONS, row.traits, strict=True)
    )
    return float(np.sqrt(total))


def fitted(rows: Sequence[ErrorRow]) -> PhaseError:
    """Spreads of one phase.

    TTFT rests on lone prompts and runs at a rate; what users who start together add follows from loops by itself.
    """
    if rows[0].phase == "decode":
        return _fitted(rows)
    calm = [row for row in rows if row.is_lone or row.load == "open_loop"]
    found = _fitted(calm)
    loops = [row for row in rows if not row.is_lone and row.load != "open_loop"]
    return msgspec.structs.replace(found, burst=_covering_burst(loops, found))


def _covering_burst(rows: Sequence[ErrorRow], error: PhaseError) -> float:
    """The spread of bursts with which the bands of loops hold what they should; by halving."""
    low, high = 0.0, LARGEST_BURST
    for _ in range(20):
        middle = (low + high) / 2
        is_held = covering_factor(rows, msgspec.structs.replace(error, burst=middle)) <= 1.0
        low, high = (low, middle) if is_held else (middle, high)
    return float(f"{high:.3g}")


def _fitted(rows: Sequence[ErrorRow]) -> PhaseError:
    by_publisher = grouped(rows, lambda row: row.publisher)
    phase = rows[0].phase
    weight = np.array([1.0 / len(by_publisher[row.publisher]) for row in rows])
    traits = np.array([row.traits for row in rows])
    squares = np.minimum(np.abs([row.log for row in rows]), LARGEST_LOG[phase]) ** 2
    variance = _variances(traits, squares, weight, GUESS[phase] ** 2)
    spread = {name: float(np.sqrt(value)) for name, value in zip(REASONS, variance, strict=True)}
    share = _shared_share(list(by_publisher.values()), phase)
    whole = spread.pop("run")
    found = PhaseError(installation=whole * np.sqrt(share), run=whole * np.sqrt(1 - share), **spread)
    return scaled(found, covering_factor(rows, found))


def scaled(error: PhaseError, factor: float) -> PhaseError:
    """All spreads times a factor."""
    return PhaseError(**{name: float(f"{value * factor:.3g}") for name, value in msgspec.structs.asdict(error).items()})


def covering_factor(rows: Sequence[ErrorRow], error: PhaseError) -> float:
    """What spreads are multiplied with for the 80 % band to hold what it should: tails are no Gaussian's.

    A little above 80 % of the rows seen, every publisher counting once: the next one is another.
    """
    count = Counter(row.publisher for row in rows)
    size = np.array([abs(row.log) / (Z_80 * max(log_sd_of(row, error), 1e-6)) for row in rows])
    weight = np.array([1.0 / count[row.publisher] for row in rows])
    return weighted_quantile(size, weight, COVERED)


def _variances(traits: Floats, squares: Floats, weight: Floats, guess: float) -> Floats:
    """Two rounds: errors of rows that vary more count less."""
    found = np.full(traits.shape[1], guess)
    for _ in range(4):
        root = np.sqrt(weight) / np.maximum(traits @ found, 0.1 * guess)
        prior = np.sqrt(GUESS_PUBLISHERS) / guess * np.eye(traits.shape[1])
        left = np.concatenate([traits * root[:, None], prior])
        right = np.concatenate([squares * root, np.full(traits.shape[1], np.sqrt(GUESS_PUBLISHERS))])
        found, _ = nnls(left, right)
    return np.asarray(found)


def _shared_share(publishers: Sequence[Sequence[ErrorRow]], phase: str) -> float:
    """Of the variance, what all rows of a publisher have in common; by moments."""
    logs = [np.clip([row.log for row in own], -LARGEST_LOG[phase], LARGEST_LOG[phase]) for own in publishers]
    within = float(np.mean([one.var(ddof=1) for one in logs if len(one) > 1]))
    between = float(np.mean([one.mean() ** 2 - one.var() / len(one) for one in logs]))
    return min(max(between / max(between + within, 1e-9), 0.0), 1.0)
