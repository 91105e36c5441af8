"""The commonest tasks of a planner: the question, the steps, and what to open for the first of them."""

from __future__ import annotations

from dataclasses import dataclass


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
