"""How each figure of a catalogue entry is known, and as of when."""

from __future__ import annotations

from typing import Any

from gpuplanner_gui.domain.catalog import CatalogModel
from gpuplanner_gui.domain.hardware import Accelerator, Link, NodeType
from gpuplanner_gui.domain.price import Offer
from gpuplanner_gui.drawing.language import tr

CONFIDENCE_WORDS = {
    "datasheet": "data sheet",
    "secondary": "reported",
    "estimate": "estimated",
    "user": "own entry",
}
_ACCELERATOR_GROUPS = {
    "memory_nominal_bytes": "memory", "memory_usable_bytes": "memory", "memory_max_bytes": "memory",
    "memory_type": "memory", "memory_bandwidth_bytes_per_s": "memory", "memory_bus_bits": "memory",
    "memory_pin_bit_per_s": "memory", "peak_dense_flop_per_s": "compute",
    "peak_dense_fp16_accumulate_flop_per_s": "compute", "structured_sparsity_speedup": "compute",
    "sm_count": "clocks_and_units", "sm_kind": "clocks_and_units", "boost_clock_hz": "clocks_and_units",
    "l2_bytes": "l2_or_sram", "tdp_w": "tdp", "idle_w": "idle_power", "scale_up": "scale_up",
    "scale_out_bytes_per_s": "scale_out", "price": "price", "rental": "cloud",
}  # fmt: skip
_NODE_GROUPS = {"max_power_w": "max_power", "idle_power_w": "idle_power", "capex": "capex"}
_LINK_GROUPS = {
    "bytes_per_s_per_direction": "bandwidth", "hardware_latency_s": "latency", "collective_latency_s": "latency",
    "point_to_point_efficiency": "efficiency", "collective_efficiency": "efficiency",
}  # fmt: skip
_OFFER_PRICES = ("on_demand_usd_per_h", "reserved_1y_usd_per_h", "reserved_3y_usd_per_h")
_WORDLESS = frozenset({
    "id", "name", "date", "sources", "source", "source_reading", "cross_checks", "confidence", "notes", "note", "as_of",
    "spot_as_of", "spot_source", "as_of_precision", "availability",
})  # fmt: skip


def confidence_words(code: str | None) -> str:
    """A confidence in a planner's words; empty for none."""
    return tr(CONFIDENCE_WORDS[code]) if code else ""


def known_by(entry: Any, name: str) -> str:
    """How a field is known and as of when, such as `data sheet · 2026-10`; empty for what is no figure."""
    if name in _WORDLESS:
        return ""
    confidence, date = _known(entry, name)
    return " · ".join(part for part in (confidence_words(confidence), date or "") if part)


def source_of(entry: Any, name: str) -> str:
    """Where a field was read, one source a line; empty where the entry names none."""
    if isinstance(entry, Accelerator) and name in ("price", "rental"):
        held = getattr(entry, name)
        return held.source if held is not None else ""
    if isinstance(entry, NodeType) and name == "capex" and entry.capex is not None and entry.capex.source:
        return entry.capex.source
    if isinstance(entry, Offer):
        return entry.spot_source or entry.source if name == "spot_usd_per_h" else entry.source
    if isinstance(entry, CatalogModel):
        return entry.source
    return "\n".join(entry.sources)


def _known(entry: Any, name: str) -> tuple[str | None, str | None]:
    if isinstance(entry, Accelerator):
        if name == "price" and entry.price is not None:
            return entry.price.confidence or entry.confidence.price, entry.price.as_of
        if name == "rental" and entry.rental is not None:
            return entry.rental.confidence or entry.confidence.cloud, entry.rental.as_of_to
        group = _ACCELERATOR_GROUPS.get(name)
        return (getattr(entry.confidence, group) if group else None), entry.date
    if isinstance(entry, NodeType):
        if name == "capex" and entry.capex is not None:
            return entry.capex.confidence or entry.confidence.capex, entry.capex.as_of
        return getattr(entry.confidence, _NODE_GROUPS.get(name, "specification")), entry.date
    if isinstance(entry, Link):
        group = _LINK_GROUPS.get(name)
        return (getattr(entry.confidence, group) if group else None), entry.date
    if isinstance(entry, Offer):
        if name == "spot_usd_per_h":
            return entry.confidence, entry.spot_as_of or entry.as_of
        return (entry.confidence, entry.as_of) if name in _OFFER_PRICES else (None, None)
    return entry.confidence, entry.date
