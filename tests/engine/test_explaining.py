"""Explain: any column of any candidate, replayed, down to catalogue figures."""

from __future__ import annotations

import gc
import weakref

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.economics import PriceOverride
from gpuplanner_gui.domain.field import fields_of
from gpuplanner_gui.domain.plan import ServingTable
from gpuplanner_gui.domain.quantity import Money
from gpuplanner_gui.engine import UnknownQuantityError, explain, plan

NUMBERS = [
    field.name
    for field in fields_of(ServingTable)
    if field.name not in ("order", "accelerator", "weight_precision", "kv_precision")
]
WITH_FORMULA = (
    "weights_bytes", "activation_bytes", "decode_step_s", "prefill_s", "batch", "ttft_mean_s", "ttft_p50_s",
    "ttft_p95_s", "ttft_p99_s", "tpot_mean_s", "tpot_p95_s", "itl_p99_s", "e2e_mean_s", "slo_rate_per_s", "replicas",
    "devices", "usd_per_hour", "usd_per_month", "usd_per_million_output_tokens", "usd_per_million_input_tokens",
    "usd_per_request", "power_w", "output_tokens_per_s_per_device",
)  # fmt: skip


@pytest.fixture(scope="module")
def answered(llama_8b, catalog, calibration):
    from gpuplanner_gui.domain.scenario import Scenario
    from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload

    scenario = Scenario(
        name="chat", model=llama_8b, serving=ServingWorkload(classes=(RequestClass(peak_rate_per_s=20.0),))
    )
    return scenario, plan(scenario, catalog, calibration)


def leaves(value):
    if not value.inputs:
        yield value
    for one in value.inputs:
        yield from leaves(one)


@pytest.mark.parametrize("quantity", NUMBERS)
def test_replay_gives_the_number_of_the_table(answered, catalog, calibration, quantity):
    scenario, found = answered
    best = found.serving.best
    shown = explain(scenario, catalog, calibration, found, "serving", best, quantity)
    assert shown.value == pytest.approx(float(getattr(found.serving.table, quantity)[best]), rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("quantity", WITH_FORMULA)
def test_results_come_with_formula_and_source(answered, catalog, calibration, quantity):
    scenario, found = answered
    shown = explain(scenario, catalog, calibration, found, "serving", found.serving.best, quantity)
    assert shown.expression
    assert shown.source
    assert shown.inputs


def test_a_plan_that_was_asked_about_is_let_go(answered, catalog, calibration):
    scenario, found = answered
    replaced = msgspec.structs.replace(found)
    explain(scenario, catalog, calibration, replaced, "serving", found.serving.best, "usd_per_month")
    known = weakref.ref(replaced)
    del replaced
    gc.collect()
    assert known() is None


def test_cost_leads_down_to_catalogue_and_scenario(answered, catalog, calibration):
    scenario, found = answered
    best = found.serving.best
    shown = explain(scenario, catalog, calibration, found, "serving", best, "usd_per_month")
    sources = {one.name: one.source for one in leaves(shown)}
    device = found.accelerators[found.serving.table.accelerator[best]]
    offers = [one for one in catalog.offers.values() if one.accelerator_id == device]
    assert any(f"offers: {one.provider}, {one.instance}" in sources["listed_usd_per_device_hour"] for one in offers)
    assert any(one.as_of in sources["listed_usd_per_device_hour"] for one in offers)
    assert sources["peak_rate_per_s"].startswith("scenario")


def test_cost_on_a_quoted_term_leads_down_to_who_quoted_it(answered, catalog, calibration):
    scenario, found = answered
    device = found.accelerators[found.serving.table.accelerator[found.serving.best]]
    by_hour = PriceOverride(
        accelerator=device, term="rent_on_demand", rent_per_device_hour=Money(0.3), provider="Sudkap"
    )
    year = PriceOverride(accelerator=device, term="rent_1y", rent_per_device_hour=Money(0.2), provider="Nordkap")
    economics = msgspec.structs.replace(scenario.economics, overrides=(by_hour, year), serving_procurement="rent_1y")
    scenario = msgspec.structs.replace(scenario, economics=economics)
    found = plan(scenario, catalog, calibration)
    shown = explain(scenario, catalog, calibration, found, "serving", found.serving.best, "usd_per_month")
    (price,) = {(one.value, one.source) for one in leaves(shown) if one.name == "listed_usd_per_device_hour"}
    assert price == (0.2, "the scenario's quotation, Nordkap")


def test_ttft_leads_down_to_bandwidth_and_peak(answered, catalog, calibration):
    scenario, found = answered
    best = found.serving.best
    shown = explain(scenario, catalog, calibration, found, "serving", best, "ttft_p95_s")
    named = {one.name: one for one in leaves(shown)}
    device = catalog.accelerators[found.accelerators[found.serving.table.accelerator[best]]]
    assert named["bandwidth_bytes_per_s"].value == device.memory_bandwidth_bytes_per_s
    assert named["bandwidth_bytes_per_s"].source == "catalogue: accelerator"
    without = {one.name for one in leaves(shown) if one.name.endswith(("_s", "_bytes", "_usd")) and not one.unit}
    assert without == set()


def test_a_candidate_that_does_not_fit_is_explained_as_well(answered, catalog, calibration):
    scenario, found = answered
    table = found.serving.table
    misfit = int(np.flatnonzero(~table.fits & np.isfinite(table.weights_bytes))[0])
    shown = explain(scenario, catalog, calibration, found, "serving", misfit, "weights_bytes")
    assert shown.value == pytest.approx(table.weights_bytes[misfit])


def test_an_unknown_quantity_is_refused(answered, catalog, calibration):
    scenario, found = answered
    with pytest.raises(UnknownQuantityError):
        explain(scenario, catalog, calibration, found, "serving", 0, "happiness")
