"""What a planner's own measurements teach: points with their residuals, and how far one says something of another."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from gpuplanner_gui.domain.field import about

LocalPhase = Literal["prefill", "decode", "training"]
LABELS = ("model", "accelerator", "engine", "precision", "arrangement", "release", "month")
"""What two points may have in common; runs of one release of the engine in one month follow one recipe."""
NUMBERS = ("log2_batch", "log2_running", "log2_devices", "log2_time", "log2_prompt", "log2_output")
"""What they may be near in: sequences (tokens of a training step) per device and in all, devices of a copy (of a
training run), predicted time, tokens of prompt (of a training sequence) and answer."""

SHARES = ("compute", "bandwidth", "interconnect", "host", "interruption")
"""Where a predicted time goes: the five that an efficiency each belongs to; interruption: by prefill, or a bubble."""


class CovarianceTerm(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One reason why two cases are off by the same factor."""

    same: Annotated[tuple[str, ...], about("Same", "", "Labels that two runs must have in common.")]
    equal: Annotated[tuple[str, ...], about("Equal", "", "Numbers that two runs must have in common.")] = ()
    share: Annotated[str, about("Share", "", "Weight: the time that both spend on it; empty: full.")] = ""
    lengths: Annotated[
        dict[str, float],
        about("Lengths", "", "Distance over which runs inform each other; none: at any distance.", above=0),
    ] = {}
    log_sd: Annotated[float, about("Spread", "", "Standard deviation of the logarithm of the factor.", minimum=0)]


class Weighted(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One guess at a scale, and how likely it is before anything is measured."""

    scale: Annotated[float, about("Scale", "", "Factor on the variance.", minimum=0)]
    weight: Annotated[float, about("Weight", above=0)]


class PhasePrior(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How predictions of one phase are off before anything is measured."""

    terms: Annotated[tuple[CovarianceTerm, ...], about("Terms")]
    noise_log_sd: Annotated[float, about("Noise", "", "Of one measurement's logarithm.", above=0)]
    pools_noise_log_sd: Annotated[float, about("Noise of separate pools", above=0)]
    signal_scales: Annotated[tuple[Weighted, ...], about("Scales of the terms")]
    noise_scales: Annotated[tuple[Weighted, ...], about("Scales of the noise")]
    least_width: Annotated[
        float,
        about("Narrowest band", "", "The band never becomes narrower than this, however much is measured nearby.",
              minimum=0, maximum=1),
    ] = 0.0  # fmt: skip


class MemoryPrior(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How far predictions of a training device's memory are off before anything is measured."""

    model_sd_bytes: Annotated[
        float, about("Spread of models", "bytes", "Error for one model and framework.", minimum=0)
    ]
    run_sd_bytes: Annotated[float, about("Spread of runs", "bytes", "Single runs of one model.", above=0)]
    source: Annotated[str, about("Source")]


class LocalPrior(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, eq=False):
    """Priors by phase."""

    phases: Annotated[dict[LocalPhase, PhasePrior], about("Phases")]
    memory: Annotated[MemoryPrior, about("Memory of training")]


class LocalPoint(msgspec.Struct, frozen=True, kw_only=True):
    """One measured case beside the shipped prediction of it."""

    phase: LocalPhase
    model: str
    """Signature of the architecture: fine-tunes of one take the same time."""
    accelerator: str
    engine: str
    precision: str
    arrangement: str = "one"
    """Arrangement of devices: separate "pools" for prefill and decode, "groups" with sequences of their own, "experts"
    spread over them; else all share everything: "one". Of a training run: how it is cut, by `training_arrangement`."""
    release: str = ""
    """Release of the engine."""
    month: str = ""
    """Month of the run, YYYY-MM."""
    log2_batch: float
    log2_devices: float
    log2_time: float
    log2_prompt: float = 0.0
    log2_output: float = 0.0
    shares: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0, 0.0)
    """Shares of the predicted time, in the order of `SHARES`."""
    log_residual: float
    """Logarithm of measured over predicted time."""
    quantity: str
    measured: float
    predicted: float
    low80: float = 0.0
    high80: float = 0.0
    set_index: int = 0
    measurement_index: int = 0
    remark: str = ""

    @property
    def log2_running(self) -> float:
        """Sequences, or tokens of a training step, at once in a copy."""
        return self.log2_batch + self.log2_devices


class MemoryPoint(msgspec.Struct, frozen=True, kw_only=True):
    """Memory of one device in a training run beside the shipped prediction of it."""

    model: str
    """Signature of the architecture."""
    model_id: str
    engine: str
    ran: str = ""
    """The framework that ran, where it takes the habits of `engine`."""
    measured_bytes: float
    predicted_bytes: float


class LocalCalibration(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """The points in use and the prior that carries them to other cases."""

    prior: LocalPrior
    points: tuple[LocalPoint, ...]
    memory: tuple[MemoryPoint, ...] = ()


ErrorPhase = Literal["decode", "prefill"]


class PhaseError(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Standard deviations of the logarithm of measured over predicted, one for each reason; their squares add up.

    The first two are every new installation's. Each other counts only where what it names has not been seen.
    """

    installation: Annotated[float, about("Installation", "", "Common to all runs of a publisher.", minimum=0)]
    run: Annotated[float, about("Run", "", "Error that varies from load to load on one installation.", minimum=0)]
    pools: Annotated[float, about("Separate pools", minimum=0)]
    open_pools: Annotated[float, about("Pools of unknown size", "", "If their workers are not stated.", minimum=0)]
    crowd: Annotated[float, about("Crowd", "", "If several requests run at once.", minimum=0)]
    burst: Annotated[float, about("Burst", "", "If all users start together; towards longer times.", minimum=0)]
    unpublished: Annotated[float, about("Unpublished device", "", "If no run on it was published.", minimum=0)]
    transfer: Annotated[
        float, about("Transfer", "", "Factor on the spread if kernels of a related device are used.", minimum=0)
    ]
    datasheet: Annotated[float, about("Datasheet", "", "If no related device was timed.", minimum=0)]
    engine: Annotated[float, about("Engine", "", "If not calibrated against load tests.", minimum=0)]
    format: Annotated[float, about("Format", "", "If neither timed nor published on the device.", minimum=0)]
    architecture: Annotated[float, about("Architecture", "", "If no such model was published.", minimum=0)]


class TrainingError(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Standard deviations of the logarithm of measured over predicted step times."""

    installation: Annotated[float, about("Installation", "", "Common to runs of a model on a device.", minimum=0)]
    run: Annotated[float, about("Run", "", "Error that varies from run to run.", minimum=0)]


class StatisticWidth(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a statistic of a run at a request rate multiplies its phase's spread with."""

    statistic: Annotated[str, about("Statistic", "", "One of decode_tail, prefill_tail, whole or rate.")]
    factor: Annotated[float, about("Factor", above=0)]


class ErrorHierarchy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, eq=False):
    """Errors of both phases of serving, fitted over publishers of which each counts once, and of training."""

    decode: Annotated[PhaseError, about("Decode", "", "Errors of TPOT and ITL.")]
    prefill: Annotated[PhaseError, about("Prefill", "", "Errors of TTFT.")]
    training: Annotated[TrainingError, about("Training")]
    memory: Annotated[MemoryPrior, about("Memory of training")]
    statistics: Annotated[tuple[StatisticWidth, ...], about("Statistics")]
    publishers: Annotated[int, about("Publishers", minimum=0)]
    rows: Annotated[int, about("Rows", minimum=0)]
    source: Annotated[str, about("Source")]
    date: Annotated[str, about("As of")]

    def phase(self, name: ErrorPhase) -> PhaseError:
        """Errors of one phase."""
        return self.decode if name == "decode" else self.prefill

    def factor(self, statistic: str) -> float:
        """1 for means and medians of TPOT, ITL and TTFT."""
        return next((one.factor for one in self.statistics if one.statistic == statistic), 1.0)
