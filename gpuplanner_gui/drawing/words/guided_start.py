"""The guided start's reasoning in sentences, and the commonest tasks of a planner."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gpuplanner_gui.domain.guided_start import GuidedCode, GuidedStep
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
            "The first line of Answer says what to buy or rent, and how sure that is.",
        ),
        "guided_start",
    ),
    Task(
        "plan a training run with a deadline?",
        (
            "Start with the guided start, or choose Plan a training job under Training.",
            "Enter the tokens and the deadline. A date such as 2027-03-01 will do.",
            "Layouts, under Why, lists every way to split the job and why each was not chosen.",
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
        "find out how sure the plan is?",
        (
            "Uncertainty, under Money and risk, shows the chance that every target holds and what decides it.",
            "Confidence, on Answer, says how sure the plan has to be: its fleet is sized for that.",
        ),
        "page:uncertainty",
    ),
    Task(
        "make predictions fit our own installation?",
        (
            "Measure a few points: Calibrate prints the commands for vLLM, SGLang and others.",
            "Import the results. Bands become narrower where you have measured, and nowhere else.",
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
            "Cost, under Money and risk, lists every way to pay over the horizon, and why one is not open.",
            "The chart shows the utilisation from which owning is cheaper.",
        ),
        "page:cost",
    ),
    Task(
        "order and deploy what was planned?",
        (
            "Order lists servers or instances, network, storage and power, with prices and dates.",
            "Launch flags shows the commands, and writes files for Kubernetes, Compose or Slurm.",
            "Export Report writes a page for the board, and whatever else you choose.",
        ),
        "page:order",
    ),
    Task(
        "plan several services and training runs together?",
        (
            "Give each its own scenario, then choose Plan All as One Estate.",
            "Inputs… holds dates, sites, budgets and hardware that is still to come.",
            "Pin a decision that has been made: the rest is planned around it.",
        ),
        "estate",
    ),
)


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
