"""Why a row has no prediction, and what was taken for granted, as sentences for the table of predictions."""

from __future__ import annotations

from gpuplanner_gui.domain.benchmark import Refusal

REFUSALS = {
    Refusal.NONE: "",
    Refusal.NO_COMPUTE_FIGURE: "no peak rate of the accelerator is known for this precision",
    Refusal.NO_MEMORY_FIGURE: "the accelerator's memory size is not known",
    Refusal.NOT_DEFINED: "the metric is not defined for this load or model, or the row lacks what it depends on",
    Refusal.OVERLOADED: "requests arrive faster than the {value:.3g} per second that can be served",
}
REMARKS = {
    "does_not_fit": "the weights as described are {missing:.3g} GB larger than the memory of a device; predicted as if"
    " they fitted",
    "overloaded": "requests arrive faster than they can be served: TTFT is more than 2 s on average",
    "workers_open": "how many workers the pools have is not stated; predicted with one of each",
    "format_refused": "the engine is not known to run this number format on this accelerator; predicted as if it did",
}


def refusal_sentence(refusal: Refusal, value: float) -> str:
    """The reason as a sentence."""
    return REFUSALS[refusal].format(value=value)


def remark_sentence(code: str, missing_bytes: float = 0.0) -> str:
    """A remark as a sentence, with what memory lacks; a code that has none as it is."""
    return REMARKS.get(code, code).format(missing=missing_bytes / 1e9)
