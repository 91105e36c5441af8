"""How far an arrow key moves a number: a step that suits its size."""

from __future__ import annotations

import math
from decimal import Decimal


def stepped(value: float, steps: int, is_whole: bool) -> float:
    """The number `steps` arrow presses away, in units of a tenth of its leading digit's place; whole numbers by at least 1."""
    size = abs(value)
    step = (
        Decimal(1).scaleb(math.floor(math.log10(size)) - 1) if size > 0 else Decimal(1) if is_whole else Decimal("0.1")
    )
    if is_whole:
        return int(value) + steps * max(int(step), 1)
    return float(Decimal(repr(float(value))) + steps * step)
