"""What a field's type says about the editor it needs."""

from __future__ import annotations

import types
import typing
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec

from gpuplanner_gui.domain.quantity import Money


@dataclass(frozen=True)
class Shape:
    """A type taken apart: optional or not, then one of plain type, codes, structs, or a tuple of items."""

    is_optional: bool = False
    plain: type | None = None
    """bool, int, float, str or Money."""
    codes: tuple[str, ...] = ()
    structs: tuple[type[msgspec.Struct], ...] = ()
    item: Shape | None = None


@lru_cache(maxsize=512)
def shape_of(kind: Any) -> Shape:
    """Take a field's type apart. Raises TypeError for a type that no editor knows."""
    members = _members(kind)
    is_optional = type(None) in members
    members = tuple(member for member in members if member is not type(None))
    if len(members) == 1 and get_origin(members[0]) is Literal:
        return Shape(is_optional, codes=get_args(members[0]))
    if len(members) == 1 and get_origin(members[0]) is tuple:
        return Shape(is_optional, item=shape_of(get_args(members[0])[0]))
    if members[0] in (bool, int, float, str, Money):
        return Shape(is_optional, plain=members[0])
    if all(isinstance(member, type) and issubclass(member, msgspec.Struct) for member in members):
        return Shape(is_optional, structs=members)
    raise TypeError(kind)


def _members(kind: Any) -> tuple[Any, ...]:
    members = get_args(kind) if get_origin(kind) in (typing.Union, types.UnionType) else (kind,)
    # A text of a certain form, such as a date, is a text.
    return tuple(get_args(one)[0] if get_origin(one) is Annotated else one for one in members)
