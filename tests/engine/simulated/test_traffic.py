from __future__ import annotations

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.quantity import Lognormal, Normal, Range, Triangular
from gpuplanner_gui.domain.traffic import Traffic
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload, Slo
from gpuplanner_gui.engine.simulation.candidate_load import arrivals_of, scenario_sample, targets_of
from gpuplanner_gui.engine.simulation.traffic import gap_cv, peak_over_mean
from gpuplanner_gui.engine.uncertainty.distributions import quantile, representative_values

CHAT = RequestClass(name="chat", peak_rate_per_s=9.0, prompt_tokens=Lognormal(600.0, 0.8), output_tokens=200.0)
BATCH = RequestClass(
    name="batch",
    peak_rate_per_s=1.0,
    prompt_tokens=4000.0,
    output_tokens=Range(50.0, 150.0),
    prefix_cache_share=0.5,
    priority=3,
    slos=(Slo(metric="e2e", percentile=99.0, limit_s=60.0),),
)


@pytest.mark.parametrize(
    "quantity",
    [700.0, Range(100.0, 900.0), Triangular(100.0, 200.0, 900.0), Normal(500.0, 60.0), Lognormal(500.0, 0.9)],
)
def test_lengths_have_the_mean_that_the_closed_form_uses(quantity):
    shares = (np.arange(20_000) + 0.5) / 20_000
    assert quantile(quantity, shares).mean() == pytest.approx(representative_values(quantity).mean(), rel=0.005)


def test_classes_keep_share_lengths_cache_and_priority():
    sample = scenario_sample(ServingWorkload(classes=(CHAT, BATCH)), 100_000, 5000, seed=3)
    requests = sample.requests
    is_batch = requests.class_index == 1
    assert is_batch.mean() == pytest.approx(0.1, abs=0.015)
    assert (requests.prompt_tokens[is_batch] == 4000).all()
    assert (requests.cached_tokens[is_batch] == 2000).all()
    assert (requests.cached_tokens[~is_batch] == 0).all()
    assert set(requests.priority[is_batch]) == {3}
    assert requests.output_tokens[is_batch].mean() == pytest.approx(100, abs=2)


def test_requests_stay_within_the_longest_context():
    wide = msgspec.structs.replace(CHAT, prompt_tokens=Lognormal(3000.0, 2.0), output_tokens=Lognormal(3000.0, 2.0))
    requests = scenario_sample(ServingWorkload(classes=(wide,)), 8192, 2000).requests
    assert (requests.prompt_tokens + requests.output_tokens).max() <= 8192


def test_a_request_that_fits_the_context_is_simulated_whole():
    """A prompt of 127,000 tokens was once cut to half of a context of 131,072: its first token came far too early."""
    long = msgspec.structs.replace(CHAT, prompt_tokens=126_976.0, output_tokens=512.0)
    requests = scenario_sample(ServingWorkload(classes=(long,)), 131_072, 100).requests
    assert set(requests.prompt_tokens) == {126_976}
    assert set(requests.output_tokens) == {512}
    thoughtful = msgspec.structs.replace(CHAT, prompt_tokens=500.0, output_tokens=7000.0)
    assert set(scenario_sample(ServingWorkload(classes=(thoughtful,)), 8192, 100).requests.output_tokens) == {7000}


def test_same_seed_same_requests_to_the_bit():
    serving = ServingWorkload(classes=(CHAT, BATCH))
    first, again = (scenario_sample(serving, 1e5, 500, seed=7).at_rate(3.0) for _ in range(2))
    np.testing.assert_array_equal(first.arrival_s, again.arrival_s)
    np.testing.assert_array_equal(first.prompt_tokens, again.prompt_tokens)
    other = scenario_sample(serving, 1e5, 500, seed=8).at_rate(3.0)
    assert (first.arrival_s != other.arrival_s).any()


def test_arrivals_are_as_bursty_as_asked():
    plain = arrivals_of(Traffic(), 10.0).times_s(20_000, 10.0, 1)
    assert gap_cv(plain) == pytest.approx(1.0, abs=0.03)
    gamma = arrivals_of(Traffic(arrivals="gamma", burstiness_cv=3.0), 10.0).times_s(20_000, 10.0, 1)
    assert gap_cv(gamma) == pytest.approx(3.0, abs=0.3)
    bursts = arrivals_of(
        Traffic(arrivals="mmpp", peak_over_mean_1s=4.0, peak_over_mean_10s=3.0, peak_over_mean_60s=1.8), 10.0
    )
    times = bursts.times_s(36_000, 10.0, 1)
    assert peak_over_mean(times, 1.0) == pytest.approx(4.0, rel=0.25)
    assert peak_over_mean(times, 10.0) == pytest.approx(3.0, rel=0.3)


def test_a_trace_without_its_file_leaves_bursts_like_its_own(catalog):
    from pathlib import Path

    from gpuplanner_gui.engine.simulation.traffic import trace_figures
    from gpuplanner_gui.files.traces import read_trace

    data = Path(__file__).parents[2] / "files" / "traces" / "data" / "azure-llm-2023-code.csv"
    figures = trace_figures(read_trace(data))
    process = arrivals_of(Traffic(arrivals="trace", trace=figures), 2.0)
    times = process.times_s(8000, figures.rate_per_s, 1)
    assert gap_cv(times) > 1.5


def test_targets_name_their_class_and_percentile_as_a_share():
    targets = targets_of(ServingWorkload(classes=(CHAT, BATCH)))
    assert [(one.metric, one.percentile, one.class_index) for one in targets] == [
        ("ttft", 0.95, 0), ("tpot", 0.95, 0), ("e2e", 0.99, 1),
    ]  # fmt: skip
    assert {one.class_index for one in targets_of(ServingWorkload(classes=(CHAT, BATCH)), by_class=False)} == {None}
