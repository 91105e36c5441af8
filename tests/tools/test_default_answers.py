"""What a planner who changes nothing is told to rent can be had: of 50 catalogued models at least 45 answers stand."""

from __future__ import annotations

from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from tools.default_answers import asked_models, verdict


def test_default_answers_are_devices_that_a_data_centre_can_rent():
    catalog, calibration = load_shipped_catalog(), load_calibration()
    answers = [verdict(one.model, catalog, calibration) for one in asked_models(catalog, 50)]
    assert len(answers) == 50
    fallen = [line for stands, line in answers if not stands]
    assert len(fallen) <= 5, fallen
