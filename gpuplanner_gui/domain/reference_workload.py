"""Lengths of well-known benchmark workloads, for published results that do not repeat them."""

from __future__ import annotations

from typing import Annotated

import msgspec

from gpuplanner_gui.domain.field import about


class ReferenceWorkload(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Mean lengths of one workload; `models` empty: any. A source is a beginning or part of the table's source."""

    workload: Annotated[str, about("Workload")]
    models: Annotated[tuple[str, ...], about("Models", "", "Catalogue identifiers; empty: any.")] = ()
    sources: Annotated[tuple[str, ...], about("Sources")] = ()
    prompt_tokens: Annotated[float, about("Prompt", "tok", minimum=0)]
    output_tokens: Annotated[float, about("Answer", "tok", above=0)]
    output_spread: Annotated[float, about("Spread of answers", "", "Standard deviation over mean.", minimum=0)] = 0.0
    beam_width: Annotated[int, about("Beams", minimum=1)] = 1
    sample_flop: Annotated[float, about("Work of a sample", "FLOP", "0: the model's own.", minimum=0)] = 0.0
    counts_tokens: Annotated[bool, about("Samples counted in tokens")] = False
    origin: Annotated[str, about("Origin")]


class ReferenceWorkloads(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All of them, the more special first; the last fits any row."""

    workloads: tuple[ReferenceWorkload, ...]
