"""Which serving configurations are tried: accelerator × layout of a replica × weight and KV precision."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.plan import ServingTable
from gpuplanner_gui.engine.precision import PRECISION_INDEX

Integers = NDArray[np.int64]
Sizes = tuple[int, int, int, int]
"""Tensor parallel, pipeline parallel, attention data parallel, expert parallel."""

LAYOUTS: tuple[Sizes, ...] = tuple((tp, pp, 1, 1) for tp, pp in (
    (1, 1), (2, 1), (4, 1), (8, 1), (16, 1), (32, 1), (64, 1), (72, 1),
    (1, 2), (2, 2), (4, 2), (8, 2), (16, 2), (32, 2),
    (1, 4), (2, 4), (4, 4), (8, 4), (16, 4),
))  # fmt: skip
"""Sizes that engines are run with."""
EXPERT_LAYOUTS: tuple[Sizes, ...] = (
    *((size, 1, 1, size) for size in (2, 4, 8, 16, 32, 64, 72)),
    *((1, 1, size, size) for size in (2, 4, 8, 16, 32, 64, 72)),
    *((tp, 1, dp, tp * dp) for tp, dp in ((2, 4), (4, 2), (2, 8), (4, 4), (8, 2), (4, 8), (8, 4), (8, 8))),
)
"""Those of models with routed experts: attention by tensor parallelism or in groups of its own, experts over all."""
ONE = np.ones(1, np.int64)


@dataclass(frozen=True)
class ServingCandidates:
    """One entry per configuration of one replica."""

    accelerator: Integers
    tensor_parallel: Integers
    pipeline_parallel: Integers
    weight_precision: Integers
    kv_precision: Integers
    data_parallel: Integers = field(default_factory=lambda: ONE)
    """Groups that attend to their own sequences, with experts in common."""
    expert_parallel: Integers = field(default_factory=lambda: ONE)
    """Groups of devices that hold different experts."""

    def __post_init__(self) -> None:
        for name in ("data_parallel", "expert_parallel"):
            object.__setattr__(self, name, np.broadcast_to(getattr(self, name), self.accelerator.shape))

    def __len__(self) -> int:
        return len(self.accelerator)

    @property
    def devices(self) -> Integers:
        return self.tensor_parallel * self.pipeline_parallel * self.data_parallel

    def at(self, index: NDArray[np.int64]) -> ServingCandidates:
        """The configurations at some positions."""
        return ServingCandidates(
            self.accelerator[index],
            self.tensor_parallel[index],
            self.pipeline_parallel[index],
            self.weight_precision[index],
            self.kv_precision[index],
            self.data_parallel[index],
            self.expert_parallel[index],
        )

    @staticmethod
    def of_table(table: ServingTable, rows: Integers | slice = slice(None)) -> ServingCandidates:
        """Rows of a plan's table."""
        return ServingCandidates(
            table.accelerator[rows],
            table.tensor_parallel[rows],
            table.pipeline_parallel[rows],
            table.weight_precision[rows],
            table.kv_precision[rows],
            table.attention_data_parallel[rows],
            table.expert_parallel[rows],
        )


def serving_candidates(
    accelerator_count: int,
    weight_precisions: tuple[str, ...],
    kv_precisions: tuple[str, ...],
    max_devices: int,
    has_experts: bool = False,
) -> ServingCandidates:
    """Every combination, accelerators outermost; layouts of experts for models that route tokens to some."""
    layouts = (*LAYOUTS, *EXPERT_LAYOUTS) if has_experts else LAYOUTS
    sizes = np.array([size for size in layouts if size[0] * size[1] * size[2] <= max_devices])
    weights = np.array([PRECISION_INDEX[name] for name in weight_precisions])
    caches = np.array([PRECISION_INDEX[name] for name in kv_precisions])
    accelerator, size, weight, cache = (
        axis.ravel()
        for axis in np.meshgrid(np.arange(accelerator_count), np.arange(len(sizes)), weights, caches, indexing="ij")
    )
    tp, pp, dp, ep = sizes[size].T
    return ServingCandidates(accelerator, tp, pp, weight, cache, dp, ep)


def candidate_key(table: ServingTable, row: int, accelerator: str, weight_precision: str, kv_precision: str) -> str:
    """Name of a configuration that stays the same when the catalogue grows."""
    tp, pp = int(table.tensor_parallel[row]), int(table.pipeline_parallel[row])
    dp, ep = int(table.attention_data_parallel[row]), int(table.expert_parallel[row])
    groups = f"/dp{dp}/ep{ep}" if dp > 1 or ep > 1 else ""
    return f"{accelerator}/tp{tp}/pp{pp}{groups}/{weight_precision}/kv-{kv_precision}"
