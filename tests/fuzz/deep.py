"""Plans tried as users would: file, check, plan, load, report, under limits of time and memory. For `make test-deep`.

    python -m tests.fuzz.deep --count 2000 --log build/fuzz/deep.log

First the plans that were made to exhaust (`exhausting`), then valid ones with extreme inputs (`valid`), each through
every command. A finding is more than 1 GB, more than a minute, 10 s without a word on progress, a traceback, a warning,
output that is no JSON where JSON is asked for; of a valid plan also a refusal, unless it says that there is too much to
search. The last lines of the log count every sentence of refusal.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from tests.fuzz.exhausting import EXHAUSTING
from tests.fuzz.fuzz import note
from tests.fuzz.limited import commands_on, is_json, more_commands_on, tried
from tests.fuzz.valid import Drawn, valid_plans

TOLD_EVERY = 5
SLOW = re.compile(r"^\d+ s")
"""Of findings: not tried again and again for the fewest edits that cause them."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000, help="valid plans with extreme inputs")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log", type=Path, default=None)
    options = parser.parse_args()
    if options.log is not None:
        options.log.parent.mkdir(parents=True, exist_ok=True)
    seen = Seen(options.log)
    with tempfile.TemporaryDirectory(prefix="gpuplanner-deep-") as name:
        folder = Path(name)
        for kind, (content, _) in EXHAUSTING.items() if not options.first else ():
            seen.take(kind, content(), {}, folder)
        for place, drawn in enumerate(valid_plans(options.seed, options.first, options.count)):
            others = list(more_commands_on(folder / "tried.gpuplan", folder).items())
            seen.take(drawn.name, drawn.content(), dict([others[place % len(others)]]), folder, drawn)
            if (place + 1) % TOLD_EVERY == 0:
                note(options.log, f"{place + 1} valid plans, {seen.findings} findings")
    for sentence, count in seen.refusals.most_common():
        note(options.log, f"{count} × {sentence}")
    note(options.log, f"{seen.plans} plans through check, plan, load and report: {seen.findings} findings")
    return 1 if seen.findings else 0


class Seen:
    """What was tried and found so far."""

    def __init__(self, log: Path | None) -> None:
        self.plans = self.findings = 0
        self.refusals: Counter[str] = Counter()
        self._log = log

    def take(
        self, name: str, content: bytes, more: dict[str, list[str]], folder: Path, drawn: Drawn | None = None
    ) -> None:
        """Try a plan; what fails is noted and kept, with the edits that it takes."""
        self.plans += 1
        path = folder / "tried.gpuplan"
        path.write_bytes(content)
        for command, arguments in {**commands_on(path, folder), **more}.items():
            faults = self._faults(command, arguments)
            if faults:
                self.findings += 1
                note(self._log, f"FINDING {name}: {command}: {faults}")
                self._keep(name, content, drawn, faults, self._failing(command, arguments, path))
                path.write_bytes(content)

    def _keep(
        self, name: str, content: bytes, drawn: Drawn | None, faults: str, fails: Callable[[bytes], bool]
    ) -> None:
        if drawn is not None and not SLOW.search(faults):
            small = drawn.smallest(fails)
            content = small.content()
            note(self._log, "    " + "\n    ".join(map(str, small.edits)))
        if self._log is not None:
            self._log.with_name(f"{name.replace(' ', '-')[:40]}.gpuplan").write_bytes(content)

    def _failing(self, command: str, arguments: list[str], path: Path) -> Callable[[bytes], bool]:
        def fails(content: bytes) -> bool:
            path.write_bytes(content)
            return bool(self._faults(command, arguments))

        return fails

    def _faults(self, command: str, arguments: list[str]) -> str:
        done = tried(arguments)
        faults = done.faults()
        last = (done.errors.strip().splitlines() or [""])[-1][:300]
        if "--json" in arguments and done.status == 0 and not is_json(done.output):
            faults.append("no JSON")
        if done.status == 1:
            self.refusals[f"{command}: {re.sub(r'[0-9][0-9.,]*', '#', last)}"] += 1
        return f"{', '.join(faults)}: {last}" if faults else ""


if __name__ == "__main__":
    sys.exit(main())
