"""S128: a purchase that is judged by measurements of the other phase is found, one that is not is left alone."""

from __future__ import annotations

import math

import pytest

from gpuplanner_gui.domain.economics import Economics, UncertaintyTerms
from gpuplanner_gui.domain.knowledge import LocalCalibration
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.evidence.knowledge import localized
from tests.engine.local_fit.conftest import point, shipped_prior

BOTH = {"service_judged_by_training", "training_judged_by_service"}


@pytest.mark.parametrize(
    ("phases", "expected"),
    [
        ((), set()),
        (("training", "training"), {"service_judged_by_training"}),
        (("decode",), {"training_judged_by_service"}),
        (("prefill", "training"), set()),
    ],
)
def test_measurements_of_the_other_phase_alone_are_a_finding(phases, expected, catalog, calibration, llama_8b):
    points = tuple(point(0.05, phase=phase, model="another") for phase in phases)
    own = localized(calibration, LocalCalibration(prior=shipped_prior(), points=points))
    scenario = Scenario(
        name="both", model=llama_8b, serving=ServingWorkload(classes=(RequestClass(peak_rate_per_s=20.0),)),
        training=TrainingWorkload(tokens=5e9, global_batch_tokens=1_048_576),
        hardware=HardwareChoice(accelerators=("nvidia-h100-sxm-80gb",), max_training_devices=16),
    )  # fmt: skip
    found = {one.code: one for one in plan(scenario, catalog, own).findings if one.code in BOTH}
    assert found.keys() == expected
    for finding in found.values():
        assert finding.values["points"] == len(phases)
        assert float(finding.values["band_factor"]) > 1
        assert finding.remedy.code in ("measure_service", "measure_training")


def test_a_published_model_is_called_as_the_catalogue_calls_it(catalog, calibration, llama_8b):
    scenario = Scenario(
        name="run", model=llama_8b, training=TrainingWorkload(tokens=5e9, global_batch_tokens=1_048_576),
        hardware=HardwareChoice(
            accelerators=("amd-mi300x",), max_training_devices=16, training_devices=8
        ),
    )  # fmt: skip
    found = plan(scenario, catalog, calibration).findings
    models = [one.values["model"] for one in found if one.code == "faster_than_published"]
    assert models == ["Llama 2 7B"], "the publisher wrote llama2-7b"


def test_money_at_risk_is_what_the_run_would_cost_more_at_the_published_rate(catalog, calibration, llama_8b):
    scenario = Scenario(
        name="run", model=llama_8b, training=TrainingWorkload(tokens=5e9, global_batch_tokens=1_048_576),
        hardware=HardwareChoice(accelerators=("amd-mi300x",), training_devices=8),
    )  # fmt: skip
    planned = plan(scenario, catalog, calibration)
    found = next(one for one in planned.findings if one.code == "faster_than_published")
    cost = float(planned.trained.table.usd_per_run[planned.trained.best])
    slower = float(found.values["flop_per_s"]) / float(found.values["best_flop_per_s"])
    assert slower > 1
    assert found.usd == pytest.approx((slower - 1) * cost)


def test_certainty_costs_the_units_that_it_adds(catalog, calibration, llama_8b):
    """Nine of 29 H100 that are bought in eights: 24 are bought for the other twenty, 32 for all."""
    scenario = Scenario(
        name="chat", model=llama_8b, serving=ServingWorkload(classes=(RequestClass(peak_rate_per_s=400.0),)),
        hardware=HardwareChoice(accelerators=("nvidia-h100-sxm-80gb",)),
        economics=Economics(serving_procurement="own", uncertainty=UncertaintyTerms(confidence="p95")),
    )  # fmt: skip
    planned = plan(scenario, catalog, calibration)
    found = next(one for one in planned.findings if one.code == "price_of_certainty")
    best, table = planned.served.best, planned.served.table
    total, added = float(found.values["replicas"]), float(found.values["added_replicas"])
    paid, left = (math.ceil(one * table.devices_per_replica[best] / 8) * 8 for one in (total, total - added))
    assert paid == table.paid_devices[best]
    assert (paid - left) / paid < 0.9 * added / total
    # Beside that, power and fabric differ a little.
    assert found.usd == pytest.approx(table.usd_per_month[best] * (paid - left) / paid, rel=0.05)
