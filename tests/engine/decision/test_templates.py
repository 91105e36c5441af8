"""Claims of the founding documents as worked templates: the plan's own numbers must show them, or qualify them."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.desktop.store import replaced
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload, Slo
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.decision.fleets_of_plan import fleets_of_plan
from gpuplanner_gui.engine.decision.ownership_view import ownership_of_plan

A100, H100, H200 = "nvidia-a100-sxm-80gb", "nvidia-h100-sxm-80gb", "nvidia-h200-sxm-141gb"
L40S, RTX_4090, M3_ULTRA = "nvidia-l40s", "nvidia-rtx-4090", "apple-m3-ultra"
DAY_S = 86_400.0
COMPUTE_RATIO, BANDWIDTH_RATIO = 3.171474, 1.642963
"""Peaks of H100 over A100: case E4 of docs/derivations."""
READING_TOKENS_PER_S = 10.0
"""About twice as fast as people read."""
PERSONAL = (Slo(metric="tpot", percentile=50.0, limit_s=0.2),)


def model(catalog, name):
    return catalog.models[name].model


def service(of, rate=1.0, accelerators=(), **changes) -> Scenario:
    one = msgspec.structs.replace(RequestClass(peak_rate_per_s=rate), **changes)
    return Scenario(
        name="service", model=of, serving=ServingWorkload(classes=(one,)),
        hardware=HardwareChoice(accelerators=accelerators, include_end_of_life=True, licensed_for_data_centres=False),
    )  # fmt: skip


def job(of, accelerators=(), devices=0, **changes) -> Scenario:
    training = msgspec.structs.replace(TrainingWorkload(tokens=2e9, global_batch_tokens=524_288), **changes)
    hardware = HardwareChoice(
        accelerators=accelerators,
        training_devices=devices,
        max_training_devices=64,
        include_end_of_life=True,
        licensed_for_data_centres=False,
    )
    return Scenario(name="job", model=of, training=training, hardware=hardware)


def rows_of(found, accelerator, table):
    return table.accelerator == found.accelerators.index(accelerator)


def serving_row(found, accelerator, precision, cache="bf16"):
    table = found.serving.table
    mask = rows_of(found, accelerator, table) & (table.devices_per_replica == 1)
    mask &= table.weight_precision == found.precisions.index(precision)
    mask &= table.kv_precision == found.precisions.index(cache)
    (row,) = np.flatnonzero(mask)
    return int(row)


def test_s29_a_7b_model_that_eight_devices_train_is_served_quantised_on_one(catalog, calibration):
    """16 B/param of state alone is 108 GB: more than one 80 GB device has. INT4 weights take less than 5 GB."""
    seven = model(catalog, "llama-2-7b")
    trained = plan(job(seven, (A100,), method="full_fine_tune", offload="none"), catalog, calibration).training.table
    assert not trained.fits[trained.devices == 1].any()
    assert trained.fits[trained.devices == 8].any()
    served = plan(service(seven, accelerators=(A100,)), catalog, calibration)
    row = serving_row(served, A100, "int4")
    assert served.serving.table.fits[row]
    assert served.serving.table.weights_bytes[row] < 5e9


def test_s51_gain_of_h100_over_a100_in_training_is_a_range_below_the_peak_ratio(catalog, calibration):
    seven = model(catalog, "llama-2-7b")
    found = plan(job(seven, (A100, H100), devices=8), catalog, calibration)
    table = found.training.table
    times = []
    for device in (A100, H100):
        mask = rows_of(found, device, table) & table.fits
        row = int(np.flatnonzero(mask)[np.argmin(table.step_time_s[mask])])
        times.append((table.step_low80_s[row], table.step_time_s[row], table.step_high80_s[row]))
    gain = times[0][1] / times[1][1]
    assert 1.8 < gain < 3.171474
    assert times[0][0] / times[1][2] < gain < times[0][2] / times[1][0]


def test_s52_gain_in_serving_depends_on_the_phase(catalog, calibration):
    """Decode gains nearer to what bandwidth does than to what compute does, prefill more than decode."""
    eight = model(catalog, "llama-3.1-8b")
    found = plan(service(eight, 0.2, (A100, H100)), catalog, calibration)
    old, new = (serving_row(found, device, "bf16") for device in (A100, H100))
    table = found.serving.table
    decode = table.decode_step_s[old] / table.decode_step_s[new]
    prefill = table.prefill_s[old] / table.prefill_s[new]
    assert 1.3 < decode < prefill < COMPUTE_RATIO * 1.05
    assert abs(decode - BANDWIDTH_RATIO) < abs(decode - COMPUTE_RATIO)


def test_s98_spiky_traffic_punishes_a_reserved_fleet_and_flat_traffic_rewards_it(catalog, calibration, context):
    """Share of the capacity that the cheapest mix reserves, and what it saves over all by the hour."""
    shares = []
    for mean_over_peak in (0.2, 0.95):
        scenario = service(model(catalog, "llama-3.1-8b"), 600.0, (H200,))
        scenario = replaced(scenario, "serving.traffic.mean_over_peak", mean_over_peak)
        found = ownership_of_plan(scenario, plan(scenario, catalog, calibration), context, "serving")
        first = found.commitments[0]
        reserved = first.three_years + first.one_year
        shares.append(reserved / (reserved + first.by_the_hour))
        held = min(one.usd_per_device_hour for one in found.terms if one.term in ("rent_1y", "rent_3y"))
        everything = held * found.devices * 8760 * len(found.commitments)
        assert found.commitment_usd <= everything * (1 + 1e-9)
    spiky, flat = shares
    assert spiky < 0.6 < flat


@pytest.mark.parametrize(("rate", "limit_s", "code"), [
    (0.001, 1.0, "scale_to_zero_breaks_target"), (0.001, 600.0, "scale_to_zero_saves"), (5.0, 1.0, None),
])  # fmt: skip
def test_s99_scale_to_zero_pays_for_rare_requests_and_is_blocked_by_a_tight_target(
    catalog, calibration, rate, limit_s, code
):
    slos = (Slo(metric="ttft", percentile=95.0, limit_s=limit_s),)
    found = plan(service(model(catalog, "llama-3.1-8b"), rate, ("nvidia-l4",), slos=slos), catalog, calibration)
    codes = [one.code for one in found.findings if one.code.startswith("scale_to_zero")]
    assert codes == ([code] if code else [])
    for finding in found.findings:
        if finding.code == code:
            assert float(finding.values["start_s"]) > 200
            assert finding.values.get("allowed_share") == (pytest.approx(0.05) if "breaks" in code else None)
            assert 0 < float(finding.values["saved_share"]) < 1


def test_s118_spot_halves_the_price_of_a_run_that_restarts_and_is_refused_to_one_that_does_not(catalog, calibration):
    eight = model(catalog, "llama-3.1-8b")
    found = plan(job(eight, (H100,), 8, deadline_s=30 * DAY_S), catalog, calibration)
    advice = next(one for one in found.findings if one.code == "spot_for_training")
    assert 0.25 < float(advice.values["saved_share"]) < 0.6
    assert float(advice.values["stretch_share"]) > 0
    stubborn = replaced(job(eight, (H100,), deadline_s=30 * DAY_S), "training.restartable", False)
    stubborn = replaced(stubborn, "economics.training_procurement", "rent_spot")
    refused = plan(stubborn, catalog, calibration)
    assert next(one for one in refused.findings if one.code == "training_on_spot").severity == 2


def test_s122_and_s157_one_13b_model_two_deployments(catalog, calibration, context):
    """Fine-tuned on several devices, served on one: one shared fleet costs two fifths more than two."""
    scenario = Scenario(
        name="13B",
        model=model(catalog, "llama-2-13b"),
        training=TrainingWorkload(
            method="full_fine_tune", tokens=2e9, global_batch_tokens=262_144, deadline_s=3 * DAY_S
        ),
        serving=ServingWorkload(
            classes=(RequestClass(peak_rate_per_s=12.0, prompt_tokens=700.0, output_tokens=220.0),)
        ),
        hardware=HardwareChoice(max_training_devices=64),
    )  # fmt: skip
    found = plan(scenario, catalog, calibration)
    assert found.serving.table.devices_per_replica[found.serving.best] == 1
    assert found.training.table.devices[found.training.best] >= 2
    answer = fleets_of_plan(scenario, found, context)
    assert answer.best.strategy == "burst"
    assert answer.of("shared").usd > 1.4 * answer.of("burst").usd
    (shared,) = answer.of("shared").fleets
    assert shared.used.interconnect <= 0.05 * shared.paid.interconnect


def test_s134_a_training_device_is_overkill_for_one_person(catalog, calibration):
    """An H100 that answers one request a minute: a cheaper device passes, and is named with its saving."""
    found = plan(service(model(catalog, "llama-3.1-8b"), 1 / 60, (H100,)), catalog, calibration)
    advice = next(one for one in found.findings if one.code == "more_than_needed")
    assert float(advice.values["busy_share"]) < 0.01
    assert advice.remedy.after < 0.5 * advice.remedy.before


def test_s135_inference_hardware_cannot_train_a_large_model_and_the_plan_says_by_how_much(catalog, calibration):
    """K10: a matter of feasibility and time. One card lacks memory; many need far more device-hours than H100s."""
    seventy, eight = model(catalog, "llama-3.1-70b"), model(catalog, "llama-3.1-8b")
    alone = job(seventy, (RTX_4090,), devices=8, method="full_fine_tune")
    refused = next(one for one in plan(alone, catalog, calibration).findings if one.code == "does_not_fit_to_train")
    assert float(refused.values["missing_bytes"]) > 1e9
    hours = {}
    for device in (L40S, H100):
        table = plan(job(eight, (device,), method="full_fine_tune"), catalog, calibration).training.table
        hours[device] = float(np.nanmin(table.device_hours))
    assert hours[L40S] > 2 * hours[H100]


def test_s136_a_desktop_computer_suffices_for_one_persons_inference(catalog, calibration):
    """Faster than anybody reads, and below what 819 GB/s over the INT4 weights allow."""
    eight = model(catalog, "llama-3.1-8b")
    scenario = service(eight, 0.01, (M3_ULTRA,), slos=PERSONAL)
    found = plan(replaced(scenario, "serving.engine.engine", "llama_cpp"), catalog, calibration)
    row = serving_row(found, M3_ULTRA, "int4")
    table = found.serving.table
    rate = 1 / table.tpot_mean_s[row]
    ceiling = 819e9 / table.weights_bytes[row]
    assert table.meets_targets[row]
    assert READING_TOKENS_PER_S < rate < ceiling
