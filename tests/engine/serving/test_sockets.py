"""Processors share a replica on the sockets of one board, and on no more."""

from __future__ import annotations

import pytest

from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload, Slo
from gpuplanner_gui.engine import plan


@pytest.mark.parametrize(("device", "sockets"), [("amd-epyc-9654", 2), ("amd-ryzen-9-7950x", 1)])
def test_tensor_parallelism_ends_at_the_sockets_of_a_board(device, sockets, catalog, calibration):
    slos = (Slo(metric="ttft", percentile=95.0, limit_s=600.0),)
    request = RequestClass(peak_rate_per_s=0.001, prompt_tokens=512.0, output_tokens=64.0, slos=slos)
    serving = ServingWorkload(classes=(request,), weight_precisions=("int4",))
    hardware = HardwareChoice(accelerators=(device,), include_end_of_life=True, licensed_for_data_centres=False)
    scenario = Scenario(name="s", model=catalog.models["llama-3.1-8b"].model, serving=serving, hardware=hardware)
    table = plan(scenario, catalog, calibration).serving.table
    assert table.tensor_parallel[table.fits].max() == sockets
    beyond = table.reason == Reason.BEYOND_SCALE_UP_DOMAIN
    assert (table.tensor_parallel[beyond] > sockets).all()
    assert beyond.any()
