"""Requests that are no text, in words: what one costs, and which of them a model answers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gpuplanner_gui.domain.constants import SECONDS_PER_HOUR
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.workload import request_of
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.units import format_value

_OF_TOKENS = (
    "tpot_mean_s", "tpot_p95_s", "itl_p99_s", "output_tokens_per_s_per_device", "usd_per_million_output_tokens",
)  # fmt: skip

_WAITS = ("ttft_p95_s", "tpot_mean_s", "tpot_p95_s", "itl_p99_s")


def columns_without_meaning(scenario: Scenario) -> frozenset[str]:
    """Columns of serving candidates that say nothing of a scenario's requests, or what another says better.

    Of an answer that comes whole nobody asks for the first token; of a text that is read as it comes, all of it is a
    matter of its length. Audio is priced by the request, not by the tokens that are written of it. Images and
    documents have no tokens, and a single document costs next to nothing. Nobody waits for a single answer of a batch.
    """
    serving = scenario.serving
    is_batch = serving is not None and serving.traffic.is_batch
    classes = serving.classes if serving is not None else ()
    if scenario.first_latency == "ttft":
        return frozenset(("e2e_p95_s", "usd_per_request", *(_WAITS if is_batch else ())))
    hidden = ("ttft_p95_s", *(("e2e_p95_s",) if is_batch else ()), *(() if has_tokens(scenario) else _OF_TOKENS))
    if request_cost_unit(scenario) is not None:
        hidden = (*hidden, "usd_per_million_output_tokens")
    is_tiny = any(request_of(one, scenario.model) in ("document", "classification") for one in classes)
    return frozenset((*hidden, "usd_per_request") if is_tiny else hidden)


def has_tokens(scenario: Scenario) -> bool:
    """Whether answers are written: texts and transcripts."""
    return scenario.first_latency == "ttft" or scenario.model.kind == "encoder_decoder"


@dataclass(frozen=True)
class RequestCostUnit:
    """What a price of requests that are no text is for: an image, an hour of audio, a million documents."""

    text: str
    title: str
    requests: float
    """Requests in one unit."""


def request_cost_unit(scenario: Scenario) -> RequestCostUnit | None:
    """The unit in which every page prices the requests of a service; None: a million output tokens."""
    serving = scenario.serving
    unit = _COST_UNITS.get(request_of(serving.classes[0], scenario.model)) if serving is not None else None
    if serving is None or unit is None or unit.requests:
        return unit
    rates = [central(one.peak_rate_per_s) for one in serving.classes]
    mean_s = sum(one.audio_s * rate for one, rate in zip(serving.classes, rates)) / sum(rates)
    return replace(unit, requests=SECONDS_PER_HOUR / mean_s)


def request_cost_text(results: Results, usd_per_request: float) -> str:
    """What images, documents or audio cost; empty where requests are text."""
    unit = request_cost_unit(results.scenario)
    if unit is None or not np.isfinite(usd_per_request):
        return ""
    return tr(unit.text).format(cost=format_value(usd_per_request * unit.requests, "USD"))


_COST_UNITS = {
    "image": RequestCostUnit("{cost} per image", "Cost per image", 1.0),
    "video": RequestCostUnit("{cost} per video", "Cost per video", 1.0),
    # As many requests as make an hour: their length is the scenario's.
    "audio": RequestCostUnit("{cost} per hour of audio", "Cost per hour of audio", 0.0),
    "document": RequestCostUnit("{cost} per million documents", "Cost per million documents", 1e6),
    "classification": RequestCostUnit("{cost} per million images", "Cost per million images", 1e6),
}


def request_advice(scenario: Scenario) -> str:
    """What requests a model answers, where those asked for are others or their work is not known."""
    classes = scenario.serving.classes if scenario.serving else ()
    sentence = _ANSWERED.get("encoder" if scenario.model.embeds else scenario.model.kind)
    if scenario.model.vision is None and any(one.prompt_images for one in classes):
        sentence = "This model sees no images. Choose one with a vision tower, or set the images in the prompt to 0."
    elif scenario.model.audio is None and any(one.prompt_audio_s for one in classes):
        sentence = "This model hears no audio. Choose one with an audio tower, or set the audio in the prompt to 0 s."
    elif sentence is None and not scenario.model.layers:
        sentence = "This model has no layers. Import its config.json, or choose a model of the catalogue."
    elif sentence is None:
        sentence = "This model writes text. Set the request of every class to text."
    if scenario.model.kind == "diffusion" and not scenario.model.flop_per_sample:
        sentence = "The FLOPs per sample of this model are not known. Enter them under Model."
    elif scenario.model.sample_frames:
        sentence = "This model generates videos. Set the request of every class to video."
    return tr(sentence)


_ANSWERED = {
    "diffusion": "This model generates images. Set the request of every class to image. If you enter denoising"
    " steps or a size, enter the model's own too.",
    "encoder": "This model embeds or ranks documents. Set the request of every class to document.",
    "vision_transformer": "This model classifies images. Set the request of every class to classification.",
    "cnn": "This model classifies images. Set the request of every class to classification.",
    "encoder_decoder": "This model transcribes audio. Set the request of every class to audio, such as 30 s each.",
}
