"""Figures of a run: steady part, overload, targets by class."""

from __future__ import annotations

import numpy as np
import pytest

from gpuplanner_gui.domain.load_result import METRICS
from gpuplanner_gui.domain.quantity import Lognormal
from gpuplanner_gui.engine.cancelling import CancelledError
from gpuplanner_gui.engine.simulation.requests import requests_at
from gpuplanner_gui.engine.simulation.result import (
    LatencyTarget,
    is_overloaded,
    measured_between_s,
    measured_s,
    meets,
    steady_window_s,
    summarised,
)
from gpuplanner_gui.engine.simulation.run import replica_table, simulate
from gpuplanner_gui.engine.simulation.service import Service
from gpuplanner_gui.engine.simulation.settings import ReplicaSettings
from gpuplanner_gui.engine.simulation.traffic import Lengths, TrafficClass, traffic_sample
from tests.engine.load.linear import LinearStepTime, service


def test_steady_run_serves_what_comes(chat_service: Service) -> None:
    rate = 0.5 * chat_service.saturation_rate_per_s()
    run = summarised(chat_service.run(rate), rate)
    assert run.throughput_per_s == pytest.approx(rate, rel=0.05)
    assert not run.is_overloaded
    assert run.littles_law_error < 0.01
    assert run.rejected == 0
    assert run.output_tokens_per_s == pytest.approx(rate * chat_service.traffic.mix().output_tokens, rel=0.1)
    for latency in (run.ttft, run.itl, run.tpot, run.e2e):
        assert (np.diff(latency.at_s) >= 0).all()
        assert np.isfinite(latency.band_s).all()


@pytest.mark.parametrize(("load", "expected"), [(0.4, False), (0.7, False), (1.5, True), (3.0, True)])
def test_overload_is_told_from_load(chat_service: Service, load: float, expected: bool) -> None:
    rate = load * chat_service.saturation_rate_per_s()
    assert is_overloaded(chat_service.run(rate)) is expected


def test_overloaded_run_meets_no_target(chat_service: Service) -> None:
    rate = 3 * chat_service.saturation_rate_per_s()
    lenient = LatencyTarget("ttft", 0.5, 1e6)
    assert not meets(chat_service.run(rate), [lenient])
    assert meets(chat_service.run(0.3 * rate / 3), [lenient])


def test_targets_of_mean_and_percentile_for_every_metric(chat_service: Service) -> None:
    result = chat_service.run(0.4 * chat_service.saturation_rate_per_s())
    for metric in METRICS:
        mean, median, tail = (measured_s(result, LatencyTarget(metric, share, 1.0)) for share in (None, 0.5, 0.99))
        assert 0 < median < tail
        assert mean < tail
        assert not meets(result, [LatencyTarget(metric, 0.99, tail * 0.99)])
        assert meets(result, [LatencyTarget(metric, 0.99, tail * 1.01)])


def test_target_of_one_class_looks_at_its_requests_only(step_time: LinearStepTime) -> None:
    classes = [
        TrafficClass(1.0, Lengths(Lognormal(200, 0.5)), Lengths(50)),
        TrafficClass(1.0, Lengths(6000), Lengths(50)),
    ]
    both = service(step_time, ReplicaSettings(64, 2048), traffic_sample(classes, 600, seed=0))
    result = both.run(2.0)
    short, long, all_of_them = (
        measured_s(result, LatencyTarget("ttft", 0.5, 1.0, class_index)) for class_index in (0, 1, None)
    )
    assert short < all_of_them < long


def test_itl_of_a_class_counts_the_steps_that_it_was_in(step_time: LinearStepTime) -> None:
    classes = [
        TrafficClass(1.0, Lengths(100), Lengths(100)),
        TrafficClass(1.0, Lengths(100), Lengths(400)),
    ]
    both = service(step_time, ReplicaSettings(64, 2048), traffic_sample(classes, 600, seed=0))
    result = both.run(5.0)
    for number in (0, 1):
        mine = result.requests.class_index == number
        assert result.class_itl(number).mean_s() == pytest.approx(float(np.nanmean(result.tpot_s[mine])), rel=0.03)


def test_window_chooses_requests_by_when_they_were_sent(chat_service: Service) -> None:
    result = chat_service.run(5.0)
    start_s, end_s = steady_window_s(result)
    assert result.sent_s[0] < start_s < end_s
    inside = (result.sent_s >= 20.0) & (result.sent_s <= 50.0)
    target = LatencyTarget("ttft", None, 1.0)
    assert measured_between_s(result, target, 20.0, 50.0) == pytest.approx(result.ttft_s[inside].mean())


def test_figures_of_a_long_run_can_be_given_up_part_by_part(chat_service: Service) -> None:
    result = chat_service.run(5.0)
    looks = 0

    def look() -> None:
        nonlocal looks
        looks += 1
        if looks > 4:
            raise CancelledError

    with pytest.raises(CancelledError):
        summarised(result, 5.0, look)
    assert looks == 5
    mean = result.itl.between(*steady_window_s(result)).mean_s()
    assert summarised(result, 5.0).itl.mean_s == pytest.approx(mean, rel=1e-3)


def test_itl_of_a_class_stops_with_its_last_answer(step_time: LinearStepTime) -> None:
    requests = requests_at(np.array([0.0, 0.0]), 100, np.array([10, 400]), class_index=np.array([0, 1]))
    settings = ReplicaSettings(8, 2048)
    result = simulate(replica_table(step_time, settings), settings, requests)
    seen = result.class_itl(0)
    is_answered = seen.start_s >= result.finish_s[0]
    assert is_answered.any()
    assert not seen.sequences[is_answered].any()
    assert seen.sequences[~is_answered].all()


def test_means_over_a_run_by_hand() -> None:
    """Two sequences for 5 and 10 of 10 steps of 10 ms, on one of two replicas: 1.5 on one, 0.75 of a replica's own."""
    settings = ReplicaSettings(8, 2048, kv_tokens=1000)
    table = replica_table(LinearStepTime(0.010, 0.0, 0.0), settings)
    result = simulate(table, settings, requests_at(np.zeros(2), 100, np.array([5, 10])))
    assert result.end_s == pytest.approx(0.1)
    found = summarised(result, 1.0)
    assert found.mean_sequences == pytest.approx(1.5, rel=0.15)
    assert 210 / 1000 <= found.peak_kv_share <= 0.3
    assert 0.5 * found.peak_kv_share < found.mean_kv_share < found.peak_kv_share
