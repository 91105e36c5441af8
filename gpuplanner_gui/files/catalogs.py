"""The catalogues that ship with the program, the packs over them, and what a planner puts beside them.

A user's catalogue is a folder with any of the files below. An entry with a new identifier is added; one with a known
identifier replaces the fields that it states and keeps the rest. The program puts entries in and takes them out; what
a planner writes by hand stays as it is, and nothing is left behind that the program could not read again.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from gpuplanner_gui import paths
from gpuplanner_gui.domain.catalog import CATALOG_KINDS, AmbiguousName, Catalog, CatalogKind, CatalogModel, Pack
from gpuplanner_gui.domain.field import fields_of, problems_of
from gpuplanner_gui.domain.hardware import Accelerator, AcceleratorConfidence, Link, NodeType
from gpuplanner_gui.domain.names import free_name
from gpuplanner_gui.domain.price import ApiPrices, Offer, PurchasePrice, RentalPrice
from gpuplanner_gui.files.bounded import problem_text, refuse_bulk_and_hidden_text
from gpuplanner_gui.files.errors import FileProblem, said
from gpuplanner_gui.files.packs.pack_file import applied_packs
from gpuplanner_gui.files.safe_json import converted, decoded, read_bytes, read_json, read_shipped, refuse_out_of_bounds
from gpuplanner_gui.files.text import plain_text
from gpuplanner_gui.files.whole_file import write_whole_file

ENTRY_TYPES: dict[CatalogKind, type[msgspec.Struct]] = {
    "accelerators": Accelerator,
    "nodes": NodeType,
    "links": Link,
    "offers": Offer,
    "models": CatalogModel,
}
CATALOG_FILES: dict[CatalogKind, str] = {kind: f"{kind}.json" for kind in CATALOG_KINDS}
RACKS_FILE = "racks.json"
"""Nodes that are sold as whole racks; a user's stand with the other nodes."""
ACCELERATOR_ALIASES_FILE = "aliases_accelerators.json"
MODEL_ALIASES_FILE = "aliases_models.json"
API_PRICES_FILE = "api_prices.json"


class AliasFile(msgspec.Struct, forbid_unknown_fields=True):
    """Other names of accelerators or models: the identifier meant, or several with the most common first."""

    accelerators: dict[str, str | AmbiguousName] = {}
    models: dict[str, str | AmbiguousName] = {}


def load_catalog(user_folder: Path | None = None) -> Catalog:
    """The shipped catalogues with the packs in force and then the user's entries over them.

    The user's come from the given folder or the platform's own.

    Raises FileProblem, naming file and field, for a file that is damaged, has unknown or missing fields, values outside
    their bounds, an identifier twice, or refers to an accelerator that is in no catalogue. `load_shipped_catalog` still
    works then.
    """
    return with_user_entries(load_catalog_of_packs(), user_folder or paths.user_catalogs_dir())


def load_shipped_catalog() -> Catalog:
    """The catalogues that ship with the program, without packs and the user's entries."""
    shipped_folder = paths.catalogs_dir()
    found: dict[str, Any] = {
        kind: _shipped_entries(shipped_folder / CATALOG_FILES[kind], ENTRY_TYPES[kind]) for kind in CATALOG_KINDS
    }
    found["nodes"] |= _shipped_entries(shipped_folder / RACKS_FILE, NodeType)
    found["accelerator_aliases"] = _aliases(shipped_folder / ACCELERATOR_ALIASES_FILE).accelerators
    found["model_aliases"] = _aliases(shipped_folder / MODEL_ALIASES_FILE).models
    found["api_prices"] = _api_prices(shipped_folder)
    catalog = Catalog(**found)
    _refuse_dangling_references(catalog, shipped_folder)
    return catalog


def load_catalog_of_packs() -> Catalog:
    """The shipped catalogues with the packs in force, without the user's entries: what a new pack would change.

    Raises FileProblem for a pack that does not fit.
    """
    catalog = load_shipped_catalog()
    for applied in applied_packs():
        catalog = with_pack(catalog, applied.pack, applied.path)
    return catalog


def with_pack(catalog: Catalog, pack: Pack, path: Path) -> Catalog:
    """The catalogue with a pack's entries over it; `path` is what errors call the pack. Raises FileProblem."""
    found: dict[str, dict[str, Any]] = {}
    for kind in CATALOG_KINDS:
        found[kind] = dict(catalog.entries(kind))
        _add_entries(found[kind], list(getattr(pack, kind)), path, f"$.{kind}", ENTRY_TYPES[kind])
    made = msgspec.structs.replace(catalog, **found)
    _refuse_dangling_references(made, path)
    return made


def with_user_entries(catalog: Catalog, folder: Path) -> Catalog:
    """The catalogue with the entries of a folder over it. Raises FileProblem."""
    if not folder.is_dir():
        return catalog
    _refuse_unknown_files(folder)
    found: dict[str, Any] = {kind: dict(catalog.entries(kind)) for kind in CATALOG_KINDS}
    for kind in CATALOG_KINDS:
        path = folder / CATALOG_FILES[kind]
        _add_entries(found[kind], stated_entries(path), path, "$", ENTRY_TYPES[kind])
    accelerators, models = folder / ACCELERATOR_ALIASES_FILE, folder / MODEL_ALIASES_FILE
    found["accelerator_aliases"] = catalog.accelerator_aliases | _aliases(accelerators).accelerators
    found["model_aliases"] = catalog.model_aliases | _aliases(models).models
    found["api_prices"] = _api_prices(folder) + catalog.api_prices
    _refuse_dangling_aliases(accelerators, "accelerators", found["accelerators"])
    _refuse_dangling_aliases(models, "models", found["models"])
    made = Catalog(**found)
    for kind in ("nodes", "offers"):
        _refuse_dangling_references(made, folder / f"{kind}.json", (kind,))
    return made


def _api_prices(folder: Path) -> tuple[ApiPrices, ...]:
    path = folder / API_PRICES_FILE
    if not path.is_file():
        return ()
    found = read_shipped(path, ApiPrices)
    refuse_out_of_bounds(path, found)
    return (found,)


def _shipped_entries(path: Path, entry_type: type[msgspec.Struct]) -> dict[str, Any]:
    """Entries of a shipped file; their bounds are checked when the file is made, and by the tests."""
    try:
        entries = decoded(_bytes_of(path) or b"[]", list[entry_type])  # type: ignore[valid-type]
    except msgspec.DecodeError as error:
        raise _decoding_problem(path, error, []) from error
    return _by_id(path, entries)


def stated_entries(path: Path) -> list[dict[str, Any]]:
    """What a file of a user's catalogue states, as plain data; nothing where there is no file."""
    data = _plain_data(path, [])
    if not isinstance(data, list) or not all(isinstance(entry, dict) for entry in data):
        raise FileProblem(path, "", "a list of entries is expected", "Correct the file, or remove it")
    return data


def _plain_data(path: Path, default: Any) -> Any:
    """A user's file as plain data, bounded and without hidden text; the default where there is no file."""
    if not path.exists():
        return default
    data = read_json(path)
    refuse_bulk_and_hidden_text(data, path)
    return data


def _add_entries(
    entries: dict[str, Any], stated: list[dict[str, Any]], path: Path, place: str, entry_type: type[msgspec.Struct]
) -> None:
    """Add what a file states to the entries, after a look at all of it; `place` is where the list stands."""
    completed = [_over_known_entry(entry, entries) for entry in stated]
    try:
        structs = converted(completed, list[entry_type])  # type: ignore[valid-type]
    except msgspec.ValidationError as error:
        raise _decoding_problem(path, error, stated, place) from error
    for index, struct in enumerate(structs):
        problems = problems_of(struct, f"$[{index}]")
        if problems:
            raise FileProblem(
                path, _place(problems[0].path, stated, place), problem_text(problems[0]), "Correct the value"
            )
    entries.update(_by_id(path, structs, place))


def _over_known_entry(stated: dict[str, Any], entries: dict[str, Any]) -> dict[str, Any]:
    entry_id = stated.get("id")
    if not isinstance(entry_id, str) or entry_id not in entries:
        return stated
    known: dict[str, Any] = msgspec.to_builtins(entries[entry_id])
    return known | stated


def _by_id(path: Path, entries: Iterable[Any], place: str = "$") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for index, entry in enumerate(entries):
        if entry.id in found:
            raise FileProblem(
                path,
                f"{place}[{index}].id",
                "the identifier {id} is used twice",
                "Remove one of the two",
                id=repr(entry.id),
            )
        found[entry.id] = entry
    return found


def _bytes_of(path: Path) -> bytes | None:
    """A file's content, None where it does not exist."""
    return read_bytes(path) if path.exists() else None


def _aliases(path: Path) -> AliasFile:
    try:
        found: AliasFile = converted(_plain_data(path, {}), AliasFile)
        return found
    except msgspec.ValidationError as error:
        raise _decoding_problem(path, error, []) from error


def _decoding_problem(
    path: Path, error: msgspec.DecodeError, stated: list[dict[str, Any]], list_place: str = "$"
) -> FileProblem:
    what, _, place = str(error).partition(" - at `")
    where = _place(place.rstrip("`"), stated, list_place)
    if isinstance(error, msgspec.ValidationError):
        return FileProblem(path, where, what[:1].lower() + what[1:], "Correct the field, or remove the entry")
    return FileProblem(path, where, "the file is not valid JSON ({what})", "Correct the file, or remove it", what=what)


def _place(json_path: str, stated: list[dict[str, Any]], list_place: str = "$") -> str:
    """A path into the file, with the identifier of the entry it lies in; `list_place` is where the list stands."""
    index_text = json_path[2:].partition("]")[0] if json_path.startswith("$[") else ""
    whole = list_place + json_path.removeprefix("$")
    if not index_text.isdigit() or int(index_text) >= len(stated):
        return whole
    entry_id = stated[int(index_text)].get("id")
    return f"{whole} (entry {entry_id!r})" if isinstance(entry_id, str) else whole


def _refuse_unknown_files(folder: Path) -> None:
    known = {*CATALOG_FILES.values(), ACCELERATOR_ALIASES_FILE, MODEL_ALIASES_FILE, API_PRICES_FILE}
    for path in sorted(folder.glob("*.json")):
        if path.name not in known:
            names = ", ".join(sorted(known))
            raise FileProblem(
                path, "", "no catalogue file has this name", "Rename it to one of {names}, or remove it", names=names
            )


def _refuse_dangling_references(
    catalog: Catalog, path: Path, kinds: tuple[CatalogKind, ...] = ("nodes", "offers")
) -> None:
    for kind in kinds:
        for entry in catalog.entries(kind).values():
            if entry.accelerator_id not in catalog.accelerators:
                what = said(
                    "entry {id} refers to the accelerator {accelerator_id}, which is in no catalogue",
                    id=repr(entry.id),
                    accelerator_id=repr(entry.accelerator_id),
                )
                raise FileProblem(path, "accelerator_id", what, "Add the accelerator, or correct the name")


def _refuse_dangling_aliases(path: Path, kind: CatalogKind, entries: dict[str, Any]) -> None:
    for alias, target in getattr(_aliases(path), kind).items():
        for entry_id in (target,) if isinstance(target, str) else target.ids:
            if entry_id not in entries:
                what = said(
                    "{alias} is an alias of {entry_id}, which is in no catalogue",
                    alias=repr(alias),
                    entry_id=repr(entry_id),
                )
                raise FileProblem(path, f"$.{kind}", what, "Add the entry, or correct the identifier")


Price = TypeVar("Price", PurchasePrice, RentalPrice)
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
    """The device with every group of figures that differs from the original's marked as the planner's own.

    Its rent is the planner's own in any case: no provider's offer names the device.
    """
    changed = {
        group: "user"
        for group, names in GROUPS.items()
        if any(getattr(device, name) != getattr(original, name) for name in names)
    }
    known: dict[str, Any] = msgspec.to_builtins(original.confidence)
    stated = plain_text(source, 300)
    sources = (*((stated,) if stated else ()), *(one for one in original.sources if one != stated))
    price, rental = device.price, device.rental
    if price is not None and "price" in changed:
        price = _own_price(price, original.price, stated)
    if rental is not None:
        rental = _own_price(rental, original.rental, stated)
    return msgspec.structs.replace(
        device,
        price=price,
        rental=rental,
        confidence=converted(known | changed, AcceleratorConfidence),
        sources=sources,
        cross_checks=(),
    )


def _own_price(price: Price, original: Price | None, source: str) -> Price:
    """The planner's own price; where it differs from the original's, its source is the planner's as well."""
    if price == original or (original is not None and price.source != original.source):
        source = price.source
    return msgspec.structs.replace(price, confidence="user", source=source)


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
                path, "", "it could not be removed ({strerror})", "Remove it yourself", strerror=problem.strerror
            ) from None


def _write(written: Mapping[Path, list[Stated]], folder: Path) -> OwnChange:
    change = OwnChange(tuple((path, _bytes_of(path)) for path in written))
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
            "the folder can't be made ({strerror})",
            "Check the folder's permissions",
            strerror=problem.strerror,
        ) from None
    return change
