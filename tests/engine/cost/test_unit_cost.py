import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.engine.cost import unit_cost

positive = st.floats(1e-3, 1e6)
shares = st.floats(0, 1)


def test_tokens_of_a_device_at_2_35_dollars():
    output = unit_cost.usd_per_million_tokens(2.35, 2_500, 0.6)
    prompt = unit_cost.usd_per_million_tokens(2.35, 20_000, 0.6)
    assert output == pytest.approx(0.435185, abs=5e-7)
    assert prompt == pytest.approx(0.054398, abs=5e-7)
    assert unit_cost.blended_usd_per_million(prompt, output, 3) == pytest.approx(0.149595, abs=5e-7)


def test_a_fully_used_device_at_1_41_dollars():
    assert unit_cost.usd_per_million_tokens(1.41, 1_000, 1.0) == pytest.approx(0.391667, abs=5e-7)


def test_no_tokens_cost_without_bound():
    assert unit_cost.usd_per_million_tokens(1.41, np.array([0.0, 10.0]), 1.0)[0] == np.inf
    assert unit_cost.fleet_usd_per_million_tokens(10.0, 0.0) == np.inf


def test_training_run_of_70b_on_512_devices():
    hours = unit_cost.training_run_hours(297_093.256, 0.92, 0.15, 0.0, 0.0)
    cost = unit_cost.training_run_cost(hours, 2.35, 0.0, 0.0, 0.0)
    assert cost.total == pytest.approx(872_711.44, rel=1e-6)
    assert hours.total / 512 / 24 == pytest.approx(30.221889, rel=1e-6)


def test_headroom_is_told_apart():
    hours = unit_cost.training_run_hours(900.0, 0.9, 0.1, 0.05, 0.2)
    assert (hours.productive_h, hours.lost_h) == pytest.approx((900, 100))
    assert (hours.retry_h, hours.validation_h, hours.experiment_h) == pytest.approx((100, 50, 200))
    assert hours.total == pytest.approx(1_350)


def test_request_and_user():
    cost = unit_cost.usd_per_request(1_000, 250, 0.4, 0.05, 0.005, 0.4)
    assert cost.input_usd == pytest.approx(600 * 0.05e-6)
    assert cost.cached_input_usd == pytest.approx(400 * 0.005e-6)
    assert cost.total == pytest.approx(30e-6 + 2e-6 + 100e-6)
    assert unit_cost.usd_per_user_month(cost.total, 24) == pytest.approx(132e-6 * 24 * 365 / 12)
    assert unit_cost.cached_input_usd_per_million(0.05, 0.1) == pytest.approx(0.005)


def test_spares_and_idle_hours_stand_in_the_fleet_price():
    served_at_full_use = unit_cost.usd_per_million_tokens(2.0, 1_000, 1.0)
    fleet = unit_cost.fleet_usd_per_million_tokens(2 * 2.0 * 24, 1_000 * 3_600 * 24 * 0.5)
    assert fleet == pytest.approx(4 * served_at_full_use)


@given(hours=positive, goodput=st.floats(0.05, 1), retry=shares, validation=shares, experiment=shares)
def test_parts_of_run_hours_add_up(hours, goodput, retry, validation, experiment):
    made = unit_cost.training_run_hours(hours, goodput, retry, validation, experiment)
    parts = [getattr(made, field.name) for field in dataclasses.fields(made)]
    assert min(parts) >= 0
    assert sum(parts) == pytest.approx(hours / goodput * (1 + retry + validation + experiment))


@given(price=positive, more=positive, rate=positive, use=st.floats(0.01, 1))
def test_a_higher_price_is_never_cheaper_per_token(price, more, rate, use):
    assert unit_cost.usd_per_million_tokens(price + more, rate, use) > unit_cost.usd_per_million_tokens(
        price, rate, use
    )


@given(cached=st.floats(0, 0.9), more=st.floats(0.01, 0.1))
def test_more_cached_prompt_never_costs_more(cached: float, more: float):
    few = unit_cost.usd_per_request(1_000, 100, cached, 0.5, 0.1, 1.0).total
    many = unit_cost.usd_per_request(1_000, 100, cached + more, 0.5, 0.1, 1.0).total
    assert many < few
