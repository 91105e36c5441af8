"""A command tried on a file in a process of its own: how it ended, how long it took, and how much memory it had."""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

MOST_MEMORY_BYTES = 1_000_000_000
MOST_ADDRESSES_BYTES = 6_000_000_000
"""Beyond this the process is stopped by the system, so that a finding does not take the machine with it."""
LONGEST_S = 60.0
"""Of processor time, so that what else the machine does counts for nothing."""
PATIENCE = 5.0
"""Of the clock, as often as that."""
LOOKS_EVERY_S = 0.01
PEAK = re.compile(r"^VmHWM:\s+(\d+) kB$", re.MULTILINE)
MARKS_OF_A_FAULT = ("Traceback (most recent call last)", "RuntimeWarning", "internal error")
START = "import sys; from gpuplanner_gui.cli import main; sys.exit(main(sys.argv[1:]))"


@dataclass(frozen=True)
class Outcome:
    """What a command did with a file."""

    status: int
    seconds: float
    memory_bytes: int
    output: str
    errors: str

    def faults(self, longest_s: float = LONGEST_S) -> list[str]:
        """What must not happen, whatever the file holds; empty where all is well."""
        found = [mark for mark in MARKS_OF_A_FAULT if mark in self.errors]
        if self.status not in (0, 1):
            found.append(f"exit status {self.status}")
        if self.status == 1 and len(self.errors.strip().splitlines()) != 1:
            found.append("a refusal that is no one line")
        if self.seconds > longest_s:
            found.append(f"{self.seconds:.0f} s")
        if self.memory_bytes > MOST_MEMORY_BYTES:
            found.append(f"{self.memory_bytes / 1e6:.0f} MB")
        return found


def tried(arguments: list[str], longest_s: float = LONGEST_S) -> Outcome:
    """Run `gpuplanner` with these arguments."""
    environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", QT_QPA_PLATFORM="offscreen")
    start, before_s = time.monotonic(), _children_s()
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            [sys.executable, "-c", START, *arguments], stdout=output, stderr=errors, env=environment,
            preexec_fn=_bound,
        )  # fmt: skip
        memory_bytes = 0
        while process.poll() is None:
            memory_bytes = max(memory_bytes, _most_memory_bytes(process.pid))
            if time.monotonic() - start > PATIENCE * longest_s:
                process.kill()
            time.sleep(LOOKS_EVERY_S)
        output.seek(0)
        errors.seek(0)
        return Outcome(process.returncode, _children_s() - before_s, memory_bytes, output.read(), errors.read())


def _children_s() -> float:
    """Processor time of all processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _most_memory_bytes(pid: int) -> int:
    """The most that the program had so far; what the system counts for an ended process has this one's memory in it."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0
    found = PEAK.search(status)
    return int(found.group(1)) * 1024 if found is not None else 0


def _bound() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_ADDRESSES_BYTES, MOST_ADDRESSES_BYTES))


def commands_on(path: Path, folder: Path) -> dict[str, list[str]]:
    """The commands that read a project."""
    named = str(path)
    return {
        "check": ["check", named],
        "plan": ["plan", named, "--json"],
        "load": ["load", named, "--json", "--requests", "50"],
        "report": ["report", named, "-o", str(folder / "out.md")],
    }


def is_json(text: str) -> bool:
    """Whether a text is JSON by its standard, which knows no NaN."""

    def refuse(word: str) -> float:
        raise ValueError(word)

    try:
        json.loads(text, parse_constant=refuse)
    except ValueError:
        return False
    return True
