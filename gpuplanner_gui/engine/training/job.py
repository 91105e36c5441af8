"""A training job as the engine takes it: the model's numbers and the planner's choices, without arrays."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from gpuplanner_gui.domain.benchmark import UNKNOWN, TrainingCase
from gpuplanner_gui.domain.launch import EVERY_STAGE, OptimizerStages
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.training_calibration import (
    AdapterCosts,
    FrameworkFacts,
    PartRecomputation,
    TrainingCalibration,
)
from gpuplanner_gui.domain.training_workload import (
    OptimizerName,
    PipelineSchedule,
    Recompute,
    StateBytes,
    TrainingMethod,
    TrainingRecipe,
    TrainingWorkload,
)
from gpuplanner_gui.engine.model.precision import PRECISION_INDEX
from gpuplanner_gui.engine.training.model_numbers import TrainingNumbers, sample_tokens, training_model
from gpuplanner_gui.engine.training.rates import Rates, rates_of


@dataclass(frozen=True)
class RecipeFormats:
    """What a recipe computes, keeps and moves values in."""

    compute: str
    """Number format of the matrix products,"""
    wide: str
    """and of attention, router and head."""
    product_bytes: float
    """One value as the matrix units read it, block scales included (NVFP4: a byte per 16 values)."""
    copy_bytes: float
    """A weight's copy in the format of the products, kept beside the 16-bit one."""
    kept_input_bytes: float
    """A product's input as kept for its weight's gradient; FP4 recipes keep it for an FP8 or FP4 product."""
    stream_bytes: float
    """One value of the residual stream and of what crosses the network."""
    cast_bytes: float
    """Traffic per value that enters a product: read in 16 bits, written narrow in two layouts; FP4 with a rotation."""


RECIPES: dict[TrainingRecipe, RecipeFormats] = {
    "bf16": RecipeFormats("bf16", "bf16", 2.0, 0.0, 2.0, 2.0, 0.0),
    "fp16": RecipeFormats("fp16", "fp16", 2.0, 0.0, 2.0, 2.0, 0.0),
    "fp8": RecipeFormats("fp8", "bf16", 1.0, 1.0, 1.0, 2.0, 4.0),
    "fp4": RecipeFormats("nvfp4", "bf16", 0.5625, 0.5625, 1.0, 2.0, 7.0),
    "tf32": RecipeFormats("tf32", "tf32", 4.0, 0.0, 4.0, 4.0, 0.0),
    "fp32": RecipeFormats("fp32", "fp32", 4.0, 0.0, 4.0, 4.0, 0.0),
}
WIDE_RECIPES: tuple[TrainingRecipe, ...] = ("bf16", "fp16")

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
        """Bytes of all state per trained parameter."""
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
        weights=chosen(given.weights, wide + RECIPES[recipe].copy_bytes),
        gradients=chosen(given.gradients, wide),
        master_weights=chosen(given.master_weights, 0.0 if is_wide else 4.0),
        first_moment=chosen(given.first_moment, first),
        second_moment=chosen(given.second_moment, second),
        frozen_matrices=NF4_BYTES + NF4_CONSTANT_BYTES if method == "qlora" else wide,
        frozen_other=wide,
    )


ADAPTER_METHODS = ("lora", "qlora")
USUAL_PASSES_PER_STAGE = 8
WIDE_WEIGHT_BYTES = 4.0
UNPACK_BYTES_PER_VALUE = 2.5
"""A 4-bit weight is read at half a byte and written in 16 bits before each product."""


@dataclass(frozen=True)
class TrainingJob:
    """What is trained, how, and by which framework."""

    model: Model
    numbers: TrainingNumbers
    state: StatePerParameter
    sequence_tokens: int
    global_sequences: int
    recipe: TrainingRecipe
    method: str
    schedule: PipelineSchedule
    lora_rank: int
    thermal_derate: float
    offloads_weights: bool
    """Weights and gradients live in host memory; the devices see a layer at a time."""
    streams_with_state: bool
    """Likewise wherever optimizer state does."""
    trained_share: float
    """Share of the model's parameters that a full training changes."""
    activation_share: float
    """Activations kept over what fused kernels need."""
    logits_share: float
    """Share of the logits that exist at once."""
    has_flash_attention: bool
    framework: FrameworkFacts
    rates: Rates
    gathered_bytes: float
    """Bytes of a weight as it travels to the device that uses it."""
    unpacked_bytes_per_value: float
    """Memory traffic that unpacking a weight takes as long as; 0 where weights are not packed."""
    adapters_moved: tuple[float, float]
    """Bytes per token and value of adapted matrices, forward and backward; zeros without adapters, and in compiled
    code, which fuses what they add with the products' own outputs."""
    optimizer_stages: OptimizerStages = EVERY_STAGE
    own_reserve_bytes: float = 0.0
    """Measured memory beyond the framework's facts; 0 without measurements."""

    @property
    def is_sampled(self) -> bool:
        """Whether a sequence is a sample of fixed size: an image, a video, a window of audio."""
        return self.numbers.is_opaque or self.model.encoder_tokens > 0

    @property
    def is_adapter(self) -> bool:
        return self.method in ADAPTER_METHODS

    @property
    def is_tuning(self) -> bool:
        return self.is_adapter or self.method == "full_fine_tune"

    @property
    def recomputations(self) -> tuple[Recompute, ...]:
        """Recomputations of activations that the framework can run; libraries of adapters and of denoisers recompute
        whole layers alone."""
        known = self.framework.recomputations
        return tuple(one for one in known if one != "selective") if self._checkpoints_every_block else known

    @property
    def activation_offload(self) -> tuple[Recompute, ...]:
        """Recomputations that the framework can run with activations in host memory; none where it cannot."""
        can_offload = self.method in self.framework.activation_offload_methods
        return self.framework.activation_offload if can_offload else ()

    @property
    def part_recomputation(self) -> PartRecomputation:
        return "never" if self._checkpoints_every_block else self.framework.part_recomputation

    @property
    def _checkpoints_every_block(self) -> bool:
        """Whether recomputation is a switch: all blocks or none."""
        return self.is_adapter or (self.numbers.is_opaque and self.framework.selects_by_operator)

    @property
    def trained_parameters(self) -> float:
        if self.is_adapter:
            return self.numbers.adapter_parameters(self.lora_rank)
        return self.numbers.parameters * self.trained_share

    @property
    def tokens_per_step(self) -> float:
        return float(self.global_sequences * self.sequence_tokens)

    @property
    def weight_gradient_share(self) -> float:
        """Share of the model's matrices that have a weight gradient computed: none beside adapters."""
        return 0.0 if self.is_adapter else self.trained_share

    @property
    def backward_share(self) -> float:
        """FLOPs of the backward pass over the forward's: inputs and weights, or inputs alone for frozen weights."""
        return 1.0 + self.weight_gradient_share

    @property
    def keeps_wide_weights(self) -> bool:
        """Whether weights are kept in FP32 alone, and narrowed as they are gathered or used."""
        is_wide = self.state.weights == WIDE_WEIGHT_BYTES and self.state.master_weights == 0.0
        return is_wide and self.framework.keeps_wide_weights and self.stream_bytes < WIDE_WEIGHT_BYTES

    @property
    def gradient_accumulation_bytes(self) -> float:
        return self.state.gradients

    @property
    def cast_bytes_per_value(self) -> float:
        return RECIPES[self.recipe].cast_bytes

    @property
    def compute_index(self) -> int:
        return PRECISION_INDEX[RECIPES[self.recipe].compute]

    @property
    def wide_index(self) -> int:
        return PRECISION_INDEX[RECIPES[self.recipe].wide]

    @property
    def product_bytes(self) -> float:
        return RECIPES[self.recipe].product_bytes

    @property
    def stream_bytes(self) -> float:
        return RECIPES[self.recipe].stream_bytes


def least_batch_tokens(model: Model, training: TrainingWorkload) -> int:
    """Tokens of a global batch that one copy's micro-batch, or one sequence, takes."""
    return max(training.micro_batch, 1) * sample_tokens(model, training.sequence_length)


def job_of(
    model: Model,
    training: TrainingWorkload,
    calibration: TrainingCalibration,
) -> TrainingJob:
    """The job of a scenario. A model without tokens counts samples instead."""
    sequence = sample_tokens(model, training.sequence_length)
    numbers = training_model(model, sequence, training.flash_attention)
    framework = calibration.framework_for(training.framework, training.method)
    facts = calibration.framework(framework)
    state = state_per_parameter(
        training.recipe,
        training.optimizer,
        training.method,
        _framework_state(training.state_bytes, facts, is_offloaded=False),
        numbers.muon_left_share,
        numbers.factored_share,
    )
    adapters = _adapter_costs(training.method, framework, training.recipe, state, calibration)
    return TrainingJob(
        model=model,
        numbers=numbers,
        state=state,
        sequence_tokens=sequence,
        global_sequences=max(1, training.global_batch_tokens // sequence),
        recipe=training.recipe,
        method=training.method,
        schedule=training.schedule,
        lora_rank=training.lora_rank,
        thermal_derate=central(training.thermal_derate),
        offloads_weights=training.offload_weights,
        streams_with_state=facts.offloads_weights,
        trained_share=1.0 - central(training.frozen_share),
        activation_share=_kept_share(numbers, facts.activation_share, adapters)
        * _method_share(training.method, calibration),
        logits_share=1.0,
        has_flash_attention=training.flash_attention,
        framework=facts,
        rates=rates_of(calibration, framework, _paced_recipe(numbers, training.recipe)),
        gathered_bytes=_gathered_bytes(training.recipe, state),
        unpacked_bytes_per_value=_unpacked_bytes(training.method, calibration.unpacking_bandwidth_share),
        adapters_moved=_moved(adapters),
    )


def _paced_recipe(numbers: TrainingNumbers, recipe: TrainingRecipe, scaled: str = "") -> str:
    """The recipe whose pace products keep: a model known only by its FLOPs gains nothing by a narrow format."""
    return RECIPES[recipe].wide if numbers.is_opaque else scaled or recipe


def job_of_case(case: TrainingCase, calibration: TrainingCalibration) -> TrainingJob:
    """The job of a published run, with its framework's habits: Megatron adds gradients up in FP32, FSDP keeps FP32
    weights and gathers them in 16 bits."""
    model = case.model
    sequence = sample_tokens(model, case.sequence_length)
    numbers = training_model(model, sequence, case.flash_attention)
    framework = case.framework or calibration.default_framework
    facts = calibration.framework(framework)
    recipe_key = f"{case.recipe}_{case.scaling}"
    known = {one.recipe for one in calibration.recipes}
    copies = case.devices // (case.tensor_parallel * case.pipeline_parallel * case.context_parallel)
    micro = max(case.micro_batch, 1)
    given = _framework_state(case.state_bytes, facts, is_offloaded=case.is_optimizer_offloaded)
    state = state_per_parameter(
        case.recipe, case.optimizer, case.method, given, numbers.muon_left_share, numbers.factored_share
    )
    is_open = case.virtual_stages == UNKNOWN and case.schedule == "1f1b"
    adapters = None if case.is_compiled else _adapter_costs(case.method, framework, case.recipe, state, calibration)
    return TrainingJob(
        model=model,
        numbers=numbers,
        state=state,
        sequence_tokens=sequence,
        global_sequences=case.global_batch or max(1, copies) * micro * _usual_micro_batches(case),
        recipe=case.recipe,
        method=case.method,
        schedule=facts.usual_schedule if is_open else case.schedule,
        lora_rank=case.lora_rank,
        thermal_derate=1.0,
        offloads_weights=case.are_weights_offloaded,
        streams_with_state=False,
        trained_share=1.0,
        activation_share=_kept_share(
            numbers, facts.fused_activation_share if case.is_compiled else facts.activation_share, adapters
        )
        * _method_share(case.method, calibration),
        logits_share=case.chunked_logits_share if case.is_loss_chunked else 1.0,
        has_flash_attention=case.flash_attention,
        framework=facts,
        rates=rates_of(
            calibration,
            framework,
            _paced_recipe(numbers, case.recipe, recipe_key if recipe_key in known else ""),
            case.release,
        ),
        gathered_bytes=_gathered_bytes(case.recipe, state),
        unpacked_bytes_per_value=_unpacked_bytes(
            case.method,
            calibration.compiled_unpacking_share if case.is_compiled else calibration.unpacking_bandwidth_share,
        ),
        adapters_moved=_moved(adapters),
    )


def _kept_share(numbers: TrainingNumbers, share: float, adapters: AdapterCosts | None) -> float:
    """A framework's share for token layers; activations of samples are counted as PyTorch keeps them."""
    return 1.0 if numbers.is_opaque else share * (adapters.activation_share if adapters is not None else 1.0)


def _method_share(method: TrainingMethod, calibration: TrainingCalibration) -> float:
    """Activations kept over those of a full training: a frozen matrix needs no input for its gradient."""
    if method not in ADAPTER_METHODS:
        return 1.0
    return calibration.adapter_activation_share * (calibration.quantized_activation_share if method == "qlora" else 1.0)


def _gathered_bytes(recipe: TrainingRecipe, state: StatePerParameter) -> float:
    """Weights travel in the recipe's width, 4-bit ones as they are."""
    return min(RECIPES[recipe].stream_bytes, state.frozen_matrices)


def _unpacked_bytes(method: TrainingMethod, bandwidth_share: float) -> float:
    return UNPACK_BYTES_PER_VALUE / bandwidth_share if method == "qlora" else 0.0


def _adapter_costs(
    method: TrainingMethod,
    framework: str,
    recipe: TrainingRecipe,
    state: StatePerParameter,
    calibration: TrainingCalibration,
) -> AdapterCosts | None:
    """Adapters in FP32 beside a 16-bit model cast what enters them at each use, and each keeps its copy."""
    is_wide = state.weights + state.master_weights >= WIDE_WEIGHT_BYTES > RECIPES[recipe].stream_bytes
    return calibration.adapters_of(framework, is_wide) if method in ADAPTER_METHODS else None


def _moved(adapters: AdapterCosts | None) -> tuple[float, float]:
    return (0.0, 0.0) if adapters is None else (adapters.forward_bytes, adapters.backward_bytes)


def _usual_micro_batches(case: TrainingCase) -> int:
    """Passes of a copy per step where a source does not state the batch: a pipeline is kept well fed."""
    return 1 if case.pipeline_parallel == 1 else USUAL_PASSES_PER_STAGE * case.pipeline_parallel


def _framework_state(given: StateBytes, facts: FrameworkFacts, *, is_offloaded: bool) -> StateBytes:
    """State per parameter as the framework keeps it, where nothing else is stated: bytes of gradients, and for those
    that keep FP32 weights no second copy in 16 bits."""
    is_open = given.weights is None and given.master_weights is None and given.gradients is None
    if facts.keeps_wide_weights and is_open and not is_offloaded:
        given = msgspec.structs.replace(given, weights=WIDE_WEIGHT_BYTES, master_weights=0.0)
    if given.gradients is None:
        given = msgspec.structs.replace(given, gradients=facts.gradient_bytes)
    return given
