"""The search by targets finds what simulating every configuration finds."""

from __future__ import annotations

import math
from dataclasses import replace

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.economics import Economics, RentalTerms, UncertaintyTerms
from gpuplanner_gui.domain.quantity import Lognormal
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.workload import Availability, RequestClass, ServingWorkload, Slo
from gpuplanner_gui.engine import CancelledError, plan
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.fleet.slo_configurations import Configuration, ReplicaDemand, fleet_of, with_limits
from gpuplanner_gui.engine.fleet.slo_search import slo_search
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.cost import fleet_usd_per_hour
from gpuplanner_gui.engine.simulation.candidate_load import (
    candidate_model,
    longest_tokens,
    replica_service,
    scenario_sample,
    scenario_targets,
)
from gpuplanner_gui.engine.simulation.fleet_check import simulated_plan
from gpuplanner_gui.engine.simulation.result import meets

REQUESTS = 300
BATCHES, BUDGETS = (16, 64), (2048,)


def scenario_with(model, accelerators, **changes):
    serving = ServingWorkload(
        classes=(
            RequestClass(
                peak_rate_per_s=30.0,
                prompt_tokens=Lognormal(700.0, 0.8),
                output_tokens=Lognormal(150.0, 0.6),
                slos=(
                    Slo(metric="ttft", percentile=95.0, limit_s=changes.pop("ttft_s", 0.6)),
                    Slo(metric="tpot", percentile=95.0, limit_s=changes.pop("tpot_s", 0.03)),
                ),
            ),
        ),
        weight_precisions=("fp8",),
        kv_precisions=("bf16",),
        **changes,
    )
    return Scenario(
        name="s",
        model=model,
        serving=serving,
        hardware=HardwareChoice(accelerators=accelerators, max_devices_per_replica=2),
        economics=Economics(uncertainty=UncertaintyTerms(confidence="expected")),
    )


def every_configuration(scenario, found, context):
    """Cost of every configuration by simulating ever more replicas; infinite where its capacity never reaches."""
    table = found.serving.table
    fleet = fleet_of(scenario)
    targets = scenario_targets(scenario)
    sample = scenario_sample(scenario.serving, longest_tokens(scenario), REQUESTS, 0)
    own = (scenario.serving.engine.max_sequences, scenario.serving.engine.token_budget)
    limits = {own} | {(batch, budget) for batch in BATCHES for budget in BUDGETS}
    costs = {}
    for candidate in np.flatnonzero(table.fits & np.isfinite(table.usd_per_device_hour)):
        for batch, budget in limits:
            varied = with_limits(scenario, batch, budget)
            service = replica_service(
                candidate_model(varied, context, ServingCandidates.of_table(table, np.array([candidate]))), sample
            )
            price = float(table.usd_per_device_hour[candidate] * table.devices_per_replica[candidate])
            base = next((count for count in range(1, 40) if meets(service.run(fleet.rate_of_each(count)), targets)), 0)
            costs[int(candidate), batch, budget] = fleet.total(base) * price if base else math.inf
    return costs


@pytest.mark.slow
@pytest.mark.parametrize(
    ("accelerators", "changes"),
    [
        (("nvidia-l40s", "nvidia-h100-sxm-80gb"), {}),
        (("nvidia-l40s", "nvidia-h100-sxm-80gb"), {"tpot_s": 0.015}),
        (("nvidia-a100-sxm-80gb", "nvidia-h200-sxm-141gb"), {"ttft_s": 0.25, "availability": Availability(zones=3)}),
    ],
)
def test_winner_is_that_of_brute_force(llama_8b, catalog, calibration, accelerators, changes):
    known = [name for name in accelerators if name in catalog.accelerators]
    assert len(known) == 2
    scenario = scenario_with(llama_8b, accelerators, **dict(changes))
    found = plan(scenario, catalog, calibration)
    result = slo_search(
        scenario, catalog, calibration, found, requests=REQUESTS, batch_limits=BATCHES, token_budgets=BUDGETS
    )
    costs = every_configuration(scenario, found, context_of(catalog, calibration))
    assert result.is_complete
    assert result.winner is not None
    cheapest = min(costs.values())
    assert result.winner.usd_per_hour == pytest.approx(cheapest)
    winner = result.winner
    assert costs[winner.candidate, winner.max_sequences, winner.token_budget] == pytest.approx(cheapest)
    assert result.simulated < 10 * len(costs)


def test_smaller_pieces_of_long_prompts_keep_the_gaps_with_fewer_replicas(llama_8b, catalog, calibration):
    """The planner's budget of 16,384 tokens lets a whole prompt stand between two tokens; 2,048 cut it."""
    long = RequestClass(
        peak_rate_per_s=8.0, prompt_tokens=12_000.0, output_tokens=150.0,
        slos=(Slo(metric="ttft", percentile=95.0, limit_s=4.0), Slo(metric="itl", percentile=99.0, limit_s=0.1)),
    )  # fmt: skip
    scenario = scenario_with(llama_8b, ("nvidia-h100-sxm-80gb",))
    engine = msgspec.structs.replace(scenario.serving.engine, token_budget=16_384)
    serving = msgspec.structs.replace(scenario.serving, classes=(long,), engine=engine)
    scenario = msgspec.structs.replace(scenario, serving=serving)
    found = plan(scenario, catalog, calibration)
    own, any_budget = (
        slo_search(
            scenario, catalog, calibration, found, requests=REQUESTS, batch_limits=(256,), token_budgets=budgets
        ).winner
        for budgets in ((), (2048,))
    )
    assert (own.token_budget, any_budget.token_budget) == (16_384, 2048)
    assert any_budget.replicas < own.replicas


def test_replicas_that_share_their_places_are_searched_together(llama_8b, catalog, calibration):
    """Of replicas of one place the search needs as many as the plan, within what chance makes of one run."""
    scenario = scenario_with(llama_8b, ("nvidia-h100-sxm-80gb",), tpot_s=0.05)
    one = msgspec.structs.replace(scenario.serving.classes[0], peak_rate_per_s=10.0)
    engine = msgspec.structs.replace(scenario.serving.engine, max_sequences=1)
    wanted = Availability(spare_replicas=0, target=0.5)
    serving = msgspec.structs.replace(scenario.serving, classes=(one,), engine=engine, availability=wanted)
    scenario = msgspec.structs.replace(scenario, serving=serving)
    found = simulated_plan(scenario, catalog, calibration, plan(scenario, catalog, calibration), is_judged=False)
    own = found.serving
    winner = slo_search(scenario, catalog, calibration, found, batch_limits=(), token_budgets=()).winner
    assert winner is not None
    assert own.simulated.replicas > 10
    assert winner.usd_per_hour <= 1.1 * own.table.usd_per_hour[own.best]


@pytest.fixture(scope="module")
def searched(llama_8b, catalog, calibration):
    scenario = scenario_with(llama_8b, ("nvidia-l40s", "nvidia-h100-sxm-80gb", "amd-mi300x"))
    found = plan(scenario, catalog, calibration)
    return scenario, found, slo_search(scenario, catalog, calibration, found, requests=REQUESTS)


def test_runners_up_cost_no_less_and_say_why_they_lost(searched):
    _, found, result = searched
    table = found.serving.table
    assert result.runners_up
    kinds = set()
    for loser in result.runners_up:
        assert loser.lost_on in ("cost", "target")
        assert loser.tightest is not None
        if loser.replicas:
            assert loser.usd_per_hour >= result.winner.usd_per_hour * (1 - 1e-9)
            assert loser.price_factor == pytest.approx(result.winner.usd_per_hour / loser.usd_per_hour)
        kinds.add((int(table.accelerator[loser.candidate]), int(table.weight_precision[loser.candidate])))
    assert len(kinds) == len(result.runners_up)


def test_the_winner_is_within_its_targets(searched):
    _, _, result = searched
    assert result.winner.lost_on == ""
    assert result.winner.tightest.is_kept
    assert result.winner.price_factor == pytest.approx(1.0)


def test_tighter_targets_never_cost_less(llama_8b, catalog, calibration, searched):
    scenario = scenario_with(llama_8b, ("nvidia-l40s", "nvidia-h100-sxm-80gb", "amd-mi300x"), tpot_s=0.02)
    found = plan(scenario, catalog, calibration)
    tighter = slo_search(scenario, catalog, calibration, found, requests=REQUESTS)
    assert tighter.winner is None or tighter.winner.usd_per_hour >= searched[2].winner.usd_per_hour * (1 - 1e-9)


def test_targets_that_nothing_meets_have_no_winner(llama_8b, catalog, calibration):
    scenario = scenario_with(llama_8b, ("nvidia-l40s",), tpot_s=1e-5)
    found = plan(scenario, catalog, calibration)
    result = slo_search(scenario, catalog, calibration, found, requests=REQUESTS)
    assert result.winner is None
    assert result.is_complete
    assert len(result.runners_up) == 1
    nearest = result.runners_up[0]
    assert (nearest.lost_on, nearest.replicas) == ("idle", 0)
    assert nearest.tightest is not None
    assert nearest.tightest.metric == "tpot"
    assert nearest.tightest.measured_s > nearest.tightest.limit_s == 1e-5


def test_a_configuration_that_no_number_of_replicas_helps_is_given_up_soon(llama_8b, catalog, calibration):
    """One run where the closed form puts it and one at the most replicas, instead of every number between."""
    scenario = scenario_with(llama_8b, ("nvidia-l40s", "nvidia-h100-sxm-80gb"), ttft_s=0.17)
    found = plan(scenario, catalog, calibration)
    result = slo_search(scenario, catalog, calibration, found, requests=REQUESTS)
    assert result.winner is not None
    assert [one.replicas for one in result.runners_up] == [0]
    assert result.simulated <= 25


def test_each_class_is_held_against_its_own_targets(llama_8b, catalog, calibration):
    """Short answers are due at once, long ones are not: of all requests together, p95 is that of the long ones."""
    scenario = scenario_with(llama_8b, ("nvidia-h100-sxm-80gb",))
    quick = RequestClass(
        name="quick",
        peak_rate_per_s=10.0,
        prompt_tokens=200.0,
        output_tokens=8.0,
        slos=(Slo(metric="e2e", percentile=95.0, limit_s=0.5),),
    )
    both = msgspec.structs.replace(scenario.serving, classes=(*scenario.serving.classes, quick))
    scenario = msgspec.structs.replace(scenario, serving=both)
    found = plan(scenario, catalog, calibration)
    assert found.serving.table.meets_targets[found.serving.best]
    assert found.serving.target_latency_s[2] < 0.5
    result = slo_search(scenario, catalog, calibration, found, requests=REQUESTS)
    assert result.winner is not None
    sample = scenario_sample(scenario.serving, longest_tokens(scenario), REQUESTS, 0)
    winner = result.winner
    varied = with_limits(scenario, winner.max_sequences, winner.token_budget)
    chosen = ServingCandidates.of_table(found.serving.table, np.array([winner.candidate]))
    service = replica_service(candidate_model(varied, context_of(catalog, calibration), chosen), sample)
    run = service.run(winner.slo_rate_per_s)
    assert meets(run, scenario_targets(scenario))
    assert np.quantile(run.e2e_s, 0.95) > 2 * 0.5


def test_a_search_cut_short_says_so(searched, catalog, calibration):
    scenario, found, _ = searched
    result = slo_search(scenario, catalog, calibration, found, requests=REQUESTS, most_simulations=0)
    assert not result.is_complete
    assert result.winner is None


def test_a_cancelled_search_ends(searched, catalog, calibration):
    scenario, found, _ = searched
    with pytest.raises(CancelledError):
        slo_search(scenario, catalog, calibration, found, is_cancelled=lambda: True)


def test_affordable_replicas_cost_less_than_the_sum():
    fleet = ReplicaDemand(40.0, Availability(spare_replicas=1, zones=3))
    each = Configuration(0, 64, 2048, 2.0, 10.0, 4.0, 0.0)
    base = fleet.affordable_base(each, 50.0)
    assert fleet.total(base) * 2.0 < 50.0 <= fleet.total(base + 1) * 2.0
    assert fleet.affordable_base(replace(each, usd_per_replica_hour=100.0), 50.0) == 0


def test_the_bill_beside_the_devices_counts_in_a_search(llama_8b, catalog, calibration, searched):
    """As in the ranked candidates: storage, egress and support; prices at which a loser would win are its devices'."""
    scenario, _, before = searched
    renting = RentalTerms(serving_egress_bytes_per_month=50e12, stored_bytes=10e12, support_share=0.1)
    billed = msgspec.structs.replace(scenario, economics=msgspec.structs.replace(scenario.economics, renting=renting))
    found = plan(billed, catalog, calibration)
    after = slo_search(billed, catalog, calibration, found, requests=REQUESTS)
    beside = (50_000 * 0.09 + 10_000 * 0.023) * 1.1 / 730
    assert after.winner.usd_per_hour == pytest.approx(before.winner.usd_per_hour * 1.1 + beside)
    fleet = fleet_of(billed)
    table = found.serving.table
    chosen = after.winner.candidate
    usd = float(table.usd_per_device_hour[chosen] * table.devices_per_replica[chosen])
    each = Configuration(chosen, 64, 2048, usd, 10.0, 4.0, 0.0)
    devices = after.winner.replicas * table.devices_per_replica[chosen]
    assert after.winner.usd_per_hour == pytest.approx(
        float(fleet_usd_per_hour(devices, table.usd_per_device_hour[chosen], 0.0, fleet.beside.usd, 0.1))
    )
    assert fleet.price_factor(fleet.usd_per_hour(4, each), fleet.usd_per_hour(2, each)) == pytest.approx(
        fleet.total(2) / fleet.total(4)
    )
    for loser in after.runners_up:
        if loser.replicas:
            paid = (loser.usd_per_hour - beside) * loser.price_factor + beside
            assert paid == pytest.approx(after.winner.usd_per_hour)


def test_fleet_counts_are_those_of_worked_case_e14():
    plain = ReplicaDemand(40.0, Availability(spare_replicas=0, target_utilisation=0.75))
    assert plain.base_for(6.2) == 9
    assert ReplicaDemand(40.0, Availability(spare_replicas=1)).total(9) == 10
    assert ReplicaDemand(40.0, Availability(spare_replicas=0, zones=3)).total(9) == 15


def test_batch_limits_are_put_into_the_engine(llama_8b):
    scenario = scenario_with(llama_8b, ())
    varied = with_limits(scenario, 12, 345)
    assert (varied.serving.engine.max_sequences, varied.serving.engine.token_budget) == (12, 345)
    assert msgspec.structs.replace(varied.serving, engine=scenario.serving.engine) == scenario.serving
