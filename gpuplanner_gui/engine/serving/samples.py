"""Requests that are no tokens: images to draw or to classify, documents to embed or rank, as passes over samples.

A sample goes through the step table in equal slices, as an answer goes through it in tokens, with no prompt to speak of
and nothing cached. Batches, load and replicas are then those of any other service.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.domain.model import DECODERS, Attention, LayerGroup, Model, ModelKind
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.serving_engine import InferenceStacks, StackEffect
from gpuplanner_gui.domain.workload import RequestClass, RequestKind, ServingWorkload, Slo, request_of
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.explaining.formula import formula, leaf
from gpuplanner_gui.engine.kernels.choice import FORMAT_WEIGHT_BYTES, FORMATS
from gpuplanner_gui.engine.model.operations import forward_flop_per_token
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.engine.model.precision import PRECISION_INDEX
from gpuplanner_gui.engine.serving.prompt_media import found_share, is_imperceptible, with_media
from gpuplanner_gui.engine.serving.replica import Replica
from gpuplanner_gui.engine.simulation.arrays import Numbers
from gpuplanner_gui.engine.uncertainty.distributions import mean_prompt_tokens, representative_values


@dataclass(frozen=True)
class StackTraits:
    """What effects may depend on."""

    software: str
    family: str
    kind: str
    is_narrow: bool

    def has(self, effect: StackEffect) -> bool:
        """Whether an effect applies."""
        return (
            effect.software in ("", self.software)
            and effect.family in ("", self.family)
            and effect.kind in ("", self.kind)
            and (self.is_narrow or not effect.is_narrow)
        )


def logs_of(traits: StackTraits, stacks: InferenceStacks) -> dict[str, float]:
    """Sums of the effects that apply, by parameter."""
    total: dict[str, float] = {}
    for effect in stacks.effects:
        if traits.has(effect):
            for name, value in effect.logs.items():
                total[name] = total.get(name, 0.0) + value
    return total


def is_known(traits: StackTraits, stacks: InferenceStacks) -> bool:
    """Whether the software was measured on the family of devices."""
    return any(one.software == traits.software and one.family == traits.family for one in stacks.effects)


SLICES = 64
"""Steps that a sample of mean work takes: so many that joining a batch between two of them costs next to nothing."""
MODELS_OF: dict[RequestKind, tuple[ModelKind, ...]] = {
    "image": ("diffusion",),
    "video": ("diffusion",),
    "document": ("encoder", *DECODERS),
    "classification": ("vision_transformer", "cnn"),
}
"""Kinds of model that answer requests by samples."""
NO_ANSWER_IN_TOKENS: tuple[ModelKind, ...] = ("encoder", "vision_transformer", "cnn", "diffusion")
NEVER_MISSED_S = 1e9
"""What stands for the limit of a target that says nothing of samples."""
WIDE_FORMATS = ("bf16", "fp16", "fp32", "tf32")
WHOLE = 1e-6
"""Passes that miss a whole number by less are that number."""
FRAMES_PER_LATENT = 4
"""Frames that share a latent one after the first: Wan, HunyuanVideo and CogVideoX alike."""
SAMPLE_FORMATS = (*WIDE_FORMATS, "fp8", "int8")
"""Formats whose samples were measured."""
USUAL_FLOP_PER_JOULE = 1e12
USUAL_FLOP_PER_VALUE = 400.0
_BYTES = dict.fromkeys(("fp32", "tf32"), 4.0) | dict.fromkeys(
    ("fp8", "fp8_block", "fp6", "int8", "mxfp4", "nvfp4"), 1.0
)
VALUE_BYTES = np.array([_BYTES.get(name, 2.0) for name in FORMATS])
"""Bytes of a value between two products, by the format of the weights."""
RATES = ("sample_compute", "sample_power", "sample_balance", "sample_memory", "sample_host_s", "sample_fill")


def sample_flop(model: Model, tokens: Floats) -> Floats:
    """Forward FLOPs of a sample; of a sequence of `tokens` where the model has token layers and a length is given.

    Attention of an encoder sees the whole sequence, causal attention half of it; no token is written.
    """
    whole = np.full(np.shape(tokens), float(model.flop_per_sample))
    if not model.layers:
        return whole
    lengths = np.maximum(tokens, 1.0)
    by_length = lengths * sum(_bare_flop_per_token(model, group, lengths) for group in model.layers)
    return np.where((tokens > 0) | (model.flop_per_sample <= 0), by_length, whole)


def _bare_flop_per_token(model: Model, group: LayerGroup, lengths: Floats) -> Floats:
    """FLOPs of a token of a whole sequence in one group of layers, without the head."""
    bare = msgspec.structs.replace(model, layers=(group,), has_head=False)
    sees_all = isinstance(group.mixer, Attention) and not group.mixer.causal
    return forward_flop_per_token(bare, lengths if sees_all else (lengths + 1.0) / 2.0).total


def is_of_samples(serving: ServingWorkload, model: Model) -> bool:
    """Whether requests are samples that the model can work on; see `unanswered`."""
    is_sample = any(request_of(one, model) in MODELS_OF for one in serving.classes)
    return is_sample and not unanswered(serving, model)


def worked_as(serving: ServingWorkload, model: Model) -> ModelKind:
    """The kind of model whose measurements tell how requests are worked on: whatever embeds, as an encoder does."""
    return "encoder" if _are_documents(serving, model) else model.kind


def _are_documents(serving: ServingWorkload, model: Model) -> bool:
    return is_of_samples(serving, model) and model.kind in MODELS_OF["document"]


def is_heard(serving: ServingWorkload, model: Model) -> bool:
    """Whether requests are audio that the model can write down."""
    return any(one.request == "audio" for one in serving.classes) and not unanswered(serving, model)


def unanswered(serving: ServingWorkload, model: Model) -> bool:
    """Whether a class asks for what the model does not do, or for work that is not known."""
    kinds = {request_of(one, model) for one in serving.classes}
    if kinds == {"audio"}:
        return not (model.kind == "encoder_decoder" and model.encoder_tokens and model.flop_per_sample > 0)
    if any(is_imperceptible(one, model) for one in serving.classes):
        return True
    if kinds == {"text"}:
        return model.kind in NO_ANSWER_IN_TOKENS or model.encoder_tokens > 0 or not model.layers
    return "text" in kinds or any(class_flop(one, model) <= 0 for one in serving.classes)


def class_flop(one: RequestClass, model: Model) -> float:
    """Mean forward FLOPs of a request of a class; 0 where the model cannot answer it or its work is not known."""
    request = request_of(one, model)
    if model.kind not in MODELS_OF.get(request, ()):
        return 0.0
    if request == "document":
        return float(sample_flop(model, representative_values(one.prompt_tokens)).mean())
    return float(model.flop_per_sample) if request == "classification" else _drawn_flop(one, model)


def _drawn_flop(one: RequestClass, model: Model) -> float:
    """Mean forward FLOPs of an image or video; 0 where steps or sizes are asked for that the model does not scale."""
    if (one.request == "video") is not (model.sample_frames > 0):
        return 0.0
    size = relative_size(one, model)
    if not one.denoising_steps and size == 1.0:
        return float(model.flop_per_sample)
    if not (model.denoising_steps and model.training_flop_per_sample):
        return 0.0
    passes = math.floor(model.flop_per_sample / model.training_flop_per_sample + WHOLE)
    once = model.flop_per_sample - passes * model.training_flop_per_sample
    steps = (one.denoising_steps or model.denoising_steps) / model.denoising_steps
    return float(
        once * size + passes * steps * pass_flop(model.training_flop_per_sample, model.attention_flop_share, size)
    )


def relative_size(one: RequestClass, model: Model) -> float:
    """Latent pixels of all frames over those of the model's sample; 0 where its sample's size is not known. [1]"""
    if not (one.image_width or one.image_height or one.video_frames):
        return 1.0
    if not model.sample_pixels:
        return 0.0
    side = math.sqrt(model.sample_pixels)
    has_both = bool(one.image_width and one.image_height)
    pixels = one.image_width * one.image_height if has_both else (one.image_width or one.image_height or side) ** 2
    frames = one.video_frames or model.sample_frames
    if not model.sample_frames:
        return pixels / model.sample_pixels
    return pixels * _latent_frames(frames) / (model.sample_pixels * _latent_frames(model.sample_frames))


def _latent_frames(frames: int) -> float:
    return 1 + (frames - 1) / FRAMES_PER_LATENT


@formula(
    title="Denoising pass of another size",
    unit="flop",
    expression="flop · ((1 − attention) · size + attention · size²)",
    source="docs/derivations/models.md#images-and-videos-of-other-sizes",
)
def pass_flop(flop: Numbers, attention_share: Numbers, size: Numbers) -> Floats:
    """FLOPs of a denoising pass over `size` times the pixels of the sample that `flop` is of.

    Examples
    --------
    >>> float(pass_flop(100.0, 0.25, 2.0))
    250.0
    """
    return np.asarray(flop * ((1.0 - np.asarray(attention_share)) * size + attention_share * np.square(size)))


def mean_flop(classes: Sequence[RequestClass], model: Model) -> float:
    """Forward FLOPs of a request, averaged over all classes by their rates."""
    return _by_rates(classes, [class_flop(one, model) for one in classes])


def _by_rates(classes: Sequence[RequestClass], values: Sequence[float]) -> float:
    """Mean of a value over requests of all classes."""
    rates = np.array([central(one.peak_rate_per_s) for one in classes])
    return float(rates @ np.array(values) / rates.sum())


def in_slices(serving: ServingWorkload, model: Model) -> ServingWorkload:
    """The same requests as slices of passes, where they are samples; else with what is seen and heard in prompts.

    The first that a client gets of a sample is all of it: a target on TTFT is one on E2E, and one on tokens holds.
    """
    if not is_of_samples(serving, model):
        if unanswered(serving, model):
            return serving
        seen = tuple(
            msgspec.structs.replace(with_media(one, model), prefix_cache_share=found_share(one, serving))
            for one in serving.classes
        )
        return msgspec.structs.replace(serving, classes=seen)
    mean = mean_flop(serving.classes, model)

    def target(slo: Slo) -> Slo:
        if slo.metric in ("tpot", "itl"):
            return msgspec.structs.replace(slo, limit_s=NEVER_MISSED_S)
        return msgspec.structs.replace(slo, metric="e2e")

    classes = tuple(
        msgspec.structs.replace(
            one,
            prompt_tokens=1.0,
            output_tokens=SLICES * class_flop(one, model) / mean,
            prefix_cache_share=0.0,
            slos=tuple(target(slo) for _, slo in one.held_slos),
        )
        for one in serving.classes
    )
    engine = msgspec.structs.replace(serving.engine, max_sequences=_at_once(serving, model))
    return msgspec.structs.replace(serving, classes=classes, engine=engine)


def _at_once(serving: ServingWorkload, model: Model) -> int:
    """Most samples of a pass: of documents no more than the tokens of a step hold, but one."""
    most = serving.engine.max_sequences
    if not _are_documents(serving, model):
        return most
    mean = min(mean_prompt_tokens(serving.classes), model.max_context or math.inf)
    return max(1, min(most, int(serving.engine.token_budget / mean)))


def stated_drafts(serving: ServingWorkload, model: Model) -> int | None:
    """Draft tokens of a step by the engine's settings; none where nothing is decoded. None: the search's choice."""
    return 0 if is_of_samples(serving, model) else serving.engine.speculative_tokens


def in_tokens(serving: ServingWorkload, model: Model) -> ServingWorkload:
    """The same requests as an engine holds them against its context: a document is its tokens, without an answer.

    Encoders run a document in one pass; engines refuse a longer one than the context, unless asked to cut it.
    """
    if not _are_documents(serving, model):
        return in_slices(serving, model)
    documents = tuple(msgspec.structs.replace(one, output_tokens=0.0) for one in serving.classes)
    return msgspec.structs.replace(serving, classes=documents)


@dataclass(frozen=True)
class SamplePasses:
    """Passes over samples of mean work, an entry per deployment."""

    compute_s: Floats
    """FLOPs of one sample at the peak rate, times how hard the device presses on its power limit and its memory, times
    the stack's."""
    fill: Floats
    """Samples whose compute time comes on top of every pass."""
    weights_s: Floats
    activation_s: Floats
    """Activations of one sample."""
    host_s: Floats
    log_sd: Floats
    """Spread (of the logarithm) of measured over predicted times, for groups left out of the fit."""

    def at(self, index: Integers) -> SamplePasses:
        """Some of the deployments."""
        return SamplePasses(**{name: column[index] for name, column in vars(self).items()})

    def parts_s(self, batch: Floats) -> tuple[Floats, Floats, Floats]:
        """Compute, memory and host time of a pass over so many samples, shape (…, deployments). [s]"""
        return (
            batch * self.compute_s * (1.0 + self.fill / batch),
            self.weights_s + batch * self.activation_s,
            self.host_s,
        )


@formula(
    title="Pass over samples",
    unit="s",
    expression="compute_s · (1 + fill/batch) + memory_s + host_s",
    source="stacks fitted by tools/fit_inference to published results",
)
def pass_time_s(compute_s: Floats, memory_s: Floats, host_s: Floats, batch: Numbers, fill: Floats) -> Floats:
    """Seconds of a batch of samples on one device; `compute_s` and `memory_s` are those of the whole batch."""
    return np.asarray(compute_s * (1.0 + fill / batch) + memory_s + host_s)


def power_pressure(replica: Replica) -> Floats:
    """How hard a device's peak rate presses on its power limit: peak over power, over the usual. [1]"""
    ratio = replica.wide_device.peak_flop_per_s / replica.devices.power_w[replica.accelerator] / USUAL_FLOP_PER_JOULE
    return np.where(np.isfinite(ratio) & (ratio > 0), ratio, 1.0)


def machine_balance(replica: Replica) -> Floats:
    """FLOPs at a device's peak rate in the time that its memory moves one value, over the usual. [1]

    What lies between products (norms, activations, pooling) waits for the memory: the more FLOPs a device has for each
    value that it moves, the smaller is the share of its peak that a pass reaches (Williams et al., Roofline, 2009).
    """
    device = replica.ffn.device
    ratio = device.peak_flop_per_s * VALUE_BYTES[replica.formats.ffn] / device.bandwidth_bytes_per_s
    return np.where(np.isfinite(ratio) & (ratio > 0), ratio / USUAL_FLOP_PER_VALUE, 1.0)


def sample_passes(
    model: Model,
    flop: float,
    replica: Replica,
    weight_precision: Integers,
    engine: str,
    context: Context,
    kind: ModelKind,
) -> SamplePasses:
    """Passes of candidates over samples of so many FLOPs."""
    stacks, device = context.calibration.stacks, replica.ffn.device
    rates, known = _rates(kind, replica, weight_precision, engine, context)
    weights = float(model_parameters(model).total) * FORMAT_WEIGHT_BYTES[replica.formats.ffn]
    pressed = power_pressure(replica) ** rates["sample_power"] * machine_balance(replica) ** rates["sample_balance"]
    work = leaf(flop, "sample_flop", "flop", "model: forward FLOPs of a request")
    return SamplePasses(
        compute_s=rates["sample_compute"] * pressed * work / device.peak_flop_per_s,
        fill=rates["sample_fill"],
        weights_s=rates["sample_memory"] * weights / device.bandwidth_bytes_per_s,
        activation_s=rates["sample_memory"] * model.activation_bytes_per_sample / device.bandwidth_bytes_per_s,
        host_s=rates["sample_host_s"],
        log_sd=np.where(known, _log_sd(stacks, True), _log_sd(stacks, False)),
    )


def _rates(
    kind: ModelKind, replica: Replica, weight_precision: Integers, engine: str, context: Context
) -> tuple[dict[str, Floats], NDArray[np.bool_]]:
    """The stack's parameters, and whether its software was measured on the family of devices."""
    stacks, wide = context.calibration.stacks, [PRECISION_INDEX[name] for name in WIDE_FORMATS]
    keys = list(zip(replica.accelerator.tolist(), (~np.isin(weight_precision, wide)).tolist(), strict=True))
    found: dict[tuple[int, bool], tuple[dict[str, float], bool]] = {}
    software = stacks.sample_software(engine, kind)
    for key in set(keys):
        device = context.catalog.accelerators[context.devices.ids[key[0]]]
        family = stacks.family_of(device.architecture, device.kind, device.memory_type)
        traits = StackTraits(software, family, kind, key[1])
        found[key] = logs_of(traits, stacks), is_known(traits, stacks)
    rates = {
        name: stacks.usual[name] * np.exp(np.array([found[key][0].get(name, 0.0) for key in keys])) for name in RATES
    }
    return rates, np.array([found[key][1] for key in keys], bool)


def _log_sd(stacks: InferenceStacks, known: bool) -> float:
    """Half the width of the band of samples, as a standard deviation of logarithms; the wider where none is stated."""
    widths = [one.high - one.low for one in stacks.bands if one.load == "samples" and one.is_known is known]
    return max(widths, default=2.0) / (2.0 * Z_80)
