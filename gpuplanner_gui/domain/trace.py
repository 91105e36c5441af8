"""A recorded trace of traffic: its requests as columns, and what it says in figures."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.field import about

TraceFormat = Literal["azure_llm", "burstgpt", "mooncake", "columns"]


class BadRow(msgspec.Struct, frozen=True):
    """A row that holds no request: its line, and what is wrong with it."""

    line: int
    what: str


class Trace(msgspec.Struct, frozen=True, kw_only=True):
    """Requests in order of arrival, arrays of shape (n,).

    `cached_tokens` are the first tokens of each prompt that an earlier prompt began with too: what an unlimited prefix
    cache would find. `session` counts conversations from 0; −1 where the trace names none.
    """

    name: str
    format: TraceFormat
    arrival_s: NDArray[np.float64]
    """From the first request on."""
    prompt_tokens: NDArray[np.int64]
    output_tokens: NDArray[np.int64]
    cached_tokens: NDArray[np.int64]
    session: NDArray[np.int64]
    rows: int
    """Lines after the header that are not empty."""
    bad_rows: int
    first_bad: tuple[BadRow, ...]
    failed_requests: int
    """Requests that the service recorded did not answer; no bad rows, but no load that could be replayed."""
    rows_out_of_order: int
    """Rows that came later in the file than one with a later time; all are sorted."""
    has_prefixes: bool

    def __len__(self) -> int:
        return len(self.arrival_s)


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
