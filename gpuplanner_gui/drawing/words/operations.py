"""Operations and phases of a model in a planner's words."""

from __future__ import annotations

import math

from gpuplanner_gui.domain.curves import BatchShares, RooflinePoint
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.units import decimals_text

PHASES = {"prefill": "Prefill", "decode": "Decode", "training": "Training step"}
WHOLE = ("step", "total")
OPERATIONS = {
    "qkv": "QKV", "qk_norm": "QK norm", "rope_cache": "Rotary, cache write", "attention": "Attention",
    "output": "Output", "output_down": "Output, down", "cross_query": "Cross query",
    "cross_attention": "Cross attention", "cross_output": "Cross output", "latent_down": "Latent down",
    "latent_up": "Latent up", "query_up": "Query up", "indexer": "Indexer", "indexer_scores": "Indexer scores",
    "convolution": "Convolution", "state": "Recurrent state", "state_input": "State input", "time_step": "Time step",
    "input": "Input", "ffn_up": "Gate, up", "ffn_activation": "Activation", "ffn_down": "Down",
    "router": "Router", "experts": "Experts", "dispatch": "Dispatch", "shared_up": "Shared gate, up",
    "shared_activation": "Shared activation", "shared_down": "Shared down", "dense_up": "Dense gate, up",
    "dense_activation": "Dense activation", "dense_down": "Dense down", "norms": "Norms", "head": "LM head",
    "embedding": "Embedding", "products": "Matrix products", "norms_and_activations": "Norms, activations",
    "head_and_loss": "Head, loss",
}  # fmt: skip


def is_phase(point: RooflinePoint) -> bool:
    """A whole phase, and not one of its operations."""
    return point.code in (point.phase, *WHOLE)


def phase_name(phase: str) -> str:
    return tr(PHASES.get(phase, phase.capitalize()))


def operation_name(code: str) -> str:
    """What engineers call an operation; its code in words where it has no other name."""
    return tr(OPERATIONS.get(code, code.replace("_", " ").replace(".", " ").capitalize()))


def point_name(point: RooflinePoint) -> str:
    return phase_name(point.phase) if is_phase(point) else operation_name(point.code)


def crossover_text(shares: BatchShares) -> str:
    """From which batch decoding is bound by compute, and whether the memory holds as many."""
    if not math.isfinite(shares.crossover_batch):
        return tr("Memory bandwidth limits decode at every batch size")
    crossover = decimals_text(shares.crossover_batch)
    if shares.crossover_batch > shares.largest_batch >= 1:
        words = tr("Compute limits decode from batch {crossover} on; memory holds {largest}")
        return words.format(crossover=crossover, largest=decimals_text(shares.largest_batch))
    return tr("Compute limits decode from batch {crossover} on").format(crossover=crossover)
