"""From a chosen candidate to what a launcher is told: settings of the plan, in the launcher's flags."""

from gpuplanner_gui.engine.handoff.launching import launch_of, launches

__all__ = ["launch_of", "launches"]
