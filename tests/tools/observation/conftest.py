"""The shipped catalogue and calibration."""

from __future__ import annotations

import pytest

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return load_shipped_catalog()


@pytest.fixture(scope="session")
def calibration() -> Calibration:
    return load_calibration()
