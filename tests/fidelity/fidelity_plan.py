"""Published closed loops asked of the plan, groups left out: the number that a planner reads against what was measured.

    python tests/fidelity/fidelity_plan.py

At the rates that the runs had, then some of each set-up with their users in a loop. Refits closed loops once for each
group left out, both times: some minutes.
"""

from __future__ import annotations

from tools.fidelity.plan_path import main

if __name__ == "__main__":
    main(["--left-out", "--wide"])
    main(["--left-out", "--wide", "--users", "--rows-per-setup", "8"])
