"""Properties that the catalogue's entries are told apart by, for the chips above its tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gpuplanner_gui.domain.catalog import CatalogKind

MEMORY_STEPS_BYTES = (8e9, 16e9, 24e9, 48e9, 80e9, 141e9, 192e9, 288e9)


@dataclass(frozen=True)
class Facet:
    """A property with few values; `of` reads it from an entry."""

    name: str
    title: str
    of: Callable[[Any], str]
    are_codes: bool = False
    """The values are codes with words of their own."""


def _plain(name: str, title: str, are_codes: bool = False) -> Facet:
    return Facet(name, title, lambda entry: str(getattr(entry, name) or ""), are_codes)


FACETS: dict[CatalogKind, tuple[Facet, ...]] = {
    "accelerators": (
        _plain("vendor", "Vendor"),
        _plain("kind", "Kind", are_codes=True),
        _plain("architecture", "Architecture"),
        _plain("ecosystem", "Software", are_codes=True),
    ),
    "nodes": (_plain("vendor", "Vendor"), _plain("cooling", "Cooling")),
    "links": (_plain("kind", "Kind", are_codes=True),),
    "offers": (
        _plain("provider", "Provider"),
        _plain("market", "Market", are_codes=True),
        _plain("region", "Region"),
    ),
    "models": (Facet("kind", "Kind", lambda entry: str(entry.model.kind), are_codes=True),),
}
