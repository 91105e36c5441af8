"""How a replica schedules: batching, limits, drafts; and what the client adds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

from gpuplanner_gui.engine.simulation.step_time import Speculation


class Batching(Enum):
    """Which requests share a step."""

    STATIC = "static"
    """A full batch is prefilled, decoded to its longest output and returned together."""
    DYNAMIC = "dynamic"
    """Static batches, but an incomplete one starts when its first request has waited long enough."""
    PREFILL_FIRST = "prefill_first"
    """Continuous, a step either prefills whole prompts (first) or decodes."""
    MIXED = "mixed"
    """Continuous, whole prompts join the decoding batch in one step."""
    CHUNKED = "chunked"
    """Continuous, prompts join in chunks that fill a token budget."""


@dataclass(frozen=True)
class ReplicaSettings:
    """Engine settings of one replica.

    `kv_tokens` is what its KV cache holds, `kv_block_tokens` the allocator's block: a sequence wastes half a block less
    half a token on average, and is charged that mean. `batch_wait_s` is for dynamic batching only.
    """

    max_sequences: int
    token_budget: int
    kv_tokens: float = math.inf
    batching: Batching = Batching.CHUNKED
    kv_block_tokens: int = 16
    reserves_output: bool = False
    speculation: Speculation | None = None
    batch_wait_s: float = 0.0

    def __post_init__(self) -> None:
        if self.max_sequences < 1 or self.token_budget < 1 or self.kv_block_tokens < 1:
            raise ValueError("max_sequences, token_budget and kv_block_tokens need to be 1 or more")

    @property
    def kv_waste_tokens(self) -> float:
        return (self.kv_block_tokens - 1) / 2

    @property
    def tokens_per_sequence(self) -> int:
        """Tokens that one decoding sequence puts through the model in a step."""
        return 1 if self.speculation is None else self.speculation.verified_tokens

    @property
    def sequences_at_once(self) -> int:
        """Batch limit: the engine's, or what the token budget holds when every sequence decodes."""
        return max(1, min(self.max_sequences, self.token_budget // self.tokens_per_sequence))
