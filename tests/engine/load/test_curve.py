"""The load curve: coarse first, refined, cancellable; its capacity and its rate within targets."""

from __future__ import annotations

import numpy as np
import pytest

from gpuplanner_gui.engine.cancelling import CancelledError
from gpuplanner_gui.engine.simulation.curve import COARSE_LOADS, curve_point, fine_loads, load_curve
from gpuplanner_gui.engine.simulation.replica import RunControl
from gpuplanner_gui.engine.simulation.result import LatencyTarget, measured_s, meets
from gpuplanner_gui.engine.simulation.service import Service
from gpuplanner_gui.engine.simulation.settings import Batching, ReplicaSettings
from gpuplanner_gui.engine.simulation.traffic import Lengths, TrafficClass, TrafficSample, traffic_sample
from tests.engine.load.linear import LinearStepTime, service

TARGETS = (LatencyTarget("ttft", 0.95, 0.3), LatencyTarget("tpot", 0.95, 0.025))


def test_curve_comes_coarse_at_once_and_then_better(chat_service: Service) -> None:
    curves = list(load_curve(chat_service, TARGETS, points=10))
    assert len(curves[0].points) == len(COARSE_LOADS)
    assert [curve.is_final for curve in curves] == [False] * (len(curves) - 1) + [True]
    final = curves[-1]
    assert len(final.points) == 10
    assert (np.diff(final.rate_per_s) > 0).all()
    assert curves[0].max_rate_per_s == pytest.approx(final.max_rate_per_s, rel=0.1)


def test_tail_of_ttft_rises_with_load(chat_service: Service) -> None:
    final = list(load_curve(chat_service, points=10))[-1]
    tail = np.array([point.summary.ttft.of(0.95) for point in final.points])
    assert (tail[1:] >= tail[:-1] * 0.98).all()
    assert tail[-1] > 3 * tail[0]
    assert final.rate_per_s[0] < final.knee_rate_per_s < final.max_rate_per_s


def test_rate_within_targets_is_where_they_begin_to_break(chat_service: Service) -> None:
    final = list(load_curve(chat_service, TARGETS, points=10))[-1]
    rate = final.slo_rate_per_s
    assert meets(chat_service.run(rate), TARGETS)
    assert not meets(chat_service.run(rate * 1.05), TARGETS)
    assert final.operating_rate_per_s <= rate


def test_targets_that_no_rate_meets_give_zero(chat_service: Service) -> None:
    impossible = [LatencyTarget("ttft", 0.5, 1e-6)]
    assert list(load_curve(chat_service, impossible, points=6))[-1].slo_rate_per_s == pytest.approx(0.0, abs=0.01)


def test_capacity_of_equal_replicas_adds_up(step_time: LinearStepTime, chat: TrafficSample) -> None:
    settings = ReplicaSettings(32, 2048, 30_000)
    one, three = (service(step_time, settings, chat, replicas) for replicas in (1, 3))
    assert three.saturation_rate_per_s() == pytest.approx(3 * one.saturation_rate_per_s(), rel=0.05)


def test_static_batching_carries_less(step_time: LinearStepTime, chat: TrafficSample) -> None:
    rates = [
        list(load_curve(service(step_time, ReplicaSettings(32, 2048, batching=kind), chat), points=4))[-1]
        for kind in (Batching.STATIC, Batching.CHUNKED)
    ]
    assert rates[0].max_rate_per_s < 0.6 * rates[1].max_rate_per_s


def test_requests_that_never_fit_leave_an_empty_curve(step_time: LinearStepTime, chat: TrafficSample) -> None:
    nothing = service(step_time, ReplicaSettings(32, 2048, 1.0, Batching.PREFILL_FIRST), chat)
    curve = next(load_curve(nothing))
    assert curve.is_final
    assert curve.max_rate_per_s == 0


def test_cancelled_curve_stops(chat_service: Service) -> None:
    curves = load_curve(chat_service, control=RunControl(is_cancelled=lambda: True))
    with pytest.raises(CancelledError):
        next(curves)


def test_fewest_replicas_meet_the_targets_and_one_less_does_not(chat_service: Service) -> None:
    needed = chat_service.fewest_replicas(40.0, TARGETS, 16)
    assert needed > 1
    assert meets(chat_service.with_replicas(needed).run(40.0), TARGETS)
    assert not meets(chat_service.with_replicas(needed - 1).run(40.0), TARGETS)
    assert chat_service.fewest_replicas(40.0, TARGETS, 1) == 0


def test_loads_of_a_fine_curve_get_closer_towards_saturation() -> None:
    loads = fine_loads(20)
    assert loads[0] == pytest.approx(0.05)
    assert loads[-1] == pytest.approx(1.05)
    assert (np.diff(loads, n=2) < 0).all()


def test_a_point_tells_what_each_target_limits_of_its_own_class(step_time: LinearStepTime) -> None:
    classes = [
        TrafficClass(1.0, Lengths(100), Lengths(50)),
        TrafficClass(1.0, Lengths(6000), Lengths(50)),
    ]
    mixed = service(step_time, ReplicaSettings(256, 2048, 400_000), traffic_sample(classes, 600, seed=3))
    targets = [LatencyTarget("ttft", 0.5, 0.2, number) for number in (0, 1, None)]
    result = mixed.run(1.0)
    point = curve_point(result, 1.0, targets)
    assert point.targets_s == tuple(measured_s(result, target) for target in targets)
    short, long, both = point.targets_s
    assert short < both < long
    for limit_s in (short * 0.99, short * 1.01):
        wanted = [LatencyTarget("ttft", 0.5, limit_s, 0)]
        assert curve_point(result, 1.0, wanted).is_within_targets == meets(result, wanted) == (limit_s > short)
