"""What a request waits for beside prefill and queue: its host time, and the steps that an engine schedules ahead."""

from __future__ import annotations

from dataclasses import dataclass

from gpuplanner_gui.domain.serving_engine import EngineFacts

REST_OF_STEP = 0.5
"""Steps that a prompt waits for on average where the next one takes it in, as closed form and simulation have it."""


@dataclass(frozen=True)
class Admission:
    """Of an engine as it comes, for requests of one mean prompt length.

    The crowds that delay the prompts of closed loops are left out: runs at a request rate do not show them.
    """

    host_s: float
    """Arrival to first step, the reply, tokenising. [s]"""
    late_steps: float
    """Steps until a prompt is taken in, beyond the rest of the one that runs. [1]"""


WITHOUT_HOST = Admission(host_s=0.0, late_steps=0.0)
"""Of samples: what their passes take on the host was fitted with them."""


def admission_of(engine: EngineFacts, prompt_tokens: float) -> Admission:
    """What an engine adds for prompts of a mean length."""
    host_s = engine.request_host_s + engine.prompt_token_host_s * prompt_tokens
    return Admission(host_s, max(engine.admission_steps - REST_OF_STEP, 0.0))
