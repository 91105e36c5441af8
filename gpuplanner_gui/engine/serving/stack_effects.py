"""What inference software on a family of devices makes of work: effects of `InferenceStacks` that apply."""

from __future__ import annotations

from dataclasses import dataclass

from gpuplanner_gui.domain.serving_engine import InferenceStacks, StackEffect


@dataclass(frozen=True)
class StackTraits:
    """What effects may depend on."""

    software: str
    family: str
    kind: str
    is_narrow: bool

    def has(self, effect: StackEffect) -> bool:
        """Whether an effect applies."""
        return (
            effect.software in ("", self.software)
            and effect.family in ("", self.family)
            and effect.kind in ("", self.kind)
            and (self.is_narrow or not effect.is_narrow)
        )


def logs_of(traits: StackTraits, stacks: InferenceStacks) -> dict[str, float]:
    """Sums of the effects that apply, by parameter."""
    total: dict[str, float] = {}
    for effect in stacks.effects:
        if traits.has(effect):
            for name, value in effect.logs.items():
                total[name] = total.get(name, 0.0) + value
    return total


def is_known(traits: StackTraits, stacks: InferenceStacks) -> bool:
    """Whether the software was measured on the family of devices."""
    return any(one.software == traits.software and one.family == traits.family for one in stacks.effects)
