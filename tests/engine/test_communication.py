"""Links of a replica and collectives over them: none for one device, slower across domains, monotone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.hardware.collectives import collective_time
from gpuplanner_gui.engine.hardware.communication import (
    UNKNOWN_LINK_BYTES_PER_S,
    all_reduce_time,
    exchange_time_s,
    fabric_of,
    gather_and_scatter_time_s,
    link_rate,
    link_within,
)
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration

CONTEXT = Context(load_shipped_catalog(), load_calibration())
H100 = CONTEXT.devices.ids.index("nvidia-h100-sxm-80gb")
DECODE = np.array([False])


def fabric(*accelerators: int, engine: str = "vllm", ranks: float = 1.0):
    which, together = np.array(accelerators, np.int64), np.array(ranks)
    links = link_rate(which, together, CONTEXT.devices)
    return fabric_of(which, together, links, CONTEXT.devices, CONTEXT.kernels(engine).fabrics)


def all_reduce(message_bytes: float, ranks: float) -> float:
    return float(all_reduce_time(np.array([message_bytes]), np.array([ranks]), fabric(H100)).total[0])


def test_one_device_sends_nothing():
    one = np.ones(1)
    assert all_reduce(1e9, 1.0) == 0
    assert gather_and_scatter_time_s(1e9 * one, one, fabric(H100)) == 0
    assert exchange_time_s(64 * one, 7168.0, 8.0, one, 1.0, fabric(H100), DECODE) == 0


def test_large_sum_over_a_domain_runs_near_its_links():
    # 1 GB over 8 devices: 2 · 7/8 GB on every wire at 450 GB/s takes 3.9 ms; switches that add save some.
    assert all_reduce(1e9, 8.0) == pytest.approx(3.9e-3, rel=0.3)


@pytest.mark.parametrize("ranks", [1.0, 2.0, 8.0, 32.0])
def test_what_is_not_on_the_wires_hardly_grows_with_the_message(ranks):
    small, large = (
        all_reduce(message, ranks)
        - float(all_reduce_time(np.array([message]), np.array([ranks]), fabric(H100)).wire_s[0])
        for message in (1e4, 1e10)
    )
    assert 0 <= small <= large <= 1e-3


def test_slots_of_eight_old_cards_carry_a_sum_at_some_gigabytes_per_second():
    v100 = CONTEXT.devices.ids.index("nvidia-v100s-pcie-32gb")
    # 16 KiB of one sequence put 28.7 kB on each wire: 2 us at the slot's full 15.75 GB/s, rings reach a third to half.
    more_s = np.diff(
        [float(all_reduce_time(np.array([2.0**14 * n]), np.array([8.0]), fabric(v100)).total[0]) for n in (64, 65)]
    )
    assert 2e-6 < float(more_s[0]) < 8e-6


@pytest.mark.parametrize("name", ["nvidia-rtx-3090", "nvidia-a100-pcie-80gb", "nvidia-h100-nvl-94gb"])
def test_beyond_a_bridge_cards_sum_over_their_slots_not_over_a_network(name):
    """Two cards have their bridge; four of one host sum like cards without one, in any case faster than hosts do."""
    card = CONTEXT.devices.ids.index(name)
    message, four = np.array([2.0**22]), np.array([4.0])
    over_slots = all_reduce_time(message, four, fabric(card, ranks=4.0))
    slots = fabric(card, ranks=4.0)
    assert slots.link_bytes_per_s == CONTEXT.devices.host_bytes_per_s[card]
    assert (over_slots.latency_s < 20e-6).all()
    bridged = all_reduce_time(message, np.array([2.0]), fabric(card, ranks=2.0))
    assert (bridged.total < over_slots.total).all()
    assert (all_reduce_time(message, np.array([16.0]), fabric(card, ranks=16.0)).total > over_slots.total).all()


def test_beyond_the_domain_is_slower_than_within():
    assert all_reduce(1e8, 16.0) > 1.5 * all_reduce(1e8, 8.0)


@given(st.floats(1e3, 1e9), st.sampled_from([2.0, 4.0, 8.0, 16.0, 64.0]), st.floats(1.0, 8.0))
def test_more_bytes_and_more_domains_never_take_less(message_bytes, ranks, more):
    assert all_reduce(more * message_bytes, ranks) >= all_reduce(message_bytes, ranks)
    if ranks >= 8:
        assert all_reduce(message_bytes, 2 * ranks) >= all_reduce(message_bytes, ranks)


@given(st.floats(1.0, 4096.0), st.floats(1.0, 4.0), st.sampled_from([2.0, 8.0, 32.0]), st.booleans())
def test_exchange_grows_with_tokens_and_width(tokens, more, ranks, is_bulk):
    def time_s(count: float, sent_bytes: float) -> float:
        return float(
            exchange_time_s(
                np.array([count]), 7168.0, 8.0, np.array([ranks]), sent_bytes, fabric(H100), np.array([is_bulk])
            )[0]
        )

    assert 0 < time_s(tokens, 1.0) <= time_s(tokens * more, 1.0)
    assert time_s(tokens, 1.0) <= time_s(tokens, 2.0)


def test_devices_without_a_stated_link_get_a_slow_one():
    rates = np.isnan(CONTEXT.devices.scale_up_bytes_per_s)
    without = np.flatnonzero(rates)
    assert len(without)
    assert fabric(*without).link_bytes_per_s == pytest.approx(UNKNOWN_LINK_BYTES_PER_S)


def test_the_link_within_a_domain_is_its_fabrics_else_pcie():
    accelerators, links = CONTEXT.catalog.accelerators, CONTEXT.catalog.links
    h100 = accelerators["nvidia-h100-sxm-80gb"]
    assert link_within(h100, links).bytes_per_s_per_direction == pytest.approx(450e9)
    alone = next(one for one in accelerators.values() if one.scale_up is None and one.pcie)
    assert link_within(alone, links).kind == "host_link"
    assert link_within(alone, links).bytes_per_s_per_direction == alone.pcie.bytes_per_s_per_direction


def test_some_candidates_keep_their_own_links():
    both = fabric(H100, 0)
    assert both.at(np.array([0])).link_bytes_per_s == fabric(H100).link_bytes_per_s


def test_gathering_and_scattering_take_both_their_times():
    ranks, message = np.array([8.0]), np.array([1e9])
    links = fabric(H100)
    parts = [
        collective_time(kind, message, ranks, links.link_bytes_per_s, links.parameters(kind)).total
        for kind in ("all_gather", "reduce_scatter")
    ]
    assert gather_and_scatter_time_s(message, ranks, links) == pytest.approx(parts[0] + parts[1])
    assert min(parts) > 1e9 * 7 / 8 / 450e9
