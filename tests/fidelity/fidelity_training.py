"""Compare predictions of training with published results; writes `build/fidelity/training.md`.

    python tests/fidelity/fidelity_training.py

Refits training's figures many times over, which needs what `make fit-setup` installs.
"""

from __future__ import annotations

from tools.fidelity.training import main

if __name__ == "__main__":
    main()
