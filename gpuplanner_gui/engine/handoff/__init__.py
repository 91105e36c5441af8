"""From a chosen candidate to what a launcher is told: settings of the plan, in the launcher's flags; and to pools."""

from gpuplanner_gui.engine.handoff.launching import deployment_of, launch_of, launches

__all__ = ["deployment_of", "launch_of", "launches"]
