"""Regret of choices by prediction: by hand on four and five configurations made to order."""

from __future__ import annotations

import math

import pytest

from tools.fidelity.regret import (
    USD_PER_DEVICE_HOUR,
    Decision,
    Latency,
    Option,
    decision,
    decisions_across,
    decisions_within,
    only,
    regret_row,
)

H100, B200 = "nvidia-h100-sxm-80gb", "nvidia-b200-sxm-180gb"


def option(name: str, tpot_s: float, users: float, devices: int = 1, accelerator: str = H100) -> Option:
    """101 tokens after a first one that takes no time: users · 101 / (100 · TPOT) / devices tokens per second."""
    return Option(name, accelerator, "task", accelerator, devices, users, 101.0, Latency(0.0, tpot_s))


SMALL = option("small", 0.010, 8)  # 808 tok/s
MIDDLE = option("middle", 0.020, 32)  # 1,616 tok/s
LARGE = option("large", 0.030, 60)  # 2,020 tok/s
SHARED = option("shared", 0.010, 16, devices=4)  # 404 tok/s per device
FIFTH = option("fifth", 0.050, 64)
OPTIONS = [SMALL, MIDDLE, LARGE, SHARED, FIFTH]
TRUTH = {one.case_id: one.measured for one in OPTIONS}


def predicted(**tpot_s: float) -> dict[str, Latency]:
    """As measured but for some."""
    return TRUTH | {name: Latency(0.0, value) for name, value in tpot_s.items()}


def test_rates_are_tokens_per_second_and_device():
    assert SMALL.rate(SMALL.measured) == pytest.approx(808)
    assert SHARED.rate(SHARED.measured) == pytest.approx(404)
    assert option("first", 0.01, 8).rate(Latency(1.0, 0.01)) == pytest.approx(8 * 101 / 2.0)


def test_who_knows_the_truth_regrets_nothing():
    for limit_s in (0.010, 0.025, 0.040):
        assert decision(OPTIONS, TRUTH, limit_s, Option.rate) == Decision(0.0, False)


def test_too_careful_a_prediction_costs_the_better_configuration():
    """Under 25 ms the middle one is best; believed slow, the small one is chosen: 1 − 808 / 1,616."""
    found = decision(OPTIONS, predicted(middle=0.026), 0.025, Option.rate)
    assert found is not None
    assert found.regret == pytest.approx(0.5)
    assert not found.is_broken


def test_too_bold_a_prediction_breaks_the_limit_and_gains_nothing_by_it():
    """The large one's 30 ms are believed to be 24: over 1.1 × 25 ms; its higher rate is no negative regret."""
    assert decision(OPTIONS, predicted(large=0.024), 0.025, Option.rate) == Decision(0.0, True)


def test_a_tenth_over_the_limit_is_not_broken():
    """30 ms under a limit of 28: 7 % over."""
    assert decision(OPTIONS, predicted(large=0.027), 0.028, Option.rate) == Decision(0.0, False)


def test_a_limit_that_nothing_held_is_no_decision():
    assert decision(OPTIONS, TRUTH, 0.009, Option.rate) is None


def test_a_limit_that_nothing_is_predicted_to_hold_is_a_choice_not_made():
    slow = {name: Latency(0.0, 1.0) for name in TRUTH}
    found = decision(OPTIONS, slow, 0.025, Option.rate)
    assert found is not None
    assert math.isnan(found.regret)
    assert regret_row("", "", [found, Decision(0.2, True)]) == ["", "", "1", "20.0 %", "20.0 %", "100.0 %", "1"]


def test_fewer_than_five_configurations_are_no_sweep():
    assert len(decisions_within(OPTIONS, TRUTH)) == 3
    assert decisions_within(OPTIONS[:4], TRUTH) == []
    assert decisions_within(OPTIONS, only(TRUTH, set(list(TRUTH)[:4]))) == []


def test_over_accelerators_dollars_decide():
    """B200 at twice the H100's rate loses: its hour costs 1.89 times as much, so under 25 ms it wins by 2 / 1.89."""
    rival = option("b200", 0.020, 64, accelerator=B200)
    options = [SMALL, MIDDLE, LARGE, FIFTH, rival]
    truth = TRUTH | {"b200": rival.measured}
    dollars = USD_PER_DEVICE_HOUR[B200] / USD_PER_DEVICE_HOUR[H100]
    assert dollars == pytest.approx(1.886, abs=1e-3)
    assert rival.rate_per_dollar(rival.measured) == pytest.approx(2 / dollars * MIDDLE.rate_per_dollar(MIDDLE.measured))
    believed_slow = truth | {"b200": Latency(0.0, 0.0225)}
    under_25 = decisions_across(options, believed_slow)[1]
    assert under_25.regret == pytest.approx(1 - dollars / 2)


def test_one_accelerator_is_no_choice_over_accelerators():
    assert decisions_across(OPTIONS, TRUTH) == []
    assert decisions_across([*OPTIONS[:4], option("unpriced", 0.01, 8, accelerator="nobody-rents-it")], TRUTH) == []
