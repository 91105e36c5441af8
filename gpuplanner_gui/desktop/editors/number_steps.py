"""How far an arrow key moves a number: a step that suits its size."""

from __future__ import annotations

import math
from decimal import Decimal

_FROM_ZERO = Decimal("0.1")


def stepped(value: float, steps: int, is_whole: bool) -> float:
    """The number `steps` key presses away: each a tenth of its leading digit's place, of a whole number at least 1."""
    step = Decimal(1).scaleb(math.floor(math.log10(abs(value))) - 1) if value else _FROM_ZERO
    if is_whole:
        return int(value) + steps * max(int(step), 1)
    return float(Decimal(repr(float(value))) + steps * step)
