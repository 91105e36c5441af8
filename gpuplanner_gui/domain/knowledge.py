"""All that measurements have taught the program: kernel efficiency, what serving engines and frameworks add.

Parameter sets of kernels and collectives say how wrong they are and who is related to whom; points of a planner's own
measurements stand beside their residuals.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from gpuplanner_gui.domain.curves import MeasuredGain
from gpuplanner_gui.domain.field import about
from gpuplanner_gui.domain.hardware import UseTerms
from gpuplanner_gui.domain.launch import Launcher
from gpuplanner_gui.domain.measurement import EvidenceTable
from gpuplanner_gui.domain.preset import EconomicsPresets, UncertaintyDefaults
from gpuplanner_gui.domain.serving_engine import DeviceFamily, EngineFacts, InferenceStacks, PrecisionSupport
from gpuplanner_gui.domain.training_calibration import TrainingCalibration

FORMAT = "gpuplanner-kernel-calibration"


class Residual(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Error on shapes that the fit had not seen; a log error is ln(predicted / measured)."""

    median_error: Annotated[float, about("Median error", "1", "Median of the absolute relative error.", minimum=0)]
    p90_error: Annotated[float, about("90th percentile of the error", "1", minimum=0)]
    median_log_bias: Annotated[float, about("Median log error", "1")]
    log_sd: Annotated[float, about("Spread of the log error", "1", "From its 10th and 90th percentile.", minimum=0)]
    log_p10: Annotated[float, about("10th percentile of the log error", "1")]
    log_p90: Annotated[float, about("90th percentile of the log error", "1")]
    rows: Annotated[int, about("Timings", minimum=0)]


class ParameterSet(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Fitted parameters of one kind of operation on one accelerator, engine and precision."""

    operation: Annotated[str, about("Operation")]
    accelerator: Annotated[str, about("Accelerator")]
    engine: Annotated[str, about("Engine")]
    engine_version: Annotated[str, about("Version of the engine")] = ""
    kernel: Annotated[str, about("Kernel")] = ""
    precision: Annotated[str, about("Precision")]
    parameters: Annotated[dict[str, float], about("Parameters", minimum=0)]
    residual: Annotated[Residual, about("Error out of sample")]
    note: Annotated[str, about("Note")] = ""
    is_own: Annotated[bool, about("Own", "", "Timed by you; used for this device only.")] = False


class MeasuredDevice(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """An accelerator that kernels were timed on, as far as relatedness and the parameters' reference need it."""

    accelerator: Annotated[str, about("Accelerator")]
    vendor: Annotated[str, about("Vendor")]
    kind: Annotated[str, about("Kind")]
    architecture: Annotated[str, about("Architecture")]
    year: Annotated[int, about("Year")]
    memory_type: Annotated[str, about("Memory type")]
    bandwidth_bytes_per_s: Annotated[float, about("Memory bandwidth", "B/s", above=0)]
    compute_units: Annotated[int, about("Compute units", minimum=1)]
    strangeness: Annotated[
        float,
        about("Reluctance to stand for others", "1", "Added when it stands for another.", minimum=0),
    ] = 0.0
    is_own: Annotated[bool, about("Own", "", "Timed by you; used for this device only.")] = False


class PrecisionKind(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What makes two precisions alike for a kernel."""

    stored_bits: Annotated[float, about("Bits per stored element", "bit", above=0)]
    compute_bits: Annotated[float, about("Bits of the arithmetic", "bit", above=0)]
    scaling: Annotated[float, about("Scaling", "1", "0 none or per tensor, 1 per block.", minimum=0, maximum=1)]


class Relatedness(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Weights of the distance between a wanted device, engine and precision and a measured one."""

    vendor: Annotated[float, about("Other vendor", "1", minimum=0)]
    kind: Annotated[float, about("Other kind of device", "1", minimum=0)]
    architecture: Annotated[float, about("Other architecture", "1", minimum=0)]
    variant: Annotated[float, about("Other variant of the architecture", "1", minimum=0)]
    memory_class: Annotated[float, about("Stacked against other memory", "1", minimum=0)]
    per_year: Annotated[float, about("Per year of age difference", "1/a", minimum=0)]
    per_bandwidth_e_fold: Annotated[float, about("Per e-fold of bandwidth", "1", minimum=0)]
    engine: Annotated[float, about("Other engine", "1", minimum=0)]
    per_stored_bits_octave: Annotated[float, about("Per octave of stored bits", "1", minimum=0)]
    per_compute_bits_octave: Annotated[float, about("Per octave of arithmetic bits", "1", minimum=0)]
    scaling: Annotated[float, about("Other scaling", "1", minimum=0)]
    precisions: Annotated[dict[str, PrecisionKind], about("Precisions")]
    transfer_log_sd: Annotated[
        dict[str, float],
        about("Spread added per unit of distance", "1", "By operation; from leaving each accelerator out.", minimum=0),
    ]


class CollectiveSet(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Fitted parameters of one collective on one fabric and library, for any number of ranks and size."""

    collective: Annotated[str, about("Collective")]
    fabric: Annotated[str, about("Fabric")]
    library: Annotated[str, about("Library")]
    engine: Annotated[str, about("Engine")] = ""
    accelerator: Annotated[str, about("Accelerator")]
    link_bytes_per_s: Annotated[float, about("Rate of the measured link", "B/s", above=0)]
    largest_ranks: Annotated[int, about("Most ranks measured", minimum=2)]
    parameters: Annotated[dict[str, float], about("Parameters", minimum=0)]
    residual: Annotated[Residual, about("Error out of sample")]
    is_own: Annotated[bool, about("Own", "", "Timed by you; used for this device only.")] = False
    reduces_on_the_way: Annotated[
        bool, about("Reduced in switches", "", "A rank sends fewer bytes than in a ring, which efficiencies count.")
    ] = False


class OwnEfficiency(msgspec.Struct, frozen=True, kw_only=True):
    """What timings of one kind of operation on the planner's own device changed."""

    accelerator: str
    operation: str
    precision: str
    """Precision of products; for a collective its library."""
    runs: int
    ratio: float
    """Measured time over that which the shipped calibration expects, the middle of the runs."""
    log_sd_before: float
    """Spread of the logarithm of one operation's time."""
    log_sd_after: float


class KernelCalibration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All that measured kernels say about efficiency."""

    format: Annotated[str, about("Format", choices=(FORMAT,))]
    version: Annotated[int, about("Version", minimum=1)]
    fitted_on: Annotated[str, about("Date of the fit")]
    source: Annotated[str, about("Source of the timings")]
    licence: Annotated[str, about("Licence of the timings")]
    devices: Annotated[tuple[MeasuredDevice, ...], about("Measured accelerators")]
    relatedness: Annotated[Relatedness, about("Relatedness")]
    sets: Annotated[tuple[ParameterSet, ...], about("Parameter sets")]
    collectives: Annotated[tuple[CollectiveSet, ...], about("Collectives")]


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


class Calibration(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """What a plan rests on beside the catalogue; `digest` is recorded in every plan."""

    kernels: KernelCalibration
    engines: tuple[EngineFacts, ...]
    families: tuple[DeviceFamily, ...] = ()
    """The first that a device belongs to says how kernels do on it while serving."""
    errors: ErrorHierarchy
    """How far installations that nobody has measured lie from predictions."""
    published: EvidenceTable | None = None
    """Published runs that ship: which devices, engines and formats have been seen."""
    stacks: InferenceStacks
    """What software on families of devices makes of kernels, as published inference results show."""
    training: TrainingCalibration
    economics: EconomicsPresets
    """Owners' usual terms, what a machine's price buys, energy by region."""
    uncertainty: UncertaintyDefaults
    """How uncertain each input usually is."""
    digest: str
    formats: PrecisionSupport = PrecisionSupport()
    """Which number formats serving engines run on which accelerators."""
    use_terms: UseTerms = UseTerms()
    """Where devices may be used."""
    launchers: tuple[Launcher, ...] = ()
    """Which layouts engines have options for."""
    gains: tuple[MeasuredGain, ...] = ()
    """Published ratios of two accelerators in the same configuration; predictions do not use them."""
    own: tuple[OwnEfficiency, ...] = ()
    """What the planner's own timings of single operations changed in `kernels`."""
    local: LocalCalibration | None = None
    """What the planner's own measurements add; None: nothing."""

    def engine(self, name: str) -> EngineFacts:
        """Facts of one engine. Raises KeyError for one that is not described."""
        for facts in self.engines:
            if facts.engine == name:
                return facts
        raise KeyError(name)
