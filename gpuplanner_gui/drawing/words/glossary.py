"""Terms of the trade and their meaning: listed in reports, and told at the word itself in the window.

`docs/nomenclature.md` has the same names with their symbols in code; a test compares the two.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from gpuplanner_gui.drawing.language import CodeNames, labelled, tr

GLOSSARY = CodeNames({
    "TTFT": "Time to first token: from sending a request to the first token of its answer, queue included.",
    "TPOT": "Time per output token: mean gap between the tokens of one answer after the first.",
    "ITL": "Inter-token latency: a single gap between two deliveries of tokens to the client.",
    "E2E": "End-to-end latency: from sending a request to the end of its answer.",
    "p50, p95, p99": "Percentiles of latency: 95 % of the requests are faster than p95, half are faster than p50.",
    "P10, P50, P90": "Percentiles over the simulations: 10 % lie below P10, half below P50, 90 % below P90.",
    "80 % range": "Range that contains the result in 80 % of measured cases.",
    "Replica": "Devices that together hold the model once and answer requests on their own.",
    "Headroom": "Load that each replica is planned to leave free, below the rate at which it just meets its targets.",
    "KV cache": "Keys and values of every token so far, which attention keeps in device memory.",
    "Prefill": "Processing a prompt, many tokens at a time, before the first token of the answer.",
    "Chunked prefill": "Splitting a long prompt over several steps, so that other answers continue meanwhile.",
    "Decode": "Generating an answer, one step per token, for all running requests together.",
    "Draft tokens": "Tokens that speculative decoding guesses in advance and the model verifies in one step.",
    "TP": "Tensor parallelism: devices share every layer.",
    "PP": "Pipeline parallelism: the layers are split into stages on different devices.",
    "DP": "Data parallelism: copies of the model, or attention groups, that share the batch.",
    "CP": "Context parallelism: devices share each sequence.",
    "EP": "Expert parallelism: devices hold different experts.",
    "ZeRO": (
        "Data-parallel copies split the training state between them. ZeRO-1 splits the optimizer state, ZeRO-2 "
        "gradients as well, ZeRO-3 weights as well."
    ),
    "HSDP": "Hybrid sharding: groups of copies shard the state; every group holds all of it.",
    "MFU": "Model FLOPs utilisation: FLOPs per second that the model needs, over the dense peak of the devices.",
    "HFU": "Hardware FLOPs utilisation: like MFU, with recomputation counted as work.",
    "Goodput": "Share of a run's time that moves it forward, after failures, restarts and checkpoints.",
    "Roofline": "The fastest that a device can be: limited by peak compute or by memory bandwidth.",
    "Spot": "Spare capacity at a lower price, which the provider may take back at short notice.",
    "Capital, per year": "Purchase price less resale value, as equal yearly payments at the cost of capital.",
    "Present value": "Today's value of later payments, discounted at the cost of capital.",
    "NPV": "Net present value: today's value of all savings less all payments.",
    "IRR": "Internal rate of return: the discount rate at which NPV is zero.",
    "PUE": "Power usage effectiveness: electricity of the whole site over that of its machines.",
    "WUE": "Water usage effectiveness: litres of water per kWh of the machines.",
    "Oversubscription": "Network capacity that devices share: at 2, half of them can use their full rate at a time.",
    "Calibrated": "Predicted from measured timings of the same device.",
    "Specification only": "Predicted from a datasheet and related devices; no device of this kind was timed.",
})  # fmt: skip
TOLD_AT_THE_WORD = (
    "TTFT", "TPOT", "ITL", "E2E", "80 % range", "KV cache", "Chunked prefill", "Draft tokens", "TP", "PP", "DP", "CP",
    "EP", "ZeRO", "HSDP", "MFU", "HFU", "Goodput", "Spot", "Present value", "NPV", "IRR", "PUE", "WUE",
    "Oversubscription", "Headroom",
)  # fmt: skip
"""Those that not every reader knows; the others are plain words that stand everywhere."""
_SPELLINGS = {word: word if word[:2].isupper() or word == "ZeRO" else f"(?i:{word})" for word in TOLD_AT_THE_WORD}
_ANY = re.compile("|".join(f"(?P<t{place}>(?<!\\w){said}(?!\\w))" for place, said in enumerate(_SPELLINGS.values())))


@dataclass(frozen=True)
class TermPlace:
    """Where a term of the glossary stands in a text."""

    term: str
    start: int
    end: int


@lru_cache(maxsize=1024)
def terms_in(text: str) -> tuple[TermPlace, ...]:
    """Terms of the trade in a text, in order."""
    return tuple(
        TermPlace(TOLD_AT_THE_WORD[int((found.lastgroup or "t0")[1:])], found.start(), found.end())
        for found in _ANY.finditer(text)
    )


def meanings(*texts: str) -> list[str]:
    """A line for each term in these texts, told once."""
    found = dict.fromkeys(place.term for text in texts for place in terms_in(text))
    return [labelled(tr(term), GLOSSARY(term)) for term in found]


def terms() -> tuple[tuple[str, str], ...]:
    """Each term with its meaning, in the language of the moment."""
    return tuple((tr(term), GLOSSARY(term)) for term in GLOSSARY)
