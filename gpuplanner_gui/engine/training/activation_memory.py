"""Activations, logits and working buffers on one device."""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.engine.explaining.formula import formula


@formula(
    title="Micro-batches in flight on the first stage",
    unit="",
    expression="min(micro_batches, p) · (1 + (p − 1)/(p·v)) with v > 1 virtual stages",
    source="Narayanan et al. 2021, Megatron-LM, section 2.2; Korthikanti et al. 2022, section 4.2.3",
)
def in_flight(micro_batches: Floats, p: Integers, v: Integers) -> Floats:
    """Micro-batches whose activations the first stage holds at once; zero-bubble schedules hold as many as 1F1B."""
    interleaving = np.where((v > 1) & (p > 1), 1.0 + (p - 1) / (p * np.maximum(v, 1)), 1.0)
    return np.minimum(micro_batches, p * interleaving)


@formula(
    title="Micro-batches in flight on the last stage",
    unit="",
    expression="min(micro_batches, 1) without, min(micro_batches, ((v − 1)·p + 1)/v) with v > 1 virtual stages",
    source="Narayanan et al. 2021, Megatron-LM, section 2.2: the other chunks run before the first backward pass",
)
def last_in_flight(micro_batches: Floats, p: Integers, v: Integers) -> Floats:
    """Micro-batches whose activations the last stage holds at once."""
    interleaved = ((v - 1) * p + 1.0) / np.maximum(v, 1)
    return np.asarray(np.minimum(micro_batches, np.where((v > 1) & (p > 1), interleaved, 1.0)))


@formula(
    title="Micro-batches in flight with DualPipe",
    unit="",
    expression="min(micro_batches, p + ½)",
    source="DeepSeek-V3 report 2024, table 2: PP + 1 of half stages, cut in half so that weights stand once",
)
def dualpipe_in_flight(micro_batches: Floats, p: Integers) -> Floats:
    """Micro-batches whose activations every stage holds at once; they come in from both ends."""
    return np.asarray(np.minimum(micro_batches, np.where(p > 1, p + 0.5, 1.0)))


@formula(
    title="Activations on a device",
    unit="bytes",
    expression="tokens · stage share · (kept_bytes_per_token · in_flight + live_bytes_per_token) / shared_ways",
    source="Korthikanti et al. 2022, sections 4 and 5, for current layers (docs/derivations/training.md#activations)",
)
def activation_bytes(
    tokens: Floats,
    stage_share: Floats,
    kept_bytes_per_token: Floats,
    in_flight: Floats,
    live_bytes_per_token: Floats,
    shared_ways: Integers,
) -> Floats:
    """Activations between forward and backward pass. [bytes]

    `tokens` of a micro-batch, `stage_share` of the model's layers on the device, `kept_bytes_per_token` of all layers,
    `live_bytes_per_token` of the layer being recomputed, `shared_ways` tensor (sequence) times context parallelism.
    """
    return tokens * (kept_bytes_per_token * stage_share * in_flight + live_bytes_per_token) / shared_ways


@formula(
    title="Logits and loss on a device",
    unit="bytes",
    expression="logit_bytes · tokens · vocabulary / shared_ways",
    source="16-bit logits, their FP32 copy, and the gradients of both (docs/derivations/training.md#logits)",
)
def logits_bytes(logit_bytes: float, tokens: Floats, vocabulary: float, shared_ways: Integers) -> Floats:
    """What the loss of one micro-batch needs on the last stage. [bytes]"""
    return logit_bytes * tokens * vocabulary / shared_ways


@formula(
    title="Fragmentation",
    unit="bytes",
    expression="fragmentation · (activations + logits)",
    source="reserved less allocated memory: what comes and goes within a step leaves gaps",
)
def fragmentation_bytes(fragmentation: float, activations: Floats, logits: Floats) -> Floats:
    """What the allocator reserves beyond what is allocated. [bytes]"""
    return fragmentation * (activations + logits)


@formula(
    title="Communication buffers",
    unit="bytes",
    expression="gathered_layers · layer_bytes + head_weights + head_gradients + bucket_bytes",
    source="ZeRO-3 gathers layers and head for use; frameworks reduce gradients by the bucket",
)
def buffer_bytes(
    gathered_layers: Floats, layer_bytes: Floats, head_weights: Floats, head_gradients: Floats, bucket_bytes: Floats
) -> Floats:
    """Weights gathered for use, gradients not yet reduced, buckets. [bytes]"""
    return gathered_layers * layer_bytes + head_weights + head_gradients + bucket_bytes


@formula(
    title="Runtime and buffers on a device",
    unit="bytes",
    expression="library_bytes + buffers + fragmentation",
    source="sum of the parts; device context and NCCL take 1 to 4 GB "
    "(docs/derivations/training.md#runtime-and-buffers)",
)
def runtime_bytes(library_bytes: Floats, buffers: Floats, fragmentation: Floats) -> Floats:
    """What a device holds beside state and activations. [bytes]"""
    return library_bytes + buffers + fragmentation
