"""Feeding accelerators and saving their state: stages of data input, sizes and times of checkpoints."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.training_calibration import SampleData
from gpuplanner_gui.domain.training_workload import DataPipeline, TrainingWorkload
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.explaining.formula import formula, leaf
from gpuplanner_gui.engine.hardware.devices import OF_HOST_LINK
from gpuplanner_gui.engine.training.layouts import TrainingLayouts
from gpuplanner_gui.engine.training.model_numbers import sample_tokens
from gpuplanner_gui.engine.training.work import Equipment

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
    source="rate of each stage alone",
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
    expression="parameters·bytes_per_parameter + frozen_bytes",
    source="MLPerf Storage v2 checkpoint sizes: 14 bytes of weights, master weights and Adam moments; what is frozen is"
    " written with the model",
)
def checkpoint_bytes(parameters: Values, bytes_per_parameter: Values, frozen_bytes: Values = 0.0) -> Values:
    """Size of one checkpoint; gradients are not saved. [bytes]"""
    return parameters * bytes_per_parameter + frozen_bytes


@formula(
    title="Checkpoint storage",
    unit="bytes",
    expression="(kept + 1) · checkpoint_bytes",
    source="the oldest is deleted once the next one is complete",
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


LEAST_FED_SHARE = 1e-9
"""Least share of a step in which devices work, however long they wait for data."""
NEVER = float("inf")
"""Rate of a stage that holds nothing up."""


@dataclass(frozen=True)
class Feeding:
    """What keeps the devices of layouts fed; one entry per layout."""

    bytes_per_s: Floats
    reads_per_s: Floats
    cores: Floats


@formula(
    title="Tokens that the steps consume",
    unit="tok/s",
    expression="tokens_per_step / (step_time_s − input_s)",
    source="rate of steps that never wait for data",
)
def wanted_tokens_per_s(tokens_per_step: float, step_time_s: Floats, input_s: Floats) -> Floats:
    """Rate at which data must come for the devices not to wait. [tok/s]"""
    # What is left beside waiting for years is not known to the last digit, but it is something.
    return tokens_per_step / np.maximum(step_time_s - input_s, LEAST_FED_SHARE * step_time_s)


@formula(title="Data read", unit="bytes/s", expression="tokens_per_s · bytes_per_token", source="size times rate")
def data_bytes_per_s(tokens_per_s: Floats, bytes_per_token: float) -> Floats:
    """What storage must deliver. [bytes/s]"""
    return tokens_per_s * bytes_per_token


@formula(title="Reads", unit="1/s", expression="tokens_per_s / tokens_per_read", source="rate over size")
def data_reads_per_s(tokens_per_s: Floats, tokens_per_read: float) -> Floats:
    """Reads that storage must answer. [1/s]"""
    return tokens_per_s / tokens_per_read


@formula(
    title="Cores for data",
    unit="",
    expression="tokens_per_s / tokens_per_s_per_core",
    source="a core's own rate",
)
def data_cores(tokens_per_s: Floats, tokens_per_s_per_core: float) -> Floats:
    """CPU cores, on all hosts together, that must prepare data. [1]"""
    return tokens_per_s / tokens_per_s_per_core


@formula(
    title="Rate of storage",
    unit="bytes/s",
    expression="min(read_bytes_per_s, reads_per_s · tokens_per_read · bytes_per_token)",
    source="a store is limited by bytes or, for small reads, by operations",
)
def storage_bytes_per_s(
    read_bytes_per_s: float, reads_per_s: float, tokens_per_read: float, bytes_per_token: float
) -> Floats:
    """What storage delivers in reads of this size. [bytes/s]"""
    if not bytes_per_token > 0:
        return np.asarray(read_bytes_per_s)
    return np.asarray(np.minimum(read_bytes_per_s, reads_per_s * tokens_per_read * bytes_per_token))


OF_DATA = "scenario: data pipeline; of pictures and sound what the training calibration knows of a sample"
AUDIO_WINDOW_S = 30.0
"""Sound that an audio encoder of fixed length sees at once (Whisper)."""


def data_of(training: TrainingWorkload, model: Model, context: Context) -> DataPipeline:
    """A job's data with bytes and preparing per token of what its model is trained on: those of text as they are
    stated, those of pictures and sound from their samples, stated or as they usually are."""
    data, known = training.data, context.calibration.training.sample_data
    tokens = sample_tokens(model, training.sequence_length)
    usual = _usual_sample(model, known) if known else None
    if usual is None:
        return data
    size = usual[0] if data.bytes_per_sample is None else central(data.bytes_per_sample)
    rate = usual[1] if data.samples_per_s_per_core is None else central(data.samples_per_s_per_core)
    return msgspec.structs.replace(
        data, bytes_per_token=size / tokens, preprocessing_tokens_per_s_per_core=rate * tokens
    )


def _usual_sample(model: Model, known: SampleData) -> tuple[float, float] | None:
    """Stored bytes of a sample, and samples per second that a core prepares; None for text."""
    training = model.sample_training
    if training is not None and training.prepared_bytes:
        return training.prepared_bytes, known.prepared_bytes_per_s_per_core / training.prepared_bytes
    if model.kind in ("cnn", "diffusion", "vision_transformer"):
        pixels = model.sample_pixels * max(model.sample_frames, 1)
        size = max(known.picture_bytes, known.picture_bytes_per_pixel * pixels)
        return size, known.picture_bytes_per_s_per_core / size
    if model.kind == "encoder_decoder" and model.encoder_tokens:
        return AUDIO_WINDOW_S * known.audio_bytes_per_s, known.audio_s_per_s_per_core / AUDIO_WINDOW_S
    return None


def tokens_per_read(data: DataPipeline, sequence_tokens: int) -> float:
    """Tokens that one read of storage brings: a sequence where the scenario does not say. [tok]"""
    each = central(data.bytes_per_token)
    if data.bytes_per_read is None or each <= 0:
        return float(sequence_tokens)
    return central(data.bytes_per_read) / each


def feeding(
    data: DataPipeline, sequence_tokens: int, tokens_per_step: float, step_time_s: Floats, input_s: Floats
) -> Feeding:
    """Bytes, reads and cores that layouts ask for."""
    tokens = wanted_tokens_per_s(tokens_per_step, step_time_s, input_s)
    each = leaf(central(data.bytes_per_token), "bytes_per_token", "bytes/tok", OF_DATA)
    read = leaf(tokens_per_read(data, sequence_tokens), "tokens_per_read", "tok", "scenario: bytes per read")
    core = leaf(central(data.preprocessing_tokens_per_s_per_core), "tokens_per_s_per_core", "tok/s", OF_DATA)
    return Feeding(data_bytes_per_s(tokens, each), data_reads_per_s(tokens, read), data_cores(tokens, core))


def input_tokens_per_s(
    data: DataPipeline, sequence_tokens: int, layouts: TrainingLayouts, equipment: Equipment
) -> Floats:
    """Tokens per second that storage, adapters, cores and the link to the devices can deliver. [tok/s]"""
    who, devices = layouts.accelerator, layouts.devices
    each = leaf(central(data.bytes_per_token), "stored_bytes_per_sample", "bytes/tok", OF_DATA)
    reads = NEVER if data.storage_reads_per_s is None else central(data.storage_reads_per_s)
    storage = storage_bytes_per_s(
        leaf(central(data.storage_read_bytes_per_s), "read_bytes_per_s", "bytes/s", OF_DATA),
        leaf(reads, "reads_per_s", "1/s", OF_DATA),
        leaf(tokens_per_read(data, sequence_tokens), "tokens_per_read", "tok", "scenario: bytes per read"),
        each,
    )
    ports, links = (
        devices * np.where(np.isnan(rate[who]), NEVER, rate[who])
        for rate in (equipment.cluster.store_bytes_per_s, equipment.devices.host_bytes_per_s)
    )
    return input_rate(
        input_stages(
            each,
            each,
            storage,
            leaf(ports, "port_bytes_per_s", "bytes/s", "catalogue: adapters of the nodes"),
            devices * leaf(central(data.cpu_cores_per_device), "cores", "", "scenario: per device"),
            leaf(central(data.preprocessing_tokens_per_s_per_core), "samples_per_core_s", "tok/s", OF_DATA),
            leaf(links, "device_link_bytes_per_s", "bytes/s", OF_HOST_LINK),
        )
    )
