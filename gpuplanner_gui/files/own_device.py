"""A device of the planner's own, begun as a copy of one in the catalogue."""

from __future__ import annotations

import datetime
import re
from typing import Any

import msgspec

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.hardware import Accelerator, AcceleratorConfidence
from gpuplanner_gui.files.text import plain_text
from gpuplanner_gui.files.typed_json import converted

LONGEST_NAME = 80
GROUPS: dict[str, tuple[str, ...]] = {
    "memory": (
        "memory_nominal_bytes", "memory_usable_bytes", "memory_max_bytes", "memory_type",
        "memory_bandwidth_bytes_per_s", "memory_bus_bits", "memory_pin_bit_per_s",
    ),
    "compute": ("peak_dense_flop_per_s", "peak_dense_fp16_accumulate_flop_per_s", "structured_sparsity_speedup"),
    "clocks_and_units": ("sm_count", "sm_kind", "boost_clock_hz"),
    "l2_or_sram": ("l2_bytes",),
    "tdp": ("tdp_w",),
    "idle_power": ("idle_w",),
    "scale_up": ("scale_up",),
    "scale_out": ("scale_out_bytes_per_s",),
    "price": ("price",),
    "cloud": ("rental",),
}  # fmt: skip
"""Fields whose confidence is stated together."""


def copy_of(original: Accelerator, catalog: Catalog, name: str, today: datetime.date) -> Accelerator:
    """A copy under a name and identifier that the catalogue does not have yet."""
    free = _free_name(name, catalog)
    return msgspec.structs.replace(original, id=_free_id(free, catalog), name=free, date=today.isoformat(), notes=())


def with_own_id(device: Accelerator, catalog: Catalog) -> Accelerator:
    """The device under an identifier that is made from its name and is not taken yet."""
    return msgspec.structs.replace(device, id=_free_id(device.name, catalog))


def with_own_confidence(device: Accelerator, original: Accelerator, source: str) -> Accelerator:
    """The device with every group of figures that differs from the original's marked as the planner's own."""
    changed = {
        group: "user"
        for group, names in GROUPS.items()
        if any(getattr(device, name) != getattr(original, name) for name in names)
    }
    known: dict[str, Any] = msgspec.to_builtins(original.confidence)
    stated = plain_text(source, 300)
    sources = (*((stated,) if stated else ()), *(one for one in original.sources if one != stated))
    return msgspec.structs.replace(
        device, confidence=converted(known | changed, AcceleratorConfidence), sources=sources, cross_checks=()
    )


def is_name_taken(name: str, device_id: str, catalog: Catalog) -> bool:
    """Whether another device of the catalogue has this name."""
    plain = name.strip().casefold()
    return any(one.name.casefold() == plain and one.id != device_id for one in catalog.accelerators.values())


def _free_name(name: str, catalog: Catalog) -> str:
    taken = {one.name.casefold() for one in catalog.accelerators.values()}
    number, free = 2, name
    while free.casefold() in taken:
        free, number = f"{name} {number}", number + 1
    return free


def _free_id(name: str, catalog: Catalog) -> str:
    plain = "own-" + re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")[:LONGEST_NAME]
    number, free = 2, plain
    while free in catalog.accelerators:
        free, number = f"{plain}-{number}", number + 1
    return free
