"""Values that stand for a distribution: as likely each, of its mean, spread as it is."""

from __future__ import annotations

import numpy as np
import pytest

from gpuplanner_gui.domain.quantity import Lognormal, Normal, Range, Triangular
from gpuplanner_gui.domain.workload import RequestClass
from gpuplanner_gui.engine.uncertainty.distributions import (
    STRATA,
    longest_request_tokens,
    refused_share,
    representative_values,
)


@pytest.mark.parametrize(
    ("quantity", "mean", "variance"),
    [
        (Range(100.0, 500.0), 300.0, 400.0**2 / 12),
        (Triangular(100.0, 200.0, 900.0), 400.0, (100**2 + 200**2 + 900**2 - 20_000 - 90_000 - 180_000) / 18),
        (Triangular(100.0, 900.0, 900.0), 1900 / 3, 800.0**2 / 18),
        (Normal(1000.0, 100.0), 1000.0, 100.0**2),
        (Lognormal(100.0, 0.5), 100 * np.exp(0.125), 1e4 * np.exp(0.25) * (np.exp(0.25) - 1)),
    ],
)
def test_values_have_the_mean_and_nearly_the_spread_of_their_distribution(quantity, mean, variance):
    values = representative_values(quantity)
    assert len(values) == STRATA
    assert (np.diff(values) > 0).all()
    assert values.mean() == pytest.approx(mean)
    # Mid-quantiles leave out the ends: their variance is a little small, most for a long tail.
    assert 0.8 * variance < values.var() < variance


def test_values_of_a_triangle_are_its_mid_quantiles():
    values = representative_values(Triangular(0.0, 100.0, 400.0), 2)
    # A quarter lies below 100; P25 is 100, P75 is 400 - sqrt(0.25 · 400 · 300).
    low, high = 100.0, 400.0 - np.sqrt(0.25 * 400.0 * 300.0)
    assert values == pytest.approx(np.array([low, high]) * (500.0 / 3) / ((low + high) / 2))


def test_a_plain_number_stands_for_itself():
    assert representative_values(250.0).tolist() == [250.0]


def test_the_context_of_a_service_holds_all_but_one_request_in_a_thousand():
    """A chat of lognormal lengths was once launched with twice its mean, which refused one request in ten."""
    lengths = Lognormal(710.0, 0.99), Lognormal(146.0, 0.86)
    chat = RequestClass(peak_rate_per_s=1.0, prompt_tokens=lengths[0], output_tokens=lengths[1])
    longest = longest_request_tokens((chat,))
    drawn = np.random.default_rng(1)
    prompts, answers = (one.median * np.exp(one.sigma * drawn.standard_normal(400_000)) for one in lengths)
    assert 0.998 < np.mean(prompts + answers <= longest) < 0.9998
    plain = RequestClass(peak_rate_per_s=1.0, prompt_tokens=1000.0, output_tokens=200.0)
    assert longest_request_tokens((plain,)) == 1200.0
    assert longest_request_tokens((chat, plain)) == longest


def test_share_refused_is_that_of_prompts_and_answers_too_long_together():
    """A uniform prompt of 0 to 1,000 and an answer of 100: longer than 900 in two cases of ten, exactly."""
    one = RequestClass(peak_rate_per_s=1.0, prompt_tokens=Range(1.0, 1001.0), output_tokens=100.0)
    assert refused_share((one,), 901.0) == pytest.approx(0.2, abs=1e-3)
    # Two uniform lengths of 0 to 1,000: their sum is over 1,500 with (500 / 1,000)² / 2.
    both = RequestClass(peak_rate_per_s=1.0, prompt_tokens=Range(1.0, 1001.0), output_tokens=Range(1.0, 1001.0))
    assert refused_share((both,), 1502.0) == pytest.approx(0.125, abs=1e-3)
    short = RequestClass(peak_rate_per_s=3.0, prompt_tokens=10.0, output_tokens=10.0)
    assert refused_share((one, short), 901.0) == pytest.approx(0.05, abs=1e-3)
    assert refused_share((short,), 20.0) == 0.0
    assert refused_share((short,), 19.0) == 1.0


def test_the_planned_context_refuses_about_one_in_a_thousand():
    one = RequestClass(peak_rate_per_s=1.0, prompt_tokens=Lognormal(710.0, 0.99), output_tokens=Lognormal(146.0, 0.86))
    share = refused_share((one,), longest_request_tokens((one,)))
    assert 5e-4 < share < 1.5e-3
