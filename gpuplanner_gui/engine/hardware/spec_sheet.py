"""Usual slips in copying a specification sheet: sparse rates, TiB for TB, bits for bytes, both directions for one.

Vendors print what sells: rates with structured sparsity, links in bits or with both directions summed. A figure is
compared with what its own parts give (bus width × pin rate, PCIe lanes) and with devices of the same architecture per
compute unit and clock; only a ratio that a known slip explains is doubted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.hardware import PCIE_LANE_BYTES_PER_S, Accelerator, SpecDoubt, SpecDoubtCode

BITS_PER_BYTE = 8
TEBI = 2.0**40 / 1e12
GIBI = 2.0**30
SPARSE_PRECISIONS = ("tf32", "fp16", "bf16", "fp8", "int8", "fp6", "fp4", "int4")
"""Formats that matrix units run faster with structured sparsity."""
SPARSE_FROM, SPARSE_TO = 1.8, 2.3
"""Twice its relatives' dense rate, within what clocks quoted differently explain."""
CLOSE = 0.03
OFF = 0.12
"""Bandwidth further than this from bus width × pin rate is not rounding."""
FASTEST_PORT_BYTES_PER_S = 200e9
"""1.6 Tbit/s: more than one device's scale-out port carries; a larger figure was stated in bits."""
LEAST_WATTS_PER_TFLOP = 0.05
"""Below this a device would do 20 PFLOP/s in 1 kW: the power was typed in kilowatts."""
FAMILY_PER_WATT = 3.0


def spec_sheet_doubts(entry: Accelerator, catalog: Catalog) -> tuple[SpecDoubt, ...]:
    """Figures of a device that a usual slip would explain; empty where nothing looks wrong.

    `catalog` gives the relatives (same architecture, another identifier) and the links.
    """
    family = [
        one for one in catalog.accelerators.values() if one.architecture == entry.architecture and one.id != entry.id
    ]
    return (
        *_rate_doubts(entry, family),
        *_memory_doubts(entry),
        *_bandwidth_doubts(entry),
        *_link_doubts(entry, catalog),
        *_power_doubts(entry, family),
    )


def _rate_doubts(entry: Accelerator, family: list[Accelerator]) -> Iterator[SpecDoubt]:
    for precision in SPARSE_PRECISIONS:
        stated = getattr(entry.peak_dense_flop_per_s, precision)
        if stated is None:
            continue
        path, usual = f"peak_dense_flop_per_s.{precision}", _usual_rate(entry, family, precision)
        if usual is not None:
            if SPARSE_FROM <= stated / usual <= SPARSE_TO:
                yield SpecDoubt(
                    field=path, code="sparse", stated=stated, expected=stated / 2, against=entry.architecture
                )
        elif precision in ("fp8", "int8"):
            yield from _sparse_beside_dense(entry, precision, stated)


def _usual_rate(entry: Accelerator, family: Iterable[Accelerator], precision: str) -> float | None:
    """The highest rate of the architecture per compute unit and clock, at this device's units and clock."""
    if not entry.sm_count or not entry.boost_clock_hz:
        return None
    per_cycle = [
        rate / one.sm_count / one.boost_clock_hz
        for one in family
        if one.sm_count and one.boost_clock_hz and (rate := _fastest(one, precision))
    ]
    return max(per_cycle) * entry.sm_count * entry.boost_clock_hz if per_cycle else None


def _fastest(entry: Accelerator, precision: str) -> float:
    """Dense rate with whichever accumulation is faster: a consumer card halves the one that it states. 0: unknown."""
    halved = entry.peak_dense_fp16_accumulate_flop_per_s
    same = {"bf16": "fp16", "fp6": "fp8"}.get(precision, precision)
    beside = getattr(halved, same, None) if halved is not None else None
    if halved is not None and precision == "tf32":
        beside = halved.fp16 / 2 if halved.fp16 else None
    return max(getattr(entry.peak_dense_flop_per_s, precision) or 0.0, beside or 0.0)


def _sparse_beside_dense(entry: Accelerator, precision: str, stated: float) -> Iterator[SpecDoubt]:
    """Eight bits run twice as fast as sixteen; four times as fast, they are stated with sparsity."""
    sixteen = max(_fastest(entry, "bf16"), _fastest(entry, "fp16"))
    if sixteen and 2 * SPARSE_FROM <= stated / sixteen <= 2 * SPARSE_TO:
        yield SpecDoubt(
            field=f"peak_dense_flop_per_s.{precision}", code="sparse_beside", stated=stated, expected=stated / 2,
            against="bf16" if entry.peak_dense_flop_per_s.bf16 else "fp16",
        )  # fmt: skip


def _memory_doubts(entry: Accelerator) -> Iterator[SpecDoubt]:
    """Memory is built in powers of two: 80 GB on a box are 80 GiB, where the sheet does not say otherwise. A program
    can use no more than there is."""
    stated, usable = entry.memory_nominal_bytes, entry.memory_usable_bytes
    if usable is not None and usable > stated:
        yield SpecDoubt(field="memory_usable_bytes", code="above_nominal", stated=usable, expected=stated)
    is_off_chip = "SRAM" not in entry.memory_type
    if is_off_chip and stated >= GIBI and stated % 1e9 == 0 and stated % GIBI:
        yield SpecDoubt(
            field="memory_nominal_bytes", code="decimal_memory", stated=stated, expected=stated / 1e9 * GIBI
        )


def _bandwidth_doubts(entry: Accelerator) -> Iterator[SpecDoubt]:
    stated, field = entry.memory_bandwidth_bytes_per_s, "memory_bandwidth_bytes_per_s"
    if entry.memory_bus_bits is None or entry.memory_pin_bit_per_s is None:
        if stated % GIBI == 0:
            yield SpecDoubt(field=field, code="tebi", stated=stated, expected=stated / TEBI)
        return
    expected = memory_bandwidth_bytes_per_s(entry.memory_bus_bits, entry.memory_pin_bit_per_s)
    if abs(stated / expected - 1) <= CLOSE:
        return
    code: SpecDoubtCode
    for code, slip in (("tebi", TEBI), ("bits", BITS_PER_BYTE), ("both_directions", 2.0)):
        if abs(stated / expected / slip - 1) <= CLOSE:
            yield SpecDoubt(field=field, code=code, stated=stated, expected=stated / slip)
            return
    if abs(stated / expected - 1) > OFF:
        yield SpecDoubt(field=field, code="off_bus", stated=stated, expected=expected)


def memory_bandwidth_bytes_per_s(bus_bits: float, pin_bit_per_s: float) -> float:
    """Peak bandwidth of a memory bus: its width times the rate of one pin. [bytes/s] JEDEC HBM and GDDR standards."""
    return bus_bits * pin_bit_per_s / BITS_PER_BYTE


def _link_doubts(entry: Accelerator, catalog: Catalog) -> Iterator[SpecDoubt]:
    if entry.pcie is not None and entry.pcie.generation in PCIE_LANE_BYTES_PER_S:
        expected = entry.pcie.lanes * PCIE_LANE_BYTES_PER_S[entry.pcie.generation]
        field = "pcie.bytes_per_s_per_direction"
        yield from _against_lanes(field, entry.pcie.bytes_per_s_per_direction, expected)
    fabric = entry.scale_up
    link = catalog.links.get(fabric.link_id) if fabric is not None and fabric.link_id else None
    if fabric is not None and link is not None:
        field, rate = "scale_up.bytes_per_s_per_direction", link.bytes_per_s_per_direction
        yield from _slipped(field, fabric.bytes_per_s_per_direction, rate, link.name)
    wide = entry.scale_out_bytes_per_s
    if wide is not None and wide > FASTEST_PORT_BYTES_PER_S:
        yield SpecDoubt(field="scale_out_bytes_per_s", code="bits", stated=wide, expected=wide / BITS_PER_BYTE)


def _against_lanes(field: str, stated: float, expected: float) -> Iterator[SpecDoubt]:
    slips = list(_slipped(field, stated, expected, "PCIe"))
    if slips:
        yield slips[0]
    elif abs(stated / expected - 1) > OFF:
        yield SpecDoubt(field=field, code="off_lanes", stated=stated, expected=expected)


def _slipped(field: str, stated: float, expected: float, against: str) -> Iterator[SpecDoubt]:
    code: SpecDoubtCode
    for code, slip in (("bits", float(BITS_PER_BYTE)), ("both_directions", 2.0)):
        if abs(stated / expected / slip - 1) <= CLOSE:
            yield SpecDoubt(field=field, code=code, stated=stated, expected=stated / slip, against=against)
            return


def _power_doubts(entry: Accelerator, family: list[Accelerator]) -> Iterator[SpecDoubt]:
    watts, rate = entry.tdp_w, max(_fastest(entry, "bf16"), _fastest(entry, "fp16"))
    if watts is None:
        return
    if rate and watts / (rate / 1e12) < LEAST_WATTS_PER_TFLOP:
        yield SpecDoubt(field="tdp_w", code="kilowatts", stated=watts, expected=watts * 1e3)
        return
    if entry.idle_w is not None and entry.idle_w >= watts:
        yield SpecDoubt(field="tdp_w", code="below_idle", stated=watts, expected=entry.idle_w)
    per_watt = sorted(fastest / one.tdp_w for one in family if one.tdp_w and (fastest := _fastest(one, "bf16")))
    if not rate or not per_watt:
        return
    if rate / watts > FAMILY_PER_WATT * per_watt[-1]:
        expected = rate / per_watt[-1]
    elif rate / watts < per_watt[0] / FAMILY_PER_WATT:
        expected = rate / per_watt[0]
    else:
        return
    yield SpecDoubt(field="tdp_w", code="rate_per_watt", stated=watts, expected=expected, against=entry.architecture)
