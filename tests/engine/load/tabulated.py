"""A step time of any shape, for what must hold not only where times grow evenly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.simulation.arrays import Numbers, as_floats


@dataclass(frozen=True)
class TabulatedStepTime:
    """Step time of one configuration from tables, linear between entries.

    A step that only decodes takes `decode_s` at its batch; a step that also prefills takes `mixed_s` at its number of
    tokens. Both then read KV at `kv_token_s` of their batch; a batch of 0 is a step that only prefills.
    """

    batch: Floats
    decode_s: Floats
    kv_token_s: Floats
    tokens: Floats
    mixed_s: Floats
    attention_pair_s: float = 0.0

    def step_time_s(
        self,
        decode_sequences: Numbers,
        prefill_tokens: Numbers,
        kv_tokens_read: Numbers,
        attention_pairs: Numbers = 0.0,
    ) -> Floats:
        """See `StepTime`."""
        decoding, prefilling = np.broadcast_arrays(as_floats(decode_sequences), as_floats(prefill_tokens))
        decode_only = _interpolated(decoding, self.batch, self.decode_s)
        mixed = _interpolated(decoding + prefilling, self.tokens, self.mixed_s)
        base = np.where(prefilling > 0, mixed, decode_only)
        slope = np.interp(decoding, self.batch, self.kv_token_s)
        return np.asarray(base + slope * kv_tokens_read + self.attention_pair_s * as_floats(attention_pairs))


def _interpolated(at: Floats, grid: Floats, values: Floats) -> Floats:
    """Linear between grid points, and beyond the last with its slope."""
    slope = (values[-1] - values[-2]) / (grid[-1] - grid[-2])
    return np.asarray(np.interp(at, grid, values) + slope * np.maximum(at - grid[-1], 0.0))
