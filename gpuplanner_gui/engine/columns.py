"""Structs of arrays: their entries at some positions."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

S = TypeVar("S", bound="DataclassInstance")


def gathered(columns: S, index: NDArray[np.intp]) -> S:
    """One entry of each column per place of `index`, whose shape the columns then have."""
    return type(columns)(**{field.name: getattr(columns, field.name)[index] for field in fields(columns)})
