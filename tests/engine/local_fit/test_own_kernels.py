"""Operations timed alone: they change what plans take for the device that was timed, and for no other."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.measurement import Measurement, MeasurementContext, MeasurementSet, figure
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.engine.evidence.nearest import sizes_in
from gpuplanner_gui.engine.evidence.own_kernels import is_told_of, own_kernels
from gpuplanner_gui.engine.hardware.communication import link_within, nearest_collective
from gpuplanner_gui.engine.kernels.efficiency import nearest_set, parameter_tables
from gpuplanner_gui.engine.kernels.operation_time import Device, GemmParameters, gemm_time
from gpuplanner_gui.engine.planning import plan
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import calibrated_by, load_calibration
from gpuplanner_gui.files.measurements.sets import read_sets

L40S, MI300X, H100 = "nvidia-l40s", "amd-mi300x", "nvidia-h100-sxm-80gb"
SAMPLES = Path(__file__).resolve().parents[2] / "files" / "measurements" / "samples"
SHAPES = [(m, n, k) for m in (1, 16, 256, 2048) for n, k in ((4096, 4096), (28672, 4096), (4096, 14336))]


@pytest.fixture(scope="module")
def catalog():
    return load_shipped_catalog()


@pytest.fixture(scope="module")
def calibration():
    return load_calibration()


def without(kernels, *accelerators):
    """A calibration for which these devices were never timed."""
    return msgspec.structs.replace(
        kernels,
        devices=tuple(one for one in kernels.devices if one.accelerator not in accelerators),
        sets=tuple(one for one in kernels.sets if one.accelerator not in accelerators),
        collectives=tuple(one for one in kernels.collectives if one.accelerator not in accelerators),
    )


def evidence_of(kernels, entry, precision="bf16"):
    table = parameter_tables(kernels)["gemm"]
    found = nearest_set(table, kernels, entry, "vllm", precision)
    return found, table.sets[found.index].parameters


def product_s(kernels, entry, shape):
    """Seconds of a product in 16 bits as a plan takes it."""
    _, parameters = evidence_of(kernels, entry)
    peak, bandwidth = entry.peak_flop_per_s("bf16"), entry.memory_bandwidth_bytes_per_s
    device = Device(np.asarray(peak), np.asarray(bandwidth), np.asarray(float(entry.sm_count)))
    m, n, k = (np.asarray(float(size)) for size in shape)
    given = GemmParameters(**{name: np.asarray(value) for name, value in parameters.items()})
    return float(gemm_time(m, n, k, np.asarray(2.0), np.asarray(2.0), device, given).total)


def timed(accelerator, shape, seconds, launch="graph", **changes):
    m, n, k = shape
    given = {
        "accelerator": accelerator, "devices": 1, "weight_precision": "bf16", "engine": "pytorch", "operation": "gemm",
        "shape": f"m={m} n={n} k={k} launch={launch}", "device_kind": "cuda",
    } | changes  # fmt: skip
    return Measurement(context=MeasurementContext(**given), figures=(figure("kernel_time", seconds, "p50"),))


def slower(kernels, entry, factor, **changes):
    return [timed(entry.id, shape, factor * product_s(kernels, entry, shape), **changes) for shape in SHAPES]


def fitted(runs, catalog, kernels):
    return own_kernels((MeasurementSet(name="probe", measurements=tuple(runs)),), catalog, kernels)


def gathered(accelerator, kind, seconds, message_bytes, devices=4, library="nccl"):
    context = MeasurementContext(
        accelerator=accelerator, devices=devices, operation=kind, message_bytes=message_bytes, engine="pytorch",
        shape=f"{int(message_bytes) // 1024} KiB, {devices} ranks, {library}", device_kind="cuda",
    )  # fmt: skip
    return Measurement(context=context, figures=(figure("collective_time", seconds, "p50"),))


def test_real_timings_bring_a_device_that_was_never_timed_near_its_own_fit(catalog, calibration):
    entry, unknown = catalog.accelerators[L40S], without(calibration.kernels, L40S)
    sets = read_sets(SAMPLES / "probe-l40s.constructed.json", catalog, calibration).sets
    found, _ = own_kernels(sets, catalog, unknown)
    elsewhere = [(m, n, k) for m in (4, 48, 512, 4096) for n, k in ((6144, 2560), (1536, 8192), (12288, 5120))]

    def far(kernels):
        truth = [product_s(calibration.kernels, entry, shape) for shape in elsewhere]
        return np.abs(np.log([product_s(kernels, entry, shape) for shape in elsewhere] / np.array(truth)))

    assert np.median(far(found)) < 0.6 * np.median(far(unknown))
    before, after = evidence_of(unknown, entry)[0], evidence_of(found, entry)[0]
    assert (before.level, after.level) == ("relative", "measured")
    assert after.log_sd < 0.8 * before.log_sd
    assert np.mean(far(found) < 1.28 * after.log_sd) >= 0.8


def test_the_devices_own_timings_confirm_what_ships(catalog, calibration):
    sets = read_sets(SAMPLES / "probe-l40s.constructed.json", catalog, calibration).sets
    _, told = own_kernels(sets, catalog, calibration.kernels)
    assert {(one.operation, one.precision) for one in told} == {
        ("gemm", "bf16"), ("all_reduce", "nccl"), ("all_gather", "nccl"), ("reduce_scatter", "nccl"),
    }  # fmt: skip
    assert all(0.95 < one.ratio < 1.05 for one in told)
    assert all(one.log_sd_after <= one.log_sd_before for one in told)


def test_a_plan_on_the_device_takes_the_timings_with_a_narrower_band_and_others_stay(catalog, calibration):
    entry = catalog.accelerators[MI300X]
    sets = (MeasurementSet(name="probe", measurements=tuple(slower(calibration.kernels, entry, 1.3))),)
    scenario = Scenario(
        name="chat",
        model=catalog.models["llama-3.1-8b"].model,
        serving=ServingWorkload(classes=(RequestClass(peak_rate_per_s=0.2),), weight_precisions=("bf16",)),
        hardware=HardwareChoice(accelerators=(MI300X, H100)),
    )
    before, after = (
        plan(scenario, catalog, known) for known in (calibration, calibrated_by(sets, catalog, calibration))
    )
    old, new = before.serving.table, after.serving.table
    is_it = old.accelerator == before.accelerators.index(MI300X)
    row = int(np.flatnonzero(is_it & old.fits & (old.devices_per_replica == 1))[0])
    assert 1.1 < new.tpot_mean_s[row] / old.tpot_mean_s[row] < 1.35
    assert new.tpot_high80_s[row] / new.tpot_mean_s[row] < 0.97 * old.tpot_high80_s[row] / old.tpot_mean_s[row]
    assert np.array_equal(old.tpot_mean_s[~is_it], new.tpot_mean_s[~is_it], equal_nan=True)
    assert np.array_equal(old.tpot_high80_s[~is_it], new.tpot_high80_s[~is_it], equal_nan=True)
    assert after.calibration_digest != before.calibration_digest


def test_no_other_device_takes_them_over(catalog, calibration):
    entry = catalog.accelerators[MI300X]
    found, _ = fitted(slower(calibration.kernels, entry, 1.3), catalog, calibration.kernels)
    others = [one for one in catalog.accelerators.values() if one.kind == "gpu" and one.id != MI300X]
    for other in others:
        assert evidence_of(found, other)[1] == evidence_of(calibration.kernels, other)[1]


def test_more_timings_are_believed_more_and_none_beyond_what_they_say(catalog, calibration):
    """On a device whose shipped timings are its own, few others weigh little."""
    entry, shipped = catalog.accelerators[H100], calibration.kernels
    runs = slower(shipped, entry, 1.3)
    ratios = []
    for count in (3, 6, 12):
        found, _ = fitted(runs[:: 12 // count], catalog, shipped)
        ratios.append(product_s(found, entry, SHAPES[4]) / product_s(shipped, entry, SHAPES[4]))
    assert 1.03 < ratios[0] < ratios[1] < ratios[2] < 1.3


def test_one_timing_far_off_hardly_matters(catalog, calibration):
    entry, shipped = catalog.accelerators[MI300X], calibration.kernels
    runs = slower(shipped, entry, 1.2)
    runs[5] = timed(MI300X, SHAPES[5], 3.5 * product_s(shipped, entry, SHAPES[5]))
    found, _ = fitted(runs, catalog, shipped)
    assert 1.1 < product_s(found, entry, SHAPES[8]) / product_s(shipped, entry, SHAPES[8]) < 1.3


@pytest.mark.parametrize(
    "changes",
    [
        {"device_kind": "cpu"},
        {"operation": "attention"},
        {"weight_precision": "fp32"},
        {"shape": "m=1 n=x k=3"},
        {"shape": "m=99999999999 n=4096 k=4096"},
        {"accelerator": "nobody-knows-it"},
    ],
)
def test_what_says_nothing_of_the_kernels_of_an_accelerator_changes_nothing(changes, catalog, calibration):
    entry = catalog.accelerators[MI300X]
    runs = [
        msgspec.structs.replace(run, context=msgspec.structs.replace(run.context, **changes))
        for run in slower(calibration.kernels, entry, 1.3)
    ]
    found, told = fitted(runs, catalog, calibration.kernels)
    assert found is calibration.kernels
    assert told == ()
    assert not is_told_of(runs[0], told)


def test_runs_that_their_tool_speaks_against_change_nothing(catalog, calibration):
    runs = slower(calibration.kernels, catalog.accelerators[MI300X], 1.3)
    noted = [msgspec.structs.replace(run, note="the device was 37 % busy before") for run in runs]
    assert fitted(noted, catalog, calibration.kernels)[1] == ()


@pytest.mark.parametrize("factor", [0.2, 20.0])
def test_timings_that_no_such_device_can_have_change_nothing(factor, catalog, calibration):
    """Faster than its memory allows, or so slow that something else was timed."""
    entry = catalog.accelerators[MI300X]
    assert fitted(slower(calibration.kernels, entry, factor), catalog, calibration.kernels)[1] == ()


def test_short_kernels_that_hold_their_launch_are_left_out(catalog, calibration):
    entry = catalog.accelerators[L40S]
    runs = slower(calibration.kernels, entry, 1.3, launch="eager")
    long = [run for run in runs if run.figures[0].value >= 100e-6]
    (told,) = fitted(runs, catalog, calibration.kernels)[1]
    assert 3 <= told.runs == len(long) < len(runs)


def test_a_virtual_machines_loss_is_not_counted_twice(catalog, calibration):
    entry = catalog.accelerators[MI300X]
    (told,) = fitted(slower(calibration.kernels, entry, 1.25, virtualisation_loss=0.2), catalog, calibration.kernels)[1]
    assert told.ratio == pytest.approx(1.0, abs=0.01)


def test_bare_products_of_8_bits_are_taken_with_the_quantising_that_engines_add(catalog, calibration):
    entry = catalog.accelerators[H100]
    runs = slower(calibration.kernels, entry, 0.8, weight_precision="fp8")
    engines = slower(calibration.kernels, entry, 0.8, weight_precision="fp8", engine="vllm")
    (bare,), (whole,) = (fitted(one, catalog, calibration.kernels)[1] for one in (runs, engines))
    assert 1.01 < bare.ratio / whole.ratio < 1.5
    assert bare.runs == whole.runs


def test_power_under_load_is_no_timing(catalog, calibration):
    entry = catalog.accelerators[MI300X]
    runs = [
        msgspec.structs.replace(run, figures=(*run.figures, figure("power", 700.0)))
        for run in slower(calibration.kernels, entry, 1.3)
    ]
    assert fitted(runs, catalog, calibration.kernels)[1] == ()


def test_large_copies_set_the_pace_of_memory_traffic(catalog, calibration):
    entry, size = catalog.accelerators[MI300X], 2.0**30
    seconds = 2.0 * size / (0.5 * entry.memory_bandwidth_bytes_per_s)
    context = MeasurementContext(
        accelerator=MI300X, devices=1, weight_precision="int8", operation="device_copy", message_bytes=size,
        shape="1024 MiB launch=graph", device_kind="cuda",
    )  # fmt: skip
    run = Measurement(context=context, figures=(figure("kernel_time", seconds, "p50"),))
    found, (told,) = fitted([run], catalog, calibration.kernels)

    def share(kernels):
        table = parameter_tables(kernels)["elementwise"]
        return table.sets[nearest_set(table, kernels, entry, "vllm", "any").index].parameters["memory_efficiency"]

    assert 0.5 < share(found) < share(calibration.kernels)
    assert (told.operation, is_told_of(run, (told,))) == ("elementwise", True)


def test_collectives_of_a_fabric_set_its_wires_also_for_engines_own_kernels(catalog, calibration):
    entry = catalog.accelerators[MI300X]
    link = link_within(entry, catalog.links)
    sizes = (2.0**20, 2.0**24, 2.0**26, 2.0**28)
    rate = link.bytes_per_s_per_direction
    runs = [gathered(MI300X, "all_reduce", 3e-5 + 1.5 * size / (0.3 * rate), size) for size in sizes]
    found, (told,) = fitted(runs, catalog, calibration.kernels)
    for library in ("nccl", "custom"):
        before = nearest_collective(calibration.kernels, "all_reduce", entry, link, "vllm", library)
        after = nearest_collective(found, "all_reduce", entry, link, "vllm", library)
        assert (after.level, after.accelerator) == ("measured", MI300X)
        assert float(after.parameters.efficiency_4) < 0.8 * float(before.parameters.efficiency_4)
        assert after.log_sd < before.log_sd
    other = catalog.accelerators["amd-mi325x"]
    there = link_within(other, catalog.links)
    assert nearest_collective(found, "all_reduce", other, there).level == "specification"
    assert told.runs == 4


@pytest.mark.parametrize("changes", [{"devices": 16}, {"library": "gloo"}])
def test_collectives_beyond_the_fabric_or_of_another_library_say_nothing_of_it(changes, catalog, calibration):
    runs = [
        gathered(MI300X, "all_reduce", 1e-3 * size / 2**24, size, **changes) for size in (2.0**24, 2.0**26, 2.0**28)
    ]
    assert fitted(runs, catalog, calibration.kernels)[1] == ()


@pytest.mark.parametrize(
    ("shape", "sizes"),
    [
        ("m=16 n=4096 k=128 launch=graph", (16.0, 4096.0, 128.0)),
        ("m=16 n=4096", ()),
        ("m=0 n=1 k=1", ()),
        ("m=1e3 n=1 k=1", ()),
        ("m=-1 n=1 k=1", ()),
        ("m=١ n=1 k=1", ()),
        ("", ()),
    ],
)
def test_sizes_are_whole_numbers_or_none(shape, sizes):
    assert sizes_in(shape, ("m", "n", "k")) == sizes
