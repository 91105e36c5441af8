"""Makes the one-folder build of this platform under build/package/, signs it, packs it into an archive, tries it out.

    python packaging/build.py [--key PRIVATE_KEY]

Two builds of one commit with one key are alike: the hash seed, the times that files carry and the order of the archive
are fixed. Without --key, the key of GPUPLANNER_SIGNING_KEY signs, or one of this builder's own, made at the first build
in the user's configuration folder; `SECURITY.md` says what that is worth.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from functools import lru_cache
from pathlib import Path

import platformdirs
from archive import set_times, write_tar_gz, write_zip
from bill import UnknownPartError, python_note
from contents import PROJECT_PUBLIC_KEY, program_version, write_contents, write_icon, write_stamp
from sign import KeyProblem, make_key, private_key, sign_folder

from gpuplanner_gui.files.manifest import digest_of
from gpuplanner_gui.files.signatures import read_key

REPOSITORY = Path(__file__).resolve().parents[1]
TARGET = REPOSITORY / "build" / "package"
FOLDER = TARGET / "gpuplanner"
BUNDLE = "GPU Planner.app"
"""On macOS, the program is in an application bundle in the folder."""
STAMP = REPOSITORY / "build" / "stamp"
EXAMPLE = "13b-two-deployments.gpuplan"
SMOKE_LIMIT_S = 120
SUFFIX = ".exe" if sys.platform == "win32" else ""
ICON_FILES = {"win32": "gpuplanner.ico", "darwin": "gpuplanner.icns"}
KEY_VARIABLE = "GPUPLANNER_SIGNING_KEY"


class BuildFailedError(RuntimeError):
    """The build or the run of what was built went wrong."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--key", type=Path, help="the private key that signs the manifest")
    arguments = parser.parse_args()
    start = time.monotonic()
    try:
        key = signing_key(arguments.key)
        refuse_old_python(key)
        build(key)
        archive = finish(key)
        try_out(archive)
    except (BuildFailedError, UnknownPartError, KeyProblem, OSError, subprocess.SubprocessError) as problem:
        print(f"The build failed: {problem}", file=sys.stderr)
        return 1
    if python_note():
        print(f"Take care: {python_note()}. Build with that one before you give the build away.")
    files = [path for path in FOLDER.rglob("*") if path.is_file() and not path.is_symlink()]
    size = sum(path.stat().st_size for path in files)
    print(f"{FOLDER.relative_to(REPOSITORY)}: {size / 1e6:.0f} MB in {len(files)} files; "
          f"{archive.name}: {archive.stat().st_size / 1e6:.0f} MB, SHA-256 {digest_of(archive)}; "
          f"made and tried out in {time.monotonic() - start:.0f} s")  # fmt: skip
    return 0


def signing_key(named: Path | None) -> Path:
    """The private key to sign with; makes one for this builder where none is named."""
    stated = named or (Path(os.environ[KEY_VARIABLE]) if os.environ.get(KEY_VARIABLE) else None)
    if stated is not None:
        return stated
    own = platformdirs.user_config_path("gpuplanner-signing", appauthor=False) / "builder.key"
    if not own.is_file():
        public = make_key(own, "builder", ("program",))
        print(f"Made a signing key for this builder: {public.fingerprint}")
    return own


def refuse_old_python(key: Path) -> None:
    """Raise BuildFailedError where the project itself would build on a Python that lacks repairs; others are told."""
    is_projects = PROJECT_PUBLIC_KEY.is_file() and read_key(PROJECT_PUBLIC_KEY).data == private_key(key)[1].data
    if is_projects and python_note():
        raise BuildFailedError(f"{python_note()}. Build with that one: make clean, then make package PYTHON=…")


def build(key: Path) -> None:
    """Run PyInstaller in a process of its own, with everything fixed that would make two builds differ."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    _, public = private_key(key)
    write_stamp(STAMP, commit(), public)
    if sys.platform in ICON_FILES:
        write_icon(STAMP.with_name(ICON_FILES[sys.platform]))
    run_pyinstaller(REPOSITORY / "packaging" / "gpuplanner.spec")
    if sys.platform == "darwin":
        shutil.rmtree(FOLDER)
        FOLDER.mkdir()
        (TARGET / BUNDLE).rename(FOLDER / BUNDLE)


def programs_in(folder: Path) -> Path:
    """Where a build has its programs."""
    return folder / BUNDLE / "Contents" / "MacOS" if sys.platform == "darwin" else folder


def resources_in(folder: Path) -> Path:
    """Where a build has the program's resources."""
    data = folder / BUNDLE / "Contents" / "Resources" if sys.platform == "darwin" else folder / "_internal"
    return data / "gpuplanner_gui" / "_resources"


def run_pyinstaller(spec: Path) -> None:
    environment = dict(os.environ, PYTHONHASHSEED="1", SOURCE_DATE_EPOCH=commit_time())
    subprocess.run(
        [
            sys.executable, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN",
            "--distpath", str(TARGET), "--workpath", str(REPOSITORY / "build" / "pyinstaller"), str(spec),
        ],
        env=environment, check=True,
    )  # fmt: skip


def finish(key: Path) -> Path:
    """Add what the build says about itself, sign it, and pack it; the archive with its checksum beside it."""
    seconds = int(commit_time())
    write_contents(FOLDER, commit(), seconds)
    add_desktop_files()
    sign_folder(FOLDER, key)
    set_times(FOLDER, seconds)
    name = f"gpuplanner-{program_version()}-{sys.platform}-{platform.machine().lower()}"
    archive = TARGET / f"{name}{'.zip' if sys.platform == 'win32' else '.tar.gz'}"
    (write_zip if archive.suffix == ".zip" else write_tar_gz)(FOLDER, archive, seconds)
    archive.with_name(f"{archive.name}.sha256").write_text(f"{digest_of(archive)}  {archive.name}\n", encoding="ascii")
    return archive


def add_desktop_files() -> None:
    """What ties the program to the desktop: menu entry, file type, icon, and the script that installs them."""
    source = REPOSITORY / "packaging"
    if sys.platform == "win32":
        shutil.copyfile(source / "windows" / "install.ps1", FOLDER / "install.ps1")
        return
    if sys.platform == "darwin":
        return
    share = FOLDER / "share"
    share.mkdir(exist_ok=True)
    for name in ("gpuplanner.desktop", "gpuplanner.xml"):
        shutil.copyfile(source / "linux" / name, share / name)
    shutil.copyfile(REPOSITORY / "resources" / "icons" / "application.svg", share / "gpuplanner.svg")
    shutil.copy(source / "linux" / "install.sh", FOLDER / "install.sh")


@lru_cache(maxsize=1)
def commit() -> str:
    """The commit that is built, marked where files differ from it; empty where the source has no history.

    Asked once, so that all of a build says the same of it.
    """
    found = _git("rev-parse", "HEAD")
    return f"{found}-modified" if found and _git("status", "--porcelain", "--untracked-files=no") else found


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    return done.stdout.strip()


@lru_cache(maxsize=1)
def commit_time() -> str:
    """Seconds since 1970 of the last commit; of 2026 where the source has no history."""
    return _git("log", "-1", "--format=%ct") or "1767225600"


def try_out(archive: Path) -> None:
    """Unpack the archive far from the source; check it, open an example in the window, plan it, write its report."""
    with tempfile.TemporaryDirectory(prefix="gpu planner ä ") as scratch:
        home = Path(scratch)
        shutil.unpack_archive(archive, home)
        folder = home / FOLDER.name
        example = resources_in(folder) / "examples" / EXAMPLE
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))
        }
        environment |= {"GPUPLANNER_HOME": str(home / "home"), "QT_QPA_PLATFORM": "offscreen"}
        report = home / "plan.html"
        run(folder, ["gpuplanner", "verify"], environment, home)
        run(folder, ["gpuplanner", "check", str(example)], environment, home)
        run(folder, ["gpuplanner", "report", str(example), "-o", str(report)], environment, home)
        if not report.is_file() or b"13B assistant" not in report.read_bytes():
            raise BuildFailedError("the report was not written")
        run(folder, ["gpuplanner-gui", str(example), "--smoke"], environment, home)


def run(build_folder: Path, command: list[str], environment: dict[str, str], folder: Path) -> None:
    """One built program; its output is shown when it fails."""
    program = programs_in(build_folder) / (command[0] + SUFFIX)
    done = subprocess.run(
        [str(program), *command[1:]], env=environment, cwd=folder, capture_output=True, text=True,
        timeout=SMOKE_LIMIT_S, check=False,
    )  # fmt: skip
    unexpected = "Traceback" in done.stderr
    if done.returncode or unexpected:
        raise BuildFailedError(f"{' '.join(command[:2])} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    print(f"{command[0]} {command[1] if len(command) == 2 or not Path(command[1]).suffix else '--smoke'}: works")


if __name__ == "__main__":
    sys.exit(main())
