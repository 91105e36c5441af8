"""Plans tried as users would: file, check, plan, load, report, under limits of time and memory. For `make test-deep`.

    python -m tests.fuzz.deep --count 2000 --log build/fuzz/deep.log

First the plans that were made to exhaust (`exhausting`), then damaged ones of `mutation`, each through every command. A
finding is more than 1 GB, more than a minute, a traceback, a warning, output that is no JSON where JSON is asked for.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.project import project_from_bytes
from tests.fuzz.exhausting import EXHAUSTING
from tests.fuzz.fuzz import note
from tests.fuzz.limited import commands_on, is_json, tried
from tests.fuzz.targets import TARGETS


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000, help="damaged plans that can be read")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log", type=Path, default=None)
    options = parser.parse_args()
    if options.log is not None:
        options.log.parent.mkdir(parents=True, exist_ok=True)
    findings = tries = 0
    with tempfile.TemporaryDirectory(prefix="gpuplanner-deep-") as folder:
        for name, content in [*exhausting(), *readable(options.seed, options.first, options.count)]:
            tries += 1
            for fault in _faults(name, content, Path(folder)):
                findings += 1
                note(options.log, f"FINDING {fault}")
                if options.log is not None:
                    options.log.with_name(f"deep-{name.replace(' ', '-')[:40]}.gpuplan").write_bytes(content)
            if tries % 50 == 0:
                note(options.log, f"{tries} plans, {findings} findings")
    note(options.log, f"{tries} plans through check, plan, load and report: {findings} findings")
    return 1 if findings else 0


def exhausting() -> Iterator[tuple[str, bytes]]:
    """The plans that were made to exhaust."""
    for name, (content, _) in EXHAUSTING.items():
        yield name, content()


def readable(seed: int, first: int, count: int) -> Iterator[tuple[str, bytes]]:
    """Damaged project files that are still valid: what is refused is tried a million times by `fuzz`."""
    mutator = TARGETS["project"].mutator()
    index = first
    while count > 0:
        content = mutator.damaged(seed, index)
        try:
            project = project_from_bytes(content)
        except FileProblem:
            pass
        else:
            if project.scenarios:
                count -= 1
                yield f"damaged {seed} {index}", content
        index += 1


def _faults(name: str, content: bytes, folder: Path) -> Iterator[str]:
    path = folder / "tried.gpuplan"
    path.write_bytes(content)
    for command, arguments in commands_on(path, folder).items():
        done = tried(arguments)
        faults = done.faults()
        if "--json" in arguments and done.status == 0 and not is_json(done.output):
            faults.append("no JSON")
        if faults:
            last = done.errors.strip().splitlines()[-1:] or [""]
            yield f"{name}: {command}: {', '.join(faults)}: {last[0][:300]}"
        if command == "check" and done.status:
            return


if __name__ == "__main__":
    sys.exit(main())
