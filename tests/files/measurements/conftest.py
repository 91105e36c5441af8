"""Sample files of every format, and what the importers read out of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration

SAMPLES = Path(__file__).resolve().parent / "samples"


@pytest.fixture(scope="session")
def samples() -> Path:
    return SAMPLES


@pytest.fixture(scope="session")
def catalog():
    return load_shipped_catalog()


@pytest.fixture(scope="session")
def calibration():
    return load_calibration()
