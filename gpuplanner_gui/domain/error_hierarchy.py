"""How far installations that nobody has measured lie from predictions, taken apart by reason."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from gpuplanner_gui.domain.field import about
from gpuplanner_gui.domain.local_calibration import MemoryPrior

ErrorPhase = Literal["decode", "prefill"]


class PhaseError(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Standard deviations of the logarithm of measured over predicted, one for each reason; their squares add up.

    The first two are every new installation's. Each other counts only where what it names has not been seen.
    """

    installation: Annotated[float, about("Installation", "", "What all runs of a publisher share.", minimum=0)]
    run: Annotated[float, about("Run", "", "What differs from load to load on one installation.", minimum=0)]
    pools: Annotated[float, about("Separate pools", minimum=0)]
    open_pools: Annotated[float, about("Pools of unknown size", "", "Whose workers are not said.", minimum=0)]
    crowd: Annotated[float, about("Crowd", "", "More than one user at once.", minimum=0)]
    burst: Annotated[float, about("Burst", "", "Users who start together; towards longer times alone.", minimum=0)]
    unpublished: Annotated[float, about("Unpublished device", "", "No run on it is known.", minimum=0)]
    transfer: Annotated[
        float, about("Transfer", "", "Factor on the spread with which a relative's kernels are taken over.", minimum=0)
    ]
    datasheet: Annotated[float, about("Datasheet", "", "No relative was timed.", minimum=0)]
    engine: Annotated[float, about("Engine", "", "Not calibrated in closed loops.", minimum=0)]
    format: Annotated[float, about("Format", "", "Neither timed nor published on the device.", minimum=0)]
    architecture: Annotated[float, about("Architecture", "", "No published run of its kind.", minimum=0)]


class TrainingError(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Standard deviations of the logarithm of measured over predicted step times."""

    installation: Annotated[float, about("Installation", "", "What runs of a model on a device share.", minimum=0)]
    run: Annotated[float, about("Run", "", "What differs from run to run.", minimum=0)]


class StatisticWidth(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a statistic of a run at a request rate multiplies its phase's spread with."""

    statistic: Annotated[str, about("Statistic", "", "decode_tail, prefill_tail, whole or rate.")]
    factor: Annotated[float, about("Factor", above=0)]


class ErrorHierarchy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, eq=False):
    """Errors of both phases of serving, fitted over publishers of which each counts once, and of training."""

    decode: Annotated[PhaseError, about("Decode", "", "TPOT, ITL.")]
    prefill: Annotated[PhaseError, about("Prefill", "", "TTFT.")]
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
