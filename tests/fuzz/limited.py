"""A command tried on a file in a process of its own: how it ended, how long it took, and how much memory it had."""

from __future__ import annotations

import io
import json
import multiprocessing
import os
import re
import resource
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

MOST_MEMORY_BYTES = 1_000_000_000
MOST_ADDRESSES_BYTES = 6_000_000_000
"""Beyond this the process is stopped by the system, so that a finding does not take the machine with it."""
LONGEST_S = 60.0
"""Of processor time, so that what else the machine does counts for nothing."""
LONGEST_SILENCE_S = 10.0
"""Of processor time, between two words on how far a command is."""
PATIENCE = 5.0
"""Of the clock, as often as that."""
LOOKS_EVERY_S = 0.02
PEAK = re.compile(r"^VmHWM:\s+(\d+) kB$", re.MULTILINE)
PROGRESS = re.compile(r"\r\x1b\[K([^\r\n]*(?=\r))?")
"""Lines of progress that the next one has replaced."""
MARKS_OF_A_FAULT = ("Traceback (most recent call last)", "Warning:", "internal error")
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["gpuplanner_gui.cli", "gpuplanner_gui.drawing.report.build", "numpy.random"])


@dataclass(frozen=True)
class Outcome:
    """What a command did with a file."""

    status: int
    seconds: float
    silent_s: float
    """The longest that it said nothing of how far it is, in processor time."""
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
        if self.silent_s > LONGEST_SILENCE_S:
            found.append(f"{self.silent_s:.0f} s without a word")
        if self.memory_bytes > MOST_MEMORY_BYTES:
            found.append(f"{self.memory_bytes / 1e6:.0f} MB")
        return found


def tried(arguments: list[str], longest_s: float = LONGEST_S) -> Outcome:
    """Run `gpuplanner` with these arguments; the program is read once, and each command is a fork of that process."""
    os.environ.update(OPENBLAS_NUM_THREADS="1", QT_QPA_PLATFORM="offscreen", GPUPLANNER_TRACEBACK="1")
    with tempfile.TemporaryDirectory(prefix="gpuplanner-tried-") as name:
        folder, start = Path(name), time.monotonic()
        process = PROCESSES.Process(target=_run, args=(arguments, name, longest_s))
        process.start()
        memory_bytes = 0
        while process.is_alive():
            memory_bytes = max(memory_bytes, _most_memory_bytes(process.pid or 0))
            if time.monotonic() - start > PATIENCE * longest_s:
                process.kill()
            process.join(LOOKS_EVERY_S)
        used = json.loads(_text(folder / "used") or f"[{time.monotonic() - start}, 0, 0]")
        return Outcome(
            process.exitcode or 0, used[0], used[1], max(memory_bytes, used[2]), _text(folder / "output"),
            PROGRESS.sub("", _text(folder / "errors")),
        )  # fmt: skip


class Told(io.TextIOWrapper):
    """Standard error as a terminal, which notes how long the command was silent."""

    silent_s = 0.0
    _before_s = 0.0

    def isatty(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        self.hear()
        return super().write(text)

    def hear(self) -> None:
        now_s = time.process_time()
        self.silent_s, self._before_s = max(self.silent_s, now_s - self._before_s), now_s


def _run(arguments: list[str], name: str, longest_s: float) -> None:
    """In the process of the command: what it says goes into files of a folder."""
    from gpuplanner_gui.cli import main

    resource.setrlimit(resource.RLIMIT_AS, (MOST_ADDRESSES_BYTES, MOST_ADDRESSES_BYTES))
    begun_s = int(time.process_time())
    resource.setrlimit(resource.RLIMIT_CPU, (begun_s + int(3 * longest_s), begun_s + int(3 * longest_s) + 5))
    folder = Path(name)
    sys.stdout = (folder / "output").open("w", encoding="utf-8")
    sys.stderr = told = Told(_bytes_of(folder / "errors"), encoding="utf-8", write_through=True)
    before_s = told._before_s = time.process_time()
    try:
        status = main(arguments)
    except BaseException:  # noqa: BLE001  (whatever it is, is told as a fault)
        sys.excepthook(*sys.exc_info())
        status = 70
    told.hear()
    sys.stdout.flush()
    used = [time.process_time() - before_s, told.silent_s, _most_memory_bytes(os.getpid())]
    (folder / "used").write_text(json.dumps(used), encoding="ascii")
    told.flush()
    os._exit(status)


def _bytes_of(path: Path) -> IO[bytes]:
    return path.open("wb")


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", errors="replace") if path.exists() else ""


def _most_memory_bytes(pid: int) -> int:
    """The most that a process had so far."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0
    found = PEAK.search(status)
    return int(found.group(1)) * 1024 if found is not None else 0


def commands_on(path: Path, folder: Path) -> dict[str, list[str]]:
    """The commands that read a project, each under all limits."""
    named = str(path)
    return {
        "check": ["check", named],
        "plan": ["plan", named, "--json"],
        "load": ["load", named, "--json", "--requests", "50"],
        "report": ["report", named, "-o", str(folder / "out.md")],
    }


def more_commands_on(path: Path, folder: Path) -> dict[str, list[str]]:
    """The others that answer from a project."""
    named = str(path)
    return {
        "flags": ["flags", named, "--json"],
        "roofline": ["roofline", named, "--json"],
        "order": ["order", named, "--json"],
        "scaling": ["scaling", named, "--json"],
        "layouts": ["layouts", named, "--json"],
        "deploy": ["deploy", named, "--target", "slurm", "-o", str(folder / "deployed"), "--overwrite"],
        "spreadsheet": ["report", named, "-o", str(folder / "out.xlsx")],
        "diff": ["diff", named, named],
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
