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
    peak_over_mean_1s: Annotated[float, about("Busiest second", "", "Over the mean; 0: too short to tell.", minimum=0)]
    peak_over_mean_10s: Annotated[float, about("Busiest 10 s", "", "Over the mean.", minimum=0)]
    peak_over_mean_60s: Annotated[float, about("Busiest minute", "", "Over the mean.", minimum=0)]
    gap_cv: Annotated[
        float, about("Burstiness", "", "CV of the gaps between requests; 0: too short to tell.", minimum=0)
    ]
    prompt_tokens: Annotated[LengthFigures, about("Prompt")]
    output_tokens: Annotated[LengthFigures, about("Answer")]
    length_correlation: Annotated[
        float, about("Correlation", "", "Of the ranks of prompt and answer.", minimum=-1, maximum=1)
    ] = 0.0
    prefix_share: Annotated[
        float | None,
        about("Prefix share", "", "Of prompt tokens, in an unlimited cache; none: not told.", minimum=0, maximum=1),
    ] = None
