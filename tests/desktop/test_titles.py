"""The Undo menu says which of several targets an edit changed."""

from __future__ import annotations

import msgspec

from gpuplanner_gui.desktop.store import words_of_edit
from gpuplanner_gui.desktop.window.project_file import new_scenario
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload, Slo


def test_a_target_is_named_by_its_latency() -> None:
    slos = (Slo(metric="ttft", limit_s=1.0), Slo(metric="tpot", percentile=99, limit_s=0.05))
    requests = RequestClass(peak_rate_per_s=10.0, slos=slos)
    scenario = msgspec.structs.replace(new_scenario(), serving=ServingWorkload(classes=(requests,)))
    assert words_of_edit(scenario, "serving.classes[0].slos[0].limit_s") == "Change TTFT p95 target"
    assert words_of_edit(scenario, "serving.classes[0].slos[1].limit_s") == "Change TPOT p99 target"
    assert words_of_edit(scenario, "serving.classes[0].peak_rate_per_s") == "Change Peak rate"
