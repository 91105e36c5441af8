"""The models: pure functions over NumPy arrays, codes and values; no file, no widget, no sentence.

`plan` is the door: a scenario and the catalogues become a plan. `load_curve` and `roofline` look at one candidate in
depth, `explain` says why a number is what it is.
"""

from gpuplanner_gui.engine.curves import load_curve, roofline
from gpuplanner_gui.engine.explain import UnknownQuantityError, explain
from gpuplanner_gui.engine.planning import CancelledError, plan

__all__ = ["CancelledError", "UnknownQuantityError", "explain", "load_curve", "plan", "roofline"]
