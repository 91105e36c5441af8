"""Everything the program knows about hardware, offers and models; and the part of it that a project carries along.

A pack brings new figures as one file: catalogue entries, prices, calibration.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Annotated, Any, Literal, get_args

import msgspec

from gpuplanner_gui.domain.field import LONGEST_NAME, LONGEST_NOTES, FieldChange, about, field_changes
from gpuplanner_gui.domain.hardware import Accelerator, Link, NodeType
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.price import ApiPrices, Confidence, IsoDate, Offer

CatalogKind = Literal["accelerators", "nodes", "links", "offers", "models"]
CATALOG_KINDS: tuple[CatalogKind, ...] = get_args(CatalogKind)


class CatalogModel(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A published model's architecture, with where it was read."""

    id: Annotated[str, about("Identifier", longest=LONGEST_NAME)]
    name: Annotated[str, about("Name", longest=LONGEST_NAME)]
    source: Annotated[str, about("Source")] = ""
    confidence: Annotated[Confidence | None, about("Kind of source")] = None
    date: Annotated[IsoDate | None, about("As of")] = None
    model: Annotated[Model, about("Architecture")]
    notes: Annotated[tuple[str, ...], about("Notes", most=50)] = ()


CatalogEntry = Accelerator | NodeType | Link | Offer | CatalogModel


class AmbiguousName(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A name that several entries answer to, the most common first."""

    ids: tuple[str, ...]
    note: str = ""


ORIGIN = frozenset(
    {
        "source", "sources", "spot_source", "source_reading", "cross_checks", "date", "launch_date", "as_of",
        "as_of_from", "as_of_to", "as_of_precision", "spot_as_of", "lowest_provider", "highest_provider", "notes",
        "note", "capex_note", "composition", "assumed", "not_understood",
    }
)  # fmt: skip
"""Fields that say where other fields are from."""


class SnapshotDifference(msgspec.Struct, frozen=True):
    """An entry of a project's snapshot that the catalogue at hand lacks or states otherwise."""

    kind: CatalogKind
    id: str
    name: str
    code: Literal["missing", "changed", "left_out"]
    """Where the entry differs: in this catalogue or between both; left out: an offer that the project doesn't have,
    so that it doesn't count."""
    changes: tuple[FieldChange, ...] = ()
    """Changed fields; before: this catalogue's value, after: the project's."""
    accelerator: str = ""
    """Whose figures they are."""

    @property
    def figures(self) -> tuple[FieldChange, ...]:
        """The changes that plans are computed from, or read by: all but who says so, and when."""
        return tuple(one for one in self.changes if not ORIGIN.intersection(one.path.split(".")))


class Catalog(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Entries by identifier. Compared by identity; `catalog_digest` tells whether two hold the same."""

    accelerators: dict[str, Accelerator] = {}
    nodes: dict[str, NodeType] = {}
    links: dict[str, Link] = {}
    offers: dict[str, Offer] = {}
    models: dict[str, CatalogModel] = {}
    accelerator_aliases: dict[str, str | AmbiguousName] = {}
    model_aliases: dict[str, str | AmbiguousName] = {}
    api_prices: tuple[ApiPrices, ...] = ()
    """Prices by the token: the planner's own file, where there is one, then the shipped one."""
    carried: tuple[SnapshotDifference, ...] = ()
    """Where a project's own entries stand in place of, or beside, those of this installation."""
    installed: Catalog | None = None
    """This installation's own, where a project's entries stand over it."""

    def entries(self, kind: CatalogKind) -> dict[str, Any]:
        """All entries of one kind, by identifier."""
        found: dict[str, Any] = getattr(self, kind)
        return found

    def nodes_of(self, accelerator_id: str) -> tuple[NodeType, ...]:
        """Node types built with an accelerator."""
        return tuple(node for node in self.nodes.values() if node.accelerator_id == accelerator_id)

    def link_of(self, holder: Accelerator | NodeType) -> Link | None:
        """The scale-up link's entry, with latency and efficiency; None where the catalogue has none."""
        fabric = holder.scale_up
        return None if fabric is None or fabric.link_id is None else self.links.get(fabric.link_id)


MOST_ENTRIES = 1_000
"""Most entries of each kind that a project carries."""


class CatalogSnapshot(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The entries that a project uses, as they were when it was saved."""

    accelerators: Annotated[tuple[Accelerator, ...], about("Accelerators", most=MOST_ENTRIES)] = ()
    nodes: Annotated[tuple[NodeType, ...], about("Nodes", most=MOST_ENTRIES)] = ()
    links: Annotated[tuple[Link, ...], about("Links", most=MOST_ENTRIES)] = ()
    offers: Annotated[tuple[Offer, ...], about("Offers", most=MOST_ENTRIES)] = ()
    models: Annotated[tuple[CatalogModel, ...], about("Models", most=MOST_ENTRIES)] = ()


def snapshot_of(catalog: Catalog, used: dict[CatalogKind, Iterable[str]]) -> CatalogSnapshot:
    """The named entries, the accelerators that named nodes and offers refer to, and every link they refer to.

    Identifiers that the catalogue lacks are left out. Entries stand in order of identifier.
    """
    wanted: dict[str, set[str]] = {kind: set(used.get(kind, ())) for kind in CATALOG_KINDS}
    for node_id in wanted["nodes"] & catalog.nodes.keys():
        node = catalog.nodes[node_id]
        wanted["accelerators"].add(node.accelerator_id)
        wanted["links"].update(_link_ids(node))
    for offer_id in wanted["offers"] & catalog.offers.keys():
        wanted["accelerators"].add(catalog.offers[offer_id].accelerator_id)
    for accelerator_id in wanted["accelerators"] & catalog.accelerators.keys():
        wanted["links"].update(_link_ids(catalog.accelerators[accelerator_id]))
    return CatalogSnapshot(**{kind: _picked(catalog.entries(kind), wanted[kind]) for kind in CATALOG_KINDS})


def _picked(entries: dict[str, Any], wanted: set[str]) -> tuple[Any, ...]:
    return tuple(entries[entry_id] for entry_id in sorted(wanted & entries.keys()))


def _link_ids(holder: Accelerator | NodeType) -> set[str]:
    link_ids = {holder.scale_up.link_id} if holder.scale_up else set()
    if isinstance(holder, NodeType):
        link_ids |= {nic.link_id for nic in holder.nics}
    return {link_id for link_id in link_ids if link_id is not None}


def merged_with_snapshot(catalog: Catalog, snapshot: CatalogSnapshot) -> Catalog:
    """The catalogue with the snapshot's entries over it, so that a receiver computes with the sender's figures.

    Of an accelerator whose offers the snapshot holds, no others count.
    """
    changes = {}
    for kind in CATALOG_KINDS:
        entries = getattr(snapshot, kind)
        if entries:
            changes[kind] = catalog.entries(kind) | {entry.id: entry for entry in entries}
    if snapshot.offers:
        stated = {offer.accelerator_id for offer in snapshot.offers}
        others = {key: one for key, one in catalog.offers.items() if one.accelerator_id not in stated}
        changes["offers"] = others | {offer.id: offer for offer in snapshot.offers}
    carried = tuple(one for one in snapshot_differences(catalog, snapshot) if one.code != "changed" or one.figures)
    return msgspec.structs.replace(catalog, **changes, carried=carried, installed=catalog)


def snapshot_differences(catalog: Catalog, snapshot: CatalogSnapshot) -> tuple[SnapshotDifference, ...]:
    """What a snapshot states otherwise than this catalogue, entry by entry, with both values."""
    differences = []
    for kind in CATALOG_KINDS:
        entries = catalog.entries(kind)
        for entry in getattr(snapshot, kind):
            own = entries.get(entry.id)
            if own != entry:
                code: Literal["missing", "changed"] = "missing" if own is None else "changed"
                changes = tuple(field_changes(own, entry))
                name = getattr(entry, "name", entry.id)
                differences.append(SnapshotDifference(kind, entry.id, name, code, changes, accelerator_in(entry)))
    stated, brought = {one.accelerator_id for one in snapshot.offers}, {one.id for one in snapshot.offers}
    for offer in catalog.offers.values():
        if offer.accelerator_id in stated and offer.id not in brought:
            differences.append(
                SnapshotDifference("offers", offer.id, offer.id, "left_out", accelerator=offer.accelerator_id)
            )
    return tuple(differences)


def without_changed(catalog: Catalog, snapshot: CatalogSnapshot) -> CatalogSnapshot:
    """What is left of a snapshot for who plans with their own figures: devices that this catalogue lacks, with theirs.

    A node or an offer that is new here, of a device that isn't, would set that device's price.
    """

    def stays(kind: CatalogKind, entry: CatalogEntry) -> bool:
        return entry.id not in catalog.entries(kind) and accelerator_in(entry) not in catalog.accelerators

    return CatalogSnapshot(
        **{kind: tuple(one for one in getattr(snapshot, kind) if stays(kind, one)) for kind in CATALOG_KINDS}
    )


def accelerator_in(entry: CatalogEntry) -> str:
    """The accelerator whose figures an entry states; empty for a link or a model."""
    if isinstance(entry, Accelerator):
        return entry.id
    return getattr(entry, "accelerator_id", "")


def catalog_digest(catalog: Catalog | CatalogSnapshot) -> str:
    """SHA-256 of all entries and aliases, independent of their order."""
    # Only here: its library is not needed to show a window.
    import hashlib

    digest = hashlib.sha256()
    for kind in CATALOG_KINDS:
        held = getattr(catalog, kind)
        entries = held.values() if isinstance(held, dict) else held
        digest.update(kind.encode())
        for entry in sorted(entries, key=lambda entry: str(entry.id)):
            digest.update(msgspec.json.encode(entry))
    if isinstance(catalog, Catalog):
        for aliases in (catalog.accelerator_aliases, catalog.model_aliases):
            digest.update(msgspec.json.encode(sorted(aliases.items())))
    return digest.hexdigest()


def newest_date(entry: CatalogEntry) -> str | None:
    """The newest date that an entry states, of its specification or its prices; None: undated."""
    dates = [getattr(entry, "date", None)]
    if isinstance(entry, Accelerator):
        dates += [entry.price and entry.price.as_of, entry.rental and entry.rental.as_of_to]
    elif isinstance(entry, NodeType):
        dates.append(entry.capex and entry.capex.as_of)
    elif isinstance(entry, Offer):
        dates += [entry.as_of, entry.spot_as_of]
    return max((date for date in dates if date), default=None)


def age_days(date: IsoDate | None, today: datetime.date) -> int | None:
    """Days from a date to today, a month or year counted from its first day; None: undated.

    A date in the future gives a negative age. Raises ValueError for a text that is no date.
    """
    if date is None:
        return None
    return (today - datetime.date.fromisoformat(date + "-01" * (2 - date.count("-")))).days


PACK_FORMAT = "gpuplanner-pack"
PACK_VERSION = 1


class RevokedKey(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A key that counts no more."""

    fingerprint: Annotated[str, msgspec.Meta(pattern=r"^([0-9a-f]{4} ){7}[0-9a-f]{4}$"), about("Fingerprint")]
    revoked_on: Annotated[IsoDate, about("Revoked on")]
    reason: Annotated[str, about("Reason", longest=LONGEST_NAME)] = ""


class Pack(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a pack holds. An entry with a known identifier replaces the fields that it states and keeps the rest."""

    format: Literal["gpuplanner-pack"] = "gpuplanner-pack"
    version: Annotated[int, about("Format version", minimum=1)] = PACK_VERSION
    name: Annotated[str, about("Name", longest=LONGEST_NAME)]
    issued_on: Annotated[IsoDate, about("Issued on")]
    issuer: Annotated[str, about("Issuer")] = ""
    notes: Annotated[str, about("Notes", longest=LONGEST_NOTES)] = ""
    accelerators: Annotated[tuple[dict[str, Any], ...], about("Accelerators", most=5_000)] = ()
    nodes: Annotated[tuple[dict[str, Any], ...], about("Nodes", most=5_000)] = ()
    links: Annotated[tuple[dict[str, Any], ...], about("Links", most=5_000)] = ()
    offers: Annotated[tuple[dict[str, Any], ...], about("Offers", most=5_000)] = ()
    models: Annotated[tuple[dict[str, Any], ...], about("Models", most=5_000)] = ()
    calibration: Annotated[dict[str, Any], about("Calibration")] = {}
    """Whole calibration files by name, in place of those that ship."""
    revoked_keys: Annotated[tuple[RevokedKey, ...], about("Revoked keys", most=50)] = ()
    new_keys: Annotated[tuple[str, ...], about("New keys", "", "One line per key, as in a .pub file.", most=10)] = ()


class PackChange(msgspec.Struct, frozen=True):
    """What a pack does to one entry or one calibration file."""

    kind: str
    id: str
    code: Literal["new", "changed", "same"]
    fields: tuple[FieldChange, ...] = ()
    left_out: tuple[str, ...] = ()
    """Fields of an earlier version, by name, that nothing reads any more."""
