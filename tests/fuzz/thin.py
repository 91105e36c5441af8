"""Makes the small samples under tests/fuzz/samples from the large good files: what can be left out is, by chance.

    python -m tests.fuzz.thin

Each sample keeps other parts, so that together they hold every field, and each is read hundreds of times per second.
Run it again when the format of projects changes.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

from gpuplanner_gui.files.errors import FileProblem
from tests.fuzz.targets import REPOSITORY, SAMPLES, read_measurements, read_project

KEPT_SHARE = {False: 0.3, True: 0.65}
"""Of plain members, and of those that hold others."""
PROJECT_VARIANTS = 12
MEASUREMENTS = REPOSITORY / "tests" / "files" / "measurements" / "samples"


def main() -> int:
    SAMPLES.mkdir(exist_ok=True)
    examples = sorted((REPOSITORY / "resources" / "examples").glob("*.gpuplan"))
    for number in range(PROJECT_VARIANTS):
        write_thinned(examples[number % len(examples)], f"project-{number:02}.json", read_project, number)
    for name in ("aiperf-profile_export_aiperf.json", "guidellm-report.json", "probe-cpu.json"):
        for number in range(2):
            write_thinned(MEASUREMENTS / name, f"measurements-{name.split('-')[0]}-{number}.json",
                          read_measurements, number)  # fmt: skip
    return 0


def write_thinned(path: Path, name: str, read: Callable[[bytes], Any], seed: int) -> None:
    data = json.loads(path.read_text(encoding="utf-8"))
    thin = thinned(data, lambda content: is_read(read, content), random.Random(seed))
    content = json.dumps(thin, indent=0, ensure_ascii=False)
    (SAMPLES / name).write_text(content + "\n", encoding="utf-8")
    print(f"{name}: {len(content):,} bytes")


def is_read(read: Callable[[bytes], Any], data: Any) -> bool:
    try:
        read(json.dumps(data).encode())
    except FileProblem:
        return False
    return True


def thinned(data: Any, is_good: Callable[[Any], bool], chance: random.Random) -> Any:
    """The data with lists cut and most members left out, as long as it is still read."""
    data = deepcopy(data)
    for holder, key in _members(data):
        part = holder[key]
        if isinstance(part, list) and len(part) > 1:
            any(_can_be(holder, key, part[:count], is_good, data) for count in (1, 2))
    for holder, key in reversed(_members(data)):
        if isinstance(holder, dict) and chance.random() > KEPT_SHARE[isinstance(holder[key], (dict, list))]:
            kept = dict(holder)
            del holder[key]
            if not is_good(data):
                holder.clear()
                holder.update(kept)
    return data


def _can_be(holder: Any, key: Any, shorter: Any, is_good: Callable[[Any], bool], data: Any) -> bool:
    before = holder[key]
    holder[key] = shorter
    if is_good(data):
        return True
    holder[key] = before
    return False


def _members(data: Any) -> list[tuple[Any, Any]]:
    """Every container with each of its keys, outermost first."""
    found: list[tuple[Any, Any]] = []
    pending = [data]
    while pending:
        holder = pending.pop(0)
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        found += [(holder, key) for key in keys]
        pending += [holder[key] for key in keys if isinstance(holder[key], (dict, list))]
    return found


if __name__ == "__main__":
    sys.exit(main())
