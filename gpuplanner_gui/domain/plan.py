"""What the engine answers: tables of candidates as arrays, breakdowns whose parts add up, curves, explanations.

Every array of a table has one entry per candidate, those that cannot run included. Reasons, limits, evidence are codes.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, Any, cast

import msgspec
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Booleans, Floats, Integers
from gpuplanner_gui.domain.curves import SimulatedFleet, StoreRun
from gpuplanner_gui.domain.field import about
from gpuplanner_gui.domain.load_result import Readiness
from gpuplanner_gui.domain.verdict import Finding, Verdicts


class Reason(IntEnum):
    """Why a candidate is not recommended; `reason_value` holds the number that belongs to it."""

    NONE = 0
    DOES_NOT_FIT = 1
    """Bytes missing per device."""
    NO_MEMORY_FIGURE = 2
    PRECISION_NOT_SUPPORTED = 3
    """Index of the precision."""
    HEADS_NOT_DIVISIBLE = 4
    """Number of heads that the tensor-parallel size does not divide."""
    LAYERS_NOT_DIVISIBLE = 5
    """Number of layers that the pipeline size exceeds or does not divide."""
    BEYOND_SCALE_UP_DOMAIN = 6
    """Devices in the domain."""
    BATCH_NOT_DIVISIBLE = 7
    """Sequences of the global batch that the data-parallel size does not divide."""
    NO_COMPUTE_FIGURE = 8
    MISSES_TARGET = 9
    """Best reachable value of the target that fails, over its limit."""
    MISSES_DEADLINE = 10
    """Run time over deadline."""
    OVER_BUDGET = 11
    """Cost over budget."""
    NO_PRICE = 12
    NOT_FOR_TRAINING = 13
    """The kind of device or its ecosystem has no training software."""
    KV_CACHE_TOO_SMALL = 14
    """Bytes missing per device for one request of the largest context."""
    OVER_POWER = 15
    """Watts over the site's limit."""
    COOLING = 16
    HEADROOM = 17
    """Share of memory left free."""
    EXPERTS_NOT_DIVISIBLE = 18
    """Number of experts that the expert-parallel size does not divide."""
    NO_BANDWIDTH_FIGURE = 19
    END_OF_LIFE = 20
    EXCLUDED = 21
    """The planner's filters leave the accelerator out."""
    SCHEDULE_NOT_IN_FRAMEWORK = 22
    """The pipeline schedule that is asked for is none of the framework's."""
    ZERO_WITH_PIPELINE = 23
    """ZeRO stage that no framework combines with a pipeline."""
    SCHEDULE_NEEDS_MICRO_BATCHES = 24
    """Micro-batches of a step, which the schedule cannot deal out over the stages."""
    REQUEST_NOT_FOR_MODEL = 25
    """The model does not answer such requests, or their work is not known."""
    ONE_DEVICE_PER_SAMPLE = 26
    """Models without an answer of tokens are planned on one device a replica."""
    BELOW_CONFIDENCE = 27
    """How far an idle replica, or a run, is over its limit at the confidence that is asked for."""
    NOT_MEASURED = 28
    """Published runs of the device, engine and format, where only measured ones may be used."""
    EXPERTS_NOT_OVER_ALL = 29
    """Devices of a replica, over all of which the engine's expert parallelism goes."""
    ZERO_NOT_IN_FRAMEWORK = 30
    """ZeRO stage that the framework's own code cannot run."""
    RECOMPUTATION_NOT_IN_FRAMEWORK = 31
    ADAPTERS_NOT_DIVIDED = 32
    """Libraries of adapters run whole models, or what ZeRO leaves of them, on each device."""
    CANNOT_RESTART = 33
    """Interruptions expected of spot capacity during a run that cannot restart."""
    HYBRID_NOT_IN_FRAMEWORK = 34
    """Copies of a group that would divide state; the framework's own code divides it over all copies alone."""
    OFFLOAD_NOT_IN_FRAMEWORK = 35
    """ZeRO stage with which the framework's options cannot keep optimizer state on the host."""
    OVER_HOST_MEMORY = 36
    """Bytes missing in host memory, per device."""
    LAYOUT_NOT_IN_FRAMEWORK = 37
    """Devices of a model's copy, over which the framework's options cannot divide it."""
    ENGINE_NOT_ON_DEVICE = 38
    ENGINE_ON_ONE_SERVER = 39
    """Devices of a server, beyond which the engine's replicas do not reach."""
    EXPERT_WIDTH_NOT_DIVISIBLE = 40
    """Width of an expert, which the devices that share each expert do not divide."""
    EXPERT_TENSOR_NOT_IN_FRAMEWORK = 41
    """Devices that would share each expert; the framework cuts experts in another way."""
    ACTIVATION_OFFLOAD_NOT_IN_FRAMEWORK = 42
    LAYOUT_NOT_IN_ENGINE = 43
    BATCH_TOO_SMALL = 44
    """Tokens of a sequence, or of the copies' micro-batches, of which the global batch has fewer."""
    OPTIMIZER_NOT_IN_FRAMEWORK = 45  # In such a layout, by its launchers' options.
    ADAPTERS_UNKNOWN = 46  # The model's matrices, beside which adapters stand, are not stated.


class Resource(IntEnum):
    """What can set the pace, with the same colour everywhere."""

    COMPUTE = 0
    MEMORY_BANDWIDTH = 1
    MEMORY_CAPACITY = 2
    INTERCONNECT = 3
    HOST = 4
    INPUT = 5
    """Data that is read and prepared too slowly."""
    STORAGE = 6
    """A store that takes checkpoints too slowly."""
    PARTLY_FILLED_TILES = 7  # Compute that kernels spend on padding, of few tokens.


class ServingTable(msgspec.Struct, frozen=True, kw_only=True):
    """Candidates for serving, one entry each."""

    accelerator: Annotated[Integers, about("Accelerator", "", "Accelerator, by its place among those of the plan.")]
    tensor_parallel: Annotated[Integers, about("TP", "", "Devices that share each layer.")]
    pipeline_parallel: Annotated[Integers, about("PP", "", "Stages that the layers are split into.")]
    attention_data_parallel: Annotated[
        Integers, about("DP", "", "Groups that each run attention for their own sequences and share the experts.")
    ]
    expert_parallel: Annotated[Integers, about("EP", "", "Groups of devices, each with its own experts.")]
    prefill_tensor_parallel: Annotated[
        Integers, about("Prefill TP", "", "Tensor parallelism of a prefill worker; 0: prefill and decode share a pool.")
    ]
    prefill_data_parallel: Annotated[Integers, about("Prefill DP", "", "Attention groups of a prefill worker.")]
    prefill_expert_parallel: Annotated[Integers, about("Prefill EP", "", "Expert parallelism of a prefill worker.")]
    prefill_workers: Annotated[
        Integers, about("Prefill workers", "", "Prefill workers of each replica; 0: prefill and decode share a pool.")
    ]
    decode_workers: Annotated[Integers, about("Decode workers", "", "Of each replica with separate pools.")]
    draft_tokens: Annotated[Integers, about("Drafts", "tok", "Tokens drafted in each step; 0: none.")]
    devices_per_replica: Annotated[
        Integers, about("Per replica", "devices", "Devices of one replica; with separate pools, of both pools.")
    ]
    weight_precision: Annotated[Integers, about("Weights", "", "Number format of the weights.")]
    kv_precision: Annotated[Integers, about("KV cache", "", "Number format of the KV cache.")]
    emulated: Annotated[Booleans, about("Emulated", "", "The device lacks the format; weights are unpacked.")]

    fits: Annotated[Booleans, about("Fits", "", "Weights, one request and all overheads fit in memory.")]
    reason: Annotated[Integers, about("Reason", "", "Why the candidate is not recommended; 0: it can be.")]
    reason_value: Annotated[Floats, about("Reason's value")]
    meets_targets: Annotated[Booleans, about("Meets targets", "", "Meets every latency target at peak load.")]

    memory_capacity_bytes: Annotated[Floats, about("Usable memory", "bytes", "Memory of one device.")]
    weights_bytes: Annotated[Floats, about("Weights", "bytes", "Weights on one device.")]
    kv_cache_bytes: Annotated[Floats, about("KV cache", "bytes", "KV cache in use on one device at the planned load.")]
    kv_pool_bytes: Annotated[
        Floats, about("KV pool", "bytes", "Memory per device that the engine sets aside for the KV cache.")
    ]
    activation_bytes: Annotated[Floats, about("Activations", "bytes", "Per device.")]
    runtime_bytes: Annotated[Floats, about("Runtime", "bytes", "Context, graphs, communication buffers; per device.")]
    prefill_weights_bytes: Annotated[Floats, about("Prefill weights", "bytes", "Per device of a prefill worker.")]
    prefill_kv_cache_bytes: Annotated[Floats, about("Prefill KV cache", "bytes", "In use, of a prefill worker.")]
    prefill_kv_pool_bytes: Annotated[Floats, about("Prefill KV pool", "bytes", "Per device of a prefill worker.")]
    prefill_activation_bytes: Annotated[Floats, about("Prefill activations", "bytes", "Of a prefill worker.")]
    prefill_runtime_bytes: Annotated[Floats, about("Prefill runtime", "bytes", "Per device of a prefill worker.")]
    transfer_s: Annotated[
        Floats,
        about("Cache transfer", "s", "Time to send a mean prompt's KV cache from the prefill to the decode pool."),
    ]
    max_sequences: Annotated[Floats, about("Largest batch", "seq", "Sequences of mean length that the KV pool holds.")]
    batch: Annotated[Floats, about("Batch", "seq", "Mean sequences decoded together at the planned load.")]
    decode_compute_s: Annotated[Floats, about("Compute", "s", "Part bound by compute.")]
    decode_bandwidth_s: Annotated[Floats, about("Memory bandwidth", "s", "Part bound by memory bandwidth.")]
    decode_interconnect_s: Annotated[Floats, about("Interconnect", "s", "Communication between devices.")]
    decode_host_s: Annotated[Floats, about("Host and launch", "s", "Waiting for the host.")]
    decode_step_s: Annotated[Floats, about("Decode step", "s", "Time of a decode step at the planned batch.")]
    prefill_s: Annotated[Floats, about("Prefill", "s", "Time to prefill one mean prompt, with nothing else running.")]
    limit: Annotated[Integers, about("Limit", "", "The resource that takes most of the decode step.")]
    ttft_mean_s: Annotated[Floats, about("TTFT mean", "s", "Time to first token at the planned load.")]
    ttft_p50_s: Annotated[Floats, about("TTFT p50", "s")]
    ttft_p95_s: Annotated[Floats, about("TTFT p95", "s")]
    ttft_p99_s: Annotated[Floats, about("TTFT p99", "s")]
    tpot_mean_s: Annotated[Floats, about("TPOT mean", "s", "Time per output token at the planned load.")]
    tpot_p95_s: Annotated[Floats, about("TPOT p95", "s")]
    itl_p99_s: Annotated[Floats, about("ITL p99", "s", "Gap between tokens; tokens of one draft arrive together.")]
    e2e_mean_s: Annotated[Floats, about("E2E mean", "s", "From the request to its whole answer.")]
    e2e_p95_s: Annotated[Floats, about("E2E p95", "s", "From the request to its whole answer.")]
    ttft_low80_s: Annotated[Floats, about("TTFT p95, low", "s", "Lower end of the 80 % band.")]
    ttft_high80_s: Annotated[Floats, about("TTFT p95, high", "s", "Upper end of the 80 % band.")]
    tpot_low80_s: Annotated[Floats, about("TPOT mean, low", "s", "Lower end of the 80 % band.")]
    tpot_high80_s: Annotated[Floats, about("TPOT mean, high", "s", "Upper end of the 80 % band.")]

    max_rate_per_s: Annotated[
        Floats, about("Saturation", "req/s", "Request rate at which the queue of one replica grows without limit.")
    ]
    slo_rate_per_s: Annotated[
        Floats, about("Rate at targets", "req/s", "Highest request rate at which one replica meets every target.")
    ]
    replicas: Annotated[Floats, about("Replicas", "", "At the confidence, with spares; all but the first estimated.")]
    replicas_expected: Annotated[
        Floats, about("Replicas, expected", "", "If every input is as expected, with spares and zones.")
    ]
    devices: Annotated[Floats, about("Devices", "devices", "Devices of all replicas.")]
    load_per_replica_per_s: Annotated[Floats, about("Load per replica", "req/s", "Rate of one replica at peak.")]
    headroom: Annotated[
        Floats, about("Load reserve", "", "How much more load meets the targets: estimated, or found by simulation.")
    ]
    draft_gain: Annotated[Floats, about("Speed-up by draft tokens", "", "Below 1, draft tokens slow the replica down.")]
    output_tokens_per_s_per_device: Annotated[Floats, about("Peak tok/s/device", "tok/s", "Output, spares included.")]
    paid_devices: Annotated[
        Floats, about("Devices paid for", "devices", "In whole units as sold or rented, including unused ones.")
    ]
    unit_devices: Annotated[Floats, about("Devices per unit", "devices", "Devices of one node, rack or instance.")]
    owned_devices: Annotated[Floats, about("Devices owned", "devices", "Used first, and paid for at all hours.")]
    usd_per_device_hour: Annotated[
        Floats, about("Price", "USD/h", "Price per device in use, including its share of the unused ones.")
    ]
    owned_usd_per_device_hour: Annotated[Floats, about("Price, owned part", "USD/h", "Of devices owned already.")]
    running_share: Annotated[Floats, about("Replicas running", "", "Share of replicas paid for: 1 unless autoscaled.")]
    usd_per_hour: Annotated[Floats, about("Cost per hour", "USD/h", "Cost of the whole fleet in a mean hour.")]
    usd_per_month: Annotated[Floats, about("Cost per month", "USD/month", "Cost of the whole fleet per month.")]
    usd_per_million_output_tokens: Annotated[
        Floats,
        about("$/M output", "USD", "Fleet's cost over its mean output, prompts included. Users ask slower ones less."),
    ]
    usd_per_million_input_tokens: Annotated[
        Floats,
        about("$/M input", "USD",
              "Cost of uncached prompt tokens; the fleet's cost is split by time spent in prefill and decode."),
    ]  # fmt: skip
    usd_per_request: Annotated[Floats, about("$/request", "USD")]
    power_w: Annotated[Floats, about("Power", "W", "Mean power of the whole fleet at the site over the week.")]
    draw_share: Annotated[Floats, about("Mean draw", "", "Share of its power under load, of a device never stopped.")]
    evidence: Annotated[Integers, about("Evidence", "", "Measured, calibrated, or specification only.")]
    evidence_kind: Annotated[
        Integers, about("Based on", "", "Own runs, published runs, timed kernels, a related device, or the datasheet.")
    ]
    published_runs: Annotated[Integers, about("Published runs", "", "Published with this device, software and format.")]
    order: Annotated[Integers, about("Order", "", "Candidates from best to worst; those that cannot run come last.")]


class TrainingTable(msgspec.Struct, frozen=True, kw_only=True):
    """Candidates for training, one entry each."""

    accelerator: Annotated[Integers, about("Accelerator", "", "Accelerator, by its place among those of the plan.")]
    devices: Annotated[Integers, about("Devices", "devices")]
    tensor_parallel: Annotated[Integers, about("TP", "", "Devices that share each layer.")]
    pipeline_parallel: Annotated[Integers, about("PP", "", "Stages that the layers are split into.")]
    data_parallel: Annotated[Integers, about("DP", "", "Copies that share the batch.")]
    context_parallel: Annotated[Integers, about("CP", "", "Devices that share each sequence.")]
    expert_parallel: Annotated[Integers, about("EP", "", "Devices that share the experts.")]
    expert_tensor_parallel: Annotated[Integers, about("ETP", "", "Devices that share each expert.")]
    zero_stage: Annotated[Integers, about("ZeRO", "", "What the copies share: 1 optimizer, 2 gradients, 3 weights.")]
    micro_batch: Annotated[Integers, about("Micro-batch", "seq")]
    recompute: Annotated[Integers, about("Recompute", "", "Activation recomputation: 0 none, 1 selective, 2 full.")]
    schedule: Annotated[Integers, about("Schedule", "", "0 1F1B, 1 interleaved, 2 zero bubble, 3 DualPipe.")]
    virtual_stages: Annotated[Integers, about("Virtual stages", "", "Virtual stages of an interleaved pipeline.")]
    sharding_group: Annotated[
        Integers, about("HSDP group", "", "Copies that shard state among them (hybrid sharding); 0: all copies.")
    ]
    offload: Annotated[Integers, about("Offload", "", "Optimizer state on: 0 the device, 1 the host, 2 NVMe.")]
    activation_offload: Annotated[Integers, about("Activations on", "", "Activations on: 0 the device, 1 the host.")]
    recompute_share: Annotated[
        Floats | None, about("Recomputed layers", "", "Share of the layers that are recomputed in full.")
    ] = None

    fits: Annotated[Booleans, about("Fits", "", "Weights, optimizer state, activations and overheads fit in memory.")]
    reason: Annotated[Integers, about("Reason", "", "Why the candidate is not recommended; 0: it can be.")]
    reason_value: Annotated[Floats, about("Reason's value")]
    meets_targets: Annotated[Booleans, about("Meets targets", "", "The run meets its deadline and budget.")]

    memory_capacity_bytes: Annotated[Floats, about("Usable memory", "bytes", "Memory of one device.")]
    weights_bytes: Annotated[Floats, about("Weights", "bytes", "Weights on one device.")]
    gradients_bytes: Annotated[Floats, about("Gradients", "bytes", "Gradients on one device.")]
    master_weights_bytes: Annotated[Floats, about("Master weights", "bytes", "FP32 master weights on one device.")]
    first_moment_bytes: Annotated[Floats, about("First moment", "bytes", "Optimizer's first moment on one device.")]
    second_moment_bytes: Annotated[Floats, about("Second moment", "bytes", "Optimizer's second moment on one device.")]
    activation_bytes: Annotated[Floats, about("Activations", "bytes", "Per device, with micro-batches in flight.")]
    logits_bytes: Annotated[Floats, about("Logits and loss", "bytes", "Logits and loss on the last pipeline stage.")]
    runtime_bytes: Annotated[Floats, about("Runtime", "bytes", "Device context, communication, fragmentation.")]
    host_bytes: Annotated[Floats, about("Host memory", "bytes", "Host memory for what is offloaded, per device.")]

    compute_s: Annotated[Floats, about("Compute", "s", "Forward, backward and recomputation that compute bounds.")]
    bandwidth_s: Annotated[
        Floats, about("Memory bandwidth", "s", "Work that memory bandwidth bounds, including the optimizer.")
    ]
    tensor_communication_s: Annotated[Floats, about("Tensor-parallel communication", "s", "Not overlapped.")]
    data_communication_s: Annotated[Floats, about("Data-parallel communication", "s", "Not overlapped.")]
    pipeline_communication_s: Annotated[Floats, about("Pipeline communication", "s", "Not overlapped.")]
    expert_communication_s: Annotated[Floats, about("Expert and context communication", "s", "Not overlapped.")]
    bubble_s: Annotated[Floats, about("Pipeline bubble", "s", "Time in which pipeline stages wait.")]
    host_s: Annotated[Floats, about("Host and launch", "s")]
    input_s: Annotated[Floats, about("Waiting for data", "s", "Time by which the data is slower than the step.")]
    step_time_s: Annotated[Floats, about("Step time", "s")]
    step_low80_s: Annotated[Floats, about("Step time low", "s", "Lower end of the 80 % band.")]
    step_high80_s: Annotated[Floats, about("Step time high", "s", "Upper end of the 80 % band.")]
    limit: Annotated[Integers, about("Limit", "", "The resource that takes most of the step.")]

    tokens_per_s: Annotated[Floats, about("Tokens/s", "tok/s", "Tokens per second on all devices.")]
    tokens_per_s_per_device: Annotated[Floats, about("Tokens/s/device", "tok/s")]
    mfu: Annotated[Floats, about("MFU", "", "Model FLOPs per second over the dense peak of the recipe's format.")]
    hfu: Annotated[Floats, about("HFU", "", "Like MFU, with recomputation counted as work.")]
    steps: Annotated[Floats, about("Steps")]
    goodput: Annotated[Floats, about("Goodput", "", "Share of the time that moves the run forward.")]
    run_time_s: Annotated[Floats, about("Run time", "s", "From start to last step, including start-up and losses.")]
    deadline_slack_s: Annotated[
        Floats, about("Deadline slack", "s", "From the end of the run to the deadline; negative: late.")
    ]
    run_time_confident_s: Annotated[Floats, about("Run time at confidence", "s", "Not exceeded at that confidence.")]
    usd_per_run_confident: Annotated[
        Floats, about("Cost at confidence", "USD", "The cost is not exceeded with the required confidence.")
    ]
    device_hours: Annotated[Floats, about("Device-hours paid", "h", "With retries, validation and experiments.")]
    energy_j: Annotated[Floats, about("Energy", "J", "Energy of the run at the site.")]
    paid_devices: Annotated[
        Floats, about("Devices paid for", "devices", "In whole units as sold or rented, including unused ones.")
    ]
    unit_devices: Annotated[Floats, about("Devices per unit", "devices", "Devices of one node, rack or instance.")]
    usd_per_device_hour: Annotated[
        Floats, about("Price", "USD/h", "Price per device in use, including its share of the unused ones.")
    ]
    usd_per_run: Annotated[Floats, about("Cost of the run", "USD")]
    power_w: Annotated[Floats, about("Power", "W", "Mean power of all devices at the site over the run.")]
    draw_share: Annotated[Floats, about("Mean draw", "", "Share of its power under load.")]
    samples_per_s: Annotated[Floats, about("Samples/s", "1/s", "Sequences, or samples of a model without tokens.")]
    data_bytes_per_s: Annotated[
        Floats, about("Data read", "bytes/s", "Read rate that storage must deliver so that devices never wait.")
    ]
    data_reads_per_s: Annotated[
        Floats, about("Reads", "1/s", "Reads per second that storage must deliver so that devices never wait.")
    ]
    store_lost_share: Annotated[
        Floats, about("Lost to the checkpoint store", "", "Share of the run that a faster checkpoint store would save.")
    ]
    data_slowed_share: Annotated[
        Floats,
        about("Lost to checkpoint writes", "",
              "Share of the run lost because data reads wait while checkpoints are written."),
    ]  # fmt: skip
    data_cores: Annotated[Floats, about("Cores for data", "cores", "CPU cores that prepare the data, on all hosts.")]
    checkpoint_bytes: Annotated[Floats, about("Checkpoint", "bytes on disk")]
    checkpoint_stall_s: Annotated[Floats, about("Checkpoint stall", "s", "Time for which a checkpoint stops training.")]
    checkpoint_write_s: Annotated[
        Floats, about("Checkpoint write", "s", "Time until a checkpoint is complete in the shared store.")
    ]
    checkpoint_interval_s: Annotated[
        Floats, about("Checkpoint interval", "s", "Time between checkpoints (Daly's optimum, at least the write time).")
    ]
    checkpoint_store_interval_s: Annotated[
        Floats, about("Interval to the shared store", "s", "Time between checkpoints that reach the shared store.")
    ]
    checkpoint_storage_bytes: Annotated[
        Floats,
        about("Checkpoint storage", "bytes on disk", "Capacity for the checkpoints kept and the one being written."),
    ]
    evidence: Annotated[Integers, about("Evidence", "", "Measured, calibrated, or specification only.")]
    evidence_kind: Annotated[
        Integers, about("Based on", "", "Own runs, published runs, timed kernels, a related device, or the datasheet.")
    ]
    published_runs: Annotated[Integers, about("Published runs", "", "Published with this device, software and format.")]

    order: Annotated[Integers, about("Order", "", "Candidates from best to worst; those that cannot run come last.")]


class ServingPlan(msgspec.Struct, frozen=True, kw_only=True):
    table: ServingTable
    best: int
    """Index of the recommended candidate; of the closest one where none meets every target; -1 if none can run."""
    mean_prompt_tokens: float
    mean_output_tokens: float
    peak_rate_per_s: float
    limiting_slo: int
    """Which target, counted over all classes in order, is tightest for the best candidate; -1 without targets."""
    target_latency_s: tuple[float, ...] = ()
    """What each target of each class limits, of the best candidate at its planned load; targets in their order."""
    pruned: int = 0
    """Candidates left out before, for their weights cannot fit."""
    pool_pairs: int = 0
    """Pairs of layouts for separate prefill and decode pools that were tried, and that were left out before."""
    pool_pairs_left_out: int = 0
    drafted: int = 0
    """Candidates that were also tried with draft tokens, and that fit and were not."""
    drafted_left_out: int = 0
    simulated: SimulatedFleet | None = None
    """The last fleet that was simulated; another candidate may have become the best by it. None: none was."""
    quick: ServingPlan | None = None
    """The plan before its recommendation was simulated; None where this is it."""

    @property
    def simulation_of_best(self) -> SimulatedFleet | None:
        """Simulation of the recommended candidate's fleet; None where its replicas are a quick estimate."""
        found = self.simulated
        return found if found is not None and found.candidate == self.best and found.replicas else None


class TrainingPlan(msgspec.Struct, frozen=True, kw_only=True):
    table: TrainingTable
    best: int
    flop_per_token: float
    tokens: float
    framework: str
    """Framework of the plan: the scenario's, or one that can run the method."""
    store_needed: StoreRun | None = None
    """The slowest store with which the recommended run takes at most a hundredth longer than with an endless one."""
    stores: tuple[StoreRun, ...] = ()
    """The same run with the scenario's store and with others from 400 GB/s to 100 MB/s, from the fastest."""


class Plan(msgspec.Struct, frozen=True, kw_only=True, weakref=True):
    """The engine's answer for one scenario."""

    accelerators: tuple[str, ...]
    """Catalogue ids that the tables' `accelerator` columns index."""
    precisions: tuple[str, ...]
    serving: ServingPlan | None
    training: TrainingPlan | None
    findings: tuple[Finding, ...]
    calibration_digest: str
    elapsed_s: float
    verdicts: Verdicts | None = None
    """None while the plan is being made."""
    stress: Readiness | None = None
    """Tests of the recommended serving fleet; None before they ran."""
    quoted: tuple[str, ...] = ()
    """Accelerators whose price is a quotation in the scenario, not the catalogue's."""
    few_offers: dict[str, tuple[str, ...]] = {}
    """By workload, accelerators whose price fewer providers than bear one out ask: they are ranked behind."""

    @property
    def answers(self) -> dict[str, ServingPlan | TrainingPlan]:
        """What is planned, by workload: serving first."""
        return {name: one for name, one in (("serving", self.serving), ("training", self.training)) if one is not None}

    @property
    def served(self) -> ServingPlan:
        """The answer for serving of a scenario that serves; AssertionError of others."""
        assert self.serving is not None
        return self.serving

    @property
    def trained(self) -> TrainingPlan:
        """The answer for training of a scenario that trains; AssertionError of others."""
        assert self.training is not None
        return self.training


def column(table: ServingTable | TrainingTable, name: str) -> NDArray[Any]:
    """One column of a table by name. Raises AttributeError for a name it lacks."""
    return cast(NDArray[Any], getattr(table, name))
