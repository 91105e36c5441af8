"""Feeding accelerators and saving their state: the stages of data input, checkpoint sizes and times."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.engine.explaining.formula import formula

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
    title="Checkpoint size",
    unit="bytes",
    expression="parameters·bytes_per_parameter",
    source="MLPerf Storage v2 checkpoint sizes: 14 bytes of weights, master weights and Adam moments",
)
def checkpoint_bytes(parameters: Values, bytes_per_parameter: Values) -> Values:
    """Size of one checkpoint; gradients are not saved. [bytes]"""
    return parameters * bytes_per_parameter


@formula(
    title="Checkpoint storage",
    unit="bytes",
    expression="(kept + 1) · checkpoint_bytes",
    source="the oldest goes once the next is written whole",
)
def checkpoint_storage_bytes(kept: Values, checkpoint_bytes: Values) -> Values:
    """Capacity for the checkpoints that a run keeps, and the one being written. [bytes]"""
    return (kept + 1) * checkpoint_bytes


@formula(
    title="Checkpoint time",
    unit="s",
    expression="checkpoint_bytes / bytes_per_s",
    source="size over rate",
)
def checkpoint_write_s(checkpoint_bytes: Values, bytes_per_s: Values) -> Values:
    """Time to write, or read, one checkpoint. [s]"""
    return checkpoint_bytes / bytes_per_s
