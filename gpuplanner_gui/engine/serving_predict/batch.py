"""One batch from start to end: prefill of all prompts, then decode to the last token; one stream is a batch of one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.engine.serving_predict.configuration import Configuration
from gpuplanner_gui.engine.serving_predict.points import Pass, one_pass
from gpuplanner_gui.engine.serving_rates import EngineRates

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class BatchPasses:
    """Kernel times of a batch, an entry per case."""

    batch: Floats
    """Sequences of the whole batch."""
    running: Floats
    """Of them, as many as the cache holds."""
    prompt_tokens: Floats
    output_tokens: Floats
    prefill_passes: Floats
    prefill: Pass
    decode: Pass


@dataclass(frozen=True)
class BatchTimes:
    """Seconds of a batch."""

    prefill_s: Floats
    decode_step_s: Floats
    decode_s: Floats

    @property
    def total_s(self) -> Floats:
        return self.prefill_s + self.decode_s


def batch_passes(
    cases: Configuration, batch: Floats, prompt_tokens: Floats, output_tokens: Floats, beams: Floats
) -> BatchPasses:
    """Kernel times of batches; beams decode side by side and share their prompt."""
    held = cases.sequences_held(prompt_tokens + output_tokens / 2)
    running = np.maximum(np.minimum(batch, np.maximum(held / beams, 1.0)), 1.0)
    tokens = np.maximum(prompt_tokens, 1.0)
    groups = cases.replica.layout.data_parallel
    chunks = np.ceil(tokens / cases.token_budget)
    chunk = tokens / chunks
    together = np.minimum(np.maximum(np.floor(cases.token_budget / chunk), 1.0) * groups, running)
    zero = np.zeros_like(batch)
    return BatchPasses(
        batch=batch,
        running=running,
        prompt_tokens=prompt_tokens,
        output_tokens=output_tokens,
        prefill_passes=chunks * batch / together,
        prefill=one_pass(cases, zero, zero, together, chunk, (chunks - 1) * chunk / 2),
        decode=one_pass(cases, running * beams, prompt_tokens + output_tokens / 2, zero, zero, zero),
    )


def batch_times(passes: BatchPasses, rates: EngineRates) -> BatchTimes:
    """A batch that the cache does not hold at once runs in waves, each decoding to its end."""
    step_s = passes.decode.total_s(rates)
    entry_s = rates.request_host_s + rates.prompt_token_host_s * passes.prompt_tokens
    prefill_s = passes.prefill.prompts_s(rates) * passes.prefill_passes + entry_s
    waves = passes.batch / passes.running
    steps = np.maximum(passes.output_tokens - 1.0, 0.0)
    return BatchTimes(np.where(passes.prompt_tokens > 0, prefill_s, 0.0), step_s, waves * steps * step_s)
