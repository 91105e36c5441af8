"""Pipelines, servers, formats and places of state in training flags: each as planned, or the launcher is refused."""

from __future__ import annotations

import pytest

from gpuplanner_gui.domain.training_workload import Parallelism
from tests.engine.handoff.training_flags import flags_and_table


@pytest.mark.parametrize(
    ("devices", "tensor", "servers", "each"), [(12, 1, 2, 6), (20, 1, 4, 5), (20, 4, 5, 4), (10, 2, 5, 2)]
)
def test_as_many_processes_start_as_devices_are_planned(
    catalog, calibration, llama_8b, devices: int, tensor: int, servers: int, each: int
):
    """Every server starts as many processes, and tensor-parallel groups stay on one; 8 on each of 2 were 16 for 12."""
    flags, *_ = flags_and_table(
        catalog, calibration, llama_8b, devices=devices, parallelism=Parallelism(tensor=tensor, pipeline=1),
        global_batch_tokens=devices * 4096,
    )  # fmt: skip
    assert f"torchrun --nnodes {servers} --nproc-per-node {each} " in flags


def test_cards_in_slots_stand_eight_to_a_server(catalog, calibration, llama_8b):
    """H100 PCIe: an NVLink bridge joins two cards, a host holds eight. It was 8 servers of 2."""
    layout = Parallelism(tensor=1, pipeline=1)
    flags, *_ = flags_and_table(
        catalog, calibration, llama_8b, devices=16, accelerator="nvidia-h100-pcie-80gb", parallelism=layout
    )
    assert "torchrun --nnodes 2 --nproc-per-node 8 " in flags
