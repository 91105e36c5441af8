"""The models: pure functions over NumPy arrays, codes and values; no file, no widget, no sentence.

`plan` is the door: a scenario and the catalogues become a plan. `load_curve` and `roofline` look at one candidate in
depth, `explain` says why a number is what it is. They are imported when first used, so that reading a config file or a
project does not load the whole engine.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpuplanner_gui.engine.cancelling import CancelledError
    from gpuplanner_gui.engine.explaining.replay import UnknownQuantityError, explain
    from gpuplanner_gui.engine.planning import plan, search_size
    from gpuplanner_gui.engine.serving.curves import load_curve, roofline, rooflines

__all__ = [
    "CancelledError",
    "UnknownQuantityError",
    "explain",
    "load_curve",
    "plan",
    "roofline",
    "rooflines",
    "search_size",
]

_HOMES = {
    "CancelledError": "cancelling",
    "UnknownQuantityError": "explaining.replay",
    "explain": "explaining.replay",
    "load_curve": "serving.curves",
    "plan": "planning",
    "roofline": "serving.curves",
    "rooflines": "serving.curves",
    "search_size": "planning",
}


def __getattr__(name: str) -> Any:
    """The doors of the engine, each from the module that it lives in (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
