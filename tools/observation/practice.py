"""What operators make of separate pools where nobody says it: the utilities of a logit choice."""

from __future__ import annotations

from typing import Annotated

import msgspec

from gpuplanner_gui.domain.field import about


class PoolPractice(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What each trait of a set-up adds to its utility: one that has 1 more is chosen e times as often."""

    groups_by_load: Annotated[
        float, about("Attention in groups by load", "", "Times the logarithm of requests per decoding device.")
    ] = 0.0
    groups_by_workers: Annotated[
        float, about("Attention in groups by workers", "", "Times the logarithm of the workers that decode.")
    ] = 0.0
    devices: Annotated[float, about("Devices that decode", "", "Times the logarithm of a 32nd of them.")] = 0.0
    devices_squared: Annotated[float, about("Devices that decode, squared", "", "Times that logarithm's square.")] = 0.0
    devices_by_length: Annotated[
        float, about("Devices that decode by length", "", "Times that logarithm and that of prompt over answer.")
    ] = 0.0
    drafts: Annotated[float, about("Drafts", "", "Any number of them.")] = 0.0


TRAITS: tuple[str, ...] = PoolPractice.__struct_fields__
"""The traits' names, in order."""
