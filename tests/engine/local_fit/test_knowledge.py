"""From sets of measurements to points, verdicts on each, and a calibration that plans rest on."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.economics import FleetTerms
from gpuplanner_gui.domain.knowledge import LocalCalibration
from gpuplanner_gui.domain.measurement import Evidence, Measurement, MeasurementContext, MeasurementSet, figure
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.engine import explain, load_curve, plan
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.evidence.knowledge import (
    MOST_POINTS,
    local_calibration,
    localized,
    thinned,
    verdicts_of,
)
from gpuplanner_gui.engine.evidence.next_measurement import next_measurements
from gpuplanner_gui.files.knowledge import calibrated_by
from tests.engine.local_fit.conftest import point, shipped_prior

H100 = "nvidia-h100-sxm-80gb"


def served(quantity: str, value: float, concurrency: float = 16.0, **changes) -> Measurement:
    context = MeasurementContext(
        model="llama-3.1-8b", accelerator=H100, devices=1, tensor_parallel=1, weight_precision="fp8", engine="vllm",
        load="closed_loop", concurrency=concurrency, prompt_tokens=1000.0, output_tokens=250.0,
    )  # fmt: skip
    return Measurement(context=msgspec.structs.replace(context, **changes), figures=(figure(quantity, value),))


def trained(step_s: float, devices: int = 8, **changes) -> Measurement:
    context = MeasurementContext(
        model="llama-3.1-8b", accelerator=H100, devices=devices, weight_precision="bf16", engine="megatron",
        sequence_length=4096, global_batch=128,
    )  # fmt: skip
    return Measurement(context=msgspec.structs.replace(context, **changes), figures=(figure("step_time", step_s),))


def points_of(measurements, catalog, calibration):
    found = local_calibration(
        (MeasurementSet(name="mine", measurements=tuple(measurements)),),
        context_of(catalog, calibration),
        shipped_prior(),
    )
    return found.points


def calibrated(factor: float, catalog, calibration):
    """A calibration by three runs that took `factor` times as long as predicted."""
    loads = (4.0, 16.0, 64.0)
    predicted = [
        one.predicted for one in points_of([served("tpot", 1.0, load) for load in loads], catalog, calibration)
    ]
    runs = tuple(served("tpot", factor * time, load) for time, load in zip(predicted, loads))
    return calibrated_by((MeasurementSet(name="mine", measurements=runs),), catalog, calibration)


@pytest.fixture(scope="module")
def chat(catalog) -> Scenario:
    return Scenario(
        name="chat",
        model=catalog.models["llama-3.1-8b"].model,
        serving=ServingWorkload(classes=(RequestClass(peak_rate_per_s=20.0),), weight_precisions=("fp8",)),
    )


def on_h100(found, one_device=True):
    table = found.serving.table
    is_it = (table.accelerator == found.accelerators.index(H100)) & table.fits
    return np.flatnonzero(is_it & (table.devices_per_replica == 1) if one_device else is_it)


def test_rates_and_times_give_the_same_residual(catalog, calibration):
    base = {
        one.quantity: one
        for one in points_of([served("tpot", 0.02), served("output_tokens_per_s", 500.0)], catalog, calibration)
    }
    slower = points_of([served("output_tokens_per_s", 250.0)], catalog, calibration)[0]
    assert slower.log_residual - base["output_tokens_per_s"].log_residual == pytest.approx(np.log(2))
    assert base["tpot"].log_residual == pytest.approx(np.log(0.02 / base["tpot"].predicted))


def test_what_lacks_context_or_speaks_of_another_phase_makes_no_point(catalog, calibration):
    lacking = served("tpot", 0.02, model="")
    kernel = served("kernel_time", 0.02, operation="gemm")
    queued = served("ttft", 5.0, concurrency=256.0)
    assert points_of([lacking, kernel, queued], catalog, calibration) == ()


def test_training_measurements_do_not_touch_serving(catalog, calibration, chat):
    slow = calibrated_by((MeasurementSet(name="t", measurements=(trained(500.0),)),), catalog, calibration)
    before, after = plan(chat, catalog, calibration), plan(chat, catalog, slow)
    assert np.array_equal(before.serving.table.decode_step_s, after.serving.table.decode_step_s, equal_nan=True)


def test_a_plan_takes_the_measured_pace_with_a_narrower_band(catalog, calibration, chat):
    # So rare that slower steps need no more replicas, which would have smaller batches.
    classes = tuple(msgspec.structs.replace(one, peak_rate_per_s=0.2) for one in chat.serving.classes)
    chat = msgspec.structs.replace(chat, serving=msgspec.structs.replace(chat.serving, classes=classes))
    before, after = plan(chat, catalog, calibration), plan(chat, catalog, calibrated(1.5, catalog, calibration))
    row = int(on_h100(before)[0])
    old, new = before.serving.table, after.serving.table
    parts = new.decode_compute_s + new.decode_bandwidth_s + new.decode_interconnect_s + new.decode_host_s
    assert new.prefill_s[row] / old.prefill_s[row] < np.sqrt(new.tpot_mean_s[row] / old.tpot_mean_s[row])
    assert parts[row] == pytest.approx(new.decode_step_s[row])
    assert new.tpot_mean_s[row] > 1.25 * old.tpot_mean_s[row]
    assert new.tpot_high80_s[row] / new.tpot_mean_s[row] < old.tpot_high80_s[row] / old.tpot_mean_s[row]
    assert (old.evidence[row], new.evidence[row]) == (Evidence.CALIBRATED, Evidence.MEASURED)
    others = old.accelerator != before.accelerators.index(H100)
    assert np.array_equal(old.decode_step_s[others], new.decode_step_s[others], equal_nan=True)


def test_the_digest_tells_calibrations_apart(catalog, calibration):
    assert calibrated(1.5, catalog, calibration).digest != calibration.digest


def test_sets_that_are_off_change_nothing(catalog, calibration):
    off = (MeasurementSet(name="off", is_used=False, measurements=(served("tpot", 1.0),)),)
    assert calibrated_by(off, catalog, calibration) is calibration
    assert localized(calibration, LocalCalibration(prior=shipped_prior(), points=())) is calibration


def test_explanations_and_curves_hold_with_own_measurements(catalog, calibration, chat):
    local = calibrated(1.5, catalog, calibration)
    found = plan(chat, catalog, local)
    row = int(on_h100(found)[0])
    explained = explain(chat, catalog, local, found, "serving", row, "decode_step_s")
    assert explained.value == pytest.approx(found.serving.table.decode_step_s[row])
    names = [one.name for part in explained.inputs for step in part.inputs for one in (step, *step.inputs)]
    assert "local_factor" in names
    narrow = load_curve(chat, catalog, local, found, row)
    wide = load_curve(chat, catalog, calibration, plan(chat, catalog, calibration), row)
    assert narrow.high80_factor < wide.high80_factor


def test_training_takes_the_measured_pace(catalog, calibration):
    scenario = Scenario(
        name="train",
        model=catalog.models["llama-3.1-8b"].model,
        training=TrainingWorkload(tokens=1e12, sequence_length=4096, global_batch_tokens=128 * 4096),
        hardware=msgspec.structs.replace(Scenario(name="", model=catalog.models["llama-3.1-8b"].model).hardware,
                                         accelerators=(H100,), training_devices=8),
    )  # fmt: skip
    (shipped,) = points_of([trained(1.0)], catalog, calibration)
    runs = tuple(trained(factor * shipped.predicted) for factor in (1.39, 1.4, 1.41))
    local = calibrated_by((MeasurementSet(name="t", measurements=runs),), catalog, calibration)
    before, after = plan(scenario, catalog, calibration).training, plan(scenario, catalog, local).training
    old, new = before.table, after.table
    row = int(np.flatnonzero(old.fits)[0])
    assert new.step_time_s[row] > 1.2 * old.step_time_s[row]
    assert new.evidence[row] == Evidence.MEASURED
    parts = sum(
        getattr(new, name)[row]
        for name in ("compute_s", "bandwidth_s", "tensor_communication_s", "data_communication_s",
                     "pipeline_communication_s", "expert_communication_s", "bubble_s", "host_s", "input_s")
    )  # fmt: skip
    assert parts == pytest.approx(new.step_time_s[row], rel=1e-6)


def training_factors(catalog, calibration, **run):
    """Factors on the steps of all layouts after one of eight devices took half as long again, and their table."""
    scenario = Scenario(
        name="train",
        model=catalog.models["llama-3.1-8b"].model,
        training=TrainingWorkload(tokens=1e12, sequence_length=4096, global_batch_tokens=128 * 4096),
        hardware=msgspec.structs.replace(Scenario(name="", model=catalog.models["llama-3.1-8b"].model).hardware,
                                         accelerators=(H100,), training_devices=8),
    )  # fmt: skip
    (shipped,) = points_of([trained(1.0, **run)], catalog, calibration)
    runs = (trained(1.5 * shipped.predicted, **run),) * 2
    local = calibrated_by((MeasurementSet(name="t", measurements=runs),), catalog, calibration)
    before, after = (plan(scenario, catalog, one).training.table for one in (calibration, local))
    return after.step_time_s / before.step_time_s, before


def test_a_cut_of_the_model_that_was_measured_is_told_most_of(catalog, calibration):
    for tensor_parallel in (2, 4):
        factors, table = training_factors(catalog, calibration, tensor_parallel=tensor_parallel)
        others = table.pipeline_parallel * table.context_parallel
        of_cut = {
            tensor: np.nanmean(factors[(table.tensor_parallel == tensor) & (others == 1)]) for tensor in (1, 2, 4, 8)
        }
        assert max(of_cut, key=of_cut.get) == tensor_parallel
        assert min(of_cut.values()) > 1.05


def test_a_run_of_far_longer_sequences_tells_less(catalog, calibration):
    near, _ = training_factors(catalog, calibration)
    far, _ = training_factors(catalog, calibration, sequence_length=65_536, global_batch=8)
    assert 1.0 < np.nanmean(far) < np.nanmean(near)


def test_verdicts_judge_each_point_by_the_others_and_mark_the_outlier(local_prior):
    points = [point(0.25, log2_batch=float(batch) / 2, measurement_index=batch) for batch in range(6)]
    odd = point(1.5, log2_batch=1.25, measurement_index=6)
    verdicts = verdicts_of(LocalCalibration(prior=local_prior, points=(*points, odd)))
    assert [one.is_outlier for one in verdicts] == [False] * 6 + [True]
    assert all(one.error_after < one.error_before for one in verdicts[:6])
    assert all(one.low80 < one.after < one.high80 for one in verdicts)


def of_release(factor: float, release: str, month: str, catalog, calibration, name: str = "") -> MeasurementSet:
    """Three runs of one release that took `factor` times as long as predicted."""
    loads, build = (4.0, 16.0, 64.0), {"engine_version": release, "measured_on": f"{month}-10"}
    probes = [served("tpot", 1.0, load, **build) for load in loads]
    predicted = [one.predicted for one in points_of(probes, catalog, calibration)]
    runs = tuple(served("tpot", factor * time, load, **build) for time, load in zip(predicted, loads))
    return MeasurementSet(name=name or release, measurements=runs)


def test_a_plan_is_for_the_newest_release_that_was_measured_whatever_came_in_last(catalog, calibration, chat):
    new = of_release(1.2, "0.11.0", "2026-11", catalog, calibration)
    old = of_release(2.0, "0.8.5", "2025-05", catalog, calibration)

    # At the expected figures, so that each fleet leaves its replicas the same load.
    terms = msgspec.structs.replace(chat.economics.uncertainty, confidence="expected")
    asked = msgspec.structs.replace(chat, economics=msgspec.structs.replace(chat.economics, uncertainty=terms))

    def step_s(*sets: MeasurementSet) -> float:
        found = plan(asked, catalog, calibrated_by(sets, catalog, calibration))
        return float(found.serving.table.decode_step_s[on_h100(found)[0]])

    alone = step_s(new)
    assert step_s(new, old) == pytest.approx(step_s(old, new), rel=1e-9)
    assert step_s(new, old) == pytest.approx(alone, rel=0.05)
    assert step_s(old) > 1.4 * alone


def test_an_older_month_of_one_accelerator_tells_as_much_once_another_is_measured(catalog, calibration, chat):
    mine = of_release(1.3, "0.11.0", "2026-09", catalog, calibration)
    later = MeasurementSet(
        name="h200",
        measurements=tuple(
            msgspec.structs.replace(
                run,
                context=msgspec.structs.replace(
                    run.context, accelerator="nvidia-h200-sxm-141gb", measured_on="2026-11-10"
                ),
            )
            for run in mine.measurements
        ),
    )

    def band(*sets: MeasurementSet) -> float:
        found = plan(chat, catalog, calibrated_by(sets, catalog, calibration))
        row = on_h100(found)[0]
        return float(found.serving.table.tpot_high80_s[row] / found.serving.table.tpot_mean_s[row])

    assert band(mine, later) == pytest.approx(band(mine), rel=0.02)


def test_a_run_that_comes_in_twice_does_not_vouch_for_itself(catalog, calibration):
    run = served("tpot", 0.02)
    once = points_of([run], catalog, calibration)
    twice = points_of([run, msgspec.structs.replace(run, line=9)], catalog, calibration)
    assert len(twice) == len(once) == 1


def test_an_old_release_is_compared_with_what_it_did_then(catalog, calibration):
    """Before its scheduler changed, an engine was slower at a rate of requests: no news of the device."""

    def predicted(**build: str) -> float:
        run = served("tpot", 0.02, concurrency=0.0, load="open_loop", rate_per_s=4.0, requests=200, **build)
        return points_of([run], catalog, calibration)[0].predicted

    new, old = predicted(engine_version="0.11.0"), predicted(engine_version="0.6.3")
    dated = predicted(measured_on="2024-06-01")
    assert old > 1.01 * new
    assert dated == pytest.approx(old, rel=1e-9)


@pytest.mark.parametrize("date", ["2026-", "2026-xx-01", "2026-13-01", "-", "٢٠٢٦-٠١"])
def test_a_date_that_is_none_does_no_harm(date, catalog, calibration):
    assert len(points_of([served("tpot", 0.02, measured_on=date)], catalog, calibration)) == 1


def test_many_points_are_thinned_evenly():
    many = [point(0.0, measurement_index=index) for index in range(10_000)]
    kept = thinned(many)
    assert len(kept) == MOST_POINTS
    assert (kept[0].measurement_index, kept[-1].measurement_index) == (0, 9999)


def test_what_to_measure_next_narrows_and_moves_on_once_measured(catalog, calibration, chat):
    scenario = msgspec.structs.replace(
        chat, hardware=msgspec.structs.replace(chat.hardware, accelerators=(H100, "nvidia-h200-sxm-141gb"))
    )
    prior = shipped_prior()
    first = next_measurements(scenario, context_of(catalog, calibration), plan(scenario, catalog, calibration), prior)
    assert {one.accelerator for one in first} == {H100, "nvidia-h200-sxm-141gb"}
    assert all(one.width_after < one.width_before for one in first)
    # One run leaves what the bands of a plan would still be, not less.
    least = prior.phases["decode"].least_width
    assert all(one.width_after >= least * one.width_before for one in first)
    local = calibrated(1.2, catalog, calibration)
    after = next_measurements(scenario, context_of(catalog, local), plan(scenario, catalog, local), prior)
    assert after[0].accelerator == "nvidia-h200-sxm-141gb"


@pytest.mark.parametrize("quantity", ["tpot", "output_tokens_per_s"])
def test_what_virtual_machines_lost_in_a_measurement_is_not_lost_again(quantity, catalog, calibration, chat):
    """A plan for such machines meets what was measured on them; one for bare metal is faster by what they lost."""
    loss, loads = 0.2, (4.0, 16.0, 64.0)
    some = 1.0 if quantity == "tpot" else 100.0
    base = {load: points_of([served(quantity, some, load)], catalog, calibration)[0].predicted for load in loads}
    slower = 1 - loss if quantity == "output_tokens_per_s" else 1 / (1 - loss)

    def planned(virtualisation_loss: float, factor: float, plan_loss: float) -> float:
        runs = tuple(
            served(quantity, factor * base[load], load, virtualisation_loss=virtualisation_loss) for load in loads
        )
        known = calibrated_by((MeasurementSet(name="m", measurements=runs),), catalog, calibration)
        economics = msgspec.structs.replace(chat.economics, fleets=FleetTerms(serving_virtualisation_loss=plan_loss))
        found = plan(msgspec.structs.replace(chat, economics=economics), catalog, known)
        return float(found.serving.table.decode_step_s[on_h100(found)[0]])

    # Measured on virtual machines just as slow as these make it: nothing new was learned of the device.
    bare = planned(0.0, 1.0, 0.0)
    assert planned(loss, slower, 0.0) == pytest.approx(bare, rel=1e-9)
    said, unsaid = planned(loss, slower, loss), planned(0.0, slower, loss)
    assert said == pytest.approx(planned(0.0, 1.0, loss), rel=1e-9)
    assert unsaid > 1.1 * said


def test_a_training_step_on_virtual_machines_is_counted_without_their_loss(catalog, calibration):
    plain = trained(10.0)
    context = msgspec.structs.replace(plain.context, virtualisation_loss=0.1)
    (bare,), (virtual,) = (
        points_of([one], catalog, calibration) for one in (plain, msgspec.structs.replace(plain, context=context))
    )
    assert virtual.log_residual - bare.log_residual == pytest.approx(np.log(0.9))
