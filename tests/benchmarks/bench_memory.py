"""Prints how much memory the window holds after 100, 400, 700 and 1,000 edits, each followed by the answer's drawing.

    python tests/benchmarks/bench_memory.py [EDITS]

Goal: at most 400 MB, and after 1,000 edits within 3 % of after 100. Edits change the rate, the target and the
utilisation in turn, and pages, each of which has been seen before, are turned meanwhile; the allocator first gives back
what nobody holds, so that only what is kept counts.
"""

from __future__ import annotations

import ctypes
import gc
import os
import platform
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from gpuplanner_gui.desktop.window.main_window import MainWindow
from tests.benchmarks.example_window import build_pages, example_window, settle, wait

EDITS = 1000
LOOKS = (100, 400, 700, 1000)
GROWTH_BUDGET = 0.03
PAGE_EVERY = 5
PAUSE_MS = 20
SEEN_MS = 1500


def resident_bytes() -> int:
    """Of this process, after the allocator has given back what nobody holds."""
    gc.collect()
    if platform.system() == "Linux":
        ctypes.CDLL(None).malloc_trim(0)
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def edit(window: MainWindow, number: int) -> None:
    """One step of undo each: three fields in turn, so that no two merge."""
    store = window.store
    field, value = (
        ("serving.classes[0].peak_rate_per_s", 10.0 + number % 50),
        ("serving.classes[0].slos[0].limit_s", 0.5 + (number % 40) / 20),
        ("serving.availability.target_utilisation", 0.5 + (number % 30) / 100),
    )[number % 3]
    if store.has_value(field):
        store.edit(field, value, f"edit {number}")
    if window.results_pane is not None and number % PAGE_EVERY == 0:
        names = window.results_pane.page_names()
        window.results_pane.show_page_named(names[number // PAGE_EVERY % len(names)])
    settle(window, PAUSE_MS)


def main() -> None:
    edits = int(sys.argv[1]) if len(sys.argv) > 1 else EDITS
    with example_window() as window:
        build_pages(window)
        print(f"at rest: {resident_bytes() / 1e6:.0f} MB", flush=True)
        see_pages(window)
        print(f"every page seen: {resident_bytes() / 1e6:.0f} MB", flush=True)
        look(window, edits)


def see_pages(window: MainWindow) -> None:
    """Look at each page until it has worked out what it shows: what is loaded for that is loaded once."""
    assert window.results_pane is not None
    for page in window.results_pane.page_names():
        window.results_pane.show_page_named(page)
        settle(window)
        wait(SEEN_MS)


def look(window: MainWindow, edits: int) -> None:
    first, kinds = 0, Counter[str]()
    for number in range(1, edits + 1):
        edit(window, number)
        if number not in LOOKS:
            continue
        settle(window)
        held, objects = resident_bytes(), Counter(type(one).__name__ for one in gc.get_objects())
        if not first:
            first, kinds = held, objects
        growth = held / first - 1
        print(
            f"after {number:>5} edits: {held / 1e6:.0f} MB, {sum(objects.values()):,} objects, {growth:+.1%}",
            flush=True,
        )
        grown = (objects - kinds).most_common(8)
        if grown:
            print("   more of:", ", ".join(f"{name} {count:+,}" for name, count in grown))
    print(f"goal: at most {GROWTH_BUDGET:+.0%} from the first look to the last")


if __name__ == "__main__":
    main()
