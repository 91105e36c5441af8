"""How far predictions of serving lie from measurements on models and devices that the fit has not seen."""

from __future__ import annotations

from typing import Annotated

import msgspec

from gpuplanner_gui.domain.field import about


class BandFactor(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one level of a trait widens a band by."""

    trait: Annotated[str, about("Trait", "", "engine, kind, workers, family or precision.")]
    level: Annotated[str, about("Level")]
    factor: Annotated[float, about("Factor", "", "Of the logarithm.", above=0)]


class ServingBand(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An 80 % band of measured over predicted, in logarithms, for a load and a phase."""

    load: Annotated[str, about("Load", "", "closed_loop, disaggregated or open_loop.")]
    quantity: Annotated[
        str, about("Phase", "", "prefill: TTFT; decode: TPOT, ITL; of open loops also their tails, whole, rate.")
    ]
    low: Annotated[float, about("Lower end", "", "Logarithm.", maximum=0)]
    high: Annotated[float, about("Upper end", "", "Logarithm.", minimum=0)]
    factors: tuple[BandFactor, ...] = ()
    rows: Annotated[int, about("Rows", minimum=0)] = 0
    groups: Annotated[int, about("Groups", "", "Of architecture and accelerator.", minimum=0)] = 0
    source: Annotated[str, about("Source")] = ""
    date: Annotated[str, about("As of")] = ""

    def width(self, levels: dict[str, str]) -> float:
        """What the traits multiply the band with; an unknown level counts as the widest known, and no less than 1."""
        product = 1.0
        for trait, level in levels.items():
            known = {one.level: one.factor for one in self.factors if one.trait == trait}
            product *= known.get(level, max([1.0, *known.values()]))
        return product
