"""What a planner who changes nothing is told to rent can be had: of 50 catalogued models at least 45 answers stand."""

from __future__ import annotations

import pytest

from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from tools.default_answers import asked_models, verdict


@pytest.mark.parametrize("asked", [10, pytest.param(50, marks=pytest.mark.deep)])
def test_default_answers_are_devices_that_a_data_centre_can_rent(asked: int) -> None:
    catalog, calibration = load_shipped_catalog(), load_calibration()
    answers = [verdict(one.model, catalog, calibration) for one in asked_models(catalog, 50)[:: 50 // asked]]
    assert len(answers) == asked
    fallen = [line for stands, line in answers if not stands]
    assert len(fallen) <= asked // 10, fallen
