"""The factor at a case: shrinkage by hand, distance, outliers, and what points never do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.domain.knowledge import CovarianceTerm, Weighted
from gpuplanner_gui.engine.evidence.knowledge import phase_knowledge
from gpuplanner_gui.engine.evidence.posterior import AT_ONCE, DEGREES_OF_FREEDOM, Vocabulary, covariance, prior_variance
from tests.engine.local_fit.conftest import point, prior, shipped_prior

CONSTANT = prior(terms=(CovarianceTerm(same=("accelerator",), log_sd=0.3),), noise_log_sd=0.1)


def factor_at(points, asked, phase_prior=None):
    known = phase_knowledge(phase_prior or prior(), points, [asked])
    mean, width, is_measured = known.factor(known.vocabulary.rows([asked]))
    return float(mean[0]), float(width[0]), bool(is_measured[0])


def test_one_point_is_shrunk_by_its_noise():
    mean, width, _ = factor_at([point(0.2)], point(0.0), CONSTANT)
    signal, noise = 0.09, 0.01
    off = noise / (signal + noise) * 0.2
    held = noise * (DEGREES_OF_FREEDOM + off**2 / noise) / (DEGREES_OF_FREEDOM + 1)
    for _ in range(20):
        off = held / (signal + held) * 0.2
        held = noise * (DEGREES_OF_FREEDOM + off**2 / noise) / (DEGREES_OF_FREEDOM + 1)
    assert mean == pytest.approx(signal / (signal + held) * 0.2, rel=0.01)
    left = signal - signal**2 / (signal + held)
    assert width == pytest.approx(np.sqrt((left + noise) / (signal + noise)), rel=0.01)


def test_more_points_that_agree_are_believed_more():
    means = [factor_at([point(0.3)] * count, point(0.0))[0] for count in (1, 2, 5, 20)]
    assert means == sorted(means)
    assert means[-1] == pytest.approx(0.3, abs=0.01)


def test_nothing_is_said_of_another_accelerator():
    mean, width, is_measured = factor_at([point(0.5)] * 5, point(0.0, accelerator="amd-mi300x"))
    assert (mean, width, is_measured) == (0.0, 1.0, False)


def test_a_near_load_is_believed_more_than_a_far_one():
    points = [point(0.4, log2_batch=0.0)]
    near, far = (factor_at(points, point(0.0, log2_batch=batch)) for batch in (0.5, 8.0))
    assert near[0] > far[0] > 0
    assert near[1] < far[1] < 1


def test_an_efficiency_counts_as_far_as_time_is_spent_there():
    by_host = prior(terms=(CovarianceTerm(same=("accelerator",), share="host", log_sd=0.5),))
    points = [point(0.2, shares=(0.1, 0.5, 0.0, 0.4, 0.0))] * 5
    busy, _, _ = factor_at(points, point(0.0, shares=(0.1, 0.1, 0.0, 0.8, 0.0)), by_host)
    idle, width, _ = factor_at(points, point(0.0, shares=(0.1, 0.9, 0.0, 0.0, 0.0)), by_host)
    assert busy == pytest.approx(0.4, abs=0.03)
    assert (idle, width) == (0.0, 1.0)


def test_one_outlier_among_points_that_agree_does_little_harm():
    agreeing = [point(0.2, log2_batch=float(batch)) for batch in range(5)]
    clean, _, _ = factor_at(agreeing, point(0.0, log2_batch=2.5))
    spoilt, _, _ = factor_at([*agreeing, point(2.0, log2_batch=2.0)], point(0.0, log2_batch=2.5))
    assert abs(spoilt - clean) < 0.1


def test_where_the_shipped_prediction_is_right_it_stays():
    averaging = prior(
        signal_scales=(Weighted(scale=0.03, weight=2.0), Weighted(scale=1.0, weight=1.0)),
        noise_scales=(Weighted(scale=1.0, weight=1.0),),
    )
    small, _, _ = factor_at([point(0.03)], point(0.0), averaging)
    large, _, _ = factor_at([point(0.6, log2_batch=4.0), point(0.6, log2_batch=5.0)], point(0.0), averaging)
    alone, _, _ = factor_at([point(0.03)], point(0.0))
    assert 0 < small < 0.85 * alone
    assert large > 0.6 * 0.8


def test_under_the_shipped_prior_runs_that_agree_are_believed_and_one_that_is_alone_is_not():
    shipped = shipped_prior().phases["decode"]
    agreeing, _, _ = factor_at([point(0.7, log2_batch=float(batch)) for batch in range(3)], point(0.0), shipped)
    odd = [point(0.7, log2_batch=0.0), point(0.0, log2_batch=1.0), point(0.02, log2_batch=2.0)]
    spoilt, _, _ = factor_at(odd, point(0.0), shipped)
    assert agreeing > 0.59
    assert abs(spoilt) < 0.1


def test_runs_of_another_release_say_less():
    shipped = shipped_prior().phases["decode"]
    old = [point(0.2, log2_batch=float(batch), release="0.9", month="2026-01") for batch in range(3)]
    same, width, _ = factor_at(old, point(0.0, log2_batch=1.0, release="0.9", month="2026-01"), shipped)
    newer, wider, _ = factor_at(old, point(0.0, log2_batch=1.0, release="0.10", month="2026-05"), shipped)
    assert same > newer > 0
    assert width < wider


def test_numbers_that_must_be_equal_tell_of_nothing_else():
    of_count = prior(terms=(CovarianceTerm(same=("model",), equal=("log2_devices",), log_sd=0.3),))
    points = [point(0.3, log2_devices=2.0)] * 3
    assert factor_at(points, point(0.0, log2_devices=2.0, log2_batch=9.0), of_count)[0] > 0.25
    assert factor_at(points, point(0.0, log2_devices=3.0), of_count)[:2] == (0.0, 1.0)


def test_a_number_by_itself_is_near_whatever_the_others_are():
    by_running = prior(terms=(CovarianceTerm(same=("model",), lengths={"log2_running": 1.0}, log_sd=0.3),))
    points = [point(0.3, log2_batch=4.0, log2_devices=0.0)] * 3
    spread = factor_at(points, point(0.0, log2_batch=1.0, log2_devices=3.0, log2_time=5.0), by_running)
    more = factor_at(points, point(0.0, log2_batch=4.0, log2_devices=3.0), by_running)
    assert spread[0] > 0.25 > 0.02 > more[0] >= 0


def test_many_cases_are_answered_as_each_is_by_itself():
    points = [point(0.1 * batch, log2_batch=float(batch)) for batch in range(4)]
    asked = [point(0.0, log2_batch=batch / 4000.0) for batch in range(AT_ONCE // 4 + 10)]
    known = phase_knowledge(prior(), points, asked)
    mean, width, _ = known.factor(known.vocabulary.rows(asked))
    for index in (0, AT_ONCE // 4 - 1, AT_ONCE // 4, len(asked) - 1):
        assert factor_at(points, asked[index])[:2] == pytest.approx((mean[index], width[index]))


@given(
    st.lists(st.tuples(st.floats(-2, 2), st.floats(-2, 8), st.floats(-10, 0)), min_size=1, max_size=8),
    st.floats(-2, 8),
)
def test_the_band_never_widens_and_the_factor_stays_among_residuals(measured, batch):
    points = [point(residual, log2_batch=at, log2_time=time) for residual, at, time in measured]
    mean, width, _ = factor_at(points, point(0.0, log2_batch=batch))
    assert 0 < width <= 1
    residuals = [residual for residual, _, _ in measured]
    reach = max(map(abs, residuals))
    assert abs(mean) <= reach * len(residuals) + 1e-9


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xy"), st.floats(-2, 8)), min_size=1, max_size=12))
def test_covariances_are_symmetric_and_positive(cases):
    points = [point(0.0, model=model, engine=engine, log2_batch=batch) for model, engine, batch in cases]
    rows = Vocabulary(points).rows(points)
    found = covariance(prior(), rows, rows)
    assert np.allclose(found, found.T)
    assert np.linalg.eigvalsh(found).min() > -1e-9
    assert np.allclose(np.diag(found), prior_variance(prior(), rows))
