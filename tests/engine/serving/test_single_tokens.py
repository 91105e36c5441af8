"""Answers of one token, as of classifiers, guards and rerankers: no second token, and no time between two."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.quantity import Lognormal, Quantity
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.workload import LatencyMetric, RequestClass, Slo
from gpuplanner_gui.drawing.words.targets import targets_of
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.decision.monte_carlo_plan import uncertainty_of_plan
from gpuplanner_gui.files.catalogs import load_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import load_project
from tests.conftest import SMALL_CHAT

TTFT, TPOT = Slo(metric="ttft", limit_s=1.0), Slo(metric="tpot", limit_s=0.02)
GAP, E2E = Slo(metric="itl", limit_s=0.02), Slo(metric="e2e", limit_s=1.0)


def asking(*slos: Slo, answer: Quantity = 1.0, beside: tuple[RequestClass, ...] = ()) -> Scenario:
    scenario = load_project(SMALL_CHAT).scenarios[0]
    one = msgspec.structs.replace(scenario.service.classes[0], output_tokens=answer, slos=slos)
    serving = msgspec.structs.replace(scenario.service, classes=(one, *beside))
    return msgspec.structs.replace(scenario, serving=serving)


def test_a_pace_that_nobody_waits_for_changes_no_figure() -> None:
    """TPOT is E2E less TTFT over the tokens after the first: of one token there is none, whatever limit is stated."""
    catalog, calibration = load_catalog(), load_calibration()
    asked = [asking(TTFT, TPOT, GAP), asking(TTFT), asking(E2E)]
    plans = [plan(one, catalog, calibration) for one in asked]
    fleets = [one.served for one in plans]
    for name in ("order", "replicas", "usd_per_month", "ttft_p95_s", "e2e_p95_s", "meets_targets"):
        columns = [getattr(one.table, name) for one in fleets]
        assert np.array_equal(columns[0], columns[1], equal_nan=True), name
        assert np.array_equal(columns[0], columns[2], equal_nan=True), name
    table = fleets[0].table
    assert np.array_equal(table.e2e_p95_s, table.ttft_p95_s, equal_nan=True)
    for name in ("tpot_mean_s", "tpot_p95_s", "itl_p99_s"):
        assert np.isnan(getattr(table, name)).all(), name
    context = context_of(catalog, calibration)
    paced, whole = (uncertainty_of_plan(asked[one], plans[one], context, seed=1, samples=200) for one in (0, 2))
    assert paced.headline("serving.tpot_p95_s") is None
    first, all_of_it = paced.headline("serving.ttft_p95_s"), whole.headline("serving.e2e_p95_s")
    assert first is not None
    assert all_of_it is not None
    assert (first.p10, first.p90) == pytest.approx((all_of_it.p10, all_of_it.p90))


@pytest.mark.parametrize(
    ("answer", "held"),
    [
        (1.0, ("ttft",)),
        (Lognormal(1.0, 0.01), ("ttft",)),
        (Lognormal(1.0, 0.5), ("ttft", "tpot", "itl")),
        (2.0, ("ttft", "tpot", "itl")),
    ],
)
def test_some_answers_with_a_second_token_have_a_pace(answer: Quantity, held: tuple[LatencyMetric, ...]) -> None:
    scenario = asking(TTFT, TPOT, GAP, answer=answer)
    assert tuple(slo.metric for _, slo in scenario.service.targets) == held
    assert tuple(slo.metric for _, slo in targets_of(scenario)) == held


def test_labels_beside_a_chat_leave_its_targets_alone() -> None:
    """Each target's latency is that of its own class, in the order in which they are shown."""
    chat = msgspec.structs.replace(asking(TTFT, TPOT, answer=200.0).service.classes[0], name="chat")
    label = asking(TPOT, E2E, beside=(chat,))
    found = plan(label, load_catalog(), load_calibration()).served
    assert [slo.metric for _, slo in targets_of(label)] == ["e2e", "ttft", "tpot"]
    whole, first, pace = found.target_latency_s
    assert whole == pytest.approx(first)
    assert 0 < pace < first
