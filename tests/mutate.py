"""Whether tests notice a broken requirement: each row of tests/mutations.csv breaks one, and its tests must fail.

python -m tests.mutate [--rows S8 S36 …] [--log FILE]

The tree is copied, so that nothing here changes. A row names the requirement, a file, the text that is taken out of it,
what stands in its place, and the tests that must turn red. Rules of the advisor need no rows: each has an example by
the name of its finding, so that a rule taken out of the table turns its example red (tests/engine/advisor).
"""

from __future__ import annotations

import argparse
import csv
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
TABLE = REPOSITORY / "tests" / "mutations.csv"
COLUMNS = ["row", "file", "taken_out", "put_in", "tests"]
PARTS = ("gpuplanner_gui", "catalogs", "resources", "tests", "tools", "docs", "pyproject.toml")
MOST_SURVIVE = 0.05
LONGEST_S = 900
FAILED = 1
"""What pytest ends with where tests fail; other ends say that they did not run."""


@dataclass(frozen=True)
class Mutation:
    """One way to break a requirement."""

    row: str
    file: str
    taken_out: str
    put_in: str
    tests: tuple[str, ...]


def mutations() -> list[Mutation]:
    """The table's rows."""
    with TABLE.open(encoding="utf-8", newline="") as table:
        return [
            Mutation(one["row"], one["file"], one["taken_out"], one["put_in"], tuple(one["tests"].split()))
            for one in csv.DictReader(table)
        ]


def outcome(tree: Path, mutation: Mutation) -> str:
    """`killed`, `survived`, or why the tests did not run; the tree is as before afterwards."""
    path = tree / mutation.file
    before = path.read_text(encoding="utf-8")
    if before.count(mutation.taken_out) != 1:
        return "its text does not stand in the file once"
    path.write_text(before.replace(mutation.taken_out, mutation.put_in), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *mutation.tests]
    environment = os.environ | {"PYTHONPATH": str(tree), "QT_QPA_PLATFORM": "offscreen"}
    try:
        done = subprocess.run(
            command, cwd=tree, env=environment, capture_output=True, text=True, timeout=LONGEST_S, check=False
        )
    except subprocess.TimeoutExpired:
        return "its tests take too long"
    finally:
        path.write_text(before, encoding="utf-8")
    if done.returncode == FAILED:
        return "killed"
    return "survived" if done.returncode == 0 else done.stdout[-300:]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", nargs="*", default=())
    parser.add_argument("--log", type=Path)
    asked = parser.parse_args()
    chosen = [one for one in mutations() if not asked.rows or one.row in asked.rows]
    found = []
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        for part in PARTS:
            if (REPOSITORY / part).is_dir():
                shutil.copytree(REPOSITORY / part, tree / part, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(REPOSITORY / part, tree / part)
        for one in chosen:
            found.append(outcome(tree, one))
            print(f"{one.row:6} {found[-1]:10} {one.file}", flush=True)
    left = sum(one != "killed" for one in found)
    said = f"{left} of {len(found)} mutations survived or did not run"
    print(said)
    if asked.log is not None:
        asked.log.parent.mkdir(parents=True, exist_ok=True)
        asked.log.write_text(said + "\n", encoding="utf-8")
    return int(left > MOST_SURVIVE * len(found))


if __name__ == "__main__":
    sys.exit(main())
