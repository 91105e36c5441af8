"""The way of a prompt's cache from the pool that prefills to the one that decodes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.explaining.formula import formula, leaf
from gpuplanner_gui.engine.hardware.communication import UNKNOWN_LINK_BYTES_PER_S
from gpuplanner_gui.engine.hardware.devices import DeviceTable
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.deployments import Deployments


@formula(
    title="Transfer of a prompt's cache",
    unit="s",
    expression="cache_bytes / (sending_devices · link_bytes_per_s)",
    source="every device of the worker that prefills sends its part over its own link",
)
def cache_transfer_s(cache_bytes: Floats, sending_devices: Floats, link_bytes_per_s: Floats) -> Floats:
    """Time on the link between two pools. [s]"""
    return np.asarray(cache_bytes / (sending_devices * link_bytes_per_s))


def link_between_bytes_per_s(devices: DeviceTable, candidates: ServingCandidates) -> Floats:
    """Rate of each device's way to the other pool: the scale-up fabric where it holds a whole unit, beyond a bridge the
    host's PCIe, else the network.

    An unstated number of workers counts as one of each.
    """
    who = candidates.accelerator
    first = candidates.prefill_tensor_parallel * candidates.prefill_data_parallel
    whole = first * np.maximum(candidates.prefill_workers, 1)
    whole = whole + candidates.worker_devices * np.maximum(candidates.decode_workers, 1)
    beyond = np.where(whole <= devices.together[who], devices.host_bytes_per_s[who], devices.scale_out_bytes_per_s[who])
    rate = np.where(whole <= devices.scale_up_domain[who], devices.scale_up_bytes_per_s[who], beyond)
    known: Floats = np.where(np.isnan(rate), UNKNOWN_LINK_BYTES_PER_S, rate)
    source = "catalogue: accelerator; its fabric where that holds both pools, else its network"
    marked: Floats = leaf(known, "link_bytes_per_s", "bytes/s", source)
    return marked


def prompt_transfer_s(candidates: ServingCandidates, prefill: Deployments, tokens: float) -> Floats:
    """Time that a prompt's cache takes to the pool that decodes. [s]

    Devices that hold the same part of it (latent vectors, KV heads on several) send one copy between them.
    """
    held = prefill.cache_bytes_per_sequence(tokens)
    whole = replace(
        prefill, replica=replace(prefill.replica, layout=replace(prefill.layout, tensor_parallel=np.ones(len(prefill))))
    ).cache_bytes_per_sequence(tokens)
    sending = np.maximum(whole / np.maximum(held, 1.0), 1.0)
    return cache_transfer_s(
        leaf(whole, "cache_bytes", "bytes", "model: cache of a mean prompt"),
        leaf(sending, "sending_devices", "devices", "devices of a worker with parts of their own"),
        link_between_bytes_per_s(prefill.replica.devices, candidates),
    )
