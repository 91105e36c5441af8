import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.engine.training import checkpoints as r

LLAMA_MTBF_S = 54 * 86400 / 419
"""419 unexpected interruptions in 54 days on 16,384 H100s (Llama 3 report)."""
NODES_OF_8 = np.array([128, 2_048, 16_384])
META_RATE = 6.5e-3
"""Failures per node-day, RSC-1 (Kokolis et al. 2024)."""


def test_llama_interval():
    assert r.daly_interval_s(60, LLAMA_MTBF_S) == pytest.approx(1_116.291548, rel=1e-9)


def test_llama_efficiency():
    daly = r.daly_interval_s(60, LLAMA_MTBF_S)
    assert r.checkpointed_efficiency(1_155.945511, 60, LLAMA_MTBF_S, 300) == pytest.approx(0.875778770, rel=1e-8)
    assert r.checkpointed_efficiency(daly, 60, LLAMA_MTBF_S, 300) == pytest.approx(0.875832315, rel=1e-8)


def test_daly_efficiency_of_four_checkpoint_times():
    cost = np.array([5.0, 20, 120, 300])
    interval = r.daly_interval_s(cost, LLAMA_MTBF_S)
    efficiency = r.checkpointed_efficiency(interval, cost, LLAMA_MTBF_S, 300)
    assert efficiency == pytest.approx([0.94454, 0.91624, 0.83742, 0.76459], abs=1e-4)


def test_llama_reached_ninety_percent_with_checkpoints_under_twenty_seconds():
    interval = r.daly_interval_s(20, LLAMA_MTBF_S)
    assert r.checkpointed_efficiency(interval, 20, LLAMA_MTBF_S, 300) > 0.9


def test_time_between_failures_by_cluster_size():
    hours = r.job_mtbf_s(NODES_OF_8, META_RATE, 0.0) / 3600
    assert hours == pytest.approx([28.846154, 1.802885, 0.225361], abs=5e-7)


def test_small_jobs_fail_for_reasons_of_their_own():
    hours = r.job_mtbf_s(128, META_RATE, 0.092) / 3600
    assert hours == pytest.approx(7.9, abs=0.02)


def test_nothing_that_fails_never_stops():
    assert r.job_mtbf_s(128, 0.0, 0.0) == np.inf
    assert r.checkpointed_efficiency(600.0, 60.0, np.inf, 300.0) == pytest.approx(600 / 660)
    assert r.daly_interval_s(60.0, np.inf) == np.inf


def test_checkpoints_longer_than_twice_the_mtbf_are_taken_once_per_mtbf():
    assert r.daly_interval_s(500.0, 100.0) == 100.0


mtbfs = st.floats(600, 1e7)
costs = st.floats(0.1, 600)
recoveries = st.floats(0, 3600)


@given(mtbf=mtbfs, cost=costs, recovery=recoveries)
def test_daly_is_never_worse_than_young(mtbf: float, cost: float, recovery: float):
    young = r.checkpointed_efficiency(np.sqrt(2 * cost * mtbf), cost, mtbf, recovery)
    daly = r.checkpointed_efficiency(r.daly_interval_s(cost, mtbf), cost, mtbf, recovery)
    assert daly >= young * (1 - 1e-12)


@given(mtbf=mtbfs, cost=costs, recovery=recoveries, factor=st.floats(0.1, 10))
def test_efficiency_is_a_share_and_daly_is_near_its_best(mtbf: float, cost: float, recovery: float, factor: float):
    interval = r.daly_interval_s(cost, mtbf)
    best = r.checkpointed_efficiency(interval, cost, mtbf, recovery)
    assert 0 < best < 1
    assert r.checkpointed_efficiency(interval * factor, cost, mtbf, recovery) <= best * 1.01


@given(mtbf=mtbfs, longer=st.floats(1.0, 10), cost=costs, recovery=recoveries, interval=st.floats(10, 1e5))
def test_rarer_failures_and_faster_checkpoints_never_hurt(mtbf, longer, cost, recovery, interval):
    base = r.checkpointed_efficiency(interval, cost, mtbf, recovery)
    assert r.checkpointed_efficiency(interval, cost, mtbf * longer, recovery) >= base
    assert r.checkpointed_efficiency(interval, cost / longer, mtbf, recovery) >= base
    assert r.checkpointed_efficiency(interval, cost, mtbf, recovery / longer) >= base
