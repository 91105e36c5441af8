"""Prints how long large measurement files take to import: 100 MB of AIPerf JSON, logs of a million lines."""

from __future__ import annotations

import json
import resource
import tempfile
import time
from pathlib import Path

from gpuplanner_gui.files.measurements import import_file

BUDGET_S = 10.0
SAMPLES = Path(__file__).resolve().parents[1] / "files" / "measurements" / "samples"
LINES = 1_000_000


def aiperf_summary(path: Path) -> None:
    """The sample with 100 MB of records that nobody asked for."""
    summary = json.loads((SAMPLES / "aiperf-profile_export_aiperf.json").read_text())
    record = {"ttft": [0.0123456789] * 40, "text": "hello " * 20}
    summary["records"] = [record] * (100_000_000 // len(json.dumps(record)))
    path.write_text(json.dumps(summary))


def aiperf_records(path: Path) -> None:
    line = (SAMPLES / "aiperf-profile_export.jsonl").read_text().splitlines()[0]
    path.write_text("\n".join([line] * (100_000_000 // len(line))))


def megatron_log(path: Path) -> None:
    line = (SAMPLES / "megatron-train.log").read_text().strip()
    with path.open("w") as log:
        for step in range(LINES):
            log.write(f"{line} {step}\n")


def power_log(path: Path) -> None:
    header, *rows = (SAMPLES / "nvidia-smi.constructed.csv").read_text().splitlines()
    with path.open("w") as log:
        log.write(header + "\n")
        for step in range(LINES):
            log.write(rows[step % len(rows)] + "\n")


def main() -> None:
    files = {
        "aiperf.json": aiperf_summary, "aiperf.jsonl": aiperf_records, "megatron.log": megatron_log,
        "nvidia-smi.csv": power_log,
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        for name, write in files.items():
            path = Path(folder) / name
            write(path)
            start, worked = time.perf_counter(), time.process_time()
            steps: list[float] = []
            import_file(path, on_progress=steps.append)
            elapsed, busy = time.perf_counter() - start, time.process_time() - worked
            size, peak = path.stat().st_size / 1e6, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
            print(
                f"import {name:16} {size:6.0f} MB {elapsed:5.1f} s ({busy:.1f} s of one core),"
                f" {elapsed / BUDGET_S:.2f} of the budget; at most {peak:.0f} MB so far, {len(steps)} steps of progress"
            )
            path.unlink()


if __name__ == "__main__":
    main()
