"""Who stands for whom: own measurements first, then the nearest relative, with a wider band."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from gpuplanner_gui.domain.hardware import Accelerator, PeakRates
from gpuplanner_gui.engine.kernels.efficiency import (
    NoParametersError,
    ParameterTable,
    UnknownPrecisionError,
    compute_units,
    nearest_set,
    parameter_tables,
)
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_kernel_calibration

CALIBRATION = load_kernel_calibration(
    Path(__file__).resolve().parents[2] / "catalogs" / "calibration_kernels.json"
).calibration
TABLES = parameter_tables(CALIBRATION)


def accelerator(identifier: str, architecture: str, memory_type: str, **changes: object) -> Accelerator:
    made = Accelerator(
        id=identifier, name=identifier, vendor="NVIDIA", kind="gpu", ecosystem="cuda", architecture=architecture,
        year=2022, memory_nominal_bytes=80e9, memory_type=memory_type, memory_bandwidth_bytes_per_s=2e12,
        peak_dense_flop_per_s=PeakRates(bf16=700e12), sm_count=114,
    )  # fmt: skip
    return msgspec.structs.replace(made, **changes)


H100 = accelerator("nvidia-h100-sxm-80gb", "Hopper", "HBM3", memory_bandwidth_bytes_per_s=3.35e12, sm_count=132)
H100_PCIE = accelerator("nvidia-h100-pcie-80gb", "Hopper", "HBM2e")


def test_a_measured_device_stands_for_itself() -> None:
    found = nearest_set(TABLES["gemm"], CALIBRATION, H100, "trtllm", "fp8")
    assert (found.level, found.accelerator, found.engine, found.precision) == ("measured", H100.id, "trtllm", "fp8")
    assert found.distance == 0
    assert found.log_sd == TABLES["gemm"].sets[found.index].residual.log_sd


def test_an_unmeasured_device_takes_its_own_architecture() -> None:
    found = nearest_set(TABLES["gemm"], CALIBRATION, H100_PCIE, "vllm", "bf16")
    assert found.level == "relative"
    assert found.accelerator == H100.id
    assert found.log_sd > TABLES["gemm"].sets[found.index].residual.log_sd


@pytest.mark.parametrize(
    ("architecture", "memory", "year", "relative"),
    [
        ("Ampere GA100", "HBM2", 2020, "nvidia-a100-sxm-80gb"),
        ("Ada AD102", "GDDR6X", 2022, "nvidia-l40s"),
        ("Blackwell GB202", "GDDR7", 2025, "nvidia-rtx-pro-6000-blackwell-server"),
        ("Volta", "HBM2", 2017, "nvidia-a100-sxm-80gb"),
    ],
)
def test_relatives_by_architecture_and_memory(architecture: str, memory: str, year: int, relative: str) -> None:
    wanted = accelerator("wanted", architecture, memory, year=year, memory_bandwidth_bytes_per_s=1.1e12)
    assert nearest_set(TABLES["gemm"], CALIBRATION, wanted, "vllm", "bf16").accelerator == relative


def test_a_strange_device_has_a_wider_band_than_a_cousin() -> None:
    stranger = accelerator("x", "CDNA 3", "HBM3", vendor="AMD", memory_bandwidth_bytes_per_s=5.3e12)
    cousin = nearest_set(TABLES["gemm"], CALIBRATION, H100_PCIE, "vllm", "bf16")
    assert nearest_set(TABLES["gemm"], CALIBRATION, stranger, "vllm", "bf16").log_sd > cousin.log_sd


def test_weights_that_are_unpacked_take_the_tiles_and_rates_of_16_bit_products() -> None:
    """Kernels of 4-bit arithmetic pad a row to 128: at 16-bit rates slower than weights of 16 bits."""
    for entry in load_shipped_catalog().accelerators.values():
        for weights in ("int4_weight", "int8_weight"):
            found = nearest_set(TABLES["gemm"], CALIBRATION, entry, "vllm", weights).precision
            assert CALIBRATION.relatedness.precisions[found].compute_bits == 16, (entry.id, found)


def test_an_unknown_precision_is_refused_by_name() -> None:
    with pytest.raises(UnknownPrecisionError) as refused:
        nearest_set(TABLES["gemm"], CALIBRATION, H100, "vllm", "posit8")
    assert refused.value.precision == "posit8"


def test_an_empty_table_is_refused() -> None:
    with pytest.raises(NoParametersError):
        nearest_set(ParameterTable("gemm", (), None), CALIBRATION, H100, "vllm", "bf16")


def test_compute_units_of_a_systolic_device_are_a_gpus() -> None:
    assert compute_units(H100_PCIE, CALIBRATION) == 114
    tpu = accelerator("t", "TPU v6e", "HBM3", vendor="Google", kind="tpu", sm_count=1)
    assert compute_units(tpu, CALIBRATION) > 50
