"""How long fleets are simulated where a test asks what comes of a plan, whichever it is: a tenth of the program's."""

from __future__ import annotations

from gpuplanner_gui.engine.simulation import fleet_check

REQUESTS = {
    "REQUESTS": 300, "REQUESTS_PER_REPLICA": 20, "MOST_REQUESTS": 600, "MOST_ALONE": 2_400, "FILLS": 1,
    "MOST_OF_USERS": 1_600,
}  # fmt: skip
"""By their names in `fleet_check`."""


def shorten() -> None:
    """Simulate shortly from now on, to the end of this process."""
    for name, most in REQUESTS.items():
        setattr(fleet_check, name, most)
