"""On which basis a verdict compares the recommended run with a better known one."""

from __future__ import annotations

import pytest

from gpuplanner_gui import api
from gpuplanner_gui.domain.economics import Economics, Procurement
from gpuplanner_gui.domain.scenario import HardwareChoice, Project, Scenario
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.drawing.words.verdict import verdicts
from gpuplanner_gui.files.catalogs import load_shipped_catalog


@pytest.mark.parametrize(("term", "is_said"), [("rent_1y", True), ("rent_on_demand", False)])
def test_a_better_known_run_is_compared_with_idle_time_where_devices_are_held(term: Procurement, is_said: bool) -> None:
    """No finding says that evidence is weak: the basis of the difference is named all the same."""
    scenario = Scenario(
        name="8B",
        model=load_shipped_catalog().models["llama-3.1-8b"].model,
        training=TrainingWorkload(tokens=100e9, deadline_s=60 * 86_400.0),
        hardware=HardwareChoice(
            accelerators=("nvidia-b200-sxm-180gb", "nvidia-h100-sxm-80gb"), max_training_devices=64
        ),
        economics=Economics(training_procurement=term),
    )
    (results,) = api.plan(Project(name="p", scenarios=(scenario,)))
    assert not [one for one in results.plan.findings if one.code.startswith("weak_evidence")]
    (words,) = verdicts(results)
    assert "Better documented: on H100 SXM5 80GB, the plan has more published runs behind it" in words.advice
    assert ("idle time included" in words.advice) == is_said
