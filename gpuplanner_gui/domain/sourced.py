"""A figure with where and when it was read."""

from __future__ import annotations

from typing import Annotated

import msgspec

from gpuplanner_gui.domain.field import about
from gpuplanner_gui.domain.price import IsoDate
from gpuplanner_gui.domain.quantity import Quantity


class SourcedFigure(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A value, range or distribution that somebody can check."""

    value: Annotated[Quantity, about("Value")]
    source: Annotated[str, about("Source")]
    as_of: Annotated[IsoDate | None, about("As of")] = None
