"""No replica shares its layers over more sockets or cards than the box has that they are sold in."""

from __future__ import annotations

import msgspec
import pytest

from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.domain.scenario import HardwareChoice
from gpuplanner_gui.engine import plan


@pytest.mark.parametrize(
    ("accelerator", "most"),
    [("amd-epyc-9654", 2), ("intel-xeon-8380", 2), ("nvidia-rtx-5090", 2), ("nvidia-h100-sxm-80gb", 8)],
)
def test_layers_are_shared_within_a_box(chat_8b, catalog, calibration, accelerator: str, most: int) -> None:
    choice = HardwareChoice(accelerators=(accelerator,), licensed_for_data_centres=False)
    serving = msgspec.structs.replace(chat_8b.serving, weight_precisions=("bf16",), kv_precisions=("bf16",))
    scenario = msgspec.structs.replace(chat_8b, hardware=choice, serving=serving)
    table = plan(scenario, catalog, calibration).serving.table
    mine = table.accelerator == list(catalog.accelerators).index(accelerator)
    wide = mine & (table.tensor_parallel > most)
    assert wide.any()
    assert not table.fits[wide].any()
    refused = wide & (table.reason == Reason.BEYOND_SCALE_UP_DOMAIN)
    assert refused.any()
    assert set(table.reason_value[refused]) == {float(most)}
    assert table.fits[mine & (table.tensor_parallel == most)].any()
