"""Compare predictions of published inference results with them; writes `build/fidelity/inference.md`.

    python tests/fidelity/fidelity_inference.py

Refits all stacks ten times: some minutes.
"""

from __future__ import annotations

from tools.fidelity.inference import main

if __name__ == "__main__":
    main()
