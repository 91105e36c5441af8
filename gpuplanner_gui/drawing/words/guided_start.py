"""The guided start's reasoning in sentences, and the commonest tasks of a planner."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gpuplanner_gui.domain.preset import GuidedCode, GuidedStep, Variation
from gpuplanner_gui.drawing.language import listed, tr
from gpuplanner_gui.drawing.units import format_value


@dataclass(frozen=True)
class Task:
    question: str
    """Ends the sentence "How do I …"."""
    steps: tuple[str, ...]
    opens: str
    """A command of the menus, or `page:` and the name of a page."""


TASKS = (
    Task(
        "plan a service for my model?",
        (
            "Drop the model's config.json into the window, or choose it from the catalogue under Model.",
            "Under Serving, enter the requests per second at the peak, their lengths, and the targets.",
            "The first line of Answer says what to buy or rent, and how certain that is.",
        ),
        "guided_start",
    ),
    Task(
        "plan a training run with a deadline?",
        (
            "Start with the guided start, or choose Plan a training job under Training.",
            "Enter the tokens and the deadline. A date such as 2027-03-01 will do.",
            "Layouts, under Why, lists every layout and why it was not chosen.",
        ),
        "guided_start",
    ),
    Task(
        "use the devices that I already own?",
        (
            "Under Hardware, add them to Already owned: the accelerator and how many.",
            "They are used first. The plan adds what is missing, and Order lists only that.",
        ),
        "edit_inputs",
    ),
    Task(
        "enter our own prices?",
        (
            "Import a price list (CSV or XLSX): each row is matched to an accelerator and shown before it counts.",
            "For a single quotation, add it under Money, Quoted prices.",
            "Own quotations take precedence over the catalogue's offers.",
        ),
        "import_prices",
    ),
    Task(
        "find out what limits the speed?",
        (
            "Roofline, under Why, shows whether memory, arithmetic or the network bounds each phase.",
            "Findings, under Answer, says what would help and what it would save.",
        ),
        "page:roofline",
    ),
    Task(
        "find out where a number comes from?",
        (
            "Click the number, or select its cell, and press F4.",
            "Why? shows the formula with its values. Follow any of them down to offers, entries and measurements.",
        ),
        "page:overview",
    ),
    Task(
        "find out how certain the plan is?",
        (
            "Uncertainty, under Money and risk, shows the chance that every target holds and what decides it.",
            "Confidence, on Answer, sets how certain the plan must be. The fleet is sized for it.",
        ),
        "page:uncertainty",
    ),
    Task(
        "make predictions fit our own installation?",
        (
            "Measure a few points: Calibrate prints the commands for vLLM, SGLang and others.",
            "Import the results. Uncertainty bands become narrower near your measurements.",
        ),
        "import_measurements",
    ),
    Task(
        "compare two candidates, or two scenarios?",
        (
            "Ctrl-click up to four rows of the candidate table to pin them: every plot shows them together.",
            "Compare sets pinned candidates and scenarios side by side.",
        ),
        "page:compare",
    ),
    Task(
        "decide between owning and renting?",
        (
            "Cost, under Money and risk, compares all terms over the horizon and says why one is not available.",
            "The chart shows the utilisation from which owning is cheaper.",
        ),
        "page:cost",
    ),
    Task(
        "order and deploy what was planned?",
        (
            "Order lists servers or instances, network, storage and power, with prices and dates.",
            "Launch flags shows the commands, and writes files for Kubernetes, Compose or Slurm.",
            "Export Report writes a board page and any other sections you choose.",
        ),
        "page:order",
    ),
    Task(
        "plan several services and training runs together?",
        (
            "Give each its own scenario, then choose Plan All as One Estate.",
            "Under Inputs…, enter dates, sites, budgets and future hardware.",
            "Pin decisions that are already made; the rest is planned around them.",
        ),
        "estate",
    ),
)


QUESTIONS = (
    "What is to be done?", "How fast must it be?", "How does the load vary?", "Where, and on what?",
    "May it be interrupted?",
)  # fmt: skip

VARIATION_WORDS: dict[Variation, tuple[str, str]] = {
    "steady": ("Steady around the clock", "Jobs in a queue, worldwide users, other programs."),
    "daily": ("It follows the day", "Busy hours and quiet nights, as with people of one region."),
    "bursty": ("In bursts", "Quiet for long, then many at once: campaigns, events."),
    "people": ("From people who wait", "Each asks again after the answer: a workstation, a team, an office."),
    "batch": ("As a batch with a deadline", "All requests are there at once, and nobody waits for a single answer."),
}
"""Each load in a few words, and whose it is."""

_UNITS = {
    "wide_bytes": "bytes", "narrow_bytes": "bytes", "own_bytes": "bytes",
    "smallest_bytes": "bytes", "largest_bytes": "bytes", "ttft_s": "s", "tpot_s": "s", "itl_s": "s",
    "e2e_s": "s", "deadline_s": "s", "tokens": "tok", "think_time_s": "s", "batch_time_s": "s", "limit_w": "W",
}  # fmt: skip

_SENTENCES: dict[GuidedCode, str] = {
    "fits_one": "Weights take {wide_bytes} in BF16. One device of {smallest_bytes} or more holds them comfortably "
    "({devices} of {of} in the catalogue), so the cheapest one that is fast enough wins.",
    "fits_one_narrow": "Weights take {wide_bytes} in BF16, too much for one device, but {narrow_bytes} in FP8, which "
    "fits a device of {smallest_bytes} or more ({devices} of {of}). Check the quality of FP8.",
    "needs_several": "Weights take {wide_bytes} in BF16 and {narrow_bytes} in FP8. That is too much for one device "
    "(up to {largest_bytes}), so the plan tries devices with fast links between them.",
    "fits_one_published": "As published, weights take {own_bytes}. One device of {smallest_bytes} or more holds them "
    "comfortably ({devices} of {of} in the catalogue), so the cheapest one that is fast enough wins.",
    "needs_several_published": "As published, weights take {own_bytes}. That is too much for one device (up to "
    "{largest_bytes}), so the plan tries devices with fast links between them.",
    "fit_trained": "Weights take {wide_bytes} in BF16. Training needs memory for gradients, optimizer state and "
    "activations as well, so the plan tries layouts from one device to many.",
    "fit_unknown": "Weights take {wide_bytes} in BF16 and {narrow_bytes} in FP8.",
    "latency_bound": "Users wait for answers, so candidates must meet latency targets under load: {limits}.",
    "throughput_bound": "Nobody waits for answers, so only cost per token counts.",
    "deadline_bound": "The run trains on {tokens}{deadline}.",
    "load_steady": "The load is steady (mean {mean_over_peak} of the peak).",
    "load_daily": "The load follows the day (mean {mean_over_peak} of the peak).",
    "load_bursty": "The load comes in bursts (mean {mean_over_peak} of the peak). The peak decides the size.",
    "load_people": "{users} people use it at the peak, each with a new request {think_time_s} after an answer.",
    "load_batch": "{requests} requests are there at once, every day, and are answered within {batch_time_s}.",
    "owned_first": "The {devices} devices you own serve first. The plan adds devices of the same kind where they are "
    "too few.",
    "owned_for_run": "Training uses the {devices} devices you own. Where they are too few, it adds bought ones of the "
    "same kind, or uses rented ones alone: a run cannot span two sites.",
    "licensed_only": "Devices whose driver is not licensed for data centres are excluded.",
    "one_circuit": "One household circuit limits the power to {limit_w}.",
    "paid_as_said": "Devices are paid for on the terms you chose.",
    "bought": "Devices that are added are bought.",
    "rented_for_hours": "Devices are rented by the hour. The Cost page compares this with reserving a part.",
    "rented_for_batch": "Devices are rented by the hour, for the time of the batch alone.",
    "rented_for_run": "Devices for training are rented for the run and released afterwards.",
    "reserved": "A load that never stops is worth a reservation: devices are reserved for a year.",
    "restartable": "Interruptions are acceptable, so spot capacity is used where nobody waits. Checkpoints limit "
    "the loss.",
    "must_not_stop": "Interruptions are not acceptable, so spot capacity is excluded.",
    "spare_kept": "One spare replica is kept for failures.",
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
    """All steps, a line for each question, for the scenario's notes."""
    lines: dict[int, list[str]] = {}
    for step in steps:
        lines.setdefault(step.question, [tr(QUESTIONS[step.question])]).append(step_text(step))
    return "\n".join(" ".join(line) for line in lines.values())


def _value(name: str, value: float) -> str:
    if name == "mean_over_peak":
        return format_value(value, "share")
    return format_value(value, _UNITS.get(name, ""), 3)
