"""Structs of arrays: their entries at some positions."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

S = TypeVar("S", bound="DataclassInstance")


@cache
def names_of(kind: type[DataclassInstance]) -> tuple[str, ...]:
    """Names of a struct's fields, looked up once."""
    return tuple(one.name for one in fields(kind))


def gathered(columns: S, index: NDArray[np.intp]) -> S:
    """One entry of each column per place of `index`, whose shape the columns then have."""
    return type(columns)(**{name: getattr(columns, name)[index] for name in names_of(type(columns))})
