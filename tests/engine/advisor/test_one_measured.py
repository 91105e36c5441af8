"""The head's best measured alternative is the finding's, with the same difference in money."""

from __future__ import annotations

import pytest

from gpuplanner_gui.engine import plan
from gpuplanner_gui.files.project import load_project
from gpuplanner_gui.paths import resources_dir


@pytest.mark.parametrize("example", ["7b-continued-pretraining", "13b-two-deployments"])
def test_finding_names_the_measured_device_of_the_verdict(example, catalog, calibration):
    for scenario in load_project(resources_dir() / "examples" / f"{example}.gpuplan").scenarios:
        found = plan(scenario, catalog, calibration)
        for finding in (one for one in found.findings if one.code.startswith("weak_evidence")):
            measured = getattr(found.verdicts, finding.workload).measured
            assert finding.values["device"] == measured.device
            assert finding.usd == pytest.approx(max(measured.more_usd, 0.0))
