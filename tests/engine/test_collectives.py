"""Collectives: monotone in bytes and link rate, nothing for one rank, hierarchies made of their parts."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.domain.hardware import Accelerator, Link, PeakRates
from gpuplanner_gui.engine.hardware.collectives import (
    WIRE_SHARE,
    CollectiveKind,
    CollectiveParameters,
    collective_time,
    efficiency_at,
    expert_exchange_bytes,
    held_at_port,
    latency_steps,
)
from gpuplanner_gui.engine.hardware.communication import nearest_collective
from gpuplanner_gui.engine.hardware.devices import device_table
from gpuplanner_gui.files.knowledge import load_kernel_calibration

CALIBRATION = load_kernel_calibration(
    Path(__file__).resolve().parents[2] / "catalogs" / "calibration_kernels.json"
).calibration
KINDS: list[CollectiveKind] = ["all_reduce", "all_gather", "reduce_scatter", "all_to_all", "point_to_point"]
EFFICIENCIES = ("efficiency_2", "efficiency_4", "efficiency_8")
EXCHANGES: list[CollectiveKind] = ["expert_dispatch", "expert_combine"]
PLAIN = CollectiveParameters(*(np.asarray(v) for v in (10e-6, 1e-6, 0.5, 0.5, 0.5, 0.0, 1.0)))
NVLINK_4 = Link(
    id="nvlink-4", name="NVLink 4", kind="scale_up", bytes_per_s_per_direction=450e9, hardware_latency_s=1e-6
)
IB_NDR = Link(
    id="ib-ndr-400", name="NDR", kind="scale_out", bytes_per_s_per_direction=50e9, hardware_latency_s=1.3e-6,
    collective_latency_s=15e-6, collective_efficiency=0.9,
)  # fmt: skip
H100 = Accelerator(
    id="nvidia-h100-sxm-80gb", name="H100", vendor="NVIDIA", kind="gpu", ecosystem="cuda", architecture="Hopper",
    year=2022, memory_nominal_bytes=80e9, memory_type="HBM3", memory_bandwidth_bytes_per_s=3.35e12,
    peak_dense_flop_per_s=PeakRates(bf16=989e12),
)  # fmt: skip

SHIPPED = CollectiveParameters(
    **{
        field.name: np.array([found.parameters[field.name] for found in CALIBRATION.collectives])
        for field in dataclasses.fields(CollectiveParameters)
    }
)

messages = st.floats(1, 1e10)
ranks = st.integers(2, 1024)
growth = st.floats(1, 100)


@given(messages, ranks, growth)
def test_more_bytes_never_take_less_time(message: float, count: int, factor: float) -> None:
    sizes = np.array([[message], [message * factor]])
    made = collective_time("all_reduce", sizes, np.asarray(count), np.asarray(1e11), SHIPPED).total
    assert np.all(made[1] >= made[0] * (1 - 1e-12))


@pytest.mark.parametrize("kind", [*KINDS, *EXCHANGES])
@given(messages, ranks, growth)
def test_a_faster_link_is_never_slower(kind: CollectiveKind, message: float, count: int, factor: float) -> None:
    links = np.array([1e10, 1e10 * factor])
    made = collective_time(kind, np.asarray(message), np.asarray(count), links, PLAIN).total
    assert made[1] <= made[0]


@pytest.mark.parametrize("kind", [*KINDS, *EXCHANGES])
def test_one_rank_needs_no_collective(kind: CollectiveKind) -> None:
    assert collective_time(kind, np.asarray(1e9), np.asarray(1), np.asarray(1e11), PLAIN).total == 0


def test_ring_all_reduce_by_hand() -> None:
    made = collective_time("all_reduce", np.asarray(1e9), np.asarray(4), np.asarray(1e11), PLAIN)
    assert made.total == pytest.approx(10e-6 + 2 * 1e-6 + 2 * 0.75 * 1e9 / 0.5e11)


def test_all_reduce_moves_what_its_two_halves_move() -> None:
    count = np.arange(2.0, 65.0)
    np.testing.assert_allclose(
        WIRE_SHARE["all_reduce"](count), WIRE_SHARE["reduce_scatter"](count) + WIRE_SHARE["all_gather"](count)
    )


def test_no_message_is_faster_than_its_port_unless_switches_add_up_on_the_way() -> None:
    """At eight ranks a switch that adds up spares 1 - (9/8)/(14/8) of a ring's bytes: 1.56 times its rate at most."""
    claimed = CollectiveParameters(*(np.asarray(v) for v in (1e-6, 0.0, 1.2, 1.1, 3.0, 0.0, 1.0)))
    for reduces, most in ((False, (1.0, 1.0, 1.0)), (True, (1.0, 1.1, 14 / 9))):
        held = held_at_port(claimed, reduces)
        assert [held.efficiency_2, held.efficiency_4, held.efficiency_8] == pytest.approx(list(most))


def test_measured_collectives_above_their_link_are_those_that_switches_reduce() -> None:
    above = [one for one in CALIBRATION.collectives if max(one.parameters[name] for name in EFFICIENCIES) > 1]
    assert above
    for one in above:
        assert one.reduces_on_the_way
        assert one.collective == "all_reduce"
        assert one.parameters["efficiency_8"] <= 14 / 9


def test_a_faster_claim_for_a_link_is_held_at_its_rate() -> None:
    """A calibration that says three times a link's rate: a large message still takes its bytes over the rate."""
    faster = tuple(
        msgspec.structs.replace(one, parameters=one.parameters | dict.fromkeys(EFFICIENCIES, 3.0))
        for one in CALIBRATION.collectives
    )
    claimed = msgspec.structs.replace(CALIBRATION, collectives=faster)
    found = nearest_collective(claimed, "all_gather", H100, NVLINK_4, library="nccl").parameters
    size = 1e9
    time = collective_time("all_gather", np.asarray(size), np.asarray(8.0), np.asarray(450e9), found)
    assert time.wire_s == pytest.approx(7 / 8 * size / 450e9)


def test_efficiency_passes_through_the_measured_numbers_of_ranks() -> None:
    p = CollectiveParameters(*(np.asarray(v) for v in (1, 1, 0.6, 0.7, 0.9, 1, 1)))
    np.testing.assert_allclose(efficiency_at(np.array([1, 2, 4, 8, 72]), p), [0.6, 0.6, 0.7, 0.9, 0.9])


def test_h100_all_reduce_agrees_with_published_measurements() -> None:
    """vLLM's kernel on 8 H100: 5.3 us for 16 KiB, 15 us for 1 MiB, 577 us for 128 MiB (aiconfigurator-core tables)."""
    found = nearest_collective(CALIBRATION, "all_reduce", H100, NVLINK_4, "vllm")
    assert found.level == "measured"
    made = collective_time(
        "all_reduce", np.array([2.0**14, 2.0**20, 2.0**27]), np.asarray(8), np.asarray(450e9), found.parameters
    )
    np.testing.assert_allclose(made.total, [5.3e-6, 15e-6, 577e-6], rtol=0.25)


PCIE_4 = Link(
    id="pcie", name="PCIe", kind="host_link", bytes_per_s_per_direction=31.5e9, hardware_latency_s=2e-6
)  # fmt: skip


@pytest.mark.parametrize("engine", ["vllm", "sglang", "trtllm"])
def test_over_pcie_an_untimed_device_gets_the_middle_of_the_timed_hosts(engine: str) -> None:
    """Eight ranks reach 0.06 of the link on the timed host of L40S and 0.37 on that of RTX PRO 6000."""
    ada = {"architecture": "Ada Lovelace", "form_factor": "PCIe"}
    untimed = nearest_collective(
        CALIBRATION, "all_reduce", msgspec.structs.replace(H100, id="x", **ada), PCIE_4, engine
    )
    own = nearest_collective(CALIBRATION, "all_reduce", msgspec.structs.replace(H100, id="nvidia-l40s"), PCIE_4, engine)
    assert (untimed.level, own.level) == ("relative", "measured")
    assert untimed.accelerator == "nvidia-l40s"
    assert own.parameters.efficiency_8 < 0.1
    assert untimed.parameters.efficiency_8 == pytest.approx(0.368, rel=0.02)
    assert untimed.parameters.latency_s == own.parameters.latency_s


def test_library_all_reduce_is_slower_than_the_engines_own_for_small_messages() -> None:
    own = nearest_collective(CALIBRATION, "all_reduce", H100, NVLINK_4, "vllm", "custom").parameters
    library = nearest_collective(CALIBRATION, "all_reduce", H100, NVLINK_4, "vllm", "nccl").parameters
    message, count, link = np.asarray(16384.0), np.asarray(8), np.asarray(450e9)
    assert (
        collective_time("all_reduce", message, count, link, library).total
        > 2 * collective_time("all_reduce", message, count, link, own).total
    )


def test_slots_of_another_machine_are_like_the_middle_of_the_measured_ones() -> None:
    """Eight L40S reach 2 GB/s over slots of 31.5 GB/s, other machines ten times as much: none stands for an A10."""
    pcie = Link(id="pcie", name="PCIe", kind="host_link", bytes_per_s_per_direction=31.5e9, hardware_latency_s=2e-6)
    a10 = msgspec.structs.replace(H100, id="nvidia-a10", name="A10", architecture="Ampere", year=2021)
    l40s = msgspec.structs.replace(H100, id="nvidia-l40s", name="L40S", architecture="Ada Lovelace", year=2022)
    found = nearest_collective(CALIBRATION, "all_reduce", a10, pcie, "vllm")
    own = nearest_collective(CALIBRATION, "all_reduce", l40s, pcie, "vllm")
    assert (found.level, own.level) == ("relative", "measured")
    assert own.parameters.efficiency_8 < 0.1 < found.parameters.efficiency_8 < 0.6
    assert found.log_sd > own.log_sd


def test_tokens_go_once_to_each_other_rank_that_has_an_expert_of_theirs() -> None:
    """Two ranks, one expert each: half of the tokens leave; with very many, each goes to all other ranks."""
    one = expert_exchange_bytes(*(np.asarray(v) for v in (100.0, 10.0, 2.0, 1.0, 2.0)))
    assert one == pytest.approx(100 * 10 * 2 * 0.5)
    many = expert_exchange_bytes(*(np.asarray(v) for v in (100.0, 10.0, 2.0, 1e4, 8.0)))
    assert many == pytest.approx(100 * 10 * 2 * 7)
    alone = expert_exchange_bytes(*(np.asarray(v) for v in (100.0, 10.0, 2.0, 8.0, 1.0)))
    assert alone == 0.0


def test_exchange_for_throughput_starts_later_than_the_one_for_latency() -> None:
    throughput = nearest_collective(CALIBRATION, "expert_dispatch", H100, NVLINK_4, "vllm", "deepep_ht")
    latency = nearest_collective(CALIBRATION, "expert_dispatch", H100, NVLINK_4, "vllm", "deepep_ll")
    assert throughput.level == latency.level == "measured"
    assert throughput.parameters.latency_s > latency.parameters.latency_s


def test_a_network_goes_by_its_own_figures() -> None:
    found = nearest_collective(CALIBRATION, "all_reduce", H100, IB_NDR)
    assert found.level == "specification"
    made = collective_time("all_reduce", np.asarray(1e9), np.asarray(2), np.asarray(50e9), found.parameters)
    assert made.total == pytest.approx(15e-6 + 1e9 / 45e9)


def test_latency_grows_rank_by_rank_and_then_with_the_logarithm() -> None:
    assert latency_steps(np.array([1.0, 2.0, 5.0, 8.0])).tolist() == [0.0, 0.0, 3.0, 6.0]
    # Beyond eight each doubling adds as much as four ranks did.
    assert latency_steps(np.array([16.0, 64.0])).tolist() == [10.0, 18.0]


def test_no_device_sends_more_than_its_share_of_a_nodes_ports(catalog) -> None:
    """An L4 states 100 Gb/s; eight of them stand behind two ports of 100 Gb/s, 3.1 GB/s each. H100 SXM has its own."""
    devices = device_table(catalog)
    rate = dict(zip(devices.ids, devices.scale_out_bytes_per_s, strict=True))
    assert catalog.accelerators["nvidia-l4"].scale_out_bytes_per_s == 12.5e9
    assert rate["nvidia-l4"] == pytest.approx(2 * 12.5e9 / 8)
    assert rate["nvidia-h100-sxm-80gb"] == 50e9
