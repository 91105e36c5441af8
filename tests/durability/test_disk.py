"""Nothing is lost: saves that are killed, disks that are full, read-only or gone, told in a sentence with a way out."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.whole_file import LEFT_AFTER_S, write_whole_file
from tests.durability.kill_saves import killed_saves

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
KILLS = 40

SAVE = """
import sys
from pathlib import Path
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.whole_file import write_whole_file
try:
    write_whole_file(Path(sys.argv[1]), b"new" * int(sys.argv[2]))
except FileProblem as problem:
    print(problem)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_save_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    for reported, found in killed_saves(write_whole_file, tmp_path, KILLS):
        assert found >= reported


def test_leftover_of_a_killed_save_goes_with_a_later_save(tmp_path: Path) -> None:
    path = tmp_path / "a [1].gpuplan"
    old, young = (tmp_path / f".a [1].gpuplan.{number}.new" for number in (1, 2))
    for left in (old, young):
        left.write_bytes(b"half")
    os.utime(old, (1, os.stat(old).st_mtime - LEFT_AFTER_S - 10))
    write_whole_file(path, b"content")
    assert sorted(one.name for one in tmp_path.iterdir()) == [young.name, path.name]


@pytest.fixture(scope="module")
def failing_disk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc")
    if sys.platform != "linux" or compiler is None:
        pytest.skip("needs Linux and a C compiler")
    library = tmp_path_factory.mktemp("disk") / "failing_disk.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, HERE / "failing_disk.c", "-ldl"], check=True)
    return library


@pytest.mark.parametrize("call", ["write", "sync", "rename"])
@pytest.mark.parametrize(
    "code", [errno.ENOSPC, errno.EDQUOT, errno.ESTALE, errno.EIO, errno.EROFS, errno.EACCES, errno.EBUSY]
)
def test_disk_that_refuses_any_step_costs_nothing(failing_disk: Path, tmp_path: Path, call: str, code: int) -> None:
    folder = tmp_path / "share"
    folder.mkdir()
    path = folder / "plan.gpuplan"
    path.write_bytes(b"old")
    environment = {
        **os.environ, "LD_PRELOAD": str(failing_disk), "FAIL_CALL": call, "FAIL_ERRNO": str(code),
        "FAIL_BELOW": str(folder),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", SAVE, str(path), "5000"], cwd=REPOSITORY, env=environment, capture_output=True, text=True
    )
    assert done.stdout.startswith(f"plan.gpuplan: it could not be written ({os.strerror(code)}).")
    assert "another folder" in done.stdout
    assert path.read_bytes() == b"old"
    assert [one.name for one in folder.iterdir()] == ["plan.gpuplan"]


OPEN = """
import sys
from pathlib import Path
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.project import load_project
from gpuplanner_gui.files.recovery import load_recovery
from gpuplanner_gui.files.traces import read_trace
for read in (load_project, load_recovery, read_trace):
    try:
        read(Path(sys.argv[1]))
    except FileProblem as problem:
        print(problem)
"""


@pytest.mark.parametrize("code", [errno.ESTALE, errno.EIO])
def test_share_that_vanishes_while_a_file_is_read_is_said(failing_disk: Path, tmp_path: Path, code: int) -> None:
    path = tmp_path / "plan.csv"
    path.write_bytes(b"a,b\n1,2\n")
    environment = {
        **os.environ, "LD_PRELOAD": str(failing_disk), "FAIL_CALL": "read", "FAIL_ERRNO": str(code),
        "FAIL_BELOW": str(tmp_path),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", OPEN, str(path)], cwd=REPOSITORY, env=environment, capture_output=True, text=True
    )
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 3
    assert all(os.strerror(code) in line for line in done.stdout.splitlines()), done.stdout


def in_own_mounts(script: str) -> subprocess.CompletedProcess[str]:
    """Run a script of the shell that may mount; skips where that is not allowed."""
    around = ["unshare", "-rm", "sh", "-eu", "-c"]
    if shutil.which("unshare") is None or subprocess.run([*around, "true"], capture_output=True).returncode:
        pytest.skip("mounts of one's own are not allowed here")
    return subprocess.run([*around, script], cwd=REPOSITORY, capture_output=True, text=True, timeout=60)


def test_full_disk_is_said_and_the_old_file_stays(tmp_path: Path) -> None:
    save = f"{sys.executable} -c '{SAVE}' {tmp_path}/plan.gpuplan"
    done = in_own_mounts(
        f"mount -t tmpfs -o size=64k none {tmp_path}; printf old >{tmp_path}/plan.gpuplan; {save} 50000; "
        f"cat {tmp_path}/plan.gpuplan; ls -A {tmp_path}; {save} 10; cat {tmp_path}/plan.gpuplan"
    )
    assert done.returncode == 0, done.stderr
    assert "could not be written (No space left on device)" in done.stdout
    assert done.stdout.splitlines()[1:] == ["oldplan.gpuplan", "new" * 10]


def test_read_only_folder_is_said(tmp_path: Path) -> None:
    done = in_own_mounts(
        f"mount -t tmpfs none {tmp_path}; printf old >{tmp_path}/plan.gpuplan; mount -o remount,ro {tmp_path}; "
        f"{sys.executable} -c '{SAVE}' {tmp_path}/plan.gpuplan 10; cat {tmp_path}/plan.gpuplan"
    )
    assert done.returncode == 0, done.stderr
    assert "could not be written (Read-only file system)" in done.stdout
    assert done.stdout.endswith("old")


def test_folder_that_is_gone_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="No such file or directory"):
        write_whole_file(tmp_path / "gone" / "plan.gpuplan", b"new")


def test_name_that_is_a_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "plan.gpuplan").mkdir()
    with pytest.raises(FileProblem, match="could not be written"):
        write_whole_file(tmp_path / "plan.gpuplan", b"new")
    assert len(list(tmp_path.iterdir())) == 1
