"""Published closed loops asked of the plan, groups left out: the number that a planner reads against what was measured.

    python tests/fidelity/fidelity_plan.py

Refits closed loops once for each group left out: a minute.
"""

from __future__ import annotations

from tools.fidelity.plan_path import main

if __name__ == "__main__":
    main(["--left-out", "--wide"])
