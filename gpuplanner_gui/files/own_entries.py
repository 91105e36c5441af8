"""The planner's own catalogue entries: put in, taken out, and the way back.

They stand in the user's catalogue folder, in files of the form of the shipped ones; what a planner writes there by hand
stays as it is. Nothing is left behind that the program could not read again.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from gpuplanner_gui import paths
from gpuplanner_gui.domain.catalog import CATALOG_KINDS, Catalog, CatalogKind
from gpuplanner_gui.domain.field import fields_of
from gpuplanner_gui.domain.hardware import Accelerator, AcceleratorConfidence
from gpuplanner_gui.domain.names import free_name
from gpuplanner_gui.files.catalogs import CATALOG_FILES, ENTRY_TYPES, load_catalog, stated_entries
from gpuplanner_gui.files.errors import FileProblem, said
from gpuplanner_gui.files.safe_json import converted, read_bytes
from gpuplanner_gui.files.text import plain_text
from gpuplanner_gui.files.whole_file import write_whole_file

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
    free = free_name(name, lambda one: is_name_taken(one, "", catalog))
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


def _free_id(name: str, catalog: Catalog) -> str:
    plain = "own-" + re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")[:LONGEST_NAME]
    return free_name(plain, catalog.accelerators.__contains__, "{name}-{number}")


Stated = dict[str, Any]
"""An entry as it stands in a file: all of a new one, or the fields that replace those of a known one."""


@dataclass(frozen=True)
class OwnChange:
    """What the files held before; `take_back` brings it back."""

    before: tuple[tuple[Path, bytes | None], ...]


@dataclass(frozen=True)
class OwnIds:
    """Identifiers that the user's files state, by kind: entries of their own, and figures over known entries."""

    whole: Mapping[CatalogKind, frozenset[str]] = field(default_factory=dict)
    partial: Mapping[CatalogKind, frozenset[str]] = field(default_factory=dict)

    def all_of(self, kind: CatalogKind) -> frozenset[str]:
        return self.whole.get(kind, frozenset()) | self.partial.get(kind, frozenset())


NO_OWN_IDS = OwnIds()


def own_ids(folder: Path | None = None) -> OwnIds:
    """What the user's files state. Raises FileProblem for a damaged file."""
    place = folder or paths.user_catalogs_dir()
    whole: dict[CatalogKind, frozenset[str]] = {}
    partial: dict[CatalogKind, frozenset[str]] = {}
    for kind in CATALOG_KINDS:
        entries = [entry for entry in stated_entries(place / CATALOG_FILES[kind]) if isinstance(entry.get("id"), str)]
        required = {one.name for one in fields_of(ENTRY_TYPES[kind]) if not one.has_default}
        whole[kind] = frozenset(entry["id"] for entry in entries if required <= entry.keys())
        partial[kind] = frozenset(entry["id"] for entry in entries) - whole[kind]
    return OwnIds(whole, partial)


def save_own_entries(
    stated: Mapping[CatalogKind, Sequence[Stated]], folder: Path | None = None, *, keeps_fields: bool = False
) -> OwnChange:
    """Put entries into the user's files, each in place of one with its identifier.

    With `keeps_fields`, fields that the files state and the new entries do not, stay.

    Raises FileProblem, and leaves the files as they were, where an entry does not fit or a file can't be written.
    """
    place = folder or paths.user_catalogs_dir()
    written: dict[Path, list[Stated]] = {}
    for kind, entries in stated.items():
        path = place / CATALOG_FILES[kind]
        new = {entry["id"]: entry for entry in entries}
        present = stated_entries(path)
        if keeps_fields:
            new |= {entry["id"]: entry | new[entry["id"]] for entry in present if entry.get("id") in new}
        written[path] = [*(entry for entry in present if entry.get("id") not in new), *new.values()]
    return _write(written, place)


def remove_own_entry(kind: CatalogKind, entry_id: str, folder: Path | None = None) -> OwnChange:
    """Take an entry out of the user's files; a shipped one with its identifier counts again.

    Raises FileProblem, and leaves the files as they were, where something else refers to the entry.
    """
    place = folder or paths.user_catalogs_dir()
    path = place / CATALOG_FILES[kind]
    return _write({path: [entry for entry in stated_entries(path) if entry.get("id") != entry_id]}, place)


def take_back(change: OwnChange) -> None:
    """Bring back what the files held before a change. Raises FileProblem."""
    for path, content in change.before:
        if content is not None:
            write_whole_file(path, content)
            continue
        try:
            path.unlink(missing_ok=True)
        except OSError as problem:
            raise FileProblem(
                path, "", said("it could not be removed ({strerror})", strerror=problem.strerror), "Remove it yourself"
            ) from None


def _write(written: Mapping[Path, list[Stated]], folder: Path) -> OwnChange:
    change = OwnChange(tuple((path, read_bytes(path) if path.exists() else None) for path in written))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, entries in written.items():
            write_whole_file(path, msgspec.json.format(msgspec.json.encode(entries), indent=1) + b"\n")
        load_catalog(folder)
    except FileProblem:
        take_back(change)
        raise
    except OSError as problem:
        raise FileProblem(
            folder,
            "",
            said("the folder can't be made ({strerror})", strerror=problem.strerror),
            "Check the folder's permissions",
        ) from None
    return change
