"""Where devices may be used: licences that shut out data centres, and devices that only clouds have."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from gpuplanner_gui.domain.field import about

Restriction = Literal["data_centre", "air_gap"]
"""Not licensed in a data centre; not to be had at a site without a network."""


class UseTerm(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A restriction on some devices, with who says so."""

    id: Annotated[str, about("Identifier")]
    restriction: Annotated[Restriction, about("Restriction", choices=("data_centre", "air_gap"))]
    accelerators: Annotated[tuple[str, ...], about("Accelerators", "", "Catalogue ids.")]
    statement: Annotated[str, about("Statement", "", "What the source says, in short.")]
    source: Annotated[str, about("Source")]
    as_of: Annotated[str, about("Read on")]


class UseTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file of restrictions that ships."""

    terms: Annotated[tuple[UseTerm, ...], about("Restrictions")] = ()

    def of(self, accelerator: str, restriction: Restriction) -> UseTerm | None:
        """The restriction of that kind on a device; None where none is known."""
        fitting = (one for one in self.terms if one.restriction == restriction and accelerator in one.accelerators)
        return next(fitting, None)
