"""What one accelerator gains over another: quotients of their times, phase by phase, with and without FP8."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.domain.curves import MeasuredGain, MemoryPart, Phase, PhaseGain, PhaseGains, PhaseTime
from gpuplanner_gui.domain.hardware import Accelerator
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.phases.speeds import FORMATS, PhaseSpeeds, PhaseTable, PhaseWork, phase_speeds
from gpuplanner_gui.engine.serving.demand import demand_of

SHARED_SPREAD = 0.6
"""Part of the variance of a time's error that two accelerators share, and that a quotient is free of: model, engine and
workload are the same. From 153 pairs of published closed loops: ln(predicted / measured) spreads by 0.17 for a TPOT and
by 0.15 for the quotient of two."""
PEAK_FORMATS = ("bf16", "fp8", "fp4")


class UnknownAcceleratorError(LookupError):
    """An accelerator that the catalogue lacks."""

    def __init__(self, accelerator: str) -> None:
        super().__init__(accelerator)
        self.accelerator = accelerator


def work_of(scenario: Scenario) -> PhaseWork:
    """What a scenario's phases work on; the usual where it does not serve or train."""
    serving, training = scenario.serving, scenario.training
    work = PhaseWork()
    if training:
        work = PhaseWork(sequence_length=training.sequence_length, step_tokens=training.global_batch_tokens)
    if serving is None:
        return work
    demand, engine = demand_of(serving, scenario.model), serving.engine
    return PhaseWork(
        prompt_tokens=demand.prompt_tokens,
        context_tokens=demand.context_tokens,
        engine=engine.engine,
        memory_fraction=engine.memory_fraction,
        token_budget=engine.token_budget,
        sequence_length=work.sequence_length,
        step_tokens=work.step_tokens,
        is_trained=training is not None,
    )


def speeds(model: Model, catalog: Catalog, calibration: Calibration, work: PhaseWork) -> PhaseSpeeds:
    """The door: times of all phases on all accelerators of a catalogue."""
    return phase_speeds(model, context_of(catalog, calibration), work)


def gains(found: PhaseSpeeds, first: str, second: str, catalog: Catalog) -> PhaseGains:
    """Training, prefill and decoding at each batch, without and with FP8; what nobody trains, without training.

    Each phase takes the smallest number of devices on which both hold what it needs. Raises UnknownAcceleratorError.
    """
    for name in (first, second):
        if name not in found.accelerators:
            raise UnknownAcceleratorError(name)
    pair = (found.accelerators.index(first), found.accelerators.index(second))
    return PhaseGains(
        first=first,
        second=second,
        prompt_tokens=found.work.prompt_tokens,
        context_tokens=found.work.context_tokens,
        sequence_tokens=found.sequence_tokens,
        gains=tuple(_all_phases(found, pair)),
        peak_ratio=peak_ratios(catalog.accelerators[first], catalog.accelerators[second]),
        measured=tuple(_measured(found.measured, first, second)),
        timed_on=tuple(_timed_on(found, pair)),
    )


def _timed_on(found: PhaseSpeeds, pair: tuple[int, int]) -> Iterator[tuple[str, str]]:
    for who in pair:
        relatives = dict.fromkeys(int(one) for one in found.prefill.timed[:, who] if one >= 0)
        if who not in relatives:
            yield from ((found.accelerators[who], found.accelerators[one]) for one in relatives)


def _all_phases(found: PhaseSpeeds, pair: tuple[int, int]) -> Iterator[PhaseGain]:
    tables: list[tuple[Phase, PhaseTable]] = [("prefill", found.prefill)]
    tables += [("decode", table) for table in found.decode.values()]
    # Models of images and of audio alone have neither: no device has a time, nor lacks memory for it.
    tables = [one for one in tables if np.isfinite(one[1].time_s).any() or (one[1].missing_bytes > 0).any()]
    if found.work.is_trained or not tables:
        tables.insert(0, ("training", found.training))
    for phase, table in tables:
        for is_fp8_allowed in (False, True):
            yield _gain(phase, table, pair, is_fp8_allowed)


def _gain(phase: Phase, table: PhaseTable, pair: tuple[int, int], is_fp8_allowed: bool) -> PhaseGain:
    size = _common_size(table, pair, is_fp8_allowed)
    first, second = (_time(table, size, who, is_fp8_allowed) for who in pair)
    gain = first.time_s / second.time_s
    chosen = (FORMATS.index(first.precision), FORMATS.index(second.precision))
    factor = float(np.exp(Z_80 * _log_sd(table, size, chosen, pair)))
    return PhaseGain(
        phase=phase,
        batch=0 if phase == "prefill" else table.batches[size],
        is_fp8_allowed=is_fp8_allowed,
        devices=table.sizes[size] if np.isfinite(gain) else 0,
        first=first,
        second=second,
        gain=gain,
        low80=gain / factor,
        high80=gain * factor,
    )


def _log_sd(table: PhaseTable, size: int, formats: tuple[int, int], pair: tuple[int, int]) -> float:
    """Spread of the logarithm of a gain. Where the same timings stand for both, what they miss cancels."""
    timed = {int(table.timed[one, who]) for one, who in zip(formats, pair)}
    if formats[0] == formats[1] and len(timed) == 1:
        variances = [table.own_log_sd**2] * 2
    else:
        variances = [float(table.log_sd[size, one, who]) ** 2 for one, who in zip(formats, pair)]
    # What the less certain of the two is uncertain of beyond the other is its own.
    return math.sqrt(sum(variances) - 2 * SHARED_SPREAD * min(variances))


def _common_size(table: PhaseTable, pair: tuple[int, int], is_fp8_allowed: bool) -> int:
    """Position of the smallest number of devices on which both run it; the largest possible where none does.

    As many with FP8 as without, so that both gains speak of the same machines, unless only FP8 fits.
    """
    for allowed in (False, is_fp8_allowed):
        for position in range(len(table.sizes)):
            if all(np.isfinite(_time(table, position, who, allowed).time_s) for who in pair):
                return position
    possible = [
        position
        for position in range(len(table.sizes))
        if all(np.isfinite(table.missing_bytes[position, 0, who]) for who in pair)
    ]
    return possible[-1] if possible else 0


def _time(table: PhaseTable, size: int, who: int, is_fp8_allowed: bool) -> PhaseTime:
    """The faster of the formats that are allowed and fit; where none fits, what the leanest lacks."""
    formats = range(len(FORMATS) if is_fp8_allowed else 1)
    fitting = [one for one in formats if table.missing_bytes[size, one, who] == 0]
    fitting = [one for one in fitting if np.isfinite(table.time_s[size, one, who])]
    if fitting:
        chosen = min(fitting, key=lambda one: float(table.time_s[size, one, who]))
        time_s = float(table.time_s[size, chosen, who])
    else:
        lacking = [float(np.nan_to_num(table.missing_bytes[size, one, who], nan=np.inf)) for one in formats]
        chosen, time_s = int(np.argmin(lacking)), float("nan")
    return PhaseTime(
        time_s=time_s,
        precision=FORMATS[chosen],
        is_emulated=bool(table.is_emulated[chosen, who]),
        limit=int(table.limit[size, chosen, who]),
        missing_bytes=float(table.missing_bytes[size, chosen, who]),
        runs_out_at=MemoryPart(int(table.runs_out_at[size, chosen, who])),
    )


def peak_ratios(first: Accelerator, second: Accelerator) -> dict[str, float]:
    """Datasheet figures of the second over the first: peaks by format, bandwidth, memory. Unknown ones are left out."""
    ratios = {
        name: (second.peak_flop_per_s(name) or np.nan) / (first.peak_flop_per_s(name) or np.nan)
        for name in PEAK_FORMATS
    }
    ratios["bandwidth"] = second.memory_bandwidth_bytes_per_s / first.memory_bandwidth_bytes_per_s
    ratios["memory"] = second.memory_nominal_bytes / first.memory_nominal_bytes
    return {name: float(ratio) for name, ratio in ratios.items() if np.isfinite(ratio)}


def _measured(known: Sequence[MeasuredGain], first: str, second: str) -> Iterator[MeasuredGain]:
    """Published ratios of a pair, turned round where they were noted the other way."""
    for one in known:
        if (one.first, one.second) == (first, second):
            yield one
        elif (one.first, one.second) == (second, first):
            yield msgspec.structs.replace(
                one, first=first, second=second, first_precision=one.second_precision,
                second_precision=one.first_precision, low=1 / one.high, median=1 / one.median, high=1 / one.low,
            )  # fmt: skip
