"""The locks agree with each other and with pyproject.toml, carry hashes, and name no host."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

REPOSITORY = Path(__file__).resolve().parent.parent
LOCKS = ["run", "test", "build", "fit", "build-other-systems"]


def lock_text(name: str) -> str:
    return (REPOSITORY / "packaging" / "locks" / f"{name}.txt").read_text(encoding="utf-8")


def entries(name: str) -> list[str]:
    """One string per locked package: its pin and all its hashes."""
    lines = [line for line in lock_text(name).splitlines() if not line.lstrip().startswith("#")]
    return re.split(r"\n(?=\S)", "\n".join(lines).strip())


def pins(name: str) -> dict[str, str]:
    found = (re.match(r"([A-Za-z0-9._-]+)==([^\s;]+)", entry) for entry in entries(name))
    return {canonicalize_name(match[1]): match[2] for match in found if match}


@pytest.mark.parametrize("name", LOCKS)
def test_every_entry_is_an_exact_version_with_hashes(name: str):
    assert len(pins(name)) == len(entries(name))
    assert [entry for entry in entries(name) if "--hash=sha256:" not in entry] == []


@pytest.mark.parametrize("name", LOCKS)
def test_lock_names_no_host(name: str):
    assert re.findall(r"://|--index-url|--extra-index-url|--find-links|--trusted-host", lock_text(name)) == []


@pytest.mark.parametrize("name", ["test", "build", "fit"])
def test_locks_hold_the_versions_that_run(name: str):
    assert pins("run").items() <= pins(name).items()


def test_qt_is_the_version_that_works():
    assert pins("run")["pyside6-essentials"] == pins("run")["shiboken6"] == "6.10.3"


def test_bounds_of_the_project_admit_the_locked_versions():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for requirement in map(Requirement, project["dependencies"]):
        assert pins("run")[canonicalize_name(requirement.name)] in requirement.specifier
