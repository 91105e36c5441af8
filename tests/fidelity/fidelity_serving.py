"""Compare predictions of serving with published results; writes `build/fidelity/serving.md`.

    python tests/fidelity/fidelity_serving.py

Refits closed loops once for each group left out: some minutes.
"""

from __future__ import annotations

from tools.fidelity.serving import main

if __name__ == "__main__":
    main()
