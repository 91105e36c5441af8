"""The same project is planned once for all commands that a process tries on it."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def commands_plan_once(plans_made_once: None) -> None:
    """See `plans_made_once`."""
