"""What a trace says about traffic, in a few figures that a project keeps. Needs no NumPy, so that it opens fast."""

from __future__ import annotations

from typing import Annotated

import msgspec

from gpuplanner_gui.domain.field import about


class LengthFigures(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A distribution of lengths in tokens."""

    mean: Annotated[float, about("Mean", "tok", minimum=0)]
    p50: Annotated[float, about("p50", "tok", minimum=0)]
    p90: Annotated[float, about("p90", "tok", minimum=0)]
    p95: Annotated[float, about("p95", "tok", minimum=0)]
    p99: Annotated[float, about("p99", "tok", minimum=0)]
    longest: Annotated[float, about("Longest", "tok", minimum=0)]
    log_sd: Annotated[float, about("Spread", "", "Standard deviation of the logarithm.", minimum=0)]


class TraceFigures(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a trace says about traffic; small enough to stay in a project when the file is elsewhere."""

    name: Annotated[str, about("Trace")]
    requests: Annotated[int, about("Requests", minimum=0)]
    duration_s: Annotated[float, about("Duration", "s", minimum=0)]
    rate_per_s: Annotated[float, about("Mean rate", "req/s", minimum=0)]
    peak_over_mean_1s: Annotated[float, about("Busiest second", "", "Over the mean; 0: trace too short.", minimum=0)]
    peak_over_mean_10s: Annotated[float, about("Busiest 10 s", "", "Load relative to the mean.", minimum=0)]
    peak_over_mean_60s: Annotated[float, about("Busiest minute", "", "Load relative to the mean.", minimum=0)]
    gap_cv: Annotated[
        float,
        about("Burstiness", "", "Coefficient of variation of the gaps between requests; 0: the trace is too short.",
              minimum=0),
    ]  # fmt: skip
    prompt_tokens: Annotated[LengthFigures, about("Prompt")]
    output_tokens: Annotated[LengthFigures, about("Answer")]
    length_correlation: Annotated[
        float, about("Correlation", "", "Rank correlation of prompt and answer lengths.", minimum=-1, maximum=1)
    ] = 0.0
    prefix_share: Annotated[
        float | None,
        about("Prefix-cache hits", "",
              "Share of prompt tokens, with an unlimited cache; empty: the trace does not tell.", minimum=0,
              maximum=1),
    ] = None  # fmt: skip
