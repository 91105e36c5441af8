"""Schedules of a pipeline as numbers of a column: what each idles, and which of them a layout may run."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Integers
from gpuplanner_gui.domain.training_workload import PipelineSchedule

SCHEDULES: tuple[PipelineSchedule, ...] = ("1f1b", "interleaved", "zero_bubble", "dualpipe")
"""By code. Interleaved is 1F1B with several chunks of layers per stage."""
PLAIN, INTERLEAVED, ZERO_BUBBLE, DUALPIPE = range(len(SCHEDULES))
IDLE_SHARE = np.array([1.0, 1.0, 1.0 / 3.0, 1.0 / 3.0])
"""Of the bubble of 1F1B, that stays. Zero bubble (H1) fills it with the weights' gradients, a third of a pass: Qi et
al. 2024, section 2. DualPipe cut in half: (p − 1)/2 · (F&B + B − 3W), F = W = B/2: DeepSeek-V3 report 2024, table 2."""
MOST_CHUNKS = 16


@dataclass(frozen=True)
class ScheduleOption:
    """One way to run the pipeline of every layout; where `is_possible` is not set a layout cannot."""

    schedule: Integers
    virtual_stages: Integers
    is_possible: NDArray[np.bool_]


def schedule_code(name: PipelineSchedule, virtual_stages: int) -> int:
    """Code of a schedule by name; 1F1B in several chunks is interleaved. Raises ValueError for "auto"."""
    code = SCHEDULES.index(name)
    return INTERLEAVED if code == PLAIN and virtual_stages > 1 else code


@lru_cache(maxsize=4096)
def chunk_counts(layers: int, pipeline: int) -> tuple[int, ...]:
    """Virtual stages: divisors of the fullest stage's layers. Llama 3 405B ran 126 layers on 16 stages of 8 chunks, two
    of them a layer short."""
    if pipeline == 1:
        return (1,)
    per_stage = -(-layers // pipeline)
    return tuple(size for size in range(1, min(per_stage, MOST_CHUNKS) + 1) if per_stage % size == 0)


def schedule_options(
    asked: PipelineSchedule,
    given_stages: Integers,
    known: tuple[PipelineSchedule, ...],
    layers: int,
    pipeline: Integers,
    micro_batches: Integers,
    has_experts: bool,
) -> list[ScheduleOption]:
    """What a search tries for layouts of some numbers of stages.

    `given_stages` are virtual stages that are fixed, −1 where they are open; `known` the framework's schedules, which a
    schedule that is asked for by name need not be among. Without a pipeline the first option stands alone.
    """
    is_one, none = pipeline == 1, np.ones_like(pipeline)
    names = [name for name in SCHEDULES if name in known] if asked == "auto" else [asked]
    is_plain = np.full(len(pipeline), "1f1b" in names) & (given_stages <= 1)
    options = [ScheduleOption(np.full_like(pipeline, PLAIN), none, is_one | is_plain)]
    if "interleaved" in names or bool((given_stages > 1).any()):
        options += _interleaved(given_stages, layers, pipeline, micro_batches)
    if "zero_bubble" in names:
        options.append(ScheduleOption(np.full_like(pipeline, ZERO_BUBBLE), none, ~is_one & (given_stages <= 1)))
    if "dualpipe" in names and has_experts:
        # Micro-batches come in from both ends, in pairs.
        paired = (micro_batches % 2 == 0) & (micro_batches >= 2 * pipeline)
        possible = ~is_one & paired & (given_stages <= 1)
        options.append(ScheduleOption(np.full_like(pipeline, DUALPIPE), none, possible))
    return options


def _interleaved(
    given_stages: Integers, layers: int, pipeline: Integers, micro_batches: Integers
) -> list[ScheduleOption]:  # fmt: skip
    """Chunks go round in groups of as many micro-batches as there are stages (Narayanan et al. 2021, section 2.2)."""
    depths, of = np.unique(pipeline, return_inverse=True)
    several = [chunk_counts(layers, int(depth))[1:] for depth in depths]
    counts = np.array([*itertools.zip_longest(*several, fillvalue=0)], np.int64).reshape(-1, len(depths))
    options = []
    for chunks in counts[:, of] if not bool((given_stages > 0).any()) else [np.maximum(given_stages, 0)]:
        possible = (pipeline > 1) & (chunks > 1) & (micro_batches % pipeline == 0)
        code = np.where(possible, INTERLEAVED, PLAIN)
        options.append(ScheduleOption(code, np.where(possible, chunks, 1), possible))
    return options
