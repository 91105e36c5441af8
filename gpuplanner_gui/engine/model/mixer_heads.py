"""Heads of a layer's mixer, as far as tensor parallelism has to divide them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from gpuplanner_gui.domain.model import (
    Attention,
    CompressedAttention,
    LatentAttention,
    LinearAttention,
    Mixer,
    StateSpace,
)


@dataclass(frozen=True)
class MixerHeads:
    """What tensor parallelism divides of one mixer."""

    query: int = 0
    """0: nothing that it must divide."""
    kv: int = 0
    """0: every device holds all that is cached (latent vectors, shared wide heads)."""


def mixer_heads(mixer: Mixer | None) -> MixerHeads:
    """Heads of any mixer; none for recurrent ones, which are cut by their width."""
    if isinstance(mixer, Attention):
        return MixerHeads(mixer.heads, mixer.kv_heads)
    if isinstance(mixer, LatentAttention | CompressedAttention):
        return MixerHeads(mixer.heads)
    if isinstance(mixer, LinearAttention | StateSpace | None):
        return MixerHeads()
    assert_never(mixer)
