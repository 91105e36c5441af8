"""Arrivals by users, in bursts, and replicas that share their places, through the plan."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.economics import Economics, UncertaintyTerms
from gpuplanner_gui.domain.quantity import Lognormal, Quantity
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.traffic import Traffic
from gpuplanner_gui.domain.workload import Availability, EngineSettings, RequestClass, ServingWorkload, Slo
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.serving.load.full_batches import (
    OwnAnswers,
    batch_fill_s,
    full_batch_wait_s,
    padded_token_s,
)
from gpuplanner_gui.engine.serving.sizing import burst_load, users_of_loop
from gpuplanner_gui.engine.simulation.requests import requests_at
from gpuplanner_gui.engine.simulation.run import replica_table, simulate
from gpuplanner_gui.engine.simulation.settings import Batching, ReplicaSettings
from tests.engine.load.linear import LinearStepTime

H100 = "nvidia-h100-sxm-80gb"
TARGETS = (Slo(metric="ttft", percentile=95.0, limit_s=2.0), Slo(metric="tpot", percentile=95.0, limit_s=0.03))


class Row:
    """One candidate of a plan's table, by column."""

    def __init__(self, table, place):
        self._table, self._place = table, place

    def __getattr__(self, name):
        return float(getattr(self._table, name)[self._place])


@pytest.fixture(scope="module")
def planned(llama_8b, catalog, calibration):
    def of(traffic, rate_per_s=10.0, slos=TARGETS, router="least_load", output_tokens=200.0, **engine):
        one = RequestClass(peak_rate_per_s=rate_per_s, prompt_tokens=1000.0, output_tokens=output_tokens, slos=slos)
        serving = ServingWorkload(
            classes=(one,), traffic=traffic, weight_precisions=("bf16",), kv_precisions=("bf16",),
            availability=Availability(target=0.5, spare_replicas=0, target_utilisation=1.0, router=router),
            engine=msgspec.structs.replace(EngineSettings(), **engine),
        )  # fmt: skip
        hardware = HardwareChoice(accelerators=(H100,), max_devices_per_replica=1)
        scenario = Scenario(
            name="sized", model=llama_8b, serving=serving, hardware=hardware,
            economics=Economics(uncertainty=UncertaintyTerms(confidence="expected")),
        )  # fmt: skip
        table = plan(scenario, catalog, calibration).serving.table
        return Row(table, int(np.flatnonzero(table.fits)[0]))

    return of


def users(count, think_s=0.0):
    return Traffic(arrivals="users", users=count, think_time_s=think_s, burstiness_cv=1.0)


def test_little_s_law_with_the_user_who_asks():
    """Others send 3 requests a second, each there for 2 s and thought about for 8 s: 30 others and oneself."""
    assert users_of_loop(np.array([3.0]), np.array([2.0]), 8.0)[0] == 31.0


def test_a_burst_counts_as_long_as_a_request_is_there():
    assert burst_load(3.0, 10.0, np.array([4.0, 20.0])).tolist() == [3.0, 2.0]


def test_one_user_meets_an_idle_replica(planned):
    alone, idle = planned(users(1.0)), planned(Traffic(burstiness_cv=1.0), rate_per_s=1e-6)
    assert alone.replicas == 1
    assert alone.tpot_mean_s == pytest.approx(idle.tpot_mean_s, rel=1e-3)
    assert alone.ttft_mean_s == pytest.approx(idle.ttft_mean_s, rel=1e-2)
    # A request after the other: 200 tokens and the first one.
    assert alone.load_per_replica_per_s == pytest.approx(1.0 / alone.e2e_mean_s)


def test_less_than_one_user_meets_an_idle_replica_too(planned):
    """Spread over more replicas than there are users, none of them finds another's request."""
    half, one = planned(users(0.5)), planned(users(1.0))
    assert half.replicas == 1
    assert half.tpot_p95_s == pytest.approx(one.tpot_p95_s)
    assert 0 < half.load_per_replica_per_s < one.load_per_replica_per_s


def test_users_make_the_load_that_their_answers_allow(planned):
    """Users over the time from one of their requests to the next are the rate."""
    found = planned(users(40.0, 5.0))
    each = 40.0 / float(found.replicas)
    assert found.load_per_replica_per_s == pytest.approx(each / (found.e2e_mean_s + 5.0))


def test_a_rate_and_the_users_who_make_it_are_sized_alike(planned):
    by_users = planned(users(400.0, 10.0))
    rate = float(by_users.load_per_replica_per_s * by_users.replicas)
    by_rate = planned(Traffic(burstiness_cv=1.0), rate_per_s=rate)
    assert abs(by_users.replicas - by_rate.replicas) <= 1


def test_more_users_or_less_thinking_never_take_fewer_replicas(planned):
    counts = [planned(users(float(count))).replicas for count in (1, 20, 60, 200, 600)]
    assert counts == sorted(counts)
    assert counts[-1] > counts[0]
    thinking = [planned(users(300.0, think_s)).replicas for think_s in (0.0, 5.0, 60.0)]
    assert thinking == sorted(thinking, reverse=True)
    assert thinking[-1] < thinking[0]


def test_bursts_take_more_replicas_than_chance(planned):
    even = planned(Traffic(arrivals="poisson", burstiness_cv=1.0), rate_per_s=60.0)
    bursts = Traffic(arrivals="mmpp", peak_over_mean_1s=3.0, peak_over_mean_10s=2.0, peak_over_mean_60s=1.5)
    bursty = planned(bursts, rate_per_s=60.0)
    assert bursty.replicas > even.replicas
    assert bursty.slo_rate_per_s < even.slo_rate_per_s
    # What is stated as no peak at all is hardly a burst.
    flat = Traffic(arrivals="mmpp", peak_over_mean_1s=1.0, peak_over_mean_10s=1.0, peak_over_mean_60s=1.0)
    assert planned(flat, rate_per_s=60.0).replicas <= even.replicas + 1


def test_replicas_of_one_place_share_the_wait(planned):
    """One answer at a time, a quarter of an Erlang: two servers let 2.7 % wait (Erlang C), so 95 % do not."""
    soon = (Slo(metric="ttft", percentile=95.0, limit_s=0.2),)
    alone = planned(Traffic(burstiness_cv=1.0), rate_per_s=1e-6, slos=soon, max_sequences=1)
    rate = 0.25 / alone.e2e_mean_s
    assert planned(Traffic(burstiness_cv=1.0), rate_per_s=rate, slos=soon, max_sequences=1).replicas == 2


def test_a_router_that_knows_nobody_leaves_each_replica_its_own_queue(planned):
    """The same quarter of an Erlang: 95 % find a replica idle only where none is busy for more than 5 % of the time.
    Of answers of one length the mean wait is then that of M/D/1."""
    soon = (Slo(metric="ttft", percentile=95.0, limit_s=0.2),)
    alone = planned(Traffic(burstiness_cv=1.0), rate_per_s=1e-6, slos=soon, max_sequences=1)
    rate = 0.25 / alone.e2e_mean_s
    found = planned(Traffic(burstiness_cv=1.0), rate, soon, "random", max_sequences=1)
    busy = 0.25 / found.replicas
    assert 4 <= found.replicas <= 6
    wait_s = busy * alone.e2e_mean_s / (2 * (1 - busy))
    assert found.ttft_mean_s - alone.ttft_mean_s == pytest.approx(wait_s, rel=0.1)


def test_turns_find_who_is_idle_where_answers_take_alike(planned):
    """The same quarter of an Erlang on two replicas: the second request before one ends, 1 - 1.25·e^-0.25 = 2.6 %, has
    to wait, as with a router that looks. Of long and short answers one in turn may be busy while another is idle."""
    soon = (Slo(metric="ttft", percentile=95.0, limit_s=0.2),)

    def replicas(router: str, output_tokens: Quantity) -> float:
        alone = planned(Traffic(burstiness_cv=1.0), 1e-6, soon, output_tokens=output_tokens, max_sequences=1)
        rate = 0.25 / alone.e2e_mean_s
        found = planned(Traffic(burstiness_cv=1.0), rate, soon, router, output_tokens=output_tokens, max_sequences=1)
        return float(found.replicas)

    assert replicas("round_robin", 200.0) == replicas("least_load", 200.0) == 2
    varied = Lognormal(200.0, 1.0)
    assert replicas("round_robin", varied) == replicas("random", varied) > replicas("least_load", varied)


@pytest.mark.parametrize("share", [0.4, 0.7, 0.9])
def test_full_batches_in_closed_form_are_those_of_the_simulation(share):
    """Batches of 8, constant lengths: time to fill, queue of batches, and one pass for all."""
    steps, places, prompt, answer = LinearStepTime(0.010, 1e-5, 0.0), 8, 100, 50
    read_s = float(steps.step_time_s(0, places * prompt, 0))
    batch_s = read_s + (answer - 1) * float(steps.step_time_s(places, 0, 0))
    rate = share * places / batch_s
    fill_s = batch_fill_s(np.array(8.0), np.array(rate))
    wait_s = full_batch_wait_s(np.array(share), np.array(batch_s), 1.0, np.array(8.0))
    settings = ReplicaSettings(places, 8192, batching=Batching.STATIC)
    count = 20_000
    arrivals = np.cumsum(np.random.default_rng(3).exponential(1.0 / rate, count))
    requests = requests_at(arrivals, prompt, answer)
    result = simulate(replica_table(steps, settings), settings, requests)
    assert np.nanmean(result.ttft_s) == pytest.approx(fill_s + wait_s + read_s, rel=0.08)


def test_static_batches_that_nobody_fills_in_time_are_no_plan(planned):
    slow = (Slo(metric="ttft", percentile=95.0, limit_s=20.0),)
    few, enough = (planned(Traffic(), rate, slow, batching="static", max_sequences=8) for rate in (0.3, 3.0))
    assert not few.meets_targets
    assert enough.meets_targets
    assert enough.ttft_p95_s > 7 / 3.0 * 0.95


@pytest.mark.parametrize("count", [0.2, 8.0, 60.0])
@pytest.mark.parametrize("limit_s", [0.3, 0.8, 1.3, 1.9])
def test_the_latency_of_a_fleet_that_meets_its_target_is_within_it(planned, count, limit_s):
    """Batches of about 2 s that begin with whoever is there, behind a router, for loads of as many answers at once: a
    fleet sized without headroom tells no p95 over its target."""
    slos = (Slo(metric="ttft", percentile=95.0, limit_s=limit_s),)
    alone = planned(Traffic(burstiness_cv=1.0), rate_per_s=1e-6, slos=slos, batching="dynamic")
    found = planned(Traffic(burstiness_cv=1.0), count / alone.e2e_mean_s, slos, batching="dynamic")
    assert found.meets_targets
    assert found.ttft_p95_s <= 1.002 * limit_s


def test_a_batch_is_waited_for_where_one_runs(planned):
    """Half an answer at once on one replica: at work for 0.5 / (0.5 + e^-0.5) = 45 % of the time, and half a batch is
    waited for then. Of 40 answers at once on 60 replicas none finds all of them at work."""
    slow = (Slo(metric="ttft", percentile=95.0, limit_s=30.0),)
    traffic = Traffic(burstiness_cv=1.0)
    alone = planned(traffic, rate_per_s=1e-6, slos=slow, batching="dynamic")
    batch_s = alone.e2e_mean_s - alone.ttft_mean_s
    one = planned(traffic, 0.5 / alone.e2e_mean_s, slow, batching="dynamic")
    assert one.replicas == 1
    assert one.ttft_mean_s - alone.ttft_mean_s == pytest.approx(0.45 * batch_s / 2, rel=0.06)
    assert one.ttft_p50_s - alone.ttft_p50_s < 0.05 * batch_s
    assert one.ttft_p95_s - alone.ttft_p95_s == pytest.approx((1 - 0.05 / 0.45) * batch_s, rel=0.06)
    soon = (Slo(metric="ttft", percentile=95.0, limit_s=0.2),)
    many = planned(traffic, 40.0 / alone.e2e_mean_s, soon, batching="dynamic")
    assert 42 <= many.replicas <= 60
    assert planned(traffic, 1.0 / alone.e2e_mean_s, soon, "random", batching="dynamic").replicas >= 14


def test_full_batches_miss_a_target_by_what_the_best_number_of_replicas_leaves(planned):
    """At the lowest load they never fill: days. One that allows what is told to be nearest has a plan that keeps it."""
    soon = (Slo(metric="ttft", percentile=95.0, limit_s=0.5),)
    missed = planned(Traffic(), 40.0, soon, batching="static", max_sequences=64)
    assert not missed.meets_targets
    assert missed.reason_value == pytest.approx(missed.ttft_p95_s / 0.5)
    # Half of 64 have come after 32 / 40 s at least, at whichever number of replicas.
    assert 0.95 * 63 / 40.0 < missed.ttft_p95_s < 20.0
    allowed = (Slo(metric="ttft", percentile=95.0, limit_s=1.01 * missed.ttft_p95_s),)
    kept = planned(Traffic(), 40.0, allowed, batching="static", max_sequences=64)
    assert kept.meets_targets
    assert kept.ttft_p95_s <= 1.01 * missed.ttft_p95_s


def test_short_answers_wait_for_the_longest_of_their_batch():
    own = OwnAnswers(100.0, 0.0)
    assert own.shorter(95.0) == pytest.approx(100.0)
    wide = OwnAnswers(100.0, 1.0)
    assert padded_token_s(np.array(0.01), 301.0, wide.shorter(95.0)) > 0.03 * 3
