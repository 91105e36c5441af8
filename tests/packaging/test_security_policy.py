"""SECURITY.md says what a reader looks for, and nothing of it has gone stale."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuplanner_gui.api import MOST_TOGETHER
from gpuplanner_gui.domain.field import LARGEST, SMALLEST
from gpuplanner_gui.domain.scenario import MOST_SCENARIOS
from gpuplanner_gui.engine.serving.candidates import MOST_CANDIDATES
from gpuplanner_gui.files.signatures import PURPOSES

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def policy() -> str:
    return " ".join((REPOSITORY / "SECURITY.md").read_text(encoding="utf-8").split())


@pytest.mark.parametrize(
    "words",
    [
        "Contact:", "Supported versions", "How a repair reaches a site without a network", "Old files.",
        "The project's own key", "Rotation.", "packaging/project.pub", "To go back",
    ],
)  # fmt: skip
def test_a_reader_finds_what_they_look_for(policy: str, words: str) -> None:
    assert words in policy


def test_bounds_are_those_of_the_program(policy: str) -> None:
    assert f"more than {MOST_SCENARIOS} scenarios" in policy
    assert f"more than {MOST_CANDIDATES:,} candidates" in policy
    assert f"more than {MOST_TOGETHER:,} together" in policy
    assert f"beyond {SMALLEST:g} or {LARGEST:.0e}".replace("e+", "e") in policy


def test_every_purpose_of_a_key_is_explained(policy: str) -> None:
    assert all(f"| `{one}` |" in policy for one in PURPOSES)


def test_files_that_it_names_exist() -> None:
    for name in ("tests/files/versions", "packaging/sign.py", "packaging/python-patches.csv", "packaging/README.md"):
        assert (REPOSITORY / name).exists(), name


def test_the_slot_of_the_projects_key_and_what_is_said_of_it_agree(policy: str) -> None:
    is_filled = (REPOSITORY / "packaging" / "project.pub").is_file()
    assert is_filled != ("The project's own key: not set." in policy)
