"""Makes the one-folder build of this platform under build/package/ and tries it out.

    python packaging/build.py

Two builds of one commit are meant to be alike: the hash seed and the time that files carry are fixed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
TARGET = REPOSITORY / "build" / "package"
FOLDER = TARGET / "gpuplanner"
EXAMPLE = "13b-two-deployments.gpuplan"
SMOKE_LIMIT_S = 120
SUFFIX = ".exe" if sys.platform == "win32" else ""


class BuildFailedError(RuntimeError):
    """The build or the run of what was built went wrong."""


def main() -> int:
    start = time.monotonic()
    try:
        build()
        try_out()
    except (BuildFailedError, subprocess.CalledProcessError, subprocess.TimeoutExpired) as problem:
        print(f"The build failed: {problem}", file=sys.stderr)
        return 1
    files = [path for path in FOLDER.rglob("*") if path.is_file() and not path.is_symlink()]
    size = sum(path.stat().st_size for path in files)
    print(f"{FOLDER.relative_to(REPOSITORY)}: {size / 1e6:.0f} MB in {len(files)} files, made and tried out in "
          f"{time.monotonic() - start:.0f} s")  # fmt: skip
    return 0


def build() -> None:
    """Run PyInstaller in a process of its own, with everything fixed that would make two builds differ."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    environment = dict(os.environ, PYTHONHASHSEED="1", SOURCE_DATE_EPOCH=commit_time())
    subprocess.run(
        [
            sys.executable, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN",
            "--distpath", str(TARGET), "--workpath", str(REPOSITORY / "build" / "pyinstaller"),
            str(REPOSITORY / "packaging" / "gpuplanner.spec"),
        ],
        env=environment, check=True,
    )  # fmt: skip


def commit_time() -> str:
    """Seconds since 1970 of the last commit; of 2026 where the source has no history."""
    done = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or "1767225600"


def try_out() -> None:
    """Open an example in the window, plan it, and write its report: with the built programs, far from the source."""
    example = FOLDER / "_internal" / "gpuplanner_gui" / "_resources" / "examples" / EXAMPLE
    if not example.is_file():
        raise BuildFailedError(f"{example.name} is not in the build")
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))
        }
        environment |= {"GPUPLANNER_HOME": str(home / "home"), "QT_QPA_PLATFORM": "offscreen"}
        report = home / "plan.html"
        run(["gpuplanner", "check", str(example)], environment, home)
        run(["gpuplanner", "report", str(example), "-o", str(report)], environment, home)
        if not report.is_file() or b"13B assistant" not in report.read_bytes():
            raise BuildFailedError("the report was not written")
        run(["gpuplanner-gui", str(example), "--smoke"], environment, home)


def run(command: list[str], environment: dict[str, str], folder: Path) -> None:
    """One built program; its output is shown when it fails."""
    program = FOLDER / (command[0] + SUFFIX)
    done = subprocess.run(
        [str(program), *command[1:]], env=environment, cwd=folder, capture_output=True, text=True,
        timeout=SMOKE_LIMIT_S, check=False,
    )  # fmt: skip
    unexpected = "Traceback" in done.stderr
    if done.returncode or unexpected:
        raise BuildFailedError(f"{' '.join(command[:2])} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    print(f"{command[0]} {command[1] if command[1] in ('check', 'report') else '--smoke'}: works")


if __name__ == "__main__":
    sys.exit(main())
