"""A roofline in words and numbers: its sentence, what is under the mouse, its operations as a table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from gpuplanner_gui.domain.curves import BatchShares, Roofline, RooflinePoint
from gpuplanner_gui.domain.plan import Resource
from gpuplanner_gui.drawing.language import in_turn, listed, tr
from gpuplanner_gui.drawing.palette import SPLIT
from gpuplanner_gui.drawing.rows import Rows, table_of
from gpuplanner_gui.drawing.units import decimals_text, format_value
from gpuplanner_gui.drawing.words.candidates import (
    is_phase,
    phase_name,
    point_name,
    precision_name,
    resource_name,
)

SAME_PROMPT = 0.005
"""A prompt that is longer by no more than this share has nothing cached."""


def split_s(of: RooflinePoint | BatchShares) -> tuple[Any, Any, Any, Any]:
    """Seconds that each of `SPLIT` takes of an operation, or of a step at every batch."""
    return of.compute_s, of.bandwidth_s, of.interconnect_s, of.host_s


def highest_peak(roofline: Roofline) -> float:
    """Highest peak among the formats that the candidate uses, or of all if unknown. [FLOP/s]"""
    peaks = roofline.peak_flop_per_s
    return max([peaks.get(name, 0.0) for name in roofline.formats] or peaks.values(), default=0.0)


def roofline_sentence(
    roofline: Roofline, shown: Sequence[RooflinePoint], name: str, phase: str, of_prompt: str = ""
) -> str:
    """The sentence about what limits the shown phases on a device; for one phase with its share of time.

    `of_prompt`: from `mean_prompt_text`.
    """
    phases = [point for point in shown if is_phase(point)]
    if phase and phases and phases[0].compute_s + phases[0].bandwidth_s > 0:
        return _phase_sentence(roofline, phases[0], of_prompt)
    parts = [
        tr("{phase} is bound by {resource}").format(
            phase=point_name(point).lower(), resource=resource_name(point.resource)
        )
        for point in phases[:3]
    ]
    if not parts:
        return tr("{name}: no operation of the workload is known").format(name=name)
    if len({point.resource for point in phases}) == 1:
        every = tr("{name}: bound by {resource}")
        return every.format(name=name, resource=resource_name(phases[0].resource))
    return tr("{name}: {parts}").format(name=name, parts=listed(parts))


def _phase_sentence(roofline: Roofline, whole: RooflinePoint, of_prompt: str) -> str:
    """The sentence about the resource that takes most of a phase's time."""
    parts = dict(zip(SPLIT, split_s(whole)))
    largest = max(parts, key=lambda one: parts[one])
    words = {
        "share": format_value(parts[largest] / whole.time_s, "share", 2),
        "resource": resource_name(whole.resource if whole.resource == Resource.PARTLY_FILLED_TILES else largest),
        "time": format_value(whole.time_s, "s"),
    }
    if whole.phase == "decode" and roofline.batches is not None:
        batch, rate = format_value(roofline.batches.planned_batch, digits=2), _decode_rate(roofline, whole)
        said = tr("Decode, batch {batch}: a step takes {time}, {share} of it {resource}")
        if math.isfinite(rate):
            said = tr(
                "Decode, batch {batch}: {rate} while no prefill runs; a step takes {time}, {share} of it {resource}"
            )
        return said.format(batch=batch, rate=format_value(rate, "tok/s"), **words)
    work = tr("Prefill of {count} tokens").format(count=decimals_text(roofline.prompt_tokens))
    work = f"{work} ({of_prompt})" if of_prompt else work
    if whole.phase == "sample":
        work = phase_name(whole.phase)
    said = tr("{work}: {time}, {share} of it {resource}").format(work=work, **words)
    if whole.phase != "prefill" or not roofline.encoder_s > 0:
        return said
    more = tr("The encoder takes {time} before it.").format(time=format_value(roofline.encoder_s, "s"))
    return in_turn(tr("{sentence}.").format(sentence=said), more)


def mean_prompt_text(roofline: Roofline, mean_prompt_tokens: float, token_budget: int) -> str:
    """What a prefill of fewer tokens than the mean prompt leaves out; empty where it is the whole of it."""
    if not mean_prompt_tokens > roofline.prompt_tokens * (1 + SAME_PROMPT):
        return ""
    text = tr("mean prompt {mean}, {share} cached")
    if roofline.prompt_tokens >= token_budget:
        text = tr("the token budget of a step; mean prompt {mean}")
    cached = 1 - roofline.prompt_tokens / mean_prompt_tokens
    return text.format(mean=decimals_text(mean_prompt_tokens), share=format_value(cached, "share", 2))


def _decode_rate(roofline: Roofline, whole: RooflinePoint) -> float:
    """Tokens a second of a replica that only decodes: its ceiling, at the bandwidth that it reaches. [tok/s]"""
    moved_per_s = whole.achieved_flop_per_s / whole.intensity_flop_per_byte
    return roofline.decode_ceiling_tokens_per_s * moved_per_s / roofline.bandwidth_bytes_per_s


def decode_ceiling_text(roofline: Roofline) -> str:
    """Decode rate reached, and that which the datasheet's memory bandwidth allows, a sentence; empty without decoding.

    The share of time that bandwidth takes is at the rate that kernels reach, so that the two do not divide.
    """
    whole = next((one for one in roofline.points if one.phase == "decode" and is_phase(one)), None)
    if whole is None or roofline.batches is None or not math.isfinite(roofline.decode_ceiling_tokens_per_s):
        return ""
    said = tr(
        "While no prefill runs, this batch decodes {reached}. If it only read memory, at the datasheet's {bandwidth}, "
        "it would decode {ceiling}."
    )
    return said.format(
        reached=format_value(_decode_rate(roofline, whole), "tok/s"),
        bandwidth=format_value(roofline.bandwidth_bytes_per_s, "bytes/s"),
        ceiling=format_value(roofline.decode_ceiling_tokens_per_s, "tok/s"),
    )


def point_text(point: RooflinePoint) -> str:
    """The figures of an operation or phase."""
    name = point_name(point)
    if point.precision:
        name = tr("{name} in {precision}").format(name=name, precision=precision_name(point.precision))
    parts = [
        f"{name}: {format_value(point.intensity_flop_per_byte, 'flop/bytes')}",
        format_value(point.achieved_flop_per_s, "flop/s"),
        format_value(point.time_s, "s"),
    ]
    if 0 < point.share < 1:
        parts.append(tr("{share} of its phase").format(share=format_value(point.share, "share", 2)))
    seconds = split_s(point)
    if sum(seconds) > 0:
        split = [
            f"{resource_name(resource)} {format_value(time / sum(seconds), 'share', 2)}"
            for resource, time in zip(SPLIT, seconds)
            if time > 0.005 * sum(seconds)
        ]
        parts.append(", ".join(split))
    parts.append(tr("limit {resource}").format(resource=resource_name(point.resource)))
    return " · ".join(parts)


def roof_text(roofline: Roofline) -> str:
    """A ceiling in words."""
    return " · ".join(
        (format_value(roofline.bandwidth_bytes_per_s, "bytes/s"), format_value(highest_peak(roofline), "flop/s"))
    )


def operation_rows(owned: Iterable[tuple[str, Roofline]], phase: str) -> Rows:
    """Operations of candidates by name, one candidate after the other; of one phase or, without, of all."""
    return table_of(
        [(name, one) for name, roofline in owned for one in roofline.points if not phase or one.phase == phase],
        (tr("Candidate"), "", lambda row: row[0]),
        (tr("Phase"), "", lambda row: row[1].phase),
        (tr("Operation"), "", lambda row: point_name(row[1])),
        (tr("Intensity"), "FLOP/B", lambda row: float(row[1].intensity_flop_per_byte)),
        (tr("Achieved"), "FLOP/s", lambda row: float(row[1].achieved_flop_per_s)),
        (tr("Time"), "s", lambda row: float(row[1].time_s)),
        (tr("Compute"), "s", lambda row: float(row[1].compute_s)),
        (tr("Memory bandwidth"), "s", lambda row: float(row[1].bandwidth_s)),
        (tr("Interconnect"), "s", lambda row: float(row[1].interconnect_s)),
        (tr("Host and launch"), "s", lambda row: float(row[1].host_s)),
        (tr("Share of the phase"), "share", lambda row: float(row[1].share)),
        (tr("Limit"), "", lambda row: resource_name(row[1].resource)),
    )
