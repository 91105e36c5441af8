"""What a provider bills beside devices stands in every figure of a plan: month, run, request, samples, findings."""

from __future__ import annotations

import msgspec
import pytest

from gpuplanner_gui.domain.economics import RentalTerms
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import OwnedStock, Scenario
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.advisor.case import price_in_use, serving_case, training_case
from gpuplanner_gui.engine.decision.monte_carlo_plan import uncertainty_of_plan
from gpuplanner_gui.engine.decision.order_view import order_of
from gpuplanner_gui.engine.explaining.replay import explain
from gpuplanner_gui.engine.training.run import run_with_store

BILL = RentalTerms(
    serving_egress_bytes_per_month=50e12, training_egress_bytes_per_run=12e12, stored_bytes=10e12, support_share=0.1
)
"""A month: 50,000 GB at 0.09 and 10,000 GB at 0.023, 4,730 USD; a run: 12,000 GB at 0.09 and a year of 10,000 GB."""
BESIDE_MONTH, BESIDE_RUN = 4_730.0, 12_000 * 0.09 + 12 * 10_000 * 0.023


def with_money(scenario: Scenario, **terms) -> Scenario:
    return msgspec.structs.replace(scenario, economics=msgspec.structs.replace(scenario.economics, **terms))


@pytest.fixture(scope="module")
def billed(both) -> Scenario:
    return with_money(both, renting=BILL)


@pytest.fixture(scope="module")
def billed_plan(billed, catalog, calibration):
    return plan(billed, catalog, calibration)


def test_month_and_run_hold_the_whole_bill(billed_plan, both_plan):
    before, after = both_plan.serving.table, billed_plan.serving.table
    best = both_plan.serving.best
    assert after.usd_per_month[best] == pytest.approx((before.usd_per_month[best] + BESIDE_MONTH) * 1.1)
    assert after.usd_per_request[best] / before.usd_per_request[best] == pytest.approx(
        after.usd_per_month[best] / before.usd_per_month[best]
    )
    run = both_plan.training.best
    expected = (both_plan.training.table.usd_per_run[run] + BESIDE_RUN) * 1.1
    assert billed_plan.training.table.usd_per_run[run] == pytest.approx(expected)


def test_an_owner_is_billed_nothing_beside(both, billed, catalog, calibration):
    owned = {"serving_procurement": "own", "training_procurement": "own"}
    plain, other = (plan(with_money(one, **owned), catalog, calibration) for one in (both, billed))
    best = plain.serving.best
    assert other.serving.table.usd_per_month[best] == plain.serving.table.usd_per_month[best]
    assert (
        other.training.table.usd_per_run[plain.training.best] == plain.training.table.usd_per_run[plain.training.best]
    )


def test_samples_hold_the_whole_bill(billed, billed_plan, context):
    answer = uncertainty_of_plan(billed, billed_plan, context, seed=1, samples=500)
    month, run = answer.headline("serving.usd_per_month"), answer.headline("training.usd_per_run")
    assert month.planned == pytest.approx(float(billed_plan.serving.table.usd_per_month[billed_plan.serving.best]))
    assert run.planned == pytest.approx(float(billed_plan.training.table.usd_per_run[billed_plan.training.best]))
    assert month.p10 > BESIDE_MONTH * 1.1
    assert run.p10 > BESIDE_RUN * 1.1


def test_rules_price_other_fleets_by_the_same_bill(billed, billed_plan, context):
    service, run = serving_case(billed, billed_plan, context), training_case(billed, billed_plan, context)
    price = service.best.of("usd_per_device_hour")
    assert service.month_usd() == pytest.approx(service.best.of("usd_per_month"))
    owned = price_in_use(service, "own") * service.devices
    assert service.month_usd("own") == pytest.approx(owned * 730)
    assert service.spare_usd_per_month == pytest.approx(service.best.of("devices_per_replica") * price * 730 * 1.1)
    again = run.run_usd(run.best.of("device_hours"), run.best.of("usd_per_device_hour"))
    assert again == pytest.approx(run.best.of("usd_per_run"))


@pytest.mark.parametrize(("workload", "column"), [("serving", "usd_per_hour"), ("training", "usd_per_run")])
def test_the_bill_is_explained_down_to_its_terms(billed, billed_plan, catalog, calibration, workload, column):
    answer = billed_plan.serving if workload == "serving" else billed_plan.training
    found = explain(billed, catalog, calibration, billed_plan, workload, answer.best, column)
    names = {one.name for one in found.inputs}
    assert {"beside_usd", "support_share"} <= names
    beside = next(one for one in found.inputs if one.name == "beside_usd")
    assert {"stored_gb", "egress_gb", "egress_usd_per_gb"} <= {one.name for one in beside.inputs}
    assert beside.value == pytest.approx(BESIDE_MONTH if workload == "serving" else BESIDE_RUN)


def test_a_fleet_that_is_all_owned_pays_no_provider_whatever_the_term(both, catalog, calibration, context):
    """Devices in the cellar move no data out of anybody's cloud: month, run, samples and order without a bill."""
    accelerator = "nvidia-h100-sxm-80gb"
    stock = (OwnedStock(accelerator=accelerator, devices=4096),)
    hardware = msgspec.structs.replace(both.hardware, accelerators=(accelerator,), owned=stock)
    plain = msgspec.structs.replace(both, hardware=hardware)
    billed = with_money(plain, renting=BILL)
    before, after = (plan(one, catalog, calibration) for one in (plain, billed))
    sure = uncertainty_of_plan(billed, after, context, seed=1, samples=100)
    for workload, column, case_of in (
        ("serving", "usd_per_month", serving_case), ("training", "usd_per_run", training_case),
    ):  # fmt: skip
        answer, best = getattr(after, workload), getattr(before, workload).best
        usd = float(getattr(answer.table, column)[best])
        assert usd == pytest.approx(float(getattr(getattr(before, workload).table, column)[best]))
        assert sure.headline(f"{workload}.{column}").planned == pytest.approx(usd)
        assert explain(billed, catalog, calibration, after, workload, best, column).value == pytest.approx(usd)
        case = case_of(billed, after, context)
        order = order_of(case)
        assert not {one.item for one in order.lines} & {"storage_and_egress"}
        runs = central(billed.economics.fleets.training_runs_per_year)
        year = usd * (12 if workload == "serving" else runs)
        assert order.planned_usd_per_year == pytest.approx(year)
    service, run = serving_case(billed, after, context), training_case(billed, after, context)
    assert service.month_usd() == pytest.approx(service.best.of("usd_per_month"))
    assert run.run_usd(run.best.of("device_hours"), run.best.of("usd_per_device_hour")) == pytest.approx(usd)
    store = run_with_store(billed, context, after.training.table, after.training.best, 1e15)
    assert store.usd_per_run <= usd * (1 + 1e-9)
