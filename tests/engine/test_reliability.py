import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.engine import reliability as r

LLAMA_MTBF_S = 54 * 86400 / 419
"""419 unexpected interruptions in 54 days on 16,384 H100s (Llama 3 report)."""
NODES_OF_8 = np.array([128, 2_048, 16_384])
META_RATE = 6.5e-3
"""Failures per node-day, RSC-1 (Kokolis et al. 2024)."""


def test_llama_intervals():
    assert r.young_interval_s(60, LLAMA_MTBF_S) == pytest.approx(1_155.945511, rel=1e-9)
    assert r.daly_interval_s(60, LLAMA_MTBF_S) == pytest.approx(1_116.291548, rel=1e-9)


def test_llama_efficiency():
    young = r.young_interval_s(60, LLAMA_MTBF_S)
    daly = r.daly_interval_s(60, LLAMA_MTBF_S)
    assert r.checkpointed_efficiency(young, 60, LLAMA_MTBF_S, 300) == pytest.approx(0.875778770, rel=1e-8)
    assert r.checkpointed_efficiency(daly, 60, LLAMA_MTBF_S, 300) == pytest.approx(0.875832315, rel=1e-8)
    assert r.first_order_efficiency(60, LLAMA_MTBF_S, 300) == pytest.approx(0.869247006, rel=1e-8)


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


def test_meta_expected_ettr():
    mtbf = r.job_mtbf_s(2_048, META_RATE, 0.0)
    interval = r.young_interval_s(60, mtbf)
    assert interval / 60 == pytest.approx(14.708710, rel=1e-7)
    assert r.expected_ettr(interval, 60, mtbf, 300) == pytest.approx(0.829402, abs=5e-7)


def test_checkpoints_longer_than_twice_the_mtbf_are_taken_once_per_mtbf():
    assert r.daly_interval_s(500.0, 100.0) == 100.0


def test_interval_for_availability_is_longer_than_youngs():
    interval = r.availability_interval_s(60, LLAMA_MTBF_S, 300)
    assert interval == pytest.approx(60 + np.sqrt(2 * (LLAMA_MTBF_S + 300) * 60 + 3_600))
    assert interval > r.young_interval_s(60, LLAMA_MTBF_S)


def test_recovery_parts():
    recovery = r.recovery_time_s(120, 60, 180, 5.67e12, 100e9)
    assert recovery.reload_s == pytest.approx(56.7)
    assert recovery.total == pytest.approx(120 + 60 + 180 + 56.7)


def test_lost_shares_of_the_training_notes():
    """60 s of checkpoint: 19 minutes between them, 10.4 % lost before recovery."""
    interval = r.young_interval_s(60, LLAMA_MTBF_S)
    lost = r.lost_share(interval, 60, LLAMA_MTBF_S, 300)
    assert interval / 60 == pytest.approx(19, abs=0.5)
    assert lost.checkpointing + lost.recomputing == pytest.approx(0.104, abs=5e-4)
    assert lost.total == pytest.approx(1 - r.first_order_efficiency(60, LLAMA_MTBF_S, 300))


def test_goodput_multiplies():
    assert r.goodput(0.98, 0.9, 0.02, 0.95) == pytest.approx(0.98 * 0.9 * 0.98 * 0.95)


def test_spares_of_a_2048_node_cluster():
    mean = r.nodes_in_repair(2_048, 4e-3, 3)
    spares = r.spare_nodes(mean, 0.99)
    assert mean == pytest.approx(24.576)
    assert spares == 37
    assert spares / 2_048 < 0.05


def test_spares_cover_the_quantile_exactly():
    # Poisson(2): cumulative 0.1353, 0.4060, 0.6767, 0.8571, 0.9473, 0.9834, 0.9955
    assert r.spare_nodes(2.0, np.array([0.10, 0.40, 0.90, 0.99])).tolist() == [0, 1, 4, 6]
    assert r.spare_nodes(0.0, 0.999) == 0


def test_spares_of_very_large_fleets():
    assert 1_000 < r.spare_nodes(1_000.0, 0.99) < 1_100


def test_background_write_must_leave_before_the_next():
    assert r.is_flush_in_time(np.array([100.0, 700.0]), 600.0).tolist() == [True, False]


def test_availability():
    assert r.steady_availability(720 * 3600, 3.6 * 3600) == pytest.approx(0.995024876, rel=1e-9)


mtbfs = st.floats(600, 1e7)
costs = st.floats(0.1, 600)
recoveries = st.floats(0, 3600)


@given(mtbf=mtbfs, cost=costs, recovery=recoveries)
def test_daly_is_never_worse_than_young(mtbf: float, cost: float, recovery: float):
    young = r.checkpointed_efficiency(r.young_interval_s(cost, mtbf), cost, mtbf, recovery)
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


@given(share=st.floats(0, 1), other=st.floats(0, 1), scaling=st.floats(0, 1), availability=st.floats(0, 1))
def test_goodput_never_exceeds_any_of_its_factors(share, other, scaling, availability):
    total = r.goodput(availability, share, other, scaling)
    assert 0 <= total <= min(share, 1 - other, scaling, availability) + 1e-15


@given(mean=st.floats(0, 500), more=st.floats(0, 100), confidence=st.floats(0.5, 0.999))
def test_more_failures_never_need_fewer_spares(mean: float, more: float, confidence: float):
    assert r.spare_nodes(mean + more, confidence) >= r.spare_nodes(mean, confidence)


@given(mtbf=mtbfs, cost=costs, recovery=recoveries, interval=st.floats(1, 1e5))
def test_lost_parts_add_up(mtbf: float, cost: float, recovery: float, interval: float):
    lost = r.lost_share(interval, cost, mtbf, recovery)
    assert sum(getattr(lost, field.name) for field in dataclasses.fields(lost)) == pytest.approx(lost.total)
