"""What a service has to answer: classes of requests, their traffic, targets, availability and the engine."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from gpuplanner_gui.domain.field import LONGEST_NAME, about
from gpuplanner_gui.domain.model import Precision
from gpuplanner_gui.domain.quantity import Quantity, Triangular, central
from gpuplanner_gui.domain.traffic_figures import TraceFigures

ServingEngine = Literal["vllm", "sglang", "trtllm", "llama_cpp", "generic"]
Router = Literal["least_load", "prefix_affinity", "round_robin", "random"]
BatchingPolicy = Literal["chunked_prefill", "continuous", "dynamic", "static"]
ServingPools = Literal["auto", "together", "separate"]
LatencyMetric = Literal["ttft", "tpot", "itl", "e2e"]
RequestKind = Literal["text", "image", "video", "audio", "document", "classification"]
Arrivals = Literal["poisson", "gamma", "mmpp", "trace", "users"]

DAYS_PER_WEEK = 7
MOST_TOKENS = 100_000_000
"""Of a request or a sequence; the longest context on offer has ten million."""


class Slo(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A limit on one percentile of one latency."""

    metric: Annotated[LatencyMetric, about("Latency", "", "TTFT, TPOT (mean of a request), ITL (each token) or E2E.")]
    percentile: Annotated[float, about("Percentile", "%", minimum=1, maximum=99.99)] = 95.0
    limit_s: Annotated[float, about("Limit", "s", above=0, maximum=1e9)]


class RequestClass(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Requests that are alike: their rate, their lengths, their targets."""

    name: Annotated[str, about("Name", longest=LONGEST_NAME)] = "chat"
    peak_rate_per_s: Annotated[
        Quantity, about("Peak rate", "req/s", "In the busiest minutes.", above=0, maximum=1e7, slides=True)
    ]
    prompt_tokens: Annotated[
        Quantity, about("Prompt", "tok", "Input tokens of a request.", minimum=1, maximum=MOST_TOKENS)
    ] = 1024.0
    output_tokens: Annotated[
        Quantity, about("Answer", "tok", "Generated tokens of a request.", minimum=1, maximum=MOST_TOKENS)
    ] = 256.0
    prefix_cache_share: Annotated[
        Quantity,
        about(
            "Prefix-cache hits", "", "Share of prompt tokens found in the cache.", minimum=0, maximum=0.999, slides=True
        ),
    ] = 0.0
    request: Annotated[
        RequestKind,
        about(
            "Request",
            "",
            "What one request is: text, an image or a video to draw, audio to write down, a document to embed or rank,"
            " an image to classify. Documents take their length from the prompt.",
        ),
    ] = "text"
    denoising_steps: Annotated[
        int,
        about("Denoising steps", "", "Of an image; 0: as many as the model is usually run with.", minimum=0,
              maximum=1000),
    ] = 0  # fmt: skip
    image_width: Annotated[
        int,
        about("Width", "", "Of an image or video, in pixels; 0: as in the usual sample.", minimum=0, maximum=32_768),
    ] = 0
    image_height: Annotated[
        int,
        about("Height", "", "Of an image or video, in pixels; 0: as in the usual sample.", minimum=0, maximum=32_768),
    ] = 0
    video_frames: Annotated[
        int, about("Frames", "", "Of a video; 0: as many as usual.", minimum=0, maximum=100_000)
    ] = 0
    audio_s: Annotated[float, about("Audio", "s", "Length of what is heard, for audio.", above=0, maximum=86_400.0)] = (
        30.0
    )
    priority: Annotated[int, about("Priority", "", "Lower goes first.", minimum=0, maximum=100)] = 0
    slos: Annotated[tuple[Slo, ...], about("Targets", most=10)] = (
        Slo(metric="ttft", percentile=95.0, limit_s=1.0),
        Slo(metric="tpot", percentile=95.0, limit_s=0.05),
    )


class Traffic(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How requests arrive over seconds, a day, and years."""

    arrivals: Annotated[
        Arrivals,
        about(
            "Arrivals",
            "",
            "At random, as bursty as stated; in bursts, by the busiest windows; as in the trace; by users who wait for"
            " their answer before they ask again.",
        ),
    ] = "poisson"
    burstiness_cv: Annotated[
        Quantity, about("Burstiness", "", "CV of the gaps between requests; 1 is Poisson.", minimum=0.1, maximum=100)
    ] = Triangular(1.0, 1.0, 2.0)
    users: Annotated[
        float,
        about(
            "Users",
            "",
            "Who ask at the same time at the peak, for arrivals by users; request rates then only tell classes apart.",
            above=0,
            maximum=1e9,
        ),
    ] = 1.0
    think_time_s: Annotated[
        float,
        about(
            "Think time",
            "s",
            "Time from an answer to the same user's next request, for arrivals by users.",
            minimum=0,
            maximum=1e6,
        ),
    ] = 0.0
    peak_over_mean_1s: Annotated[
        float,
        about("Busiest second", "", "Over the mean of its hour; for bursts.", minimum=1, maximum=1000, advanced=True),
    ] = 3.0
    peak_over_mean_10s: Annotated[
        float,
        about("Busiest 10 s", "", "Over the mean of its hour; for bursts.", minimum=1, maximum=1000, advanced=True),
    ] = 2.0
    peak_over_mean_60s: Annotated[
        float,
        about("Busiest minute", "", "Over the mean of its hour; for bursts.", minimum=1, maximum=1000, advanced=True),
    ] = 1.5
    mean_over_peak: Annotated[
        Quantity,
        about("Mean over peak", "", "Average load of a day as a share of its peak.", above=0, maximum=1, slides=True),
    ] = 0.5
    hours: Annotated[
        tuple[float, ...],
        about(
            "Load by hour",
            "",
            "From midnight, only ratios matter; empty: a cosine.",
            minimum=0,
            maximum=1e9,
            advanced=True,
            most=168,
        ),
    ] = ()
    days: Annotated[
        tuple[float, ...],
        about(
            "Load by day",
            "",
            "From Monday, only ratios matter; a day left out has none; empty: all alike.",
            minimum=0,
            maximum=1e9,
            advanced=True,
            most=366,
        ),
    ] = ()
    growth_per_year: Annotated[
        Quantity, about("Growth", "1/y", "0.5: half more each year.", minimum=-1, maximum=100)
    ] = 0.0
    trace: Annotated[TraceFigures | None, about("Trace", "", "Recorded traffic that these figures come from.")] = None

    @property
    def mean_share_of_peak(self) -> float:
        """Average load of the week over the peak: that of the busiest day, as its hours or the planner say, times the
        days' average over the busiest."""
        day = central(self.mean_over_peak)
        if self.has_hours:
            day = sum(self.hours) / len(self.hours) / max(self.hours)
        return day * self.week_share

    @property
    def has_hours(self) -> bool:
        """Whether the load by hour says what a day is like."""
        return bool(self.hours) and max(self.hours) > 0

    @property
    def week(self) -> tuple[float, ...]:
        """Load of each day from Monday over that of the busiest, seven numbers; a day that is not stated has none.

        Numbers beyond the seventh go on with further weeks: each day counts with the mean of its own.
        """
        if not self.days or not max(self.days) > 0:
            return (1.0,) * DAYS_PER_WEEK
        own = [self.days[day::DAYS_PER_WEEK] for day in range(DAYS_PER_WEEK)]
        means = [sum(stated) / len(stated) if stated else 0.0 for stated in own]
        return tuple(mean / max(means) for mean in means)

    @property
    def week_share(self) -> float:
        """Average load of a day over that of the busiest."""
        return sum(self.week) / DAYS_PER_WEEK


class Availability(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What must go on when something breaks."""

    target: Annotated[
        float,
        about(
            "Availability",
            "",
            "Share of the year in which the service must be up; 0.999 allows 8.8 h of downtime.",
            above=0,
            maximum=0.999999,
        ),
    ] = 0.999
    spare_replicas: Annotated[int, about("Spare replicas", "", "N+1 has one.", minimum=0, maximum=1000)] = 1
    zones: Annotated[
        int, about("Zones", "", "The service survives the loss of one, if more than one.", minimum=1, maximum=20)
    ] = 1
    target_utilisation: Annotated[
        float,
        about(
            "Target utilisation",
            "",
            "Share of the rate that just meets the targets; the rest is headroom.",
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
            "How requests are spread over replicas; prefix affinity keeps a session on the replica that knows it.",
            advanced=True,
        ),
    ] = "least_load"


class ReplicaStart(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What it takes until a new replica serves, and how a fleet follows its load."""

    provision_s: Annotated[Quantity, about("Provision", "s", "Time until the machine is available.", minimum=0)] = 120.0
    image_s: Annotated[Quantity, about("Image", "s", "Pull and start the container.", minimum=0)] = 30.0
    replica_read_bytes_per_s: Annotated[
        Quantity, about("Weights, one replica", "bytes/s", "Rate at which one replica can read weights.", above=0)
    ] = 5e9
    storage_read_bytes_per_s: Annotated[
        Quantity,
        about("Weights, all replicas", "bytes/s", "Rate at which the store serves all replicas together.", above=0),
    ] = 40e9
    compile_s: Annotated[Quantity, about("Compile", "s", minimum=0)] = 42.0
    graph_capture_s: Annotated[Quantity, about("Capture graphs", "s", minimum=0)] = 18.0
    warm_up_s: Annotated[Quantity, about("Warm up", "s", minimum=0)] = 0.0
    metric_window_s: Annotated[
        Quantity, about("Autoscaler's window", "s", "Time until the autoscaler notices more load.", minimum=0)
    ] = 60.0
    keep_alive_s: Annotated[
        Quantity, about("Keep alive", "s", "Idle time after which the last replica would be switched off.", minimum=0)
    ] = 300.0
    replaced_at_once: Annotated[
        int,
        about(
            "Replaced at once",
            "replicas",
            "Replicas replaced at once when a new model is rolled out.",
            minimum=1,
            maximum=100_000,
        ),
    ] = 1
    mtbf_s: Annotated[
        Quantity, about("Between failures", "s", "Mean time between failures of one replica; usually 720 h.", above=0)
    ] = 720 * 3600.0
    repair_s: Annotated[
        Quantity, about("Repair", "s", "Mean time until a failed replica serves again; usually 3.6 h.", minimum=0)
    ] = 3.6 * 3600.0


class EngineSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the serving engine is set up."""

    engine: Annotated[ServingEngine, about("Engine")] = "vllm"
    release: Annotated[
        str, about("Engine release", "", "Such as 0.7.3; empty: the newest known.", longest=40, advanced=True)
    ] = ""
    batching: Annotated[BatchingPolicy, about("Batching")] = "chunked_prefill"
    token_budget: Annotated[int, about("Token budget per step", "tok", minimum=16, maximum=10_000_000)] = 8192
    max_sequences: Annotated[
        int, about("Largest batch", "seq", "Sequences decoded together.", minimum=1, maximum=100_000)
    ] = 256
    memory_fraction: Annotated[
        float, about("Memory fraction", "", "Share of device memory that the engine may use.", above=0, maximum=1)
    ] = 0.9
    kv_block_tokens: Annotated[int, about("KV block", "tok", minimum=1, maximum=4096, advanced=True)] = 16
    speculative_tokens: Annotated[
        int,
        about(
            "Draft tokens", "tok", "Per step of speculative decoding; 0: none.", minimum=0, maximum=64, advanced=True
        ),
    ] = 0
    draft_acceptance: Annotated[
        Quantity,
        about(
            "Draft acceptance", "", "Chance that a drafted token is accepted if the one before it was.", minimum=0,
            maximum=1, advanced=True,
        ),
    ] = 0.7  # fmt: skip
    draft_share: Annotated[
        float | None,
        about(
            "Draft's size",
            "",
            "Over the model's, in weights, cache and time; 0: n-grams; empty: a head of one layer.",
            minimum=0,
            maximum=1,
            advanced=True,
        ),
    ] = None


class ServingWorkload(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A service that goes on: requests, judged by latency at load, availability and cost."""

    classes: Annotated[tuple[RequestClass, ...], about("Request classes", most=20, least=1)]
    traffic: Annotated[Traffic, about("Traffic")] = Traffic()
    availability: Annotated[Availability, about("Availability")] = Availability()
    start: Annotated[ReplicaStart, about("Start and failure of a replica")] = ReplicaStart()
    engine: Annotated[EngineSettings, about("Engine")] = EngineSettings()
    weight_precisions: Annotated[
        tuple[Precision, ...], about("Weight precisions", "", "Those that the search may use.", most=10, once=True)
    ] = ("bf16", "fp8", "int8", "int4")
    kv_precisions: Annotated[tuple[Precision, ...], about("KV precisions", most=10, once=True)] = ("bf16", "fp8")
    tensor_parallel: Annotated[
        int,
        about(
            "Tensor parallel",
            "",
            "Only this size, where heads divide, also across nodes over their network; 0: all usual sizes.",
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
            "Only so many, each for its own sequences, likewise; 0: all usual numbers.",
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
            "Only this size, likewise; 1: every expert is cut over all devices; 0: all usual sizes.",
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
            "Separate pools too; automatic: for models with experts of 100 B parameters or more.",
            advanced=True,
        ),
    ] = "auto"
    max_context: Annotated[
        int,
        about(
            "Largest context",
            "tok",
            "Longest request, prompt and answer, to be served; 0: 99.9 % of the requests, and twice the mean.",
            minimum=0,
            maximum=2 * MOST_TOKENS,
        ),
    ] = 0
    restartable: Annotated[
        bool, about("Instant failover", "", "A lost replica may simply be replaced: spot is possible.")
    ] = False
