"""Fleets at a confidence: slower machines and heavier load as likely as the confidence allows."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.domain.economics import Economics
from gpuplanner_gui.domain.measurement import EvidenceKind
from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.workload import Availability, ReplicaStart, RequestClass, ServingWorkload, Slo
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.serving.confidence import Doubt
from gpuplanner_gui.engine.serving.sizing import replicas_at_confidence

SEED = 3


def doubt(score: float, step: float = 0.3, first: float = 0.8) -> Doubt:
    return Doubt(score, np.array([step]), np.array([first]), 0.15, 0.3, 0.3, 1e6)


def test_a_load_that_falls_with_the_slowdown_alone_meets_the_joint_quantile():
    """Rate 10/s: logarithms add, so that the worst direction is that of √(0.3² + 0.4²) = 0.5, at 53 degrees."""
    kept = doubt(1.0).share_kept(np.array([10.0]), np.array([0.4]), lambda slower: 10.0 / slower.step)
    assert kept[0] == pytest.approx(math.exp(-0.5), rel=0.01)


def test_machines_that_miss_when_slow_keep_nothing():
    kept = doubt(1.0).share_kept(
        np.array([10.0]), np.array([0.0]), lambda slower: np.where(slower.first_token > 2.0, 0.0, 10.0)
    )
    assert kept[0] == 0.0
    expected = doubt(0.0).share_kept(np.array([10.0]), np.array([0.0]), lambda slower: np.array([0.0]))
    assert expected[0] == 1.0


@given(st.floats(0.0, 2.0), st.floats(0.0, 2.0), st.floats(0.01, 1.0), st.floats(0.01, 1.0))
def test_more_confidence_never_keeps_more(one: float, other: float, step: float, load: float):
    low, high = sorted((one, other))
    found = [
        doubt(score, step).share_kept(np.array([5.0]), np.array([load]), lambda slower: 5.0 / slower.step)
        for score in (low, high)
    ]  # fmt: skip
    assert found[1][0] <= found[0][0] + 1e-12


def test_replicas_keep_their_stated_headroom_and_no_second_one():
    """100/s at 10/s each: 14 with a quarter left free; a load that keeps 80 % needs 13, one that keeps half 20."""
    for kept, replicas in ((1.0, 14.0), (0.8, 14.0), (0.5, 20.0), (0.0, 14.0)):
        found = replicas_at_confidence(np.array([14.0]), 100.0, np.array([10.0]), np.array([kept]))
        assert found[0] == replicas


@pytest.fixture(scope="module")
def scenario(llama_8b) -> Scenario:
    slos = (Slo(metric="ttft", percentile=95.0, limit_s=1.0), Slo(metric="tpot", percentile=95.0, limit_s=0.05))
    one = RequestClass(peak_rate_per_s=120.0, prompt_tokens=1000.0, output_tokens=200.0, slos=slos)
    hardware = HardwareChoice(accelerators=("nvidia-h100-sxm-80gb", "nvidia-l4"), max_devices_per_replica=2)
    return Scenario(name="chat", model=llama_8b, serving=ServingWorkload(classes=(one,)), hardware=hardware)


def asked(scenario: Scenario, **terms) -> Scenario:
    uncertainty = msgspec.structs.replace(scenario.economics.uncertainty, **terms)
    economics = msgspec.structs.replace(scenario.economics, uncertainty=uncertainty)
    return msgspec.structs.replace(scenario, economics=economics)


def planned_with(scenario: Scenario, catalog, calibration, **serving):
    changed = msgspec.structs.replace(scenario.serving, **serving)
    return plan(msgspec.structs.replace(scenario, serving=changed), catalog, calibration, seed=SEED).serving


def test_the_recommended_fleet_is_as_sure_as_asked_and_no_larger(scenario, catalog, calibration):
    fleets = {}
    for confidence, chance in (("expected", 0.5), ("p80", 0.8), ("p95", 0.95)):
        found = plan(asked(scenario, confidence=confidence), catalog, calibration, seed=SEED)
        table, best = found.serving.table, found.serving.best
        verdict = found.verdicts.serving
        assert verdict.confidence == chance
        assert verdict.chance >= chance
        assert table.replicas[best] >= table.replicas_expected[best]
        fleets[confidence] = float(table.usd_per_month[best])
        if confidence == "expected":
            assert table.replicas[best] == table.replicas_expected[best]
        else:
            assert verdict.chance < chance + 0.1, "one replica of a large fleet is a small step"
    assert fleets["expected"] < fleets["p80"] < fleets["p95"]


def test_measured_only_leaves_what_runs_bear_out_and_says_why_the_rest_is_out(scenario, catalog, calibration):
    found = plan(asked(scenario, measured_only=True), catalog, calibration, seed=SEED).serving
    table = found.table
    good = table.reason == Reason.NONE
    assert good.any()
    assert ((table.published_runs >= 5) | (table.evidence_kind == EvidenceKind.OWN))[good].all()
    out = table.reason == Reason.NOT_MEASURED
    assert out.any()
    assert (table.reason_value[out] == table.published_runs[out]).all()
    assert (table.published_runs[out] < 5).all()


def bought(scenario: Scenario) -> Scenario:
    return msgspec.structs.replace(scenario, economics=Economics(serving_procurement="own"))


def test_what_the_site_cannot_feed_is_not_recommended_while_something_else_holds(scenario, catalog, calibration):
    scenario = bought(scenario)
    free = plan(scenario, catalog, calibration, seed=SEED)
    best = free.serving.best
    watts = 700.0 * float(free.serving.table.devices[best])
    for limit_kw in (0.9 * watts / 1e3, 0.3 * watts / 1e3):
        hardware = HardwareChoice(max_kw_total=limit_kw)
        found = plan(msgspec.structs.replace(scenario, hardware=hardware), catalog, calibration, seed=SEED)
        table, best = found.serving.table, found.serving.best
        over = table.reason == Reason.OVER_POWER
        assert over.any()
        assert (table.reason_value[over] > 0).all()
        breaks = any(one.code == "fleet_exceeds_site" for one in found.findings)
        assert breaks == (table.reason[best] == Reason.OVER_POWER)
        assert not breaks or not (table.reason == Reason.NONE).any()


def test_where_the_site_feeds_no_fleet_the_nearest_then_cheapest_is_shown_as_sure_as_asked(
    scenario, catalog, calibration
):
    """What grew most at the confidence came first: $49,300 a month where $32,900 is as far over the limit."""
    slos = (Slo(metric="ttft", percentile=95.0, limit_s=1.0), Slo(metric="tpot", percentile=95.0, limit_s=0.015))
    one = msgspec.structs.replace(scenario.serving.classes[0], slos=slos)
    fast = msgspec.structs.replace(scenario, serving=ServingWorkload(classes=(one,)))
    for asked_of, names, limits_kw in (
        (fast, ("nvidia-h100-sxm-80gb", "nvidia-l40s"), (5.0,)),
        (scenario, ("nvidia-h100-sxm-80gb", "nvidia-l4"), (3.0, 10.0)),
    ):
        roomy, *narrow = (
            plan(msgspec.structs.replace(bought(asked_of), hardware=HardwareChoice(
                accelerators=names, max_devices_per_replica=2, max_kw_total=limit_kw
            )), catalog, calibration, seed=SEED).serving
            for limit_kw in (None, *limits_kw)
        )  # fmt: skip
        for found in narrow:
            table, best = found.table, found.best
            over = np.flatnonzero(table.reason == Reason.OVER_POWER)
            assert best == min(over, key=lambda row: (table.reason_value[row], table.usd_per_month[row]))
            assert table.replicas[best] == roomy.table.replicas[best]


def test_each_nine_of_availability_has_its_replicas(scenario, catalog, calibration):
    """Replicas fail every 6 hours for an hour: 99 % takes more of them than 90 %, and the plan holds it."""
    often = ReplicaStart(mtbf_s=6 * 3600.0, repair_s=3600.0)
    counts = [
        planned_with(
            scenario, catalog, calibration, start=often, availability=Availability(target=target, spare_replicas=0)
        )
        for target in (0.5, 0.9, 0.99, 0.999)
    ]  # fmt: skip
    replicas = [float(one.table.replicas[one.best]) for one in counts]
    assert replicas == sorted(replicas)
    assert replicas[0] < replicas[-1]


@pytest.mark.parametrize(("limit_s", "is_sure"), [(2.5, False), (3.0, False), (4.0, True)])
def test_no_fleet_is_bought_many_times_over_for_a_request_that_is_too_slow(
    llama_8b, catalog, calibration, limit_s, is_sure
):
    """A prompt of 60,000 tokens alone takes about 1.5 s: for 80 % within 2.5 s there were 61 replicas, expected 4."""
    slos = (Slo(metric="ttft", percentile=95.0, limit_s=limit_s),)
    one = RequestClass(peak_rate_per_s=1.0, prompt_tokens=60_000.0, output_tokens=200.0, slos=slos)
    hardware = HardwareChoice(accelerators=("nvidia-h100-sxm-80gb", "nvidia-l40s"), max_devices_per_replica=4)
    asked = Scenario(name="long", model=llama_8b, serving=ServingWorkload(classes=(one,)), hardware=hardware)
    found = plan(asked, catalog, calibration).serving
    table, best = found.table, found.best
    assert bool(table.reason[best] == Reason.NONE) is is_sure
    assert is_sure or table.replicas[best] == table.replicas_expected[best]
    assert table.replicas[best] <= 4 * table.replicas_expected[best]
