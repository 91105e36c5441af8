"""How much more, or how much less, a candidate's memory would hold: the questions asked backwards."""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated

import msgspec

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.field import about


class MemoryPart(IntEnum):
    """At which part a device's memory runs out; parts are laid down in this order."""

    NONE = 0
    """Everything fits."""
    WEIGHTS = 1
    ACTIVATIONS = 2
    RUNTIME = 3
    KV_CACHE = 4
    UNKNOWN = 5
    """The memory size is not known."""


class ServingLimits(msgspec.Struct, frozen=True, kw_only=True):
    """One entry per candidate; bytes are of one device."""

    concurrency: float
    """Sequences that the questions take for given."""
    context_tokens: float
    model_parameters: float
    model_context: int
    """Longest context that the model was made for; 0: not stated."""
    free_bytes: Annotated[Floats, about("Free", "bytes", "Free memory; negative: memory that is missing.")]
    runs_out_at: Annotated[Integers, about("Runs out at", "", "A `MemoryPart`.")]
    largest_concurrency: Annotated[Floats, about("Largest concurrency", "seq", "At the given context.")]
    longest_context: Annotated[Floats, about("Longest context", "tok", "At the given concurrency, by memory alone.")]
    largest_parameters: Annotated[
        Floats, about("Largest model", "param", "With this model's cache, activations and mix of formats.")
    ]
    contexts: Floats
    """Tokens, from short to long; the rows of `concurrency_by_context`."""
    concurrency_by_context: Floats
    """Sequences that fit; shape (contexts, candidates)."""
