"""Terms of the field that reports use without explaining them where they stand."""

from __future__ import annotations

from gpuplanner_gui.drawing.language import tr

TERM_WORDS: tuple[tuple[str, str], ...] = (
    ("TTFT", "Time to first token: from sending a request until the first token of the answer."),
    ("TPOT", "Time per output token: how long each further token of an answer takes, on average over the answer."),
    ("ITL", "Inter-token latency: the gap between two tokens that follow each other."),
    ("E2E", "From sending a request until the last token of its answer."),
    ("p95", "95 of 100 requests are at least as fast; p50, p90 and p99 likewise."),
    ("P10, P50, P90", "In so many of 100 samples of the uncertain inputs a result is lower; P50 is its middle."),
    ("80 % band", "Predictions of this kind have so far lain between these ends in four of five cases."),
    ("Replica", "The devices that together hold the model once and answer requests on their own."),
    ("Headroom", "How far the load may grow before a target is missed."),
    ("KV cache", "What attention keeps of each token that was read or written, on the device."),
    ("Prefill", "Reading a prompt, all its tokens at once."),
    ("Decode", "Writing an answer, one token in each step for every request that is under way."),
    ("TP, PP, DP, CP, EP", "Tensor, pipeline, data, context and expert parallelism: how a model is cut over devices."),
    (
        "ZeRO",
        "What data-parallel copies share instead of each holding it: 1 optimizer, 2 gradients as well, 3 weights.",
    ),
    ("MFU", "Model FLOPs utilisation: the arithmetic that a model needs over what its devices could do at their peak."),
    ("Goodput", "Share of a run's time that moves it forward, failures, restarts and checkpoints taken off."),
    ("Spot", "Spare capacity of a provider at a lower price, which it may take back at short notice."),
    ("Capital, a year", "Purchase less what is left at the end, as equal yearly payments at the cost of capital."),
    ("Present value", "Later payments counted less, at the cost of capital."),
    ("PUE", "Power usage effectiveness: electricity of the whole site over that of its machines."),
    ("Calibrated", "Predicted from measured timings of the same device."),
    ("Specification only", "Predicted from a datasheet and from relatives: nobody timed a device of this kind."),
)


def terms() -> tuple[tuple[str, str], ...]:
    """Each term with what it means, in the language of the moment."""
    return tuple((tr(term), tr(meaning)) for term, meaning in TERM_WORDS)
