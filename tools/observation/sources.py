"""What stands between the lines of a published row: whose protocol ran it, and what it leaves unsaid."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.domain.model import LatentAttention, Model
from gpuplanner_gui.files.benchmark_rows.question import Row, word
from tools.observation.habits import habits_of

USUAL, SWEEP = CLIENTS = ("usual", "sweep")
"""Repeated, dated runs; a release's own comparison."""
SHORTEST_SHARE = {USUAL: 0.8, SWEEP: 1.0}
"""Lengths vary evenly from this share of the stated, by client: comparisons of a release send equal ones, as the
answers of an engine that stops decoding for prompts show, which end together."""


@dataclass(frozen=True)
class Source:
    """How a row was measured."""

    client: str = USUAL
    recipe: str = ""
    """Release and month, for models that sources have a recipe of their own for; empty: none."""
    may_speculate: bool = False
    """Whether runs of the source use the model's prediction layer without saying so."""


def source_of(row: Row, case: ServingCase) -> Source:
    """What a row's columns give away."""
    is_dated = bool(word(row, "measured_on"))
    is_compared = not is_dated and word(row, "backend_version") in habits_of(case.engine).compared_releases
    has_recipe = is_dated and _is_latent(case.model)
    return Source(
        client=SWEEP if is_compared else USUAL,
        recipe=f"{word(row, 'backend_version')} {word(row, 'measured_on')[:7]}".strip() if has_recipe else "",
        may_speculate=has_recipe and not word(row, "engine_image"),
    )


def as_drawn(case: ServingCase, source: Source) -> ServingCase:
    """The case with the lengths that the source's client drew."""
    return msgspec.structs.replace(case, shortest_share=SHORTEST_SHARE[source.client])


def _is_latent(model: Model) -> bool:
    return any(isinstance(group.mixer, LatentAttention) for group in model.layers)
