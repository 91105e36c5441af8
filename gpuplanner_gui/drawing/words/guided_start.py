"""The guided start's reasoning in sentences, as it is shown and kept in the scenario's notes."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplanner_gui.domain.guided_start import GuidedCode, GuidedStep
from gpuplanner_gui.drawing.language import listed, tr
from gpuplanner_gui.drawing.units import format_value

QUESTIONS = (
    "What is to be done?", "How fast must it be?", "How does the load vary?", "Where, and on what?",
    "May it be interrupted?",
)  # fmt: skip

_UNITS = {
    "wide_bytes": "bytes", "narrow_bytes": "bytes", "smallest_bytes": "bytes", "largest_bytes": "bytes",
    "ttft_s": "s", "tpot_s": "s", "itl_s": "s", "e2e_s": "s", "deadline_s": "s", "tokens": "tok",
}  # fmt: skip

_SENTENCES: dict[GuidedCode, str] = {
    "fits_one": "Weights take {wide_bytes} in BF16: one device of {smallest_bytes} or more holds them comfortably "
    "({devices} of {of} in the catalogue), so the cheapest that is fast enough wins.",
    "fits_one_narrow": "Weights take {wide_bytes} in BF16, too much for one device, and {narrow_bytes} in FP8, which "
    "one of {smallest_bytes} or more holds comfortably ({devices} of {of}); check the quality of the narrow format.",
    "needs_several": "Weights take {wide_bytes} in BF16 and {narrow_bytes} in FP8: more than one device of up to "
    "{largest_bytes} holds comfortably, so devices with a fast link between them are tried.",
    "fit_unknown": "Weights take {wide_bytes} in BF16 and {narrow_bytes} in FP8.",
    "latency_bound": "Users wait for answers, so candidates are judged by latency under load: {limits}.",
    "throughput_bound": "Nobody waits for an answer, so candidates are judged by cost per token alone.",
    "deadline_bound": "The run trains on {tokens}{deadline}.",
    "load_steady": "The load is steady ({mean_over_peak} of its peak on average), so the fleet is priced with a "
    "one-year commitment.",
    "load_daily": "The load follows the day ({mean_over_peak} of its peak on average), so the fleet is priced on "
    "demand; a committed base is worth comparing.",
    "load_bursty": "The load comes in bursts ({mean_over_peak} of its peak on average): the peak decides the size, and "
    "on-demand prices what autoscaling can release.",
    "load_one_off": "Training is a burst: devices are rented for the run and released after it.",
    "owned_only": "Only the {devices} devices you already have are used.",
    "licensed_only": "Devices whose driver may not be used in a data centre are left out.",
    "paid_as_said": "Devices are paid for as you chose, whatever the load suggests.",
    "restartable": "It may be interrupted, so spot capacity is priced where nobody waits; checkpoints limit what an "
    "interruption costs.",
    "must_not_stop": "It must not be interrupted, so spot capacity is left out.",
    "spare_kept": "One replica more than the load needs is kept for a failure.",
}

_LIMITS = {"ttft_s": "first token within {value}", "tpot_s": "{value} per token", "itl_s": "gaps up to {value}",
           "e2e_s": "whole answers within {value}"}  # fmt: skip


def step_text(step: GuidedStep) -> str:
    """One step as a sentence."""
    values = {name: _value(name, value) for name, value in step.values.items()}
    limits = [tr(_LIMITS[name]).format(value=values[name]) for name in _LIMITS if name in values]
    deadline = tr(" within {value}").format(value=values["deadline_s"]) if "deadline_s" in values else ""
    return tr(_SENTENCES[step.code]).format(**{**values, "limits": listed(limits), "deadline": deadline})


def reasoning_text(steps: Iterable[GuidedStep]) -> str:
    """All steps, one line each under its question's name, for the scenario's notes."""
    return "\n".join(f"{tr(QUESTIONS[step.question])} {step_text(step)}" for step in steps)


def _value(name: str, value: float) -> str:
    if name == "mean_over_peak":
        return format_value(value, "share")
    return format_value(value, _UNITS.get(name, ""), 3)
