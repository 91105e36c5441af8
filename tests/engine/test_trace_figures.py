"""What a trace says in figures, against plain counting and the published statistics of the same traces."""

from __future__ import annotations

import math
import statistics
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.domain.trace import Trace
from gpuplanner_gui.engine.simulation.traffic import (
    TraceArrivals,
    peak_over_mean,
    rank_correlation,
    trace_figures,
    trace_sample,
)
from gpuplanner_gui.files.traces import read_trace

DATA = Path(__file__).parents[1] / "files" / "traces" / "data"


def trace_of(times, prompts=None, outputs=None, cached=None, has_prefixes=False) -> Trace:
    times = np.asarray(times, dtype=np.float64)
    ones = np.ones(len(times), dtype=np.int64)
    return Trace(
        name="t",
        format="columns",
        arrival_s=times,
        prompt_tokens=ones * 100 if prompts is None else np.asarray(prompts),
        output_tokens=ones * 10 if outputs is None else np.asarray(outputs),
        cached_tokens=ones * 0 if cached is None else np.asarray(cached),
        session=-ones,
        rows=len(times),
        bad_rows=0,
        first_bad=(),
        failed_requests=0,
        rows_out_of_order=0,
        has_prefixes=has_prefixes,
    )


def test_rate_peaks_and_gaps_by_hand():
    times = [0.0, 0.1, 0.2, 5.0, 9.0, 12.0, 20.0]
    figures = trace_figures(trace_of(times))
    assert figures.rate_per_s == 7 / 20
    # 20 whole seconds hold the six arrivals before 20 s; the first second three of them.
    assert figures.peak_over_mean_1s == pytest.approx(3 / (6 / 20))
    assert figures.peak_over_mean_10s == pytest.approx(5 / (6 / 2))
    assert figures.peak_over_mean_60s == 0.0
    gaps = np.diff(times)
    assert figures.gap_cv == pytest.approx(statistics.pstdev(gaps) / statistics.mean(gaps))


def test_lengths_and_prefixes_by_hand():
    figures = trace_figures(trace_of([0, 1, 2, 3], [10, 20, 30, 40], [4, 3, 2, 1], [0, 10, 0, 30], True))
    assert figures.prompt_tokens.mean == 25
    assert figures.prompt_tokens.p50 == 25
    assert figures.prompt_tokens.longest == 40
    assert figures.prompt_tokens.log_sd == pytest.approx(statistics.pstdev(np.log([10, 20, 30, 40])))
    assert figures.prefix_share == pytest.approx(40 / 100)
    assert figures.length_correlation == pytest.approx(-1)


def test_equal_values_share_their_rank():
    assert rank_correlation(np.array([1, 1, 2, 3]), np.array([1, 1, 2, 3])) == pytest.approx(1.0)
    assert rank_correlation(np.array([5, 5, 5]), np.array([1, 2, 3])) == 0.0


@given(st.lists(st.floats(0, 5000), min_size=2, max_size=200).map(sorted), st.sampled_from([1.0, 10.0, 60.0]))
def test_peaks_are_those_of_all_windows_counted_one_by_one(times, window_s):
    windows = int((times[-1] - times[0]) / window_s)
    counts = [0] * windows
    for time in times:
        place = int((time - times[0]) / window_s)
        if place < windows:
            counts[place] += 1
    expected = max(counts) / statistics.mean(counts) if windows else math.nan
    assert peak_over_mean(np.asarray(times), window_s) == pytest.approx(expected, nan_ok=True)


def test_a_trace_of_years_takes_no_memory_of_seconds():
    figures = trace_figures(trace_of([0.0, 1.0, 3e8]))
    assert figures.peak_over_mean_1s == pytest.approx(1.5e8, rel=1e-6)


def test_a_trace_of_one_moment_has_no_rate():
    figures = trace_figures(trace_of([0.0, 0.0]))
    assert (figures.rate_per_s, figures.duration_s, figures.gap_cv, figures.peak_over_mean_1s) == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("name", "rate", "gap_cv", "peak_1s", "prompt_mean", "prompt_p99", "output_mean"),
    [
        ("azure-llm-2023-conv.csv", 5.53, 1.09, 2.9, 1155, 4142, 211),
        ("azure-llm-2023-code.csv", 2.57, 13.2, 26, 2048, 7436, 28),
        ("mooncake-conversation.jsonl", 3.40, 3.0, 8.2, 12_035, 85_400, 343),
    ],
)
def test_beginnings_of_published_traces_are_like_the_whole(
    name, rate, gap_cv, peak_1s, prompt_mean, prompt_p99, output_mean
):
    """Figures of the whole traces stand in docs/derivations/load.md#recorded-traffic; here are their beginnings."""
    figures = trace_figures(read_trace(DATA / name))
    assert figures.rate_per_s == pytest.approx(rate, rel=0.35)
    assert figures.gap_cv == pytest.approx(gap_cv, rel=0.35)
    assert peak_1s * 0.3 < figures.peak_over_mean_1s <= peak_1s
    assert figures.prompt_tokens.mean == pytest.approx(prompt_mean, rel=0.35)
    assert figures.prompt_tokens.p99 == pytest.approx(prompt_p99, rel=0.25)
    assert figures.output_tokens.mean == pytest.approx(output_mean, rel=0.3)


def test_replay_keeps_the_pattern_and_takes_the_rate():
    arrivals = TraceArrivals(np.array([0.0, 1.0, 1.5, 6.0]))
    times = arrivals.times_s(4, 2.0, 0)
    assert times[-1] == pytest.approx(2.0)
    np.testing.assert_allclose(times / times[-1], [0, 1 / 6, 1.5 / 6, 1])
    again = arrivals.times_s(9, 2.0, 0)
    assert again[-1] == pytest.approx(4.5)
    assert (np.diff(again) > 0).all()


def test_sample_holds_the_requests_within_the_longest_context():
    sample = trace_sample(trace_of([0, 1], [50, 5000], [100, 100], [10, 4000], True), longest_tokens=1000)
    assert sample.requests.prompt_tokens.tolist() == [50, 999]
    assert sample.requests.output_tokens.tolist() == [100, 1]
    assert sample.requests.cached_tokens.tolist() == [10, 998]
    assert (sample.requests.prompt_tokens + sample.requests.output_tokens <= 1000).all()


def test_sample_of_a_trace_runs_at_its_rate():
    trace = read_trace(DATA / "azure-llm-2023-conv.csv")
    requests = trace_sample(trace).at_rate(20.0)
    assert len(requests) == 600
    assert requests.arrival_s[-1] == pytest.approx(600 / 20.0)
