"""A command tried on a file in a process of its own: how it ended, how long it took, and how much memory it had."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

MOST_MEMORY_BYTES = 1_000_000_000
MOST_ADDRESSES_BYTES = 6_000_000_000
"""Beyond this the process is stopped by the system, so that a finding does not take the machine with it."""
LONGEST_S = 60.0
MARKS_OF_A_FAULT = ("Traceback (most recent call last)", "RuntimeWarning", "internal fault")
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
    start = time.monotonic()
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            [sys.executable, "-c", START, *arguments], stdout=output, stderr=errors, env=environment,
            preexec_fn=_bound,
        )  # fmt: skip
        stop = threading.Timer(longest_s + 5, process.send_signal, (signal.SIGKILL,))
        stop.start()
        _, status, used = os.wait4(process.pid, 0)
        stop.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        seconds = time.monotonic() - start
        return Outcome(process.returncode, seconds, used.ru_maxrss * 1024, output.read(), errors.read())


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
