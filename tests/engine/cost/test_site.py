"""What a site feeds and cools is what stands there: what is bought or owned, not what a provider runs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from gpuplanner_gui.domain.economics import Economics, Procurement
from gpuplanner_gui.domain.plan import Plan, Reason
from gpuplanner_gui.domain.scenario import HardwareChoice, OwnedStock, Scenario
from gpuplanner_gui.domain.traffic import Traffic
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.drawing.decision_rows import term_rows
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.decision.ownership_view import ownership_of_plan

H100, GB200 = "nvidia-h100-sxm-80gb", "nvidia-gb200"
NODE_W, PUE = 10_200.0, 1.25
SITE_CODES = {"node_exceeds_rack", "fleet_exceeds_site", "liquid_is_missing"}


@pytest.fixture
def planned(llama_8b, catalog, calibration):
    """Plans a service, a training run or both on a device, within some limits of a site."""

    def of(workloads: str, accelerator: str, term: Procurement, owned: int = 0, **limits: Any) -> Plan:
        scenario = Scenario(
            name="site", model=llama_8b,
            serving=ServingWorkload(classes=(RequestClass(peak_rate_per_s=400.0),)) if "serving" in workloads else None,
            training=TrainingWorkload(tokens=1e9) if "training" in workloads else None,
            hardware=HardwareChoice(
                accelerators=(accelerator,), training_devices=16, max_training_devices=64,
                owned=(OwnedStock(accelerator=accelerator, devices=owned),) if owned else (), **limits,
            ),
            economics=Economics(serving_procurement=term, training_procurement=term),
        )  # fmt: skip
        return plan(scenario, catalog, calibration)

    return of


def site_findings(found: Plan) -> set[str]:
    return {one.code for one in found.findings} & SITE_CODES


LIMITS = [(H100, {"max_kw_total": 5.0}), (H100, {"max_kw_per_rack": 0.5}), (GB200, {"cooling": ("air",)})]


@pytest.mark.parametrize("workload", ["serving", "training"])
@pytest.mark.parametrize(("accelerator", "limit"), LIMITS)
def test_a_rented_fleet_is_held_against_no_limit_of_the_site(planned, workload, accelerator, limit):
    free, limited = (
        planned(workload, accelerator, "rent_on_demand"),
        planned(workload, accelerator, "rent_on_demand", **limit),
    )
    (before,), (after,) = free.answers.values(), limited.answers.values()
    assert before.best == after.best
    assert np.array_equal(before.table.reason, after.table.reason)
    assert not site_findings(limited)
    (owned,) = planned(workload, accelerator, "own", **limit).answers.values()
    assert np.isin(owned.table.reason, (Reason.OVER_POWER, Reason.COOLING)).any()


def test_an_owned_node_counts_and_what_is_rented_beside_it_does_not(planned):
    """HGX H100, 10.2 kW, at a PUE of 1.25: 12.75 kW with cooling, however many devices are rented. One that the site
    can't feed stays idle."""
    for limit_kw, fits in ((13.0, True), (12.0, False)):
        found = planned("serving", H100, "rent_on_demand", 8, max_devices_per_replica=1, max_kw_total=limit_kw)
        best = found.serving.best
        assert found.serving.table.owned_devices[best] == (8 if fits else 0)
        assert found.serving.table.devices[best] > 8
        assert not site_findings(found)
        assert any(one.code == "owned_beyond_site" for one in found.findings) != fits


@pytest.mark.parametrize(
    ("accelerator", "limit"), [(H100, {"max_kw_per_rack": 8.0}), (H100, {"max_kw_total": 5.0}), (H100, {})]
)
@pytest.mark.parametrize("owned", [0, 64])
def test_buying_is_no_way_to_pay_for_what_the_site_cannot_feed(
    llama_8b, catalog, calibration, accelerator, limit, owned
):
    """An HGX H100 draws 10.2 kW. The page on cost and a finding offered to buy it, with the return on it. What is owned
    already stays idle there."""
    stock = (OwnedStock(accelerator=accelerator, devices=owned),) if owned else ()
    is_closed = bool(limit)
    scenario = Scenario(
        name="site", model=llama_8b, serving=ServingWorkload(classes=(RequestClass(peak_rate_per_s=400.0),)),
        hardware=HardwareChoice(accelerators=(accelerator,), owned=stock, **limit),
        economics=Economics(horizon_years=5.0),
    )  # fmt: skip
    found = plan(scenario, catalog, calibration)
    answer = ownership_of_plan(scenario, found, context_of(catalog, calibration), "serving")
    assert {one.term: one.reason for one in answer.terms}["own"] == ("site_too_small" if is_closed else "")
    (row,) = (one for one in term_rows(answer) if one.term == "own")
    assert math.isnan(row.usd) == bool(row.reason) == is_closed
    assert (answer.investment is None) == (bool(limit) or bool(owned))
    offered = {one.values["term"] for one in found.findings if one.code.startswith("cheaper_terms")}
    assert "own" not in offered or not is_closed


@pytest.mark.parametrize(("growth", "is_closed"), [(0.0, False), (1.0, True)])
def test_buying_is_no_way_to_pay_for_what_the_site_cannot_feed_in_a_later_year(
    llama_8b, catalog, calibration, growth, is_closed
):
    """Two boards of 12.75 kW at the meter are fed today, and no third one: twice the load each year needs more."""
    traffic = Traffic(growth_per_year=growth)
    scenario = Scenario(
        name="grows", model=llama_8b,
        serving=ServingWorkload(classes=(RequestClass(peak_rate_per_s=60.0),), traffic=traffic),
        hardware=HardwareChoice(accelerators=(H100,), max_kw_total=2 * NODE_W * PUE / 1000 + 1.0),
        economics=Economics(horizon_years=5.0),
    )  # fmt: skip
    found = plan(scenario, catalog, calibration)
    answer = ownership_of_plan(scenario, found, context_of(catalog, calibration), "serving")
    each = answer.devices / answer.replicas
    assert answer.devices <= 16
    assert (max(answer.replicas_by_year) * each > 16) == is_closed
    assert {one.term: one.reason for one in answer.terms}["own"] == ("site_too_small" if is_closed else "")
    assert (answer.investment is None) == is_closed
    assert not is_closed or all(one.values["term"] != "own" for one in found.findings if "cheaper_terms" in one.code)


def test_two_rented_fleets_share_no_site(planned):
    found = planned("serving and training", H100, "rent_on_demand", max_kw_total=5.0)
    assert not site_findings(found)
    assert "site:both_exceed_site" not in found.verdicts.both.reasons
