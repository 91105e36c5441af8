"""Prints how well latency at a request rate, and MLPerf's server scenario, are predicted."""

from __future__ import annotations

from tools.fidelity.load import main

if __name__ == "__main__":
    main()
