"""Parameters of element-wise kernels: their launch floor from the smallest recurrent convolution that was timed."""

from __future__ import annotations

import json
from collections import defaultdict

import numpy as np

from tools.fit_kernels.fit import significant, write
from tools.fit_kernels.prepared import DATA, load

MEMORY_EFFICIENCY = 0.8
NOTE = (
    "Floor: median of causal_conv1d_update at the smallest batch. Memory efficiency: constant that aiconfigurator uses "
    "for element-wise kernels; no timings of its own."
)
HOST_BOUND = 2.0
"""Times the middle of all devices, from which a floor is that of launches one by one, without graphs; such a device
takes its nearest relative's."""


def main() -> None:
    specifications = json.loads((DATA / "devices.json").read_text())
    floors: dict[str, dict[str, float]] = defaultdict(dict)
    for key, shapes, seconds in load(DATA / "gated_delta_net.npz"):
        if "conv1d_update" in key["kernel_source"] and key["phase"] == "generation":
            floors[key["system"]][key["engine"]] = float(np.median(seconds[shapes["batch_size"] <= 4]))
    least = {system: min(by_engine.values()) for system, by_engine in floors.items()}
    usual = float(np.median(list(least.values())))
    sets = []
    for system, floor in least.items():
        if floor > HOST_BOUND * usual:
            continue
        sets.append(
            {
                "operation": "elementwise", "accelerator": specifications[system]["accelerator"], "engine": "vllm",
                "precision": "any",
                "parameters": {
                    "floor_s": significant(floor), "memory_efficiency": MEMORY_EFFICIENCY,
                },
                "residual": {
                    "median_error": 0.1, "p90_error": 0.4, "median_log_bias": 0.0, "log_sd": 0.25, "log_p10": -0.32,
                    "log_p90": 0.32, "rows": 0,
                },
                "note": NOTE,
            }
        )  # fmt: skip
    write("elementwise", sets)


if __name__ == "__main__":
    main()
