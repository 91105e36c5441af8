"""Questions asked as one: each gets the answer that it gets alone, to the last digits."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplanner_gui.domain.quantity import Lognormal
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload, Slo
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.serving.candidates import ServingCandidates, drafting
from gpuplanner_gui.engine.serving.demand import demand_of
from gpuplanner_gui.engine.serving.deployments import candidate_deployments
from gpuplanner_gui.engine.serving.load.rates import highest_load_within
from gpuplanner_gui.engine.serving.load_grid import asked_together, demands_together, load_grid, models_together
from gpuplanner_gui.engine.serving.loaded import scenario_load_models

DEVICES = ("nvidia-h100-sxm-80gb", "nvidia-l40s", "amd-mi300x")
TARGETS = (
    Slo(metric="ttft", percentile=95.0, limit_s=1.0), Slo(metric="tpot", percentile=50.0, limit_s=0.05),
    Slo(metric="itl", percentile=99.0, limit_s=0.3), Slo(metric="e2e", percentile=90.0, limit_s=20.0),
)  # fmt: skip


def _class(name, rate, prompt, answer, hits=0.0):
    return RequestClass(
        name=name, peak_rate_per_s=rate, prompt_tokens=prompt, output_tokens=answer, prefix_cache_share=hits,
        slos=TARGETS,
    )  # fmt: skip


def _classes(lengths, hits):
    chat = _class("chat", 8.0, Lognormal(700.0 * lengths, 0.6), Lognormal(250.0, 0.5), hits)
    return chat, _class("documents", 1.0, 6000.0, Lognormal(100.0 * lengths, 0.7))


@pytest.fixture(scope="module")
def asked(llama_8b, catalog, calibration):
    """Grids and rates of services that differ in lengths, hits and bursts, alone and together."""

    def of(changes, **engine):
        serving = ServingWorkload(classes=_classes(1.0, 0.0), kv_precisions=("bf16",))
        serving = msgspec.structs.replace(serving, engine=msgspec.structs.replace(serving.engine, **engine))
        scenario = Scenario(name="s", model=llama_8b, serving=serving, hardware=HardwareChoice(accelerators=DEVICES))
        context = context_of(catalog, calibration)
        table = plan(scenario, catalog, calibration).serving.table
        one_pool = np.flatnonzero((table.prefill_workers == 0) & table.fits)
        rows = one_pool[table.draft_tokens[one_pool] == table.draft_tokens[one_pool[0]]][::7][:9]
        chosen = ServingCandidates.of_table(table, rows)
        assert chosen.pipeline_parallel.max() > 1
        scenario = drafting(scenario, chosen)
        scenarios = [_changed(scenario, *one) for one in changes]
        demands = [demand_of(one.serving, one.model) for one in scenarios]
        deployed = candidate_deployments(scenario, context, chosen)
        models = scenario_load_models(scenarios, context, chosen, deployed, demands)
        return len(chosen), models, demands

    return of


def _changed(scenario, lengths, hits, cv):
    traffic = msgspec.structs.replace(scenario.serving.traffic, arrivals="gamma", burstiness_cv=cv)
    serving = msgspec.structs.replace(scenario.serving, classes=_classes(lengths, hits), traffic=traffic)
    return msgspec.structs.replace(scenario, serving=serving)


def _answers(grid, demand):
    rates = highest_load_within(grid.states.rate_per_s, grid.states, demand.slos, grid.capacity_per_s)[0]
    states = grid.states
    times = [states.ttft_s(40.0), states.ttft_s(95.0), states.tpot_s(95.0), *map(states.latency_s, demand.slos)]
    return np.vstack([rates, grid.capacity_per_s, grid.rising_rate_per_s, *times])


def _is_answered_alike(count, models, demands):
    groups = asked_together(demands)
    for places in groups:
        demand = demands_together([demands[one] for one in places], count)
        together = _answers(load_grid(models_together([models[one] for one in places]), demand), demand)
        for at, place in enumerate(places):
            alone = _answers(load_grid(models[place], demands[place]), demands[place])
            np.testing.assert_allclose(together[:, at * count : (at + 1) * count], alone, rtol=1e-12)
    return groups


CHANGES = ((1.0, 0.0, 1.0), (0.6, 0.0, 1.0), (1.8, 0.3, 1.0), (1.0, 0.5, 2.5))


@pytest.mark.parametrize(
    "engine",
    [{}, {"batching": "dynamic"}, {"token_budget": 512}, {"speculative_tokens": 3, "draft_acceptance": 0.7}],
    ids=["usual", "dynamic", "small chunks", "drafts"],
)
def test_each_gets_the_answer_that_it_gets_alone(asked, engine):
    assert _is_answered_alike(*asked(CHANGES, **engine)) == ((0, 1, 2, 3),)


def test_full_batches_are_asked_one_after_another(asked):
    groups = _is_answered_alike(*asked(CHANGES, batching="static"))
    assert groups == ((0,), (1,), (2,), (3,))


def test_questions_about_other_targets_are_asked_apart(asked):
    count, models, demands = asked(CHANGES)
    demands[1] = replace(demands[1], slos=demands[1].slos[:1])
    assert _is_answered_alike(count, models, demands) == ((0, 2, 3), (1,))


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.floats(0.2, 4.0), st.floats(0.0, 0.9), st.floats(0.5, 3.0)), min_size=2, max_size=5))
def test_whatever_they_differ_in(asked, changes):
    """Also in one question, so that each is held against its answer alone."""
    assert _is_answered_alike(*asked(changes)) == (tuple(range(len(changes))),)
