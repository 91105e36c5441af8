"""Types are read from any thread: windows that start together load the same catalogues."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import gpuplanner_gui
from gpuplanner_gui.paths import resources_dir

PACKAGE = Path(gpuplanner_gui.__file__).parent
LOOKS_AT_A_TYPE = re.compile(r"msgspec\.convert\(|msgspec\.json\.Decoder\(|msgspec\.json\.decode\([^)]*type=")
TOGETHER = """
import sys, threading
from pathlib import Path
sys.setswitchinterval(1e-6)
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import load_project
start = threading.Barrier(3)
done = []
def run(load):
    start.wait()
    done.append(load())
loads = (load_calibration, load_calibration, lambda: load_project(Path(sys.argv[1])))
threads = [threading.Thread(target=run, args=(load,)) for load in loads]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert len(done) == 3
"""
RUNS = 5
"""Half of them ended in a segmentation fault when types were looked at by two threads at once."""


def test_threads_that_load_together_do_not_end_the_program() -> None:
    example = resources_dir() / "examples" / "13b-two-deployments.gpuplan"
    for _ in range(RUNS):
        ended = subprocess.run([sys.executable, "-c", TOGETHER, str(example)], capture_output=True, timeout=120)
        assert ended.returncode == 0, ended.stderr.decode()


def test_types_are_looked_at_in_one_place_alone() -> None:
    """Anything else would look at them without the lock."""
    found = [
        path.relative_to(PACKAGE).as_posix()
        for path in sorted(PACKAGE.rglob("*.py"))
        if LOOKS_AT_A_TYPE.search(path.read_text(encoding="utf-8"))
    ]
    assert found == ["files/safe_json.py"]
