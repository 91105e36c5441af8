"""What looks wrong in a device's specification: a code and values; the sentence is made where it is shown."""

from __future__ import annotations

from typing import Literal

import msgspec

SpecDoubtCode = Literal[
    "sparse", "sparse_beside", "tebi", "bits", "both_directions", "off_bus", "off_lanes", "decimal_memory",
    "kilowatts", "below_idle", "rate_per_watt",
]  # fmt: skip


class SpecDoubt(msgspec.Struct, frozen=True, kw_only=True):
    """A stated figure that its relatives or its own parts speak against; a doubt, not a fault: it may be right."""

    field: str
    """Path in the accelerator, such as `peak_dense_flop_per_s.bf16`."""
    code: SpecDoubtCode
    stated: float
    expected: float
    """What the figure would be if the doubt is right."""
    against: str = ""
    """What speaks against it: an architecture, a fabric, another field."""
