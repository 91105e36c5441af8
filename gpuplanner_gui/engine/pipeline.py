"""Feeding accelerators and saving their state: the stages of data input, checkpoint sizes and times."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.engine.formula import formula

Values = float | NDArray[np.floating[Any]]


@dataclass(frozen=True)
class InputStages:
    """Samples per second that each stage between storage and accelerators can carry. [1/s]

    Infinite for a stage that a workload does not use.
    """

    storage: Values
    network: Values
    preprocessing: Values
    device_link: Values
    """Copy from host memory to the devices."""

    def stacked(self) -> NDArray[np.float64]:
        """Stages on the first axis, in the order of `STAGES`."""
        return np.stack(np.broadcast_arrays(*(np.asarray(getattr(self, name), float) for name in STAGES)))


STAGES = tuple(field.name for field in fields(InputStages))


@dataclass(frozen=True)
class StageShortage:
    """What each stage lacks to keep the accelerators busy; 0 where it suffices."""

    storage_bytes_per_s: NDArray[np.float64]
    network_bytes_per_s: NDArray[np.float64]
    preprocessing_cores: NDArray[np.float64]
    device_link_bytes_per_s: NDArray[np.float64]


@formula(
    title="Rate of each input stage",
    unit="1/s",
    expression="bytes per second / bytes per sample; cores·samples per core-second",
    source="each stage alone",
)
def input_stages(
    stored_bytes_per_sample: Values,
    prepared_bytes_per_sample: Values,
    storage_bytes_per_s: Values,
    network_bytes_per_s: Values,
    cores: Values,
    samples_per_core_s: Values,
    device_link_bytes_per_s: Values,
) -> InputStages:
    """What each stage could carry if the others were endless.

    Parameters
    ----------
    stored_bytes_per_sample : as read from storage and sent over the network. [bytes]
    prepared_bytes_per_sample : as copied to the device. [bytes]
    storage_bytes_per_s, network_bytes_per_s, device_link_bytes_per_s : of the whole job. [bytes/s]
    cores : CPU cores that preprocess. [1]
    samples_per_core_s : rate of one core. [1/s]
    """
    with np.errstate(divide="ignore"):
        # Samples of no bytes hold nothing up: the rate of those stages is infinite.
        return InputStages(
            np.true_divide(storage_bytes_per_s, stored_bytes_per_sample),
            np.true_divide(network_bytes_per_s, stored_bytes_per_sample),
            cores * samples_per_core_s,
            np.true_divide(device_link_bytes_per_s, prepared_bytes_per_sample),
        )


@formula(
    title="Input rate",
    unit="1/s",
    expression="min(storage, network, preprocessing, device link)",
    source="stages in series: the slowest sets the rate",
)
def input_rate(stages: InputStages) -> NDArray[np.float64]:
    """Samples per second that reach the accelerators. [1/s]"""
    slowest: NDArray[np.float64] = stages.stacked().min(axis=0)
    return slowest


@formula(
    title="Sample rate that the accelerators ask for",
    unit="1/s",
    expression="devices·samples_per_device_s",
    source="rate with data at hand",
)
def demanded_rate(devices: Values, samples_per_device_s: Values) -> Values:
    """Samples per second that keep all devices busy. [1/s]"""
    return devices * samples_per_device_s


@formula(
    title="Accelerator use that the input allows",
    unit="1",
    expression="min(1, input_rate / demanded_rate)",
    source="devices wait for data that comes too slowly",
)
def input_bound_utilisation(input_rate: Values, demanded_rate: Values) -> NDArray[np.float64]:
    """Share of time that devices have data to work on; below 1 more devices do not help. [1]"""
    return np.minimum(1.0, np.asarray(input_rate, float) / demanded_rate)


def limiting_stage(stages: InputStages) -> NDArray[np.int64]:
    """Which stage is the slowest, as an index into `STAGES`."""
    slowest: NDArray[np.int64] = stages.stacked().argmin(axis=0)
    return slowest


@formula(
    title="CPU cores to keep accelerators fed",
    unit="1",
    expression="⌈demanded_rate / samples_per_core_s⌉",
    source="preprocessing alone",
)
def cores_needed(demanded_rate: Values, samples_per_core_s: Values) -> NDArray[np.float64]:
    """Whole cores that preprocess as fast as the devices consume. [1]"""
    # A quotient that is whole but for rounding must not cost a core.
    cores: NDArray[np.float64] = np.ceil(np.asarray(demanded_rate, float) / samples_per_core_s - 1e-9)
    return cores


def stage_shortage(
    stages: InputStages,
    demanded_rate: Values,
    stored_bytes_per_sample: Values,
    prepared_bytes_per_sample: Values,
    samples_per_core_s: Values,
) -> StageShortage:
    """How much of each stage must be added so that the input no longer limits."""
    missing = np.maximum(0.0, demanded_rate - stages.stacked())
    storage, network, preprocessing, device_link = missing
    return StageShortage(
        storage * stored_bytes_per_sample,
        network * stored_bytes_per_sample,
        np.ceil(preprocessing / samples_per_core_s - 1e-9),
        device_link * prepared_bytes_per_sample,
    )


@formula(
    title="Checkpoint size",
    unit="bytes",
    expression="parameters·bytes_per_parameter",
    source="MLPerf Storage v2 checkpoint sizes: 14 bytes of weights, master weights and Adam moments",
)
def checkpoint_bytes(parameters: Values, bytes_per_parameter: Values) -> Values:
    """Size of one checkpoint; gradients are not saved. [bytes]"""
    return parameters * bytes_per_parameter


@formula(
    title="Checkpoint write rate",
    unit="bytes/s",
    expression="min(storage, nodes·network per node, devices·link per device)",
    source="stages in series",
)
def checkpoint_bytes_per_s(
    storage_bytes_per_s: Values,
    nodes: Values,
    network_bytes_per_s_per_node: Values,
    devices: Values,
    link_bytes_per_s_per_device: Values,
) -> NDArray[np.float64]:
    """Rate at which all devices together write, limited by storage, network or the way to the host. [bytes/s]"""
    devices_rate = devices * np.asarray(link_bytes_per_s_per_device, float)
    return np.minimum(np.minimum(storage_bytes_per_s, nodes * network_bytes_per_s_per_node), devices_rate)


@formula(
    title="Checkpoint time",
    unit="s",
    expression="checkpoint_bytes / bytes_per_s",
    source="size over rate",
)
def checkpoint_write_s(checkpoint_bytes: Values, bytes_per_s: Values) -> Values:
    """Time to write, or read, one checkpoint. [s]"""
    return checkpoint_bytes / bytes_per_s


@formula(
    title="Storage rate for a share of stall",
    unit="bytes/s",
    expression="checkpoint_bytes / (stall_share·interval_s)",
    source="time of a blocking write over the interval",
)
def storage_bytes_per_s_for_stall(checkpoint_bytes: Values, stall_share: Values, interval_s: Values) -> Values:
    """Write rate that keeps blocking checkpoints within a share of the time. [bytes/s]"""
    return checkpoint_bytes / (stall_share * interval_s)


@formula(
    title="Checkpoint capacity",
    unit="bytes",
    expression="checkpoint_bytes·retained·replication",
    source="copies held",
)
def checkpoint_capacity_bytes(checkpoint_bytes: Values, retained: Values, replication: Values) -> Values:
    """Storage that the retained checkpoints take, `replication` counting each copy or its parity. [bytes]"""
    return checkpoint_bytes * retained * replication
