"""How requests arrive over seconds, a day, and years, and what recorded traffic says of it."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from gpuplanner_gui.domain.field import about
from gpuplanner_gui.domain.quantity import Quantity, Triangular, central

Arrivals = Literal["poisson", "gamma", "mmpp", "trace", "users", "batch"]

READING_TIME_S = 15.0
"""From an answer to the same person's next request, where nothing else is said: NVIDIA's AIPerf, user-centric timing,
has a customer read a reply for some 15 s (docs.nvidia.com/aiperf, read November 2026)."""
DAYS_PER_WEEK = 7


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
        about("Prefix-cache hits", "share",
              "Share of prompt tokens, with an unlimited cache; empty: the trace does not tell.", minimum=0,
              maximum=1),
    ] = None  # fmt: skip


BUSIEST_HELP = "Load relative to the mean of its hour, for arrivals in bursts. A trace's own comes first."


class Traffic(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How requests arrive over seconds, a day, and years."""

    arrivals: Annotated[
        Arrivals,
        about(
            "Arrivals",
            "",
            "How requests arrive: at random with the stated burstiness, in bursts given by the busiest windows, as"
            " recorded in the trace, from users who wait for each answer, or all at once as a batch with a deadline.",
        ),
    ] = "poisson"
    burstiness_cv: Annotated[
        Quantity,
        about("Burstiness", "", "Coefficient of variation of the gaps between requests; 1: Poisson arrivals.",
              minimum=0.1, maximum=100),
    ] = Triangular(1.0, 1.0, 2.0)  # fmt: skip
    users: Annotated[
        float,
        about(
            "Concurrent users",
            "",
            "Users active at the peak, for arrivals by users. Request rates then only set the mix of classes.",
            above=0,
            maximum=1e9,
        ),
    ] = 1.0
    think_time_s: Annotated[
        float,
        about(
            "Think time",
            "s",
            "Time from an answer to the same user's next request, for arrivals by users.",
            minimum=0,
            maximum=1e6,
        ),
    ] = 0.0
    batch_requests: Annotated[
        float,
        about(
            "Requests of a batch",
            "",
            "Of all classes together. Their request rates then only set the mix of classes.",
            minimum=1,
            maximum=1e15,
        ),
    ] = 1_000_000.0
    batch_time_s: Annotated[
        float,
        about(
            "Time for a batch",
            "s",
            "From its start, at midnight, to its last answer. A new one comes every day that has load.",
            minimum=60,
            maximum=366 * 86_400.0,
        ),
    ] = 8 * 3600.0
    peak_over_mean_1s: Annotated[
        float, about("Busiest second", "", BUSIEST_HELP, minimum=1, maximum=1000, advanced=True)
    ] = 3.0
    peak_over_mean_10s: Annotated[
        float, about("Busiest 10 s", "", BUSIEST_HELP, minimum=1, maximum=1000, advanced=True)
    ] = 2.0
    peak_over_mean_60s: Annotated[
        float, about("Busiest minute", "", BUSIEST_HELP, minimum=1, maximum=1000, advanced=True)
    ] = 1.5
    mean_over_peak: Annotated[
        Quantity,
        about(
            "Mean over peak", "share", "Average load of a day as a share of its peak.", above=0, maximum=1, slides=True
        ),
    ] = 0.5
    hours: Annotated[
        tuple[float, ...],
        about(
            "Load by hour",
            "",
            "Relative load from midnight; empty: a cosine over the day.",
            minimum=0,
            maximum=1e9,
            advanced=True,
            most=168,
        ),
    ] = ()
    days: Annotated[
        tuple[float, ...],
        about(
            "Load by day",
            "",
            "Relative load from Monday; days left out have no load; empty: all days are alike.",
            minimum=0,
            maximum=1e9,
            advanced=True,
            most=366,
        ),
    ] = ()
    growth_per_year: Annotated[
        Quantity,
        about("Growth", "1/y", "Yearly growth of the load; 0.5: 50 % more each year.", minimum=-1, maximum=100),
    ] = 0.0
    trace: Annotated[TraceFigures | None, about("Trace", "", "Recorded traffic that these figures come from.")] = None

    @property
    def recorded_bursts(self) -> TraceFigures | None:
        """The trace, where arrivals are like its own and it is long enough to say how they bunch."""
        one = self.trace
        if self.arrivals != "trace" or one is None or not one.rate_per_s > 0:
            return None
        return one if all((one.peak_over_mean_1s, one.peak_over_mean_10s, one.peak_over_mean_60s)) else None

    @property
    def busiest_windows(self) -> tuple[float, float, float]:
        """Load of the busiest second, ten seconds and minute over the mean: the trace's, else as stated."""
        one = self.recorded_bursts or self
        return one.peak_over_mean_1s, one.peak_over_mean_10s, one.peak_over_mean_60s

    @property
    def mean_share_of_peak(self) -> float:
        """Average load of the week over the peak: that of the busiest day, as its hours or the planner say, times the
        days' average over the busiest."""
        day, hours = central(self.mean_over_peak), self.known_hours
        if hours:
            day = sum(hours) / len(hours) / max(hours)
        return day * self.week_share

    @property
    def is_batch(self) -> bool:
        """Whether all requests are there at once and have a deadline."""
        return self.arrivals == "batch"

    @property
    def known_hours(self) -> tuple[float, ...]:
        """Load by hour where it says what a day is like: as stated, or the hours that a batch takes; else empty."""
        if self.is_batch:
            hours = self.batch_time_s / 3600.0
            return tuple(min(max(hours - start, 0.0), 1.0) for start in range(24))
        return self.hours if self.hours and max(self.hours) > 0 else ()

    @property
    def week(self) -> tuple[float, ...]:
        """Load of each day from Monday over that of the busiest, seven numbers; a day that is not stated has none.

        Numbers beyond the seventh go on with further weeks: each day counts with the mean of its own.
        """
        if not self.days or not max(self.days) > 0:
            return (1.0,) * DAYS_PER_WEEK
        own = [self.days[day::DAYS_PER_WEEK] for day in range(DAYS_PER_WEEK)]
        means = [sum(stated) / len(stated) if stated else 0.0 for stated in own]
        return tuple(mean / max(means) for mean in means)

    @property
    def week_share(self) -> float:
        """Average load of a day over that of the busiest."""
        return sum(self.week) / DAYS_PER_WEEK
