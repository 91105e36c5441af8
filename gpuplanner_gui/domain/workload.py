"""What a service has to answer: classes of requests, their traffic, targets, availability and the engine."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from gpuplanner_gui.domain.field import LONGEST_NAME, about
from gpuplanner_gui.domain.model import Model, Precision
from gpuplanner_gui.domain.quantity import Quantity, central, upper_end
from gpuplanner_gui.domain.traffic import Traffic

ServingEngine = Literal["vllm", "sglang", "trtllm", "llama_cpp", "mlx", "generic"]
Router = Literal["least_load", "prefix_affinity", "round_robin", "random"]
BatchingPolicy = Literal["chunked_prefill", "continuous", "dynamic", "static"]
ServingPools = Literal["auto", "together", "separate"]
LatencyMetric = Literal["ttft", "tpot", "itl", "e2e"]
RequestKind = Literal["text", "image", "video", "audio", "document", "classification"]

MOST_TOKENS = 100_000_000
"""Most tokens of a request or a sequence; the longest context on offer has ten million."""


class Slo(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A limit on one percentile of one latency."""

    metric: Annotated[LatencyMetric, about("Latency", "", "TTFT, TPOT (mean of a request), ITL (single gaps) or E2E.")]
    percentile: Annotated[float, about("Percentile", "%", minimum=1, maximum=99.99)] = 95.0
    limit_s: Annotated[float, about("Limit", "s", above=0, maximum=1e9)]


NEXT_TOKENS_FROM = 1.5
"""Tokens of the longest answer from which some have a second one: lengths are whole numbers."""


class RequestClass(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Requests that are alike: their rate, their lengths, their targets."""

    name: Annotated[str, about("Name", longest=LONGEST_NAME)] = "chat"
    peak_rate_per_s: Annotated[
        Quantity,
        about("Peak rate", "req/s", "Requests per second in the busiest minutes.", above=0, maximum=1e7, slides=True),
    ]
    prompt_tokens: Annotated[
        Quantity, about("Prompt", "tok", "Input tokens of a request.", minimum=1, maximum=MOST_TOKENS)
    ] = 1024.0
    output_tokens: Annotated[
        Quantity, about("Answer", "tok", "Generated tokens of a request.", minimum=1, maximum=MOST_TOKENS)
    ] = 256.0
    prefix_cache_share: Annotated[
        Quantity,
        about("Prefix-cache hits", "share", "Share of prompt tokens found in the prefix cache.", minimum=0,
              maximum=0.999, slides=True),
    ] = 0.0  # fmt: skip
    session_share: Annotated[
        float,
        about(
            "Session hits",
            "",
            "Share of the prefix-cache hits that only the replica of the same session holds. Routers without session"
            " affinity lose them.",
            minimum=0,
            maximum=1,
            advanced=True,
        ),
    ] = 0.0
    request: Annotated[
        RequestKind,
        about(
            "Request",
            "",
            "What one request is: text, an image or video to generate, audio to transcribe, a document to "
            "embed or rank, or an image to classify. Documents take their length from Prompt.",
        ),
    ] = "text"
    denoising_steps: Annotated[
        int,
        about("Denoising steps", "", "Denoising steps of an image; 0: the model's default.", minimum=0,
              maximum=1000, zero_means="model’s own"),
    ] = 0  # fmt: skip
    image_width: Annotated[
        int,
        about("Width", "", "Width of an image or video in pixels; 0: as in the model's sample.", minimum=0,
              maximum=32_768, zero_means="model’s own"),
    ] = 0  # fmt: skip
    image_height: Annotated[
        int,
        about("Height", "", "Height of an image or video in pixels; 0: as in the model's sample.", minimum=0,
              maximum=32_768, zero_means="model’s own"),
    ] = 0  # fmt: skip
    video_frames: Annotated[
        int,
        about(
            "Frames",
            "",
            "Frames of a video; 0: as in the model's sample.",
            minimum=0,
            maximum=100_000,
            zero_means="model’s own",
        ),
    ] = 0
    prompt_images: Annotated[
        float,
        about("Prompt images", "", "Images per prompt, of the stated size or 1024 × 1024; needs a vision tower.",
              minimum=0, maximum=10_000, advanced=True),
    ] = 0.0  # fmt: skip
    prompt_audio_s: Annotated[
        float,
        about("Prompt audio", "s", "Length of the audio in each prompt; needs an audio tower.", minimum=0,
              maximum=86_400.0, advanced=True),
    ] = 0.0  # fmt: skip
    audio_s: Annotated[float, about("Audio", "s", "Length of the audio in one request.", above=0, maximum=86_400.0)] = (
        30.0
    )
    priority: Annotated[
        int,
        about("Priority", "", "Lower numbers are served first, once prompts wait for more than one step.", minimum=0,
              maximum=100),
    ] = 0  # fmt: skip
    slos: Annotated[tuple[Slo, ...], about("Targets", most=10)] = (
        Slo(metric="ttft", percentile=95.0, limit_s=1.0),
        Slo(metric="tpot", percentile=95.0, limit_s=0.05),
    )

    @property
    def has_next_tokens(self) -> bool:
        """Whether tokens follow the first of an answer: after a single one nobody waits."""
        return upper_end(self.output_tokens) >= NEXT_TOKENS_FROM

    @property
    def held_slos(self) -> tuple[tuple[int, Slo], ...]:
        """The targets that its answers can miss, with their places; an answer of one token has no time between two."""
        of_next = () if self.has_next_tokens else ("tpot", "itl")
        return tuple((place, slo) for place, slo in enumerate(self.slos) if slo.metric not in of_next)


def request_of(one: RequestClass, model: Model) -> RequestKind:
    """What a request is; text to a model that only embeds is a document, as there is no answer."""
    return "document" if one.request == "text" and model.embeds else one.request


class Availability(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What must go on when something breaks."""

    target: Annotated[
        float,
        about(
            "Availability",
            "share",
            "Share of the year in which the service must be available; 0.999 allows 8.8 h of downtime. Of batches: the "
            "share that must be done in time although replicas fail and are repaired.",
            above=0,
            maximum=0.999999,
        ),
    ] = 0.999
    spare_replicas: Annotated[int, about("Spare replicas", "", "1 means N+1.", minimum=0, maximum=1000)] = 1
    zones: Annotated[
        int, about("Zones", "", "With more than one zone, the service survives the loss of one.", minimum=1, maximum=20)
    ] = 1
    target_utilisation: Annotated[
        float,
        about(
            "Target utilisation",
            "share",
            "Planned load of a replica, relative to the rate at which it just meets its targets. The rest is headroom.",
            above=0,
            maximum=1,
            slides=True,
        ),
    ] = 0.75
    router: Annotated[
        Router,
        about(
            "Router",
            "",
            "How requests are distributed over replicas. Prefix affinity keeps a session on the replica that "
            "has its prefix cached.",
            advanced=True,
        ),
    ] = "least_load"


class ReplicaStart(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What it takes until a new replica serves, and how a fleet follows its load."""

    is_autoscaled: Annotated[
        bool,
        about(
            "Autoscaling",
            "",
            "Replicas rented by the hour or at spot are started and stopped with the load of each hour and paid for "
            "only while they run; a batch's until it is done. Otherwise, and on other terms, all of them run and "
            "are paid for all the time.",
        ),
    ] = False
    provision_s: Annotated[Quantity, about("Provision", "s", "Time until a machine is available.", minimum=0)] = 120.0
    image_s: Annotated[Quantity, about("Container image", "s", "Time to pull and start it.", minimum=0)] = 30.0
    replica_read_bytes_per_s: Annotated[
        Quantity,
        about("Weight read rate, one replica", "bytes/s", "Rate at which one replica can read weights.", above=0),
    ] = 5e9
    storage_read_bytes_per_s: Annotated[
        Quantity,
        about("Weight read rate, all replicas", "bytes/s", "Rate at which the store serves all replicas together.",
              above=0),
    ] = 40e9  # fmt: skip
    compile_s: Annotated[Quantity, about("Compile", "s", minimum=0)] = 42.0
    graph_capture_s: Annotated[Quantity, about("Capture graphs", "s", minimum=0)] = 18.0
    warm_up_s: Annotated[Quantity, about("Warm up", "s", minimum=0)] = 0.0
    metric_window_s: Annotated[
        Quantity, about("Autoscaler window", "s", "Time until the autoscaler reacts to more load.", minimum=0)
    ] = 60.0
    keep_alive_s: Annotated[
        Quantity, about("Keep-alive", "s", "Idle time after which the last replica is switched off.", minimum=0)
    ] = 300.0
    replaced_at_once: Annotated[
        int,
        about(
            "Replaced at a time",
            "replicas",
            "Replicas replaced at a time when a new model is rolled out.",
            minimum=1,
            maximum=100_000,
        ),
    ] = 1
    mtbf_s: Annotated[
        Quantity,
        about("Time between failures", "s", "Mean time between failures of one replica; typically 720 h.", above=0),
    ] = 720 * 3600.0
    repair_s: Annotated[
        Quantity,
        about("Time to repair", "s", "Mean time until a failed replica serves again; typically 3.6 h.", minimum=0),
    ] = 3.6 * 3600.0


class EngineSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the serving engine is set up."""

    engine: Annotated[ServingEngine, about("Engine")] = "vllm"
    release: Annotated[
        str, about("Engine release", "", "Such as 0.7.3; empty: the newest one known.", longest=40, advanced=True)
    ] = ""
    batching: Annotated[BatchingPolicy, about("Batching")] = "chunked_prefill"
    token_budget: Annotated[int, about("Token budget per step", "tok", minimum=16, maximum=10_000_000)] = 8192
    max_sequences: Annotated[
        int, about("Largest batch", "seq", "Most sequences that are decoded together.", minimum=1, maximum=100_000)
    ] = 256
    memory_fraction: Annotated[
        float,
        about(
            "Memory fraction",
            "share",
            "Largest share of device memory that the engine may use.",
            above=0,
            maximum=1,
        ),
    ] = 0.9
    runtime_bytes: Annotated[
        float | None,
        about("Runtime reserve", "bytes", "Memory of a device for libraries and graphs; empty: the engine's usual "
        "amount.",
              minimum=0, maximum=1e13, advanced=True),
    ] = None  # fmt: skip
    activation_bytes: Annotated[
        float | None,
        about("Activation reserve", "bytes", "Memory of a device for one pass; empty: derived from the token "
        "budget.", minimum=0,
              maximum=1e13, advanced=True),
    ] = None  # fmt: skip
    request_host_s: Annotated[
        float | None,
        about("Latency per call", "s", "Network, server and tokenising of a request; empty: the engine's usual time.",
              minimum=0, maximum=1e4, advanced=True),
    ] = None  # fmt: skip
    step_host_s: Annotated[
        float | None,
        about("Host time of a step", "s", "Host time during which the device waits; empty: the engine's usual "
        "time.", minimum=0, maximum=100,
              advanced=True),
    ] = None  # fmt: skip
    kv_block_tokens: Annotated[int, about("KV block", "tok", minimum=1, maximum=4096, advanced=True)] = 16
    speculative_tokens: Annotated[
        int | None,
        about(
            "Draft tokens",
            "tok",
            "Tokens drafted per step of speculative decoding. 0: none; empty: those of the checkpoint's own MTP "
            "layers, if they make it faster.",
            minimum=0,
            maximum=64,
            advanced=True,
        ),
    ] = None
    draft_acceptance: Annotated[
        Quantity | None,
        about(
            "Draft acceptance",
            "share",
            "Chance that a drafted token is accepted if the one before it was; empty: the value published"
            " for the model's draft head, else 70 %.",
            minimum=0,
            maximum=1,
            advanced=True,
        ),
    ] = None
    draft_share: Annotated[
        float | None,
        about(
            "Draft model's size",
            "share",
            "Size relative to the model (weights, cache and time); 0: n-grams; empty: a head of one layer.",
            minimum=0,
            maximum=1,
            advanced=True,
        ),
    ] = None

    @property
    def batches_whole(self) -> bool:
        """Whether a batch begins and ends together."""
        return self.batching in ("static", "dynamic")


class ServingWorkload(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A service that goes on: requests, judged by latency at load, availability and cost."""

    classes: Annotated[tuple[RequestClass, ...], about("Request classes", most=20, least=1)]
    traffic: Annotated[Traffic, about("Traffic")] = Traffic()
    availability: Annotated[Availability, about("Availability")] = Availability()
    start: Annotated[ReplicaStart, about("Start and failure of a replica")] = ReplicaStart()
    engine: Annotated[EngineSettings, about("Engine")] = EngineSettings()
    weight_precisions: Annotated[
        tuple[Precision, ...], about("Weight precisions", "", "Formats that the search may use.", most=10, once=True)
    ] = ("bf16", "fp8", "int8", "int4")
    kv_precisions: Annotated[tuple[Precision, ...], about("KV cache precisions", most=10, once=True)] = ("bf16", "fp8")
    tensor_parallel: Annotated[
        int,
        about(
            "Tensor parallel",
            "",
            "Fixed size, if the model's heads divide by it; may span nodes. 0: the search tries all common sizes.",
            zero_means="by search",
            minimum=0,
            maximum=4096,
            advanced=True,
        ),
    ] = 0
    attention_data_parallel: Annotated[
        int,
        about(
            "Attention groups",
            "",
            "Fixed number of groups that each run attention for their own sequences. 0: the search tries all "
            "common numbers.",
            zero_means="by search",
            minimum=0,
            maximum=4096,
            advanced=True,
        ),
    ] = 0
    expert_parallel: Annotated[
        int,
        about(
            "Expert parallel",
            "",
            "Fixed size; 1: every expert is split over all devices. 0: the search tries all common sizes.",
            zero_means="by search",
            minimum=0,
            maximum=4096,
            advanced=True,
        ),
    ] = 0
    pools: Annotated[
        ServingPools,
        about(
            "Prefill and decode pools",
            "",
            "Whether to try separate prefill and decode pools; automatic: for mixtures of experts from 100 B "
            "parameters.",
            advanced=True,
        ),
    ] = "auto"
    max_context: Annotated[
        int,
        about(
            "Largest context",
            "tok",
            "Longest request to serve, prompt and answer; 0: 99.9 % of the requests, and at least twice the mean.",
            minimum=0,
            maximum=2 * MOST_TOKENS,
            zero_means="by the requests",
        ),
    ] = 0
    restartable: Annotated[
        bool, about("Instant failover", "", "A lost replica can simply be replaced, so spot capacity may be used.")
    ] = False

    @property
    def peak_rate_per_s(self) -> float:
        """Requests a second at the peak of all classes, as stated; of a batch those that its time asks for. [1/s]"""
        if self.traffic.is_batch:
            return self.traffic.batch_requests / self.traffic.batch_time_s
        return sum(central(one.peak_rate_per_s) for one in self.classes)

    @property
    def targets(self) -> tuple[tuple[int, Slo], ...]:
        """Every latency target with the position of its class; a batch has its deadline alone."""
        if self.traffic.is_batch:
            return ()
        return tuple((place, slo) for place, one in enumerate(self.classes) for _, slo in one.held_slos)

    @property
    def has_next_tokens(self) -> bool:
        """Whether any answers have more than one token."""
        return any(one.has_next_tokens for one in self.classes)
