"""How long fleets are simulated where a test asks what comes of a plan, whichever it is: a tenth of the program's."""

from __future__ import annotations

from types import ModuleType

from gpuplanner_gui.engine.fleet import readiness
from gpuplanner_gui.engine.simulation import fleet_check, fleet_part

REQUESTS: tuple[tuple[ModuleType, str, int], ...] = (
    (fleet_check, "REQUESTS", 300), (fleet_part, "REQUESTS", 300), (fleet_part, "REQUESTS_PER_REPLICA", 20),
    (fleet_part, "MOST_REQUESTS", 600), (fleet_part, "MOST_ALONE", 2_400), (fleet_part, "FILLS", 1),
    (fleet_check, "LONGER", 1), (fleet_check, "LONG", 2_400), (fleet_part, "MOST_OF_USERS", 2_400),
    (readiness, "MOST_REQUESTS", 3_000),
)  # fmt: skip
"""Figures by their module and name: runs of the recommended fleet, those where chance decides, and stress tests."""


WHOLE: tuple[tuple[ModuleType, str, int], ...] = tuple(
    (module, name, getattr(module, name)) for module, name, _ in REQUESTS
)
"""The program's own."""


def shorten() -> None:
    """Simulate shortly from now on, to the end of this process."""
    for module, name, most in REQUESTS:
        setattr(module, name, most)
