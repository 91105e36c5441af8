"""How memory grows with the tokens that are in the cache at once: as measured, and as the model's cache should grow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.measurement import Measurement, MeasurementContext, missing_context
from gpuplanner_gui.engine.evidence.cases import middle
from gpuplanner_gui.engine.model.cache_sizes import kv_bytes_per_token
from gpuplanner_gui.engine.model.precision import PRECISION_INDEX, cache_bytes_per_value

FEW = 3
RESERVED = 0.2
"""Of the cache's growth: an engine whose memory grows less reserves it at the start."""
AS_EXPECTED = 0.15
"""A growth that is no farther from the cache's than this share is that of the cache."""


@dataclass(frozen=True)
class MemoryGrowth:
    """Runs of one deployment on several loads. Bytes are of one device."""

    context: MeasurementContext
    """Of the first run."""
    runs: int
    at_rest_bytes: float
    """Without any token in the cache: weights, runtime, buffers."""
    bytes_per_token: float
    expected_bytes_per_token: float

    @property
    def is_reserved(self) -> bool:
        return self.bytes_per_token < RESERVED * self.expected_bytes_per_token

    @property
    def is_as_expected(self) -> bool:
        return abs(self.bytes_per_token / self.expected_bytes_per_token - 1.0) <= AS_EXPECTED


def memory_growth(measurements: Sequence[Measurement], catalog: Catalog) -> tuple[MemoryGrowth, ...]:
    """A line through the memory of each deployment's runs, for those with enough of them.

    Notes
    -----
    Least squares over the tokens of all requests at once, prompt and answer whole: what a closed loop holds at most.
    """
    groups: dict[tuple[object, ...], list[Measurement]] = defaultdict(list)
    for run in measurements:
        context = run.context
        if context.load and context.model in catalog.models and not missing_context(run) and _used(run) is not None:
            kind = (context.model, context.accelerator, context.devices, context.engine, context.weight_precision)
            groups[*kind, context.kv_precision].append(run)
    return tuple(_line(runs, catalog) for runs in groups.values() if len({_tokens(run.context) for run in runs}) >= FEW)


def _used(run: Measurement) -> float | None:
    found = middle(run.figures, "memory_used") or next(
        (one for one in run.figures if (one.quantity, one.statistic) == ("memory_used", "max")), None
    )
    return found.value if found is not None else None


def _tokens(context: MeasurementContext) -> float:
    return context.concurrency * (context.prompt_tokens + context.output_tokens)


def _line(runs: list[Measurement], catalog: Catalog) -> MemoryGrowth:
    context = runs[0].context
    tokens = np.array([_tokens(run.context) for run in runs])
    slope, at_rest = np.polyfit(tokens, np.array([_used(run) for run in runs], dtype=np.float64), 1)
    precision = context.kv_precision if context.kv_precision in PRECISION_INDEX else "bf16"
    value_bytes = cache_bytes_per_value()[PRECISION_INDEX[precision]]
    whole = float(kv_bytes_per_token(catalog.models[context.model].model, value_bytes))
    return MemoryGrowth(context, len(runs), float(at_rest), float(slope), whole / max(context.devices, 1))
