"""What choices by prediction lose against choices by measurement, ours by fits that have not seen the group.

    python tests/fidelity/fidelity_regret.py

`predict`'s, then the plan's: some minutes.
"""

from __future__ import annotations

from tools.fidelity.regret import main

if __name__ == "__main__":
    main([])
    main(["--plan"])
