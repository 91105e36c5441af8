"""Parts of a training step as formulas: compute, memory traffic, exchanges, bubble, host and input."""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.training.communication import exposed_s


@formula(
    title="Efficiency of the kernels",
    unit="",
    expression="layer_flop · passes / (kernel_s · peak_flop_per_s)",
    source="measured kernels of this or a related device (kernel calibration), at these shapes",
)
def kernel_efficiency(layer_flop: Floats, passes: Floats, kernel_s: Floats, peak_flop_per_s: Floats) -> Floats:
    """Share of the peak that measured kernels reach. [1]"""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(kernel_s > 0, layer_flop * passes / (kernel_s * peak_flop_per_s), 1.0)


@formula(
    title="Compute of a pass on the slowest stage",
    unit="s",
    expression="(stage_share · layer_flop · passes / (peak_flop_per_s · efficiency) + head_s)"
    " / (sustained · framework_share · thermal_derate · slow_device_share)",
    source="Kaplan et al. 2020, section 2.1: the backward pass takes twice the forward's FLOPs",
)
def stage_compute_s(
    stage_share: Floats,
    layer_flop: Floats,
    passes: Floats,
    peak_flop_per_s: Floats,
    efficiency: Floats,
    head_s: Floats,
    sustained: Floats,
    framework_share: float,
    thermal_derate: Floats,
    slow_device_share: Floats,
) -> Floats:
    """Computing time of one micro-batch, forward, backward and recomputation. [s]

    `passes` counts forward-sized passes: 3 for a trained model, 4 with full recomputation. `head_s` is the kernels'
    time of the output matrix where the slowest stage holds it.
    """
    layers = stage_share * layer_flop * passes / (peak_flop_per_s * efficiency)
    return (layers + head_s) / (sustained * framework_share * thermal_derate * slow_device_share)


@formula(
    title="Memory traffic of a pass on the slowest stage",
    unit="s",
    expression="(stage_share · (kernels_s + moved_s) + head_s) / (sustained · slow_device_share)",
    source="measured kernels: the part bound by memory and launch floors; norms, casts, gradients added up",
)
def stage_bandwidth_s(
    stage_share: Floats,
    kernels_s: Floats,
    moved_s: Floats,
    head_s: Floats,
    sustained: float,
    slow_device_share: Floats,
) -> Floats:
    """Time of one micro-batch that memory traffic takes beyond computing. [s]"""
    return (stage_share * (kernels_s + moved_s) + head_s) / (sustained * slow_device_share)


@formula(
    title="Compute of a step",
    unit="s",
    expression="micro_batches · pass_compute_s",
    source="every micro-batch passes the slowest stage",
)
def step_compute_s(micro_batches: Floats, pass_compute_s: Floats) -> Floats:
    """Computing time of all micro-batches. [s]"""
    return micro_batches * pass_compute_s


@formula(
    title="Memory traffic of a step",
    unit="s",
    expression="micro_batches · pass_bandwidth_s + optimizer_bytes / (memory_bandwidth_bytes_per_s · sustained)",
    source="the optimizer reads and writes its state once per step",
)
def step_bandwidth_s(
    micro_batches: Floats,
    pass_bandwidth_s: Floats,
    optimizer_bytes: Floats,
    memory_bandwidth_bytes_per_s: Floats,
    sustained: float,
) -> Floats:
    """Time bound by memory traffic, the update included. [s]"""
    return micro_batches * pass_bandwidth_s + optimizer_bytes / (memory_bandwidth_bytes_per_s * sustained)


@formula(
    title="Traffic of the optimizer",
    unit="bytes",
    expression="2 · kept_bytes + gradient_bytes + weight_bytes",
    source="master weights and moments are read and written, gradients read, weights written",
)
def optimizer_bytes(kept_bytes: Floats, gradient_bytes: Floats, weight_bytes: Floats) -> Floats:
    """Bytes that the update moves on one device, of the parameters that it updates. [bytes]"""
    return 2.0 * kept_bytes + gradient_bytes + weight_bytes


@formula(
    title="Update on the host",
    unit="s",
    expression="moved_bytes / link_bytes_per_s + 2 · kept_bytes / update_bytes_per_s",
    source="Ren et al. 2021, ZeRO-Offload, section 4: gradients go down, weights come up, state stays",
)
def offloaded_update_s(
    moved_bytes: Floats, link_bytes_per_s: Floats, kept_bytes: Floats, update_bytes_per_s: float
) -> Floats:
    """Time of an update whose state lives beside the host. [s]"""
    return moved_bytes / link_bytes_per_s + 2.0 * kept_bytes / update_bytes_per_s


@formula(
    title="Streaming from the host",
    unit="s",
    expression="streamed_bytes / link_bytes_per_s",
    source="Rajbhandari et al. 2021, ZeRO-Infinity, section 5: offloaded state passes the link in every pass",
)
def streamed_s(streamed_bytes: Floats, link_bytes_per_s: Floats) -> Floats:
    """Time on the link to the host for one micro-batch, hidden behind its computing as far as that goes. [s]"""
    return streamed_bytes / link_bytes_per_s


@formula(
    title="Tensor-parallel communication",
    unit="s",
    expression="micro_batches · max(e · (1 − overlap), e − pass_s), e = all_reduces · 2 · half_exchange_s",
    source="Shoeybi et al. 2019, section 3: four all-reduces per layer, two more with full recomputation",
)
def tensor_communication_s(
    micro_batches: Floats, all_reduces: Floats, half_exchange_s: Floats, overlap: float, pass_s: Floats
) -> Floats:
    """Waiting time for sums over tensor-parallel devices; sequence parallelism sends the same bytes. [s]

    `pass_s` is a micro-batch's time on the device, here and below: no exchange hides behind more than that.
    """
    return micro_batches * exposed_s(all_reduces * 2.0 * half_exchange_s, pass_s, 1.0 - overlap)


@formula(
    title="Pipeline communication",
    unit="s",
    expression="micro_batches · max(e · (1 − overlap), e − pass_s), e = 2 · virtual_stages · send_s",
    source="Narayanan et al. 2021, section 2.2: each micro-batch crosses each boundary forward and back",
)
def pipeline_communication_s(
    micro_batches: Floats,
    virtual_stages: Integers,
    send_s: Floats,
    pipeline_parallel: Integers,
    overlap: float,
    pass_s: Floats,
) -> Floats:
    """Waiting time for activations from neighbouring stages. [s]"""
    shown = exposed_s(2.0 * virtual_stages * send_s, pass_s, 1.0 - overlap)
    return np.where(pipeline_parallel > 1, micro_batches * shown, 0.0)


@formula(
    title="Expert and context communication",
    unit="s",
    expression="micro_batches · (max(e · (1 − overlap), e − pass_s) + ring_exposed_s), e = all_to_alls · all_to_all_s",
    source="dispatch and combine, forward and backward; keys and values travel the ring "
    "(docs/derivations/training.md#communication)",
)
def expert_communication_s(
    micro_batches: Floats,
    all_to_alls: Floats,
    all_to_all_s: Floats,
    ring_exposed_s: Floats,
    overlap: Floats | float,
    pass_s: Floats,
) -> Floats:
    """Waiting time for tokens sent to their experts, and for context parallelism. [s]"""
    return micro_batches * (exposed_s(all_to_alls * all_to_all_s, pass_s, 1.0 - overlap) + ring_exposed_s)


@formula(
    title="Pipeline bubble",
    unit="s",
    expression="(pipeline_parallel − 1) / virtual_stages · idle_share · slot_s",
    source="Narayanan et al. 2021, section 2.2; zero bubble (idle_share 1/3): Qi et al. 2024, section 2",
)
def bubble_s(pipeline_parallel: Integers, virtual_stages: Integers, idle_share: Floats, slot_s: Floats) -> Floats:
    """Time that a stage waits while the pipeline fills and drains. [s]"""
    return (pipeline_parallel - 1) / virtual_stages * idle_share * slot_s


@formula(
    title="Host and launch",
    unit="s",
    expression="micro_batches · max(0, launch_s − device_s, streamed_s − device_s) + step_host_s + offload_s",
    source="kernels wait where the host launches or feeds them more slowly than they run, or updates for them",
)
def host_s(
    micro_batches: Floats, launch_s: Floats, streamed_s: Floats, device_s: Floats, step_host_s: float, offload_s: Floats
) -> Floats:
    """Time that devices wait for their host. [s]"""
    late = np.maximum(0.0, np.maximum(launch_s, streamed_s) - device_s)
    return micro_batches * late + step_host_s + offload_s


@formula(
    title="Waiting for data",
    unit="s",
    expression="max(0, tokens_per_step / input_tokens_per_s − step_s)",
    source="the input pipeline prefetches; what it cannot deliver in time stops the step",
)
def input_wait_s(tokens_per_step: Floats, input_tokens_per_s: Floats, step_s: Floats) -> Floats:
    """Time that devices wait for samples. [s]"""
    return np.maximum(0.0, tokens_per_step / input_tokens_per_s - step_s)


@formula(
    title="Step time",
    unit="s",
    expression="compute + bandwidth + tensor + data + pipeline + expert communication + bubble + host + input",
    source="sum of the parts, of the slowest stage",
)
def step_total_s(
    compute_s: Floats,
    bandwidth_s: Floats,
    tensor_communication_s: Floats,
    data_communication_s: Floats,
    pipeline_communication_s: Floats,
    expert_communication_s: Floats,
    bubble_s: Floats,
    host_s: Floats,
    input_s: Floats,
) -> Floats:
    """Seconds between two updates. [s]"""
    computing = compute_s + bandwidth_s + bubble_s + host_s + input_s
    return computing + (
        tensor_communication_s + data_communication_s + pipeline_communication_s + expert_communication_s
    )
