"""Precision recipes, optimizers and methods: bytes of training state per parameter, and the format of products."""

from __future__ import annotations

from dataclasses import dataclass

from gpuplanner_gui.domain.training_workload import OptimizerName, StateBytes, TrainingRecipe

COMPUTE_PRECISION: dict[TrainingRecipe, str] = {
    "bf16": "bf16", "fp16": "fp16", "fp8": "fp8", "fp4": "nvfp4", "tf32": "tf32", "fp32": "fp32",
}  # fmt: skip
"""Number format of the matrix products."""

WIDE_PRECISION: dict[TrainingRecipe, str] = {
    "bf16": "bf16", "fp16": "fp16", "fp8": "bf16", "fp4": "bf16", "tf32": "tf32", "fp32": "fp32",
}  # fmt: skip
"""Format of attention, router and head."""

PRODUCT_BYTES: dict[TrainingRecipe, float] = {
    "bf16": 2.0, "fp16": 2.0, "fp8": 1.0, "fp4": 0.5625, "tf32": 4.0, "fp32": 4.0,
}  # fmt: skip
"""Of one value as the matrix units read it, block scales included (NVFP4: a byte per 16 values)."""

COPY_BYTES: dict[TrainingRecipe, float] = {
    "bf16": 0.0, "fp16": 0.0, "fp8": 1.0, "fp4": 0.5625, "tf32": 0.0, "fp32": 0.0,
}  # fmt: skip
"""Of a weight's copy in the format of the products, kept beside the 16-bit one."""

KEPT_INPUT_BYTES: dict[TrainingRecipe, float] = {
    "bf16": 2.0, "fp16": 2.0, "fp8": 1.0, "fp4": 1.0, "tf32": 4.0, "fp32": 4.0,
}  # fmt: skip
"""Of a product's input as it is kept for its weight's gradient; FP4 recipes keep it for an FP8 or FP4 product."""

STREAM_BYTES: dict[TrainingRecipe, float] = {
    "bf16": 2.0, "fp16": 2.0, "fp8": 2.0, "fp4": 2.0, "tf32": 4.0, "fp32": 4.0,
}  # fmt: skip
"""Of one value of the residual stream and of what crosses the network."""

CAST_BYTES: dict[TrainingRecipe, float] = {
    "bf16": 0.0, "fp16": 0.0, "fp8": 4.0, "fp4": 7.0, "tf32": 0.0, "fp32": 0.0,
}  # fmt: skip
"""Traffic per value that enters a product: read in 16 bits, written narrow in two layouts; FP4 with a rotation pass."""

EIGHT_BIT_STATE = 1.0 + 4.0 / 256
"""A byte per value and an FP32 scale per block of 256 (Dettmers et al. 2022, 8-bit Optimizers via Block-wise
Quantization, section 2.1)."""

MOMENTS: dict[OptimizerName, tuple[float, float]] = {
    "adamw": (4.0, 4.0),
    "adamw_8bit": (EIGHT_BIT_STATE, EIGHT_BIT_STATE),
    "adafactor": (0.0, 0.0),
    "lion": (4.0, 0.0),
    "muon": (4.0, 0.0),
    "sgd_momentum": (4.0, 0.0),
    "sgd": (0.0, 0.0),
}
"""First and second moment per parameter. Muon's embeddings, head and vectors stay on AdamW, Adafactor keeps a sum per
row and column: both are added from the model's shape."""

NF4_BYTES = 0.5
NF4_CONSTANT_BYTES = 0.127 / 8
"""Quantisation constants with double quantisation (Dettmers et al. 2023, QLoRA, section 3)."""


@dataclass(frozen=True)
class StatePerParameter:
    """Bytes per trained parameter by component, and per frozen one."""

    weights: float
    gradients: float
    master_weights: float
    first_moment: float
    second_moment: float
    frozen_matrices: float
    """A frozen matrix of the layers."""
    frozen_other: float
    """Frozen embeddings, head, norms."""

    @property
    def total(self) -> float:
        """Of a trained parameter."""
        return self.weights + self.gradients + self.master_weights + self.first_moment + self.second_moment

    @property
    def checkpoint(self) -> float:
        """What a checkpoint keeps: all but the gradients."""
        return self.total - self.gradients


def state_per_parameter(
    recipe: TrainingRecipe,
    optimizer: OptimizerName,
    method: str,
    given: StateBytes,
    second_moment_share: float = 0.0,
    factored_share: float = 0.0,
) -> StatePerParameter:
    """Bytes of state by recipe and optimizer, with the planner's own figures in their place where given.

    `second_moment_share` is the share of parameters that Muon leaves to AdamW, `factored_share` rows plus columns over
    parameters for Adafactor. Mixed precision with AdamW: 2 + 2 + 4 + 4 + 4 = 16 (Rajbhandari et al. 2020, ZeRO,
    section 3.1); FP32: 4 + 4 + 0 + 4 + 4; FP8 and FP4 keep a narrow copy of the weights as well.
    """
    is_wide = recipe in ("tf32", "fp32")
    first, second = MOMENTS[optimizer]
    if optimizer == "muon":
        second = 4.0 * second_moment_share
    elif optimizer == "adafactor":
        second = 4.0 * factored_share
    wide = 4.0 if is_wide else 2.0

    def chosen(own: float | None, usual: float) -> float:
        return usual if own is None else own

    return StatePerParameter(
        weights=chosen(given.weights, wide + COPY_BYTES[recipe]),
        gradients=chosen(given.gradients, wide),
        master_weights=chosen(given.master_weights, 0.0 if is_wide else 4.0),
        first_moment=chosen(given.first_moment, first),
        second_moment=chosen(given.second_moment, second),
        frozen_matrices=NF4_BYTES + NF4_CONSTANT_BYTES if method == "qlora" else wide,
        frozen_other=wide,
    )
