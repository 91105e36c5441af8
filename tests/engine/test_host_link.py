"""The slot that a card stands in: cards without a fabric meet over it, and what moves between host and card waits."""

from __future__ import annotations

import itertools
from pathlib import Path

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.drawing.typed_values import parse_value
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.context import Context, context_of
from gpuplanner_gui.engine.explaining.replay import explain
from gpuplanner_gui.engine.hardware.communication import all_reduce_time, fabric_of, link_rate
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import load_project

EXAMPLES = Path(__file__).parents[2] / "resources/examples"
L40S, H100, EPYC = "nvidia-l40s", "nvidia-h100-sxm-80gb", "amd-epyc-9654"
SLOTS = (None, 64e9, 32e9, 16e9, 8e9)
"""From the card's own link down; PCIe 4.0 ×16 is 31.5 GB/s."""


@pytest.fixture(scope="module")
def context() -> Context:
    return context_of(load_shipped_catalog(), load_calibration())


def on(example: str, accelerator: str, slot: float | None, **more: object) -> Scenario:
    scenario = load_project(EXAMPLES / f"{example}.gpuplan").scenarios[0]
    hardware = msgspec.structs.replace(
        scenario.hardware, accelerators=(accelerator,), host_link_bytes_per_s=slot, **more
    )
    return msgspec.structs.replace(scenario, hardware=hardware, chosen_serving="", chosen_training="")


def planned(scenario: Scenario, context: Context) -> Plan:
    return plan(scenario, context.catalog, context.calibration)


def sum_over_cards_s(context: Context, slot: float | None, size: float) -> tuple[float, float]:
    """Time on the wires of a sum over four L40S, and the share of the link that it reaches."""
    devices = context.devices.in_slots_of(slot)
    which, ranks = np.array([devices.ids.index(L40S)]), np.array([4.0])
    fabric = fabric_of(which, ranks, link_rate(which, ranks, devices), devices, context.kernels("vllm").fabrics)
    reached = float(fabric.parameters("all_reduce").efficiency_4[0])
    return float(all_reduce_time(np.array([size]), ranks, fabric).wire_s[0]), reached


def test_a_sum_over_four_cards_sends_its_bytes_over_their_slots(context):
    # 1 GB over four cards: 2 · 3/4 GB on every card's slot of 8 GB/s, of which a share is reached.
    found, reached = sum_over_cards_s(context, 8e9, 1e9)
    assert found == pytest.approx(1.5 / 8 / reached)
    own = context.catalog.accelerators[L40S].pcie.bytes_per_s_per_direction
    assert sum_over_cards_s(context, None, 1e9)[0] == pytest.approx(1.5e9 / own / reached)
    assert sum_over_cards_s(context, 4 * own, 1e9)[0] == sum_over_cards_s(context, None, 1e9)[0]


def test_processors_meet_over_their_sockets(context):
    devices, place = context.devices, context.devices.ids.index(EPYC)
    assert devices.in_slots_of(1e9).scale_up_bytes_per_s[place] == devices.scale_up_bytes_per_s[place]


def test_a_faster_slot_is_never_slower(context):
    rates, usd = [], []
    for slot in SLOTS:
        table = planned(on("70b-chat", L40S, slot), context).serving.table
        order = np.lexsort((table.kv_precision, table.weight_precision, table.pipeline_parallel, table.tensor_parallel))
        split = order[table.tensor_parallel[order] > 1]
        rates.append(np.nan_to_num(table.max_rate_per_s[split]))
        usd.append(np.nan_to_num(table.usd_per_month[split], nan=np.inf))
    assert all((less <= more * (1 + 1e-9)).all() for more, less in itertools.pairwise(rates))
    assert all((dearer >= cheaper).all() for cheaper, dearer in itertools.pairwise(usd))
    assert rates[-1].max() < 0.6 * rates[0].max()


def test_cards_on_nvlink_serve_as_before_and_load_checkpoints_slower(context):
    fast, slow = (planned(on("70b-chat", H100, slot), context).serving.table for slot in (None, 8e9))
    assert np.array_equal(fast.ttft_p95_s, slow.ttft_p95_s, equal_nan=True)
    copied = [
        np.nanmin(planned(on("7b-continued-pretraining", H100, slot), context).training.table.checkpoint_stall_s)
        for slot in (None, 8e9)
    ]
    assert copied[1] > 2 * copied[0]


def test_training_on_cards_without_a_fabric_waits_for_their_slots(context):
    fast, slow = (
        planned(on("7b-continued-pretraining", L40S, slot, training_devices=8), context).training.table
        for slot in (None, 4e9)
    )
    assert np.nanmin(slow.step_time_s) > 1.05 * np.nanmin(fast.step_time_s)


def test_why_names_the_link(context):
    scenario = on("70b-chat", L40S, 16e9)
    found = planned(scenario, context)
    table = found.serving.table
    row = int(np.flatnonzero((table.tensor_parallel == 4) & np.isfinite(table.decode_interconnect_s))[0])
    told = [explain(scenario, context.catalog, context.calibration, found, "serving", row, "decode_interconnect_s")]
    links = []
    while told:
        one = told.pop()
        links += [one] if one.name == "link_bytes_per_s" else []
        told += one.inputs
    assert [one.value for one in links] == [16e9]
    assert "PCIe" in links[0].source


@pytest.mark.parametrize(
    ("text", "rate"), [("PCIe 4.0 x8", 8 * 1.969e9), ("gen5 ×16", 16 * 3.938e9), ("PCIe gen 3 x16", 16 * 0.9846e9)]
)
def test_a_slot_is_typed_as_it_is_sold(text, rate):
    assert parse_value(text, "bytes/s") == pytest.approx(rate)
