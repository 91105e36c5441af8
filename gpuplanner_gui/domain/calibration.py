"""Measured efficiency of kernels and collectives: parameter sets, how wrong they are, and who is related to whom."""

from __future__ import annotations

from typing import Annotated

import msgspec

from gpuplanner_gui.domain.field import about

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
