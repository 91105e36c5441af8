"""What a lever promises beside a simulated plan is what planning with it to the end gives."""

from __future__ import annotations

from gpuplanner_gui.api import plan
from gpuplanner_gui.desktop.store import replaced
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload, Slo
from tests.engine.advisor.test_findings import METRICS


def test_a_lever_promises_what_comes_of_it(llama_8b) -> None:
    """By the quick estimate draft tokens save a device of four here; simulated, they save none, and are not told."""
    targets = (Slo(metric="ttft", percentile=95, limit_s=0.3), Slo(metric="tpot", percentile=95, limit_s=0.01))
    asked = RequestClass(peak_rate_per_s=10.0, prompt_tokens=2000.0, slos=targets)
    scenario = Scenario(
        name="levers", model=llama_8b, serving=ServingWorkload(classes=(asked,)),
        hardware=HardwareChoice(accelerators=("nvidia-h100-sxm-80gb", "nvidia-l40s")),
    )  # fmt: skip
    levers = {
        one.code: one.remedy
        for one in plan(scenario)[0].plan.findings
        if one.code.startswith("lever_") and one.remedy is not None
    }
    assert len(levers) > 1
    for code, remedy in levers.items():
        changed = scenario
        for edit in remedy.edits:
            changed = replaced(changed, edit.path, edit.value)
        after = METRICS[remedy.metric].read(changed, plan(changed, is_judged=False)[0].plan)
        assert abs(after / remedy.after - 1) < 0.01, code
        assert after < remedy.before, code
