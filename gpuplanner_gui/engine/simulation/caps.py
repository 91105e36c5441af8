"""What bounds the requests in one step of a replica: its token budget, its sequences, its cache."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.engine.simulation.arrays import Numbers, as_floats
from gpuplanner_gui.engine.simulation.mix import RequestMix


@dataclass(frozen=True)
class ReplicaCaps:
    """Limits of one replica's engine; scalars or arrays over candidates.

    `kv_tokens` is what the KV cache holds; `reserves_output` says that a request gets room for its whole output when it
    is admitted.
    """

    token_budget: Numbers
    max_sequences: Numbers
    kv_tokens: Numbers
    reserves_output: bool = False

    def kv_token_steps(self, mix: RequestMix) -> Floats:
        """KV tokens held × steps per request. [tokens]"""
        if self.reserves_output:
            held = mix.context_output + mix.output_squared
            return held + mix.attention_pairs / as_floats(self.token_budget)
        return mix.kv_token_steps(self.token_budget)

    def requests_per_step(self, mix: RequestMix) -> tuple[Floats, Integers]:
        """Largest throughput per step, in requests, and which of token budget, sequences and cache sets it."""
        bounds = np.stack(
            np.broadcast_arrays(
                as_floats(self.token_budget) / mix.tokens,
                as_floats(self.max_sequences) / mix.output_tokens,
                as_floats(self.kv_tokens) / self.kv_token_steps(mix),
            )
        )
        return np.asarray(bounds.min(axis=0)), np.asarray(bounds.argmin(axis=0))
