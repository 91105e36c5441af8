"""What differs by phase, as tables and sentences: the same for window and command line."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.curves import MeasuredGain, PhaseGain, PhaseGains, PhaseTime
from gpuplanner_gui.domain.plan import Resource
from gpuplanner_gui.drawing.language import listed, tr
from gpuplanner_gui.drawing.limit_rows import part_name
from gpuplanner_gui.drawing.rows import Rows, table_of
from gpuplanner_gui.drawing.units import NOTHING, decimals_text, format_value
from gpuplanner_gui.drawing.words.candidates import accelerator_name, precision_name, resource_name

PEAK_NAMES = {
    "bf16": "BF16 peak", "fp8": "FP8 peak", "fp4": "FP4 peak", "bandwidth": "Memory bandwidth", "memory": "Memory size",
}  # fmt: skip


def phase_title(phase: str, batch: int) -> str:
    """Training step, batch 1 024; Prefill; Decode, batch 64."""
    if phase == "decode":
        return tr("Decode, batch {batch}").format(batch=batch)
    if phase == "training" and batch:
        return tr("Training step, batch {batch}").format(batch=decimals_text(batch))
    return tr("Training step") if phase == "training" else tr("Prefill")


def ratio_text(ratio: float) -> str:
    """2.77×; a dash where there is none."""
    return f"{decimals_text(ratio, 2)}×" if math.isfinite(ratio) else NOTHING


def gain_text(one: PhaseGain) -> str:
    """2.77× (2.37 to 3.25), or why there is none."""
    if not math.isfinite(one.gain):
        return why_not(one)
    low, high = decimals_text(one.low80, 2), decimals_text(one.high80, 2)
    return tr("{gain} ({low} to {high})").format(gain=ratio_text(one.gain), low=low, high=high)


def why_not(one: PhaseGain) -> str:
    """Why a phase cannot be compared: which device cannot run it, and how much memory it lacks."""
    parts = []
    for name, time in ((tr("first"), one.first), (tr("second"), one.second)):
        if math.isfinite(time.time_s):
            continue
        if math.isfinite(time.missing_bytes) and time.missing_bytes > 0:
            parts.append(_lack(name, time))
        else:
            parts.append(tr("{name} cannot run it").format(name=name))
    return listed(parts) or NOTHING


def _lack(name: str, time: PhaseTime) -> str:
    missing = format_value(time.missing_bytes, "bytes")
    part = part_name(time.runs_out_at)
    if not part:
        return tr("{name} lacks {missing} per device").format(name=name, missing=missing)
    return tr("{name} lacks {missing} per device ({part})").format(name=name, missing=missing, part=part)


def time_text(time: PhaseTime) -> str:
    """29.4 ms in FP8; a dash for none."""
    if not math.isfinite(time.time_s):
        return NOTHING
    precision = precision_name(time.precision)
    if time.is_emulated:
        precision = tr("{precision}, emulated").format(precision=precision)
    return tr("{time} in {precision}").format(time=format_value(time.time_s, "s"), precision=precision)


def limit_text(one: PhaseGain) -> str:
    """The resource that bounds the first and the second device: compute; or memory bandwidth, compute."""
    if not math.isfinite(one.gain):
        return NOTHING
    names = [resource_name(one.first.limit), resource_name(one.second.limit)]
    return names[0] if names[0] == names[1] else f"{names[0]}, {names[1]}"


def gain_rows(found: PhaseGains, catalog: Catalog) -> Rows:
    """A row for each phase, without and with FP8."""
    first, second = (accelerator_name(name, catalog) for name in (found.first, found.second))
    return table_of(
        found.gains,
        (tr("Phase"), "", lambda one: phase_title(one.phase, one.batch)),
        (tr("Formats"), "", lambda one: formats_text(one.is_fp8_allowed)),
        (tr("Devices"), "", lambda one: str(one.devices) if one.devices else NOTHING),
        (first, "", lambda one: time_text(one.first)),
        (second, "", lambda one: time_text(one.second)),
        (tr("Relative speed (80 % range)"), "", gain_text),
        (tr("Bound by"), "", limit_text),
        (tr("Published ratio (pairs)"), "", lambda one: measured_text(found, one)),
    )


def measured_like(found: PhaseGains, one: PhaseGain) -> list[MeasuredGain]:
    """Published pairs of the same phase, formats and, for decoding, a span of batches that holds this one."""
    return [
        case
        for case in found.measured
        if case.phase == one.phase
        and (case.first_precision, case.second_precision) in _formats(one)
        and (one.phase != "decode" or case.batch_low <= one.batch <= max(case.batch_high, case.batch_low))
    ]


def _formats(one: PhaseGain) -> set[tuple[str, str]]:
    if not one.is_fp8_allowed:
        return {("bf16", "bf16")}
    return {("bf16", "fp8"), ("fp8", "fp8")}


def measured_text(found: PhaseGains, one: PhaseGain) -> str:
    """1.38 to 1.64× (56); a dash where nothing was published."""
    cases = measured_like(found, one)
    if not cases:
        return NOTHING
    low, high = min(case.low for case in cases), max(case.high for case in cases)
    pairs = sum(case.pairs for case in cases)
    return (
        f"{decimals_text(high, 2)}× (1)"
        if pairs == 1
        else tr("{low} to {high}× ({pairs})").format(
            low=decimals_text(low, 2), high=decimals_text(high, 2), pairs=pairs
        )
    )


def beside_text(found: PhaseGains, catalog: Catalog) -> str:
    """What stands beside the gains: the datasheets' ratios, whose timings a device takes, and which gains are above
    every published pair."""
    parts = [f"{tr(PEAK_NAMES[name])} {ratio_text(ratio)}" for name, ratio in found.peak_ratio.items()]
    lines = [tr("Datasheet: {parts}").format(parts=", ".join(parts))]
    if any(one.phase != "training" for one in found.gains):
        lines.append(tr("“In BF16” means that weights and KV cache are in BF16; likewise for the other formats."))
        timed = tr(
            "No kernel timings of {device}: prefill and decode are taken to reach the same share of its peaks as "
            "on {relative}."
        )
        lines += [
            timed.format(device=accelerator_name(one, catalog), relative=accelerator_name(relative, catalog))
            for one, relative in found.timed_on
        ]
    if narrow := _formats_text(found, catalog):
        lines.append(narrow)
    shares = [(one, _over_datasheet(found, one)) for one in found.gains]
    for text, apart in (
        (tr("{second} reaches more of its datasheet here, so it gains more than the datasheets' ratio: {gains}"),
         [one for one, share in shares if share > CLEARLY_ABOVE]),
        (tr("{second} reaches less of its datasheet here, so it gains less than the datasheets' ratio: {gains}"),
         [one for one, share in shares if share < 1 / MUCH_MORE]),
    ):  # fmt: skip
        if apart:
            name = accelerator_name(found.second, catalog)
            lines.append(text.format(second=name, gains=_gain_names(apart)))
    if above := [one for one in found.gains if is_above_published(found, one)]:
        named = _gain_names(above)
        lines.append(tr("Above every published pair, so perhaps too optimistic: {gains}").format(gains=named))
    return "\n".join(lines)


MUCH_MORE = 1.1
"""Factor between what FP8 gains in training and in prefill from which a reader asks why. Our choice."""


def _formats_text(found: PhaseGains, catalog: Catalog) -> str:
    """What FP8 gains in each phase; empty where it gains about as much on a prompt as in training on both devices."""
    largest = max((one.batch for one in found.gains if one.phase == "decode"), default=0)
    text = tr("{device} {training} in training, {prefill} in prefill, {decode} in decode (batch {batch})")
    phases = (("training", 0), ("prefill", 0), ("decode", largest))
    parts = []
    for place, device in enumerate((found.first, found.second)):
        training, prefill, decode = (_gain_of_fp8(found, phase, batch, place) for phase, batch in phases)
        if training > MUCH_MORE * prefill:
            parts.append(text.format(
                device=accelerator_name(device, catalog), training=ratio_text(training), prefill=ratio_text(prefill),
                decode=ratio_text(decode), batch=largest,
            ))  # fmt: skip
    if not parts:
        return ""
    said = tr("FP8 over BF16: {parts}. Kernel launches and host time are the same in both formats.")
    return said.format(parts="; ".join(parts))


def _gain_of_fp8(found: PhaseGains, phase: str, batch: int, place: int) -> float:
    """How many times faster a device runs a phase in FP8 than in BF16; NaN where it does not run both."""
    alike = [one for one in found.gains if one.phase == phase and batch in (0, one.batch)]
    times = {time.precision: time.time_s for time in ((one.first, one.second)[place] for one in alike)}
    return times.get("bf16", math.nan) / times.get("fp8", math.nan)


CLEARLY_ABOVE = 1.02
"""Factor by which a gain exceeds the datasheets' ratio before a reader notices. Our choice."""


def _over_datasheet(found: PhaseGains, one: PhaseGain) -> float:
    """A gain over the datasheets' ratio of what bounds both, in the same format; NaN where there is no such ratio."""
    limit, precision = one.first.limit, one.first.precision
    if (limit, precision) != (one.second.limit, one.second.precision):
        return math.nan
    figure = {Resource.COMPUTE: precision, Resource.MEMORY_BANDWIDTH: "bandwidth"}.get(Resource(limit), "")
    return one.gain / found.peak_ratio.get(figure, math.nan)


def is_above_published(found: PhaseGains, one: PhaseGain) -> bool:
    """Whether a predicted gain is larger than that of every published pair like it."""
    return one.gain > max((case.high for case in measured_like(found, one)), default=math.inf)


def _gain_names(gains: Sequence[PhaseGain]) -> str:
    """Phases in the formats that each gain is of; without them where it is of both."""
    formats: dict[str, list[str]] = {}
    for one in gains:
        formats.setdefault(phase_title(one.phase, one.batch), []).append(formats_text(one.is_fp8_allowed))
    return "; ".join(title if len(each) > 1 else f"{title}, {each[0]}" for title, each in formats.items())


def formats_text(is_fp8_allowed: bool) -> str:
    """The formats of which a device uses the faster."""
    return tr("BF16 or FP8") if is_fp8_allowed else precision_name("bf16")


def _phase_in(one: PhaseGain, title: str) -> str:
    return f"{title}, {formats_text(True)}" if one.is_fp8_allowed else title


def work_text(found: PhaseGains, model: str, is_served: bool = True) -> str:
    """On what the two devices are compared: the model, and how long its prompts and contexts are.

    Where nothing is served, these are defaults.
    """
    if not any(one.phase != "training" for one in found.gains):
        return tr("{model}: a training step alone; the model has no prefill and no decoding").format(model=model)
    said = tr("{model}: prefill of {prompt}, none cached; decode at a context of {context}")
    if any(one.phase == "training" for one in found.gains):
        said = tr(
            "{model}: prefill of {prompt}, none cached; decode at a context of {context}; training on sequences of "
            "{sequence} in data-parallel copies"
        )
    text = said.format(
        model=model, sequence=_tokens(found.sequence_tokens),
        prompt=_tokens(found.prompt_tokens), context=_tokens(found.context_tokens),
    )  # fmt: skip
    if is_served:
        return text
    return tr("{text} (prompt and context are defaults: no serving is planned)").format(text=text)


def _tokens(count: float) -> str:
    return tr("{count} tokens").format(count=decimals_text(count))


def measured_rows(found: PhaseGains) -> Rows:
    """Every published pair, with its source."""
    return table_of(
        found.measured,
        (tr("Phase"), "", lambda case: tr("Decode") if case.phase == "decode" else phase_title(case.phase, 0)),
        (tr("Model"), "", lambda case: case.model),
        (tr("Formats"), "", lambda case: ", ".join(map(precision_name, (case.first_precision, case.second_precision)))),
        (tr("Devices"), "", lambda case: str(case.devices)),
        (tr("Batch"), "", _batch_text),
        (tr("Gain"), "", _span_text),
        (tr("Pairs"), "", lambda case: str(case.pairs)),
        (tr("Software"), "", lambda case: case.software or NOTHING),
        (tr("Source"), "", lambda case: case.source),
    )


def _batch_text(case: MeasuredGain) -> str:
    if case.phase != "decode":
        return NOTHING
    return f"{case.batch_low} to {case.batch_high}" if case.batch_high > case.batch_low else str(case.batch_low)


def _span_text(case: MeasuredGain) -> str:
    if case.pairs == 1:
        return f"{decimals_text(case.median, 2)}×"
    return tr("{low} to {high}×").format(low=decimals_text(case.low, 2), high=decimals_text(case.high, 2))


def gain_sentence(found: PhaseGains, catalog: Catalog) -> str:
    """The sentence about the largest and smallest gain, and the phases where they occur."""
    known = [one for one in found.gains if math.isfinite(one.gain)]
    second = accelerator_name(found.second, catalog)
    if not known:
        return tr("{second}: no phase runs on both").format(second=second)
    least, most = min(known, key=lambda one: one.gain), max(known, key=lambda one: one.gain)
    return tr(
        "{second} has {least} to {most} the speed of {first} (lowest: {where_least}; highest: {where_most})"
    ).format(
        first=accelerator_name(found.first, catalog),
        second=second,
        least=ratio_text(least.gain),
        where_least=_where(least),
        most=ratio_text(most.gain),
        where_most=_where(most),
    )


def _where(one: PhaseGain) -> str:
    title = phase_title(one.phase, one.batch)
    return _phase_in(one, title[0].lower() + title[1:])
