"""Samples per second of models without an answer: images, encoded sequences, pictures drawn, speech heard."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.forward_flops import forward_flop_per_token
from gpuplanner_gui.engine.parameters import model_parameters

Floats = NDArray[np.float64]

USUAL_BATCH = 64.0
"""Samples that an engine works on at once where nobody says."""
WEIGHT_BYTES = 2.0


@dataclass(frozen=True)
class SampleWork:
    """What one sample takes."""

    flop: Floats
    weight_bytes: float
    activation_bytes: Floats


def sample_flop(model: Model, tokens: Floats) -> Floats:
    """Forward FLOPs of a sample; of a sequence of `tokens` where the model has token layers and a length is given.

    Attention of an encoder sees the whole sequence.
    """
    whole = np.full(np.shape(tokens), float(model.flop_per_sample))
    if not model.layers:
        return whole
    lengths = np.maximum(tokens, 1.0)
    by_length = forward_flop_per_token(model, lengths).total * lengths
    return np.where((tokens > 0) | (model.flop_per_sample <= 0), by_length, whole)


def sample_time_s(
    model: Model,
    tokens: Floats,
    batch: Floats,
    peak_flop_per_s: Floats,
    bandwidth_bytes_per_s: Floats,
    engine: EngineFacts,
) -> Floats:
    """Seconds of a batch of samples on one device.

    Compute at the engine's share of the peak, which small batches do not reach; weights and activations at the
    bandwidth; launches. FLOPs follow from the model's layers or are stated with it.
    """
    parameters = float(model_parameters(model).total)
    flop = sample_flop(model, tokens) * batch
    moved = parameters * WEIGHT_BYTES + float(model.activation_bytes_per_sample) * batch
    full = engine.sample_compute_share * peak_flop_per_s
    compute_s = (flop + engine.sample_fill_flop) / full
    memory_s = moved / (engine.sample_bandwidth_share * bandwidth_bytes_per_s)
    return np.asarray(np.maximum(compute_s, memory_s) + engine.sample_host_s)
