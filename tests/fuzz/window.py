"""Plans opened in the window: the longest turn of its thread, and its memory.

    python -m tests.fuzz.window --count 200 --log build/deep/window.log

First the plans that were made to exhaust (`exhausting`), then valid ones with extreme inputs (`valid`). Each is opened
in a window that has drawn an example and built all of its pages, as somebody's at work has; then every form and page is
looked at. A finding is an exception, more than 1 GB, a turn of the event loop with more processor time than
`--stall-ms`, or a window that neither answers nor refuses it in time. Processor time of the window's own thread is
counted, so that what else the machine does counts for nothing; the window must not wait for others anyway.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from tests.fuzz.exhausting import EXHAUSTING
from tests.fuzz.fuzz import note
from tests.fuzz.limited import LONGEST_S, MOST_MEMORY_BYTES, PEAK
from tests.fuzz.valid import valid_plans

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.window.main_window import MainWindow
    from tests.benchmarks.bench_frames import Watch

SHARED = 10
"""Plans opened one after the other in the same window."""
TOO_MUCH = "are planned at once"
"""Of the sentence that refuses a search before memory is taken."""
CLEAR_PEAK = "5"
"""What `/proc/self/clear_refs` takes to count the most memory anew."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--stall-ms", type=float, default=50.0)
    parser.add_argument("--log", type=Path, default=None)
    parser.add_argument("--open", type=Path, nargs="+", help="open these in this process and print what was seen")
    options = parser.parse_args()
    if options.open is not None:
        for seen in seen_in_window(options.open):
            print(json.dumps(seen), flush=True)
        os._exit(0)  # As the program ends where a thread has not heard yet that it is to stop.
    if options.log is not None:
        options.log.parent.mkdir(parents=True, exist_ok=True)
    findings = tries = 0
    plans = [(name, content()) for name, (content, _) in EXHAUSTING.items() if not options.first]
    plans += [(drawn.name, drawn.content()) for drawn in valid_plans(options.seed, options.first, options.count)]
    with tempfile.TemporaryDirectory(prefix="gpuplanner-window-") as folder:
        for start in range(0, len(plans), SHARED):
            for name, content, line, is_finding in _tried(plans[start : start + SHARED], folder, options.stall_ms):
                tries += 1
                findings += is_finding
                note(options.log, f"{'FINDING ' if is_finding else ''}{name}: {line}")
                if is_finding and options.log is not None:
                    options.log.with_name(f"{name.replace(' ', '-')[:40]}.gpuplan").write_bytes(content)
    note(options.log, f"{tries} plans in the window: {findings} findings")
    return 1 if findings else 0


def _tried(plans: Sequence[tuple[str, bytes]], folder: str, most_ms: float) -> Iterator[tuple[str, bytes, str, bool]]:
    """Each plan with what was seen of it; the window is begun anew after one that ends it."""
    paths = [Path(folder, f"tried-{place}.gpuplan") for place in range(len(plans))]
    for path, (_, content) in zip(paths, plans):
        path.write_bytes(content)
    place = 0
    while place < len(plans):
        lines, errors = _of_window(paths[place : len(plans)])
        for line in lines:
            yield *plans[place], *_judged(json.loads(line), most_ms)
            place += 1
        if place < len(plans):
            yield *plans[place], errors, True
            place += 1


def _of_window(paths: Sequence[Path]) -> tuple[list[str], str]:
    """What a window printed of these plans, and how it ended where it printed nothing of one."""
    command = [sys.executable, "-m", "tests.fuzz.window", "--open", *map(str, paths)]
    environment = dict(os.environ, QT_QPA_PLATFORM="offscreen")
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=3 * LONGEST_S * len(paths), check=False
        )
    except subprocess.TimeoutExpired as late:
        told = late.stdout or b""
        return (told.decode() if isinstance(told, bytes) else told).splitlines(), "neither answered nor refused in time"
    return done.stdout.splitlines(), f"exit status {done.returncode}: {done.stderr.strip()[-400:]}"


def _judged(seen: dict[str, Any], most_ms: float) -> tuple[str, bool]:
    """What was seen of a plan in one line, and whether it must not be."""
    line = f"{seen['state']} {seen['why']}, longest turn {seen['opened_ms']:.0f} ms "
    line += f"({seen['looked_ms']:.0f} ms looking at all pages), {seen['memory_bytes'] / 1e6:.0f} MB"
    longest_ms = max(seen["opened_ms"], seen["looked_ms"])
    if longest_ms > most_ms:
        line += f" in {seen['opened_in'] if seen['opened_ms'] > most_ms else seen['looked_in']}"
    if seen["faults"]:
        line += f"; {seen['faults'][0]}"
    is_bad = (
        longest_ms > most_ms or seen["memory_bytes"] > MOST_MEMORY_BYTES or seen["faults"]
        or seen["state"] == "computing" or (seen["state"] == "failed" and TOO_MUCH not in seen["why"])
    )  # fmt: skip
    return line, bool(is_bad)


def seen_in_window(paths: Sequence[Path]) -> Iterator[dict[str, Any]]:
    """Open plans in a window and watch its thread until each is drawn or refused."""

    from tests.benchmarks.bench_frames import Watch
    from tests.benchmarks.example_window import build_pages, example_window, settle, wait

    faults: list[str] = []

    def keep(kind: type[BaseException], problem: BaseException, trace: TracebackType | None) -> None:
        faults.append("".join(traceback.format_exception(kind, problem, trace))[-1500:])

    sys.excepthook = keep
    why = [""]
    with example_window() as window:
        window.compute.state_changed.connect(lambda _, message: why.append(message))
        build_pages(window)
        watch = Watch()
        watch.start()
        for path in paths:
            Path("/proc/self/clear_refs").write_text(CLEAR_PEAK, encoding="ascii")
            window.store.undo_stack.setClean()
            begun_s = time.monotonic()
            _longest(watch)
            window.file.open(path)
            wait(20)
            while window.file.is_reading:
                wait(20)
            is_open = window.file.path == path
            if is_open:
                settle(window)
            opened = _longest(watch)
            looked = _looked_at_all(window, watch) if is_open else (0.0, "")
            peak = PEAK.search(Path("/proc/self/status").read_text(encoding="ascii", errors="replace"))
            yield {
                "state": window.compute.state.value if is_open else "refused", "why": why[-1],
                "opened_ms": opened[0], "opened_in": opened[1], "looked_ms": looked[0], "looked_in": looked[1],
                "memory_bytes": int(peak.group(1)) * 1024 if peak else 0, "seconds": time.monotonic() - begun_s,
                "faults": list(faults),
            }  # fmt: skip
            faults.clear()


def _longest(watch: Watch) -> tuple[float, str]:
    """The longest turn since the last call, in milliseconds, and where the thread was in it."""
    longest_ms = max(watch.busy_ms, default=0.0)
    place = max(watch.places, default=(0.0, ""))[1]
    watch.busy_ms.clear()
    watch.places.clear()
    return longest_ms, place


def _looked_at_all(window: MainWindow, watch: Watch) -> tuple[float, str]:
    """Every form of the inputs and every page of the results, one after the other; the longest turn."""

    from gpuplanner_gui.desktop.editors.base import PARTS
    from tests.benchmarks.example_window import wait

    pane = window.results_pane
    assert pane is not None
    longest = (0.0, "")
    looks: list[tuple[str, Callable[[], object]]] = [
        (f"form {part}", partial(window.inputs.show_part, part)) for part in PARTS
    ]
    looks += [(f"page {name}", partial(pane.show_page_named, name)) for name in pane.page_names()]
    for name, look in looks:
        look()
        wait(100)
        busy_ms, place = _longest(watch)
        longest = max(longest, (busy_ms, f"{name}: {place}"))
    return longest


if __name__ == "__main__":
    sys.exit(main())
