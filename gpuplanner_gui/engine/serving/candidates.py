"""Which serving configurations are tried: accelerator × tensor and pipeline parallelism × weight and KV precision."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.engine.precision import PRECISION_INDEX

Integers = NDArray[np.int64]

PARALLEL_SIZES = (
    (1, 1), (2, 1), (4, 1), (8, 1), (16, 1), (32, 1), (64, 1), (72, 1),
    (1, 2), (2, 2), (4, 2), (8, 2), (16, 2), (32, 2),
    (1, 4), (2, 4), (4, 4), (8, 4), (16, 4),
)  # fmt: skip
"""Tensor-parallel and pipeline-parallel sizes that engines are run with."""


MOST_CANDIDATES = 300_000
"""Of one plan, which then takes up to 700 MB; the whole catalogue in the usual formats has 27,000."""


class TooManyCandidates(ValueError):
    """A search that would take more memory than a desktop has to spare; told before any of it is taken."""

    def __init__(self, count: int) -> None:
        super().__init__(
            f"This search has {count:,} candidates; at most {MOST_CANDIDATES:,} are planned at once. Choose fewer "
            "accelerators, weight precisions or KV precisions."
        )


@dataclass(frozen=True)
class ServingCandidates:
    """One entry per configuration of one replica."""

    accelerator: Integers
    tensor_parallel: Integers
    pipeline_parallel: Integers
    weight_precision: Integers
    kv_precision: Integers

    def __len__(self) -> int:
        return len(self.accelerator)

    @property
    def devices(self) -> Integers:
        return self.tensor_parallel * self.pipeline_parallel

    def at(self, index: NDArray[np.int64]) -> ServingCandidates:
        """The configurations at some positions."""
        return ServingCandidates(
            self.accelerator[index],
            self.tensor_parallel[index],
            self.pipeline_parallel[index],
            self.weight_precision[index],
            self.kv_precision[index],
        )


def serving_candidates(
    accelerator_count: int,
    weight_precisions: tuple[str, ...],
    kv_precisions: tuple[str, ...],
    max_devices: int,
) -> ServingCandidates:
    """Every combination, accelerators outermost; 12,000 for 125 accelerators, the defaults and 16 devices at most.

    Raises TooManyCandidates.
    """
    sizes = np.array([size for size in PARALLEL_SIZES if size[0] * size[1] <= max_devices])
    count = accelerator_count * len(sizes) * len(weight_precisions) * len(kv_precisions)
    if count > MOST_CANDIDATES:
        raise TooManyCandidates(count)
    weights = np.array([PRECISION_INDEX[name] for name in weight_precisions])
    caches = np.array([PRECISION_INDEX[name] for name in kv_precisions])
    accelerator, size, weight, cache = (
        axis.ravel()
        for axis in np.meshgrid(np.arange(accelerator_count), np.arange(len(sizes)), weights, caches, indexing="ij")
    )
    return ServingCandidates(accelerator, sizes[size, 0], sizes[size, 1], weight, cache)


def candidate_key(
    accelerator: str, tensor_parallel: int, pipeline_parallel: int, weight_precision: str, kv_precision: str
) -> str:
    """Name of a configuration that stays the same when the catalogue grows."""
    return f"{accelerator}/tp{tensor_parallel}/pp{pipeline_parallel}/{weight_precision}/kv-{kv_precision}"
