"""Usual slips of a specification sheet are caught; figures that are right are left alone."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from gpuplanner_gui.desktop.store import replaced
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.hardware import Accelerator
from gpuplanner_gui.engine.hardware.spec_sheet import spec_sheet_doubts
from gpuplanner_gui.files.catalogs import load_shipped_catalog

H100 = "nvidia-h100-sxm-80gb"
MOST_DOUBTED = 10
LEAST_CAUGHT = 0.9


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_shipped_catalog()


def own(catalog: Catalog, **changes: Any) -> Accelerator:
    return msgspec.structs.replace(catalog.accelerators[H100], id="own", **changes)


def doubts(catalog: Catalog, path: str, value: Any) -> list[tuple[str, str, float]]:
    found = spec_sheet_doubts(replaced(own(catalog), path, value), catalog)
    return [(one.field, one.code, one.expected) for one in found]


def test_a_right_sheet_is_not_doubted(catalog: Catalog) -> None:
    assert spec_sheet_doubts(own(catalog), catalog) == ()


@pytest.mark.parametrize(
    ("path", "stated", "code", "expected"),
    [
        ("peak_dense_flop_per_s.bf16", 1979e12, "sparse", 989.5e12),
        ("peak_dense_flop_per_s.fp8", 3958e12, "sparse", 1979e12),
        ("memory_usable_bytes", 120 * 2.0**30, "above_nominal", 80 * 2.0**30),
        ("memory_nominal_bytes", 80e9, "decimal_memory", 80 * 2.0**30),
        ("memory_bandwidth_bytes_per_s", 3.25 * 2**40, "tebi", 3.25e12),
        ("scale_up.bytes_per_s_per_direction", 900e9, "both_directions", 450e9),
        ("scale_up.bytes_per_s_per_direction", 3.6e12, "bits", 450e9),
        ("pcie.bytes_per_s_per_direction", 128e9, "both_directions", 64e9),
        ("pcie.bytes_per_s_per_direction", 504e9, "bits", 63e9),
        ("pcie.bytes_per_s_per_direction", 31.5e9, "off_lanes", 63.008e9),
        ("scale_out_bytes_per_s", 400e9, "bits", 50e9),
        ("tdp_w", 0.7, "kilowatts", 700.0),
        ("tdp_w", 70.0, "below_idle", 70.0),
    ],
)
def test_slip_is_caught_with_the_figure_that_was_meant(
    catalog: Catalog, path: str, stated: float, code: str, expected: float
) -> None:
    found = {(field, which): value for field, which, value in doubts(catalog, path, stated)}
    assert found[path, code] == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(
    ("bandwidth", "code", "expected"),
    [
        (3.35e12, None, 0.0),
        (3.35e12 * 2**40 / 1e12, "tebi", 3.35e12),
        (3.35e12 * 8, "bits", 3.35e12),
        (3.35e12 * 2, "both_directions", 3.35e12),
        (2.6e12, "off_bus", 3.35e12),
    ],
)
def test_bandwidth_must_follow_from_bus_and_pin_rate(
    catalog: Catalog, bandwidth: float, code: str | None, expected: float
) -> None:
    """5120 bit × 5.24 Gbit/s / 8 = 3.35 TB/s."""
    device = own(catalog, memory_bandwidth_bytes_per_s=bandwidth, memory_bus_bits=5120, memory_pin_bit_per_s=5.234375e9)
    found = [one for one in spec_sheet_doubts(device, catalog) if one.field == "memory_bandwidth_bytes_per_s"]
    assert [one.code for one in found] == ([code] if code else [])
    if code:
        assert found[0].expected == pytest.approx(expected, rel=1e-3)


def test_shipped_devices_are_hardly_doubted(catalog: Catalog) -> None:
    doubted = [entry.id for entry in catalog.accelerators.values() if spec_sheet_doubts(entry, catalog)]
    assert len(doubted) <= MOST_DOUBTED, doubted


def test_sparse_rates_of_shipped_devices_are_caught(catalog: Catalog) -> None:
    """Every device that vendors quote with sparsity, with its rates doubled as the sheet has them."""
    tried = [one for one in catalog.accelerators.values() if one.structured_sparsity_speedup == 2]
    assert len(tried) > 50
    caught = [one.id for one in tried if _is_caught(_doubled(one), catalog)]
    assert len(caught) >= LEAST_CAUGHT * len(tried), {one.id for one in tried} - set(caught)


def _doubled(entry: Accelerator) -> Accelerator:
    rates = entry.peak_dense_flop_per_s
    names = ("tf32", "fp16", "bf16", "fp8", "int8", "fp6", "fp4", "int4")
    twice = {name: rate * 2 for name in names if (rate := getattr(rates, name)) is not None}
    return msgspec.structs.replace(entry, id="own", peak_dense_flop_per_s=msgspec.structs.replace(rates, **twice))


def _is_caught(entry: Accelerator, catalog: Catalog) -> bool:
    return any(one.code in ("sparse", "sparse_beside") for one in spec_sheet_doubts(entry, catalog))
