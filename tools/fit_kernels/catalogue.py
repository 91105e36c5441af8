"""Puts the fitted sets together into `catalogs/calibration_kernels.json`.

    python -m tools.fit_kernels.catalogue

Two clean-ups, by rule: a set whose floor is the host's (a benchmark that launched kernels one by one) takes the floor
that is usual on the same accelerator; a set that was host-bound all over is left out.
"""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

from tools.fit_kernels.prepared import CATALOGUE, DATA, FITTED

DEVICE_FIELDS = (
    "accelerator", "vendor", "kind", "architecture", "year", "memory_type", "bandwidth_bytes_per_s", "compute_units",
    "strangeness",
)  # fmt: skip
HOST_FLOOR_RATIO = 2.0
LAUNCHED_IN_GRAPHS = ("gemm", "latent_decode_attention", "latent_prefill_attention")
HOST_BOUND_FLOOR_S = 25e-6
OWN_LAUNCH_FLOOR_S = 2e-6

SOURCE = "kernel timings of the aiconfigurator-core 0.12 package (NVIDIA), thinned under tests/fidelity/data/kernels"


def without_host_time(sets: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The sets less those that were host-bound all over, and with the host's share of a floor taken out."""
    kept = []
    for made in sets:
        floor = made["parameters"]["floor_s"]
        alike = [other["parameters"]["floor_s"] for other in sets if _launch_kind(other) == _launch_kind(made)]
        usual = max(sorted(alike)[(len(alike) - 1) // 2], OWN_LAUNCH_FLOOR_S)
        if made["operation"] == "gemm" and floor > HOST_BOUND_FLOOR_S and usual < HOST_BOUND_FLOOR_S / HOST_FLOOR_RATIO:
            continue
        if floor > HOST_FLOOR_RATIO * usual and made["operation"] in LAUNCHED_IN_GRAPHS:
            made = {**made, "parameters": {**made["parameters"], "floor_s": usual}}
            made["note"] = f"floor as measured {floor * 1e6:.1f} us, taken for the host's"
        kept.append(made)
    return kept


def _launch_kind(made: dict[str, Any]) -> tuple[str, ...]:
    """Sets whose kernels are launched alike: products of one precision quantise alike, attention is one launch."""
    precision = made["precision"] if made["operation"] == "gemm" else ""
    return made["operation"], made["accelerator"], precision


def lines(entries: list[Any]) -> str:
    return "[\n" + ",\n".join("  " + json.dumps(entry) for entry in entries) + "\n ]"


def main() -> None:
    sets = []
    for path in sorted(FITTED.glob("*.json")):
        if path.stem not in ("collectives", "transfer", "transfer_rows"):
            sets += json.loads(path.read_text())
    sets = without_host_time(sets)
    devices = json.loads((DATA / "devices.json").read_text())
    relatedness = json.loads((Path(__file__).parent / "relatedness.json").read_text())
    transfer = FITTED / "transfer.json"
    relatedness["transfer_log_sd"] = json.loads(transfer.read_text()) if transfer.exists() else {}
    collectives = FITTED / "collectives.json"
    parts = {
        "format": json.dumps("gpuplanner-kernel-calibration"),
        "version": "1",
        "fitted_on": json.dumps(datetime.date.today().isoformat()),
        "source": json.dumps(SOURCE),
        "licence": json.dumps("Apache-2.0"),
        "devices": lines([{name: entry[name] for name in DEVICE_FIELDS} for entry in devices.values()]),
        "relatedness": json.dumps(relatedness, indent=1).replace("\n", "\n "),
        "sets": lines(sets),
        "collectives": lines(json.loads(collectives.read_text()) if collectives.exists() else []),
    }
    text = "{\n" + ",\n".join(f' "{name}": {value}' for name, value in parts.items()) + "\n}\n"
    CATALOGUE.write_text(text)
    print(f"{CATALOGUE.name}: {len(sets)} sets, {len(text) / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
