"""A recorded trace of traffic: its requests as columns. What it says in figures is in `traffic`."""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

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
    """Arrival times since the first request. [s]"""
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
