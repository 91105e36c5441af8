"""Feeds a parser with damaged files and stops at the first thing that should not happen, or counts on.

    python -m tests.fuzz.fuzz --parser config --count 1000000 --log build/fuzz/config.log

Every input is known by parser, seed and number (`--first N --count 1` repeats one). A finding is anything but an answer
or a sentence: another exception, more than 2 s of processor time, more than 1 GB of memory, an answer that breaks a
promise of its kind, a sentence that is none. The input is kept beside the log.
"""

from __future__ import annotations

import argparse
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from types import FrameType

from tests.fuzz.targets import TARGETS, Target

LONGEST_S = 2.0
LARGEST_MEMORY_BYTES = 1_000_000_000
LOOK_EVERY = 5_000
MOST_FINDINGS = 30


class TooSlow(BaseException):
    """No Exception, so that no parser takes it for a fault of the file."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parser", choices=sorted(TARGETS), required=True)
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log", type=Path, default=None)
    options = parser.parse_args()
    if options.log is not None:
        options.log.parent.mkdir(parents=True, exist_ok=True)
    findings = run(TARGETS[options.parser], options.seed, options.first, options.count, options.log)
    return 1 if findings else 0


def run(target: Target, seed: int, first: int, count: int, log: Path | None = None) -> int:
    """Try so many inputs; the number of findings of different kinds."""
    signal.signal(signal.SIGPROF, _stop)
    mutator = target.mutator()
    outcomes: Counter[str] = Counter()
    kinds: set[str] = set()
    start = time.monotonic()
    before = _peak_memory_bytes()
    for index in range(first, first + count):
        content = mutator.damaged(seed, index)
        problem = outcome_of(target, content, outcomes)
        if problem:
            kind = problem.strip().splitlines()[-1][:80] + _last_place(problem)
            outcomes["findings"] += 1
            if kind not in kinds and len(kinds) < MOST_FINDINGS:
                kinds.add(kind)
                note(log, f"FINDING {target.name} seed {seed} number {index}\n{problem}")
                if log is not None:
                    log.with_name(f"{target.name}-{seed}-{index}.input").write_bytes(content)
        if (index + 1 - first) % LOOK_EVERY == 0 or index + 1 == first + count:
            memory = _peak_memory_bytes()
            note(log, f"{target.name} seed {seed}: {index + 1 - first:,} inputs, {outcomes['read']:,} read, "
                 f"{outcomes['refused']:,} refused, {outcomes['findings']:,} findings, {memory / 1e6:.0f} MB, "
                 f"{time.monotonic() - start:.0f} s")  # fmt: skip
            if memory - before > LARGEST_MEMORY_BYTES:
                note(log, f"FINDING {target.name}: more than 1 GB of memory up to number {index}")
                return len(kinds) + 1
    return len(kinds)


def _peak_memory_bytes() -> int:
    """Of the process so far, the test session included where one runs this."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def outcome_of(target: Target, content: bytes, outcomes: Counter[str]) -> str:
    """A traceback for what should not happen, else nothing."""
    signal.setitimer(signal.ITIMER_PROF, LONGEST_S)
    try:
        outcomes[target.try_out(content)] += 1
    except (Exception, TooSlow):  # noqa: BLE001  (every one is a finding)
        return traceback.format_exc()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
    return ""


def _stop(number: int, frame: FrameType | None) -> None:
    raise TooSlow(f"more than {LONGEST_S:g} s")


def _last_place(problem: str) -> str:
    places = [line.strip() for line in problem.splitlines() if line.strip().startswith("File ")]
    return f" in {places[-1]}" if places else ""


def note(log: Path | None, text: str) -> None:
    print(text, flush=True)
    if log is not None:
        with log.open("a", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(text + "\n")


if __name__ == "__main__":
    sys.exit(main())
