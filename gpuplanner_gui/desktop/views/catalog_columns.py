"""What the catalogue browser shows of each kind of entry: columns, search words, and every field in the details."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gpuplanner_gui.domain.catalog import Catalog, CatalogKind, CatalogModel
from gpuplanner_gui.domain.hardware import Accelerator, Link, NodeType, Offer
from gpuplanner_gui.domain.price import PurchasePrice
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.drawing.units import NOTHING, format_value
from gpuplanner_gui.drawing.words.candidates import accelerator_name

Entry = Accelerator | NodeType | Link | Offer | CatalogModel


@dataclass(frozen=True)
class EntryColumn:
    """`value` gives a number in `unit`, a text, or None where the catalogue does not say."""

    title: str
    value: Callable[[Any, Catalog], float | str | None]
    sample: str
    unit: str | None = None
    """None: text."""


def _text(title: str, name: str, sample: str) -> EntryColumn:
    return EntryColumn(title, lambda entry, catalog: str(getattr(entry, name)), sample)


def _number(title: str, name: str, unit: str, sample: str) -> EntryColumn:
    return EntryColumn(title, lambda entry, catalog: getattr(entry, name), sample, unit)


def _year(entry: Any, catalog: Catalog) -> str | None:
    return str(entry.year) if entry.year else None


def _peak(precision: str) -> Callable[[Any, Catalog], float | None]:
    return lambda entry, catalog: entry.peak_flop_per_s(precision)


def _rental(entry: Any, catalog: Catalog) -> float | None:
    price = entry.rental.on_demand_usd_per_h if entry.rental else None
    return None if price is None else central(price)


def _purchase(price: PurchasePrice | None) -> float | None:
    return None if price is None else central(price.usd)


def _accelerator(entry: Any, catalog: Catalog) -> str:
    return accelerator_name(entry.accelerator_id, catalog)


def _scale_up(entry: Any, catalog: Catalog) -> str | None:
    return entry.scale_up.name if entry.scale_up else None


def _layers(entry: Any, catalog: Catalog) -> float:
    return float(sum(group.count for group in entry.model.layers))


def _confidence(entry: Any, catalog: Catalog) -> str | None:
    return entry.confidence


COLUMNS: dict[CatalogKind, tuple[EntryColumn, ...]] = {
    "accelerators": (
        _text("Name", "name", "RTX PRO 6000 Blackwell Max-Q"),
        _text("Vendor", "vendor", "Qualcomm"),
        EntryColumn("Kind", lambda entry, catalog: entry.kind.upper(), "ASIC"),
        _text("Architecture", "architecture", "Ada Lovelace"),
        EntryColumn("Year", _year, "2026"),
        _number("Memory", "memory_bytes", "bytes", "192 GB"),
        _number("Bandwidth", "memory_bandwidth_bytes_per_s", "bytes/s", "8.88 TB/s"),
        EntryColumn("BF16", _peak("bf16"), "888 TFLOP/s", "flop/s"),
        EntryColumn("FP8", _peak("fp8"), "888 TFLOP/s", "flop/s"),
        EntryColumn("FP4", _peak("fp4"), "8.88 PFLOP/s", "flop/s"),
        _number("Power", "tdp_w", "W", "1.20 kW"),
        EntryColumn("Rent", _rental, "$8.88/h", "USD/h"),
        EntryColumn("Purchase", lambda entry, catalog: _purchase(entry.price), "$88 888", "USD"),
    ),
    "nodes": (
        _text("Name", "name", "HGX H200 8-GPU reference node"),
        _text("Vendor", "vendor", "Supermicro"),
        EntryColumn("Accelerator", _accelerator, "RTX PRO 6000 Blackwell"),
        _number("Accelerators", "accelerator_count", "", "72"),
        EntryColumn("Scale-up", _scale_up, "NVLink 5 NVSwitch"),
        _number("Scale-out", "scale_out_bytes_per_s", "bytes/s", "400 GB/s"),
        _number("Power", "max_power_w", "W", "14.3 kW"),
        _text("Cooling", "cooling", "liquid"),
        EntryColumn("Purchase", lambda entry, catalog: _purchase(entry.capex), "$350 000", "USD"),
    ),
    "links": (
        _text("Name", "name", "InfiniBand NDR 400 (8 rails)"),
        _text("Kind", "kind", "scale_out"),
        _number("Rate", "bytes_per_s_per_direction", "bytes/s", "888 GB/s"),
        EntryColumn("Latency", lambda entry, catalog: central(entry.hardware_latency_s), "8.88 µs", "s"),
        _number("Point to point", "point_to_point_efficiency", "share", "88 %"),
        _number("Collectives", "collective_efficiency", "share", "88 %"),
    ),
    "offers": (
        _text("Provider", "provider", "CoreWeave"),
        _text("Instance", "instance", "a3-ultragpu-8g"),
        EntryColumn("Accelerator", _accelerator, "RTX PRO 6000 Blackwell"),
        _number("Accelerators", "accelerator_count", "", "8"),
        _text("Region", "region", "us-east-1"),
        _text("Market", "market", "marketplace"),
        _number("On demand", "on_demand_usd_per_accelerator_h", "USD/h", "$8.88/h"),
        _number("1 year", "reserved_1y_usd_per_accelerator_h", "USD/h", "$8.88/h"),
        _number("3 years", "reserved_3y_usd_per_accelerator_h", "USD/h", "$8.88/h"),
        _number("Spot", "spot_usd_per_accelerator_h", "USD/h", "$8.88/h"),
        EntryColumn("As of", lambda entry, catalog: entry.as_of, "2026-10-10"),
        EntryColumn("Confidence", _confidence, "secondary"),
    ),
    "models": (
        _text("Name", "name", "DeepSeek-V3.2-Exp-Base"),
        EntryColumn("Kind", lambda entry, catalog: entry.model.kind.replace("_", " "), "encoder decoder"),
        EntryColumn("Layers", _layers, "128", ""),
        EntryColumn("Hidden size", lambda entry, catalog: float(entry.model.hidden_size), "16 384", ""),
        EntryColumn("Vocabulary", lambda entry, catalog: float(entry.model.vocab_size), "256 000", ""),
        EntryColumn("Context", lambda entry, catalog: float(entry.model.max_context), "131 072", ""),
        EntryColumn("Confidence", _confidence, "secondary"),
        _text("Source", "source", "huggingface.co/organisation/model"),
    ),
}  # fmt: skip


def cell_text(column: EntryColumn, entry: Entry, catalog: Catalog) -> str:
    value = column.value(entry, catalog)
    if value is None or value == "":
        return NOTHING
    return value if isinstance(value, str) else format_value(float(value), column.unit or "")
