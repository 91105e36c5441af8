"""Everything the program knows about hardware, offers and models; and the part of it that a project carries along."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Annotated, Any, Literal

import msgspec

from gpuplanner_gui.domain.field import about
from gpuplanner_gui.domain.hardware import Accelerator, Confidence, IsoDate, Link, NodeType, Offer
from gpuplanner_gui.domain.model import Model

CatalogKind = Literal["accelerators", "nodes", "links", "offers", "models"]
CATALOG_KINDS: tuple[CatalogKind, ...] = ("accelerators", "nodes", "links", "offers", "models")


class CatalogModel(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A published model's architecture, with where it was read."""

    id: Annotated[str, about("Identifier")]
    name: Annotated[str, about("Name")]
    source: Annotated[str, about("Source")] = ""
    confidence: Annotated[Confidence | None, about("Confidence")] = None
    date: Annotated[IsoDate | None, about("As of")] = None
    model: Annotated[Model, about("Architecture")]
    notes: Annotated[tuple[str, ...], about("Notes")] = ()


CatalogEntry = Accelerator | NodeType | Link | Offer | CatalogModel


class AmbiguousName(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A name that several entries answer to, the most common first."""

    ids: tuple[str, ...]
    note: str = ""


class Catalog(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Entries by identifier. Compared by identity; `catalog_digest` tells whether two hold the same."""

    accelerators: dict[str, Accelerator] = {}
    nodes: dict[str, NodeType] = {}
    links: dict[str, Link] = {}
    offers: dict[str, Offer] = {}
    models: dict[str, CatalogModel] = {}
    accelerator_aliases: dict[str, str | AmbiguousName] = {}
    model_aliases: dict[str, str | AmbiguousName] = {}

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


class CatalogSnapshot(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The entries that a project uses, as they were when it was saved."""

    accelerators: Annotated[tuple[Accelerator, ...], about("Accelerators")] = ()
    nodes: Annotated[tuple[NodeType, ...], about("Nodes")] = ()
    links: Annotated[tuple[Link, ...], about("Links")] = ()
    offers: Annotated[tuple[Offer, ...], about("Offers")] = ()
    models: Annotated[tuple[CatalogModel, ...], about("Models")] = ()


class SnapshotDifference(msgspec.Struct, frozen=True):
    """An entry of a snapshot that the catalogue lacks or states otherwise."""

    kind: CatalogKind
    id: str
    code: Literal["missing", "changed"]
    fields: tuple[str, ...] = ()


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
    return msgspec.structs.replace(catalog, **changes)


def snapshot_differences(catalog: Catalog, snapshot: CatalogSnapshot) -> tuple[SnapshotDifference, ...]:
    """What this catalogue states otherwise than the snapshot, entry by entry."""
    differences = []
    for kind in CATALOG_KINDS:
        entries = catalog.entries(kind)
        for entry in getattr(snapshot, kind):
            own = entries.get(entry.id)
            if own is None:
                differences.append(SnapshotDifference(kind, entry.id, "missing"))
            elif own != entry:
                names = [name for name in entry.__struct_fields__ if getattr(own, name) != getattr(entry, name)]
                differences.append(SnapshotDifference(kind, entry.id, "changed", tuple(names)))
    return tuple(differences)


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
