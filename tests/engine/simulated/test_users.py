"""Users who wait for their answer, simulated: exact where one is alone, and as the closed form has it in a crowd."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.scenario import HardwareChoice
from gpuplanner_gui.domain.traffic import Traffic
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.serving.curves import serving_candidate
from gpuplanner_gui.engine.serving.demand import demand_of
from gpuplanner_gui.engine.serving.deployments import candidate_deployments
from gpuplanner_gui.engine.serving.sizing import closed_loop_states
from gpuplanner_gui.engine.simulation.candidate_load import candidate_service
from gpuplanner_gui.engine.simulation.continuous import ContinuousReplica
from gpuplanner_gui.engine.simulation.pool import Outage


@pytest.fixture
def asked_by(chat_8b, catalog, calibration):
    """A service of one replica, its users, and the closed form's answer to them."""

    def found(users, think_s, requests):
        traffic = Traffic(arrivals="users", users=float(users), think_time_s=think_s, burstiness_cv=1.0)
        first = msgspec.structs.replace(chat_8b.serving.classes[0], slos=())
        serving = msgspec.structs.replace(
            chat_8b.serving, traffic=traffic, classes=(first,), weight_precisions=("bf16",)
        )
        scenario = msgspec.structs.replace(
            chat_8b, serving=serving, hardware=HardwareChoice(accelerators=("nvidia-h100-sxm-80gb",))
        )
        planned, context = plan(scenario, catalog, calibration), context_of(catalog, calibration)
        chosen = serving_candidate(planned, planned.serving.best)
        deployed = candidate_deployments(scenario, context, chosen)
        closed = closed_loop_states(deployed, demand_of(serving, scenario.model), np.array([float(users)]))
        return candidate_service(scenario, context, chosen, requests), closed

    return found


def test_a_lone_user_asks_once_per_answer_and_thought(asked_by):
    service, _ = asked_by(1, 30.0, 400)
    result = service.run_users(1, 30.0)
    assert result.is_finished.all()
    starts = np.sort(result.sent_s)
    # Nobody asks before the last answer is there.
    assert (starts[1:] >= np.sort(result.finish_s)[:-1] - service.admission.host_s - 0.1).all()
    cycle_s = np.diff(starts).mean()
    assert cycle_s == pytest.approx(30.0 + result.e2e_s.mean(), rel=0.02)
    alone = service.run(1e-4, 400)
    assert np.median(result.ttft_s) == pytest.approx(np.median(alone.ttft_s), rel=0.02)


@pytest.mark.parametrize(("users", "think_s"), [(8, 5.0), (64, 20.0)])
def test_a_crowd_of_users_is_as_the_closed_form_has_it(asked_by, users, think_s):
    service, closed = asked_by(users, think_s, 2000)
    result = service.run_users(users, think_s)
    assert result.is_finished.all()
    middle = np.sort(result.finish_s)[400:-400]
    rate = (len(middle) - 1) / (middle[-1] - middle[0])
    assert rate == pytest.approx(users / (think_s + float(closed.e2e_mean_s[0, 0])), rel=0.06)
    assert result.itl.mean_s() == pytest.approx(float(closed.step_s[0, 0]), rel=0.08)


def test_more_replicas_share_the_users(asked_by):
    service, _ = asked_by(32, 2.0, 1500)
    one, two = (service.with_replicas(count).run_users(32, 2.0) for count in (1, 2))
    assert two.is_finished.all()
    assert two.itl.mean_s() < one.itl.mean_s()
    assert two.end_s < one.end_s


@pytest.mark.parametrize("think_s", [0.0, 0.5])
def test_no_user_waits_for_an_answer_to_end_where_places_are_free(asked_by, think_s):
    """Thirteen users before twenty-two places: a prompt waits for a step, with at most one other prompt."""
    service, _ = asked_by(13, think_s, 400)
    pairs = replace(service, settings=replace(service.settings, max_sequences=2))
    together, alone = pairs.with_replicas(11).run_users(13, think_s), pairs.run_users(1, think_s)
    assert together.is_finished.all()
    assert together.ttft_s.max() < 2 * alone.ttft_s.max()


def test_many_replicas_of_users_are_advanced_from_answer_to_answer(asked_by, monkeypatch):
    """Not all of them step by step: who decodes alone is left alone until somebody may be answered."""
    service, _ = asked_by(600, 20.0, 2000)
    events = []
    advance = ContinuousReplica.advance_one_event

    def counted(replica, until_s):
        events.append(until_s)
        advance(replica, until_s)

    monkeypatch.setattr(ContinuousReplica, "advance_one_event", counted)
    result = service.with_replicas(20).run_users(600, 20.0)
    assert result.is_finished.all()
    assert len(events) < 6 * len(result.requests)


def test_users_of_a_lost_replica_ask_the_others(asked_by):
    service, _ = asked_by(32, 2.0, 1500)
    pair = service.with_replicas(2)
    calm = pair.run_users(32, 2.0)
    middle_s = float(np.median(calm.sent_s))
    hit = pair.run_users(32, 2.0, outages=(Outage(middle_s, 30.0, replica=0),))
    assert hit.is_finished.all()
    during = (hit.sent_s > middle_s) & (hit.sent_s < middle_s + 20.0)
    assert hit.e2e_s[during].mean() > 1.1 * calm.e2e_s.mean()
    assert hit.end_s > calm.end_s


def test_the_same_seed_gives_the_same_run(asked_by):
    service, _ = asked_by(4, 3.0, 300)
    np.testing.assert_array_equal(service.run_users(4, 3.0).finish_s, service.run_users(4, 3.0).finish_s)
