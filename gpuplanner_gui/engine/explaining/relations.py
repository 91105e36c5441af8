"""How numbers of an answer are made: stated once for each field, by the formula that makes it or in words.

A key is `module.Struct.field`. Deeper fields (`curves.LoadCurve.ttft_s/mean`) come before shallow ones; `*` stands for
every other field of the struct.

Inputs are named from the struct that holds the number: a neighbour (`paid_hours`), one around it (`../horizon_h`), each
of several (`fleets/*/usd`), the same entry of another list (`rates_per_s/@`), a column of the candidate at hand
(`column:serving:usd_per_month`), or a part of the scenario (`scenario:economics.horizon_years`).
"""

from __future__ import annotations

from gpuplanner_gui.engine.explaining.decision_relations import (
    FLEET_RELATIONS,
    MONEY_RELATIONS,
    SAMPLE_RELATIONS,
    Relation,
    made_by,
)

SIMULATED = "simulation of every step of the engine (docs/derivations/load.md#simulation)"
_STEPS = ("column:serving:decode_step_s", "column:serving:prefill_s", "column:serving:kv_pool_bytes")
_REPLICA = ("candidate", "requests", *_STEPS)
_STATE = (
    "layers/@", "column:training:data_parallel", "column:training:tensor_parallel", "column:training:pipeline_parallel",
)  # fmt: skip
_SERVED = ("column:serving:slo_rate_per_s", "column:serving:replicas")

LOAD_RELATIONS: dict[str, Relation] = {
    "curves.LoadCurve.rates_per_s": Relation(
        "rates from idle to saturation",
        "closed form (docs/derivations/load.md#balance-of-steps-and-requests)",
        ("max_rate_per_s",)
    ),
    "curves.LoadCurve.batch": made_by("serving.load.steps.batch_over_time", "rates_per_s/@", *_STEPS),
    "curves.LoadCurve.itl_mean_s": made_by("serving.load.steps.sequence_step_s", "batch/@", *_STEPS),
    "curves.LoadCurve.tpot_s/mean": made_by("serving.load.steps.sequence_step_s", "batch/@", *_STEPS),
    "curves.LoadCurve.tpot_s": made_by("serving.load.percentiles.spread_tpot_s", "rates_per_s/@", "tpot_s/mean/@"),
    "curves.LoadCurve.ttft_s/mean": made_by("serving.load.first_token.ttft_with_host_s", "rates_per_s/@", *_STEPS),
    "curves.LoadCurve.e2e_s": made_by(
        "serving.load.percentiles.spread_e2e_s", "rates_per_s/@", "ttft_s/mean/@", "tpot_s/mean/@"
    ),
    "curves.LoadCurve.max_rate_per_s": made_by("serving.load.rates.rate_at_limit_per_s", *_STEPS),
    "curves.LoadCurve.slo_rate_per_s": made_by("serving.load.rates.lower_rate_per_s", "max_rate_per_s", *_STEPS),
    "curves.LoadCurve.*": Relation(
        "mean-field load of a replica at this rate",
        "closed form (docs/derivations/load.md#balance-of-steps-and-requests)",
        ("rates_per_s/@", "max_rate_per_s", "slo_rate_per_s", *_STEPS),
    ),
    "curves.StoreRun.write_bytes_per_s": Relation(
        "planned: the scenario's; needed: the slowest store with which the run takes at most 1 % longer than "
        "with an unlimited one",
        "docs/derivations/reliability.md#the-store-that-a-run-needs",
        ("scenario:training.checkpoints.storage_write_bytes_per_s", "column:training:checkpoint_bytes"),
    ),
    "curves.StoreRun.*": Relation(
        "the planned run with checkpoints written at this rate",
        "docs/derivations/reliability.md#the-store-that-a-run-needs",
        ("write_bytes_per_s", "column:training:checkpoint_bytes", "column:training:goodput",
         "column:training:run_time_s", "column:training:usd_per_run"),
    ),
    "load_result.SimulatedCurve.*": Relation(
        "count or percentile over the requests of a simulated run at this rate", SIMULATED, _REPLICA
    ),
    "load_result.TargetResult.limit_s": Relation("", "target of the scenario"),
    "load_result.TargetResult.*": Relation(
        "percentile over the requests of the run", SIMULATED, ("percentile", "limit_s", *_STEPS)
    ),
    "load_result.StressResult.*": Relation(
        "simulated service with this disturbance", SIMULATED,
        ("factor", "duration_s", "replicas_hit", "../rate_per_s", *_STEPS),
    ),
    "load_result.Readiness.*": Relation(
        "peak rate of the service / its replicas", "plan",
        ("column:serving:load_per_replica_per_s", "column:serving:replicas"),
    ),
    "load_result.StartTimes.*": Relation(
        "provision + image + weights / store's rate + compile + graphs + warm-up",
        "docs/derivations/load.md#cold-start",
        ("provision_s", "image_s", "weights_s", "compile_s", "graph_capture_s", "warm_up_s",
         "scenario:serving.start.storage_read_bytes_per_s", "../weight_bytes"),
    ),
    "load_result.FleetSizing.*": Relation(
        "replicas for the peak at the targets, for failures, and over the day",
        "docs/derivations/load.md#replicas-and-availability",
        ("peak_rate_per_s", "slo_rate_per_s", "base", "spares", "total", "replica_availability", *_SERVED),
    ),
    "load_result.FleetSplit.chance": Relation("", "confidence of the scenario"),
    "load_result.FleetSplit.*": Relation(
        "replicas with headroom if every input is as expected + those for the confidence + spares",
        "docs/derivations/uncertainty.md#fleets-at-a-confidence",
        ("total", "expected", "spares", "column:serving:replicas", "column:serving:replicas_expected"),
    ),
    "load_result.PoolArrangement.*": Relation(
        "fewest replicas with which every class meets its targets", SIMULATED, ("usd_per_replica_hour", *_SERVED)
    ),
    "load_result.SearchOutcome.usd_per_hour": Relation(
        "(replicas · price + storage and egress) · (1 + support)", "as for ranked candidates",
        ("replicas", "column:serving:usd_per_device_hour", "column:serving:devices_per_replica",
         "scenario:economics.renting.support_share"),
    ),
    "load_result.SearchOutcome.*": Relation(
        "fewest replicas whose simulated percentiles meet every target", SIMULATED,
        ("max_sequences", "token_budget", "replicas", "slo_rate_per_s", "tightest/measured_s", *_STEPS),
    ),
    "load_result.SearchResult.*": Relation(
        "configurations considered", "search by targets", ("considered", "simulated")
    ),
}  # fmt: skip

DEVICE_RELATIONS: dict[str, Relation] = {
    "curves.ServingLimits.largest_concurrency": made_by(
        "serving.limits.largest_concurrency", "free_bytes/@", "context_tokens", "column:serving:kv_pool_bytes"
    ),
    "curves.ServingLimits.longest_context": Relation(
        "free memory / cache of a token at the given concurrency", "memory of a replica, solved for the context",
        ("free_bytes/@", "concurrency", "column:serving:kv_pool_bytes"),
    ),
    "curves.ServingLimits.largest_parameters": made_by(
        "serving.limits.largest_parameters", "free_bytes/@", "model_parameters", "column:serving:weights_bytes"
    ),
    "curves.ServingLimits.model_parameters": Relation("", "model"),
    "curves.ServingLimits.model_context": Relation("", "model"),
    "curves.ServingLimits.contexts": Relation("lengths, each twice the last", "axis of the plot", ("model_context",)),
    "curves.ServingLimits.free_bytes": Relation(
        "share that the engine may use · capacity − weights − activations − runtime − cache", "memory of a replica",
        ("column:serving:memory_capacity_bytes", "column:serving:weights_bytes", "column:serving:activation_bytes",
         "column:serving:runtime_bytes", "column:serving:kv_cache_bytes"),
    ),
    "curves.ServingLimits.missing_bytes": Relation(
        "cache at the given concurrency and context − memory left for it", "memory of a replica",
        ("concurrency", "context_tokens", "column:serving:kv_pool_bytes"),
    ),
    "curves.ServingLimits.concurrency_by_context": Relation(
        "free memory / cache of a sequence of this length", "memory of a replica, solved for the batch",
        ("column:serving:memory_capacity_bytes", "column:serving:weights_bytes", "column:serving:kv_pool_bytes"),
    ),
    "curves.ServingLimits.*": Relation(
        "sequences of a length that the memory holds", "memory of a replica", ("concurrency", "context_tokens")
    ),
    "curves.Roofline.decode_ceiling_tokens_per_s": Relation(
        "planned batch · bandwidth / bytes that a step moves on one device", "model, catalogue: the roofline's slope",
        ("batches/planned_batch", "bandwidth_bytes_per_s", "context_tokens"),
    ),
    "curves.Roofline.*": Relation(
        "the datasheet's figure, or the best timing of this or a related device", "catalogue, calibration",
        ("peak_flop_per_s/*", "measured_flop_per_s/*", "bandwidth_bytes_per_s", "measured_bandwidth_bytes_per_s"),
    ),
    "curves.RooflinePoint.*": Relation(
        "operations and bytes of the operation; time by resource at the measured efficiency of its kind",
        "operations of the model; calibration of kernels",
        ("intensity_flop_per_byte", "achieved_flop_per_s", "time_s", "compute_s", "bandwidth_s", "interconnect_s",
         "host_s", "../bandwidth_bytes_per_s", "../measured_bandwidth_bytes_per_s"),
    ),
    "curves.BatchShares.*": Relation(
        "a decode step of this batch by resource", "calibration of kernels",
        ("batch/@", "../context_tokens", "planned_batch", "largest_batch", "crossover_batch", *_STEPS),
    ),
    "curves.PhaseGain.gain": Relation(
        "time of the first / time of the second", "calibration of kernels, catalogue",
        ("first/time_s", "second/time_s", "devices", "batch"),
    ),
    "curves.PhaseGain.*": Relation(
        "gain · e^(∓1.2816 · σ)", "spread of predictions for the two devices (calibration)",
        ("gain", "devices", "batch", "first/time_s", "second/time_s"),
    ),
    "curves.PhaseTime.*": Relation(
        "time of the phase on this number of devices", "calibration of kernels, catalogue",
        ("../devices", "../batch", "../../prompt_tokens", "../../context_tokens"),
    ),
    "curves.PhaseGains.peak_ratio": Relation(
        "figure of the second / of the first", "datasheets (catalogue)", ("gains/0/gain",)
    ),
    "curves.PhaseGains.*": Relation(
        "lengths that the phases are timed at", "scenario", ("prompt_tokens", "context_tokens")
    ),
    "curves.MeasuredGain.*": Relation("", "published results of both devices in the same configuration"),
}  # fmt: skip

TRAINING_RELATIONS: dict[str, Relation] = {
    "training_results.StepPhases.micro_batches": made_by(
        "training.memory.micro_batches", "scenario:training.global_batch_tokens", "column:training:data_parallel"
    ),
    "training_results.StepPhases.*": Relation(
        "part of a step of the slowest stage", "step of the layout (docs/derivations/training.md#step-of-a-layout)",
        ("micro_batches", "column:training:step_time_s", "column:training:compute_s", "column:training:bandwidth_s"),
    ),
    "training_results.StageMemory.weights_bytes": made_by("training.state_memory.sharded_state_bytes", *_STATE),
    "training_results.StageMemory.master_weights_bytes": made_by("training.state_memory.sharded_state_bytes", *_STATE),
    "training_results.StageMemory.gradients_bytes": made_by("training.state_memory.sharded_state_bytes", *_STATE),
    "training_results.StageMemory.first_moment_bytes": made_by("training.state_memory.sharded_state_bytes", *_STATE),
    "training_results.StageMemory.second_moment_bytes": made_by("training.state_memory.sharded_state_bytes", *_STATE),
    "training_results.StageMemory.in_flight": made_by(
        "training.activation_memory.in_flight", "layers/@", "column:training:pipeline_parallel"
    ),
    "training_results.StageMemory.activation_bytes": made_by(
        "training.activation_memory.activation_bytes", "layers/@", "in_flight/@", "column:training:micro_batch"
    ),
    "training_results.StageMemory.fragmentation_bytes": made_by(
        "training.activation_memory.fragmentation_bytes", "activation_bytes/@", "logits_bytes/@"
    ),
    "training_results.StageMemory.logits_bytes": made_by(
        "training.activation_memory.logits_bytes", "layers/@", "column:training:micro_batch"
    ),
    "training_results.StageMemory.*": Relation(
        "bytes of a device of this stage at the peak of a step",
        "memory of a layout (docs/derivations/training.md#memory-of-a-layout)",
        ("layers/@", "in_flight/@", "capacity_bytes", "column:training:weights_bytes",
         "column:training:activation_bytes", "column:training:runtime_bytes"),
    ),
    "training_results.TimelineTask.*": Relation(
        "passes of the schedule, one after another on each stage", "pipeline schedule",
        ("start_s", "end_s", "../total_s", "../idle_share", "column:training:step_time_s"),
    ),
    "training_results.PipelineTimeline.*": Relation(
        "passes of the schedule, one after another on each stage", "pipeline schedule",
        ("stages", "micro_batches", "total_s", "column:training:bubble_s"),
    ),
    "training_results.StepDetail.*": Relation("of the candidate", "plan", ("column:training:devices",)),
    "training_results.ScalingCurve.*": Relation(
        "the fastest layout of this number of devices", "layouts tried, as for the candidates",
        ("devices/@", "step_time_s/@", "efficiency/@", "column:training:step_time_s", "column:training:usd_per_run"),
    ),
    "training_results.MemorySweep.*": Relation(
        "memory of the layout at this value", "memory of a layout (docs/derivations/training.md#memory-of-a-layout)",
        ("values/@", "state_bytes/@", "activation_bytes/@", "capacity_bytes", "column:training:activation_bytes"),
    ),
    "training_results.LargestModel.*": Relation(
        "memory of all devices / bytes of a parameter, solved for the size", "state of the recipe, and activations",
        ("total_memory_bytes", "bytes_per_parameter", "devices", "column:training:memory_capacity_bytes"),
    ),
    "training_results.LayoutRanking.*": Relation(
        "a layout's own figures against the winner's", "layouts tried, as for the candidates",
        ("tried", "fitting", "column:training:step_time_s"),
    ),
    "plan.TrainingTable.*": Relation(
        "of this layout, as for the candidates", "step, memory and run of a layout",
        ("step_time_s/@", "devices/@", "column:training:step_time_s", "column:training:usd_per_run"),
    ),
}  # fmt: skip

CALIBRATION_RELATIONS: dict[str, Relation] = {
    "knowledge.LocalPoint.measured": Relation(
        "", "the set of measurements; without what virtual machines lost"
    ),
    "knowledge.LocalPoint.*": Relation(
        "prediction of the measured case by the shipped calibration, and its distance",
        "kernels and engines as published results have them", ("measured", "predicted", "low80", "high80"),
    ),
    "knowledge.PointVerdict.*": Relation(
        "prediction of the case from the other measurements", "posterior over what cases share",
        ("point/measured", "point/predicted", "after"),
    ),
    "calibration_view.EvidenceCase.measured": Relation(
        "", "the source that stands beside it, or the set that was imported"
    ),
    "calibration_view.EvidenceCase.*": Relation(
        "prediction of the measured case by the shipped calibration, and its distance from the plan",
        "kernels and engines as published results have them; distances by doublings", ("measured", "predicted"),
    ),
    "knowledge.DriftedPoint.*": Relation(
        "new measurement against what the plan expects of it", "posterior over what cases share",
        ("point/measured", "expected", "low80", "high80"),
    ),
    "next_measurement.NextMeasurement.*": Relation(
        "spread of the candidate before and after such a measurement", "posterior over what cases share",
        ("column:serving:tpot_mean_s", "column:serving:usd_per_month"),
    ),
    "next_measurement.NextTrainingRun.*": Relation(
        "spread of the candidate before and after such a run", "posterior over what cases share",
        ("column:training:step_time_s", "column:training:usd_per_run"),
    ),
    "measurement.Figure.*": Relation("", "the file that was imported"),
    "measurement.Measurement.*": Relation("", "the file that was imported"),
    "measurement.MeasurementContext.*": Relation("", "the file that was imported, or what the planner said of it"),
}  # fmt: skip

RELATIONS = (
    CALIBRATION_RELATIONS
    | FLEET_RELATIONS
    | MONEY_RELATIONS
    | SAMPLE_RELATIONS
    | LOAD_RELATIONS
    | DEVICE_RELATIONS
    | TRAINING_RELATIONS
)

_TRIED = "layouts tried: every one that the model, the devices and the planner's limits allow"
_BAND = "errors of such predictions so far (calibration)"
_PUBLISHED = "published runs of the device, software and format (catalogs/evidence.json)"
COLUMN_RELATIONS: dict[str, Relation] = {
    "serving.published_runs": Relation("", _PUBLISHED),
    "serving.replicas_expected": Relation(
        "⌈peak rate / (rate at targets · target utilisation)⌉, or as simulated; zones and spares included",
        "fleet as expected",
        ("slo_rate_per_s",),
    ),
    "training.published_runs": Relation("", _PUBLISHED),
    "training.run_time_confident_s": Relation(
        "start-up + (run_time_s − start-up) · e^(z · σ)", _BAND, ("run_time_s",)
    ),
    "training.usd_per_run_confident": Relation("usd_per_run · e^(z · σ)", _BAND, ("usd_per_run",)),
    "serving.tensor_parallel": Relation("", _TRIED),
    "serving.pipeline_parallel": Relation("", _TRIED),
    "serving.attention_data_parallel": Relation("", _TRIED),
    "serving.expert_parallel": Relation("", _TRIED),
    "serving.prefill_tensor_parallel": Relation("", _TRIED),
    "serving.prefill_data_parallel": Relation("", _TRIED),
    "serving.prefill_expert_parallel": Relation("", _TRIED),
    "serving.prefill_workers": Relation("", "the ratio of workers that carries the peak with the fewest devices"),
    "serving.decode_workers": Relation("", "the ratio of workers that carries the peak with the fewest devices"),
    "serving.draft_tokens": Relation("", "scenario: engine; where it leaves the number open, each was tried"),
    "serving.prefill_kv_pool_bytes": Relation(
        "capacity · fraction of memory for the engine − weights − activations − runtime", "memory of a replica",
        ("memory_capacity_bytes", "prefill_weights_bytes"),
    ),
    "serving.devices_per_replica": Relation(
        "tensor_parallel · pipeline_parallel · attention_data_parallel, times decode_workers, and as much for prefill",
        _TRIED,
        ("tensor_parallel", "pipeline_parallel", "attention_data_parallel", "prefill_workers", "decode_workers"),
    ),
    "serving.kv_pool_bytes": Relation(
        "capacity · fraction of memory for the engine − weights − activations − runtime", "memory of a replica",
        ("memory_capacity_bytes", "weights_bytes", "activation_bytes", "runtime_bytes"),
    ),
    "serving.max_sequences": Relation(
        "KV pool / cache of a sequence at mean lengths", "memory of a replica", ("kv_pool_bytes",)
    ),
    "serving.kv_cache_bytes": Relation(
        "sequences at once · cache of each at mean lengths", "memory of a replica",
        ("batch", "kv_pool_bytes", "max_sequences"),
    ),
    "serving.max_rate_per_s": Relation(
        "rate at which every step is full: of tokens, of sequences, or of cache",
        "stability of the queue (docs/derivations/load.md#capacity-and-stability)",
        ("decode_step_s", "prefill_s", "max_sequences"),
    ),
    "serving.load_per_replica_per_s": Relation(
        "peak rate / replicas that work",
        "spares and a zone's reserve left out (docs/derivations/load.md#replicas-and-availability)",
        ("replicas", "slo_rate_per_s"),
    ),
    "serving.headroom": Relation(
        "slo_rate_per_s / load_per_replica_per_s − 1",
        "docs/derivations/load.md#replicas-and-availability",
        ("slo_rate_per_s", "load_per_replica_per_s")
    ),
    "serving.draft_gain": Relation(
        "time per token without drafts / with them", "both at the planned batch", ("tpot_mean_s", "batch")
    ),
    "serving.ttft_low80_s": Relation("ttft_p95_s · e^(−1.2816 · σ)", _BAND, ("ttft_p95_s",)),
    "serving.ttft_high80_s": Relation("ttft_p95_s · e^(1.2816 · σ)", _BAND, ("ttft_p95_s",)),
    "serving.tpot_low80_s": Relation("tpot_mean_s · e^(−1.2816 · σ)", _BAND, ("tpot_mean_s",)),
    "serving.tpot_high80_s": Relation("tpot_mean_s · e^(1.2816 · σ)", _BAND, ("tpot_mean_s",)),
    "training.step_low80_s": Relation("step_time_s · e^(−1.2816 · σ)", _BAND, ("step_time_s",)),
    "training.step_high80_s": Relation("step_time_s · e^(1.2816 · σ)", _BAND, ("step_time_s",)),
    "training.devices": Relation("", _TRIED),
    "training.tensor_parallel": Relation("", _TRIED),
    "training.pipeline_parallel": Relation("", _TRIED),
    "training.context_parallel": Relation("", _TRIED),
    "training.expert_parallel": Relation("", _TRIED),
    "training.expert_tensor_parallel": Relation("", _TRIED),
    "training.schedule": Relation("", _TRIED),
    "training.virtual_stages": Relation("", _TRIED),
    "training.sharding_group": Relation("", _TRIED),
    "training.activation_offload": Relation("", _TRIED),
    "training.offload": Relation("", _TRIED),
    "training.host_bytes": Relation(
        "master weights + moments + gradients of the update, and weights where they are streamed", _TRIED, ("offload",)
    ),
    "training.data_parallel": Relation(
        "devices / (tensor_parallel · pipeline_parallel · context_parallel)", _TRIED,
        ("devices", "tensor_parallel", "pipeline_parallel", "context_parallel"),
    ),
    "training.micro_batch": Relation("the fastest that fits", _TRIED, ("activation_bytes", "tokens_per_s")),
    "training.recompute_share": Relation(
        "as many layers as are needed to fit", _TRIED, ("activation_bytes", "memory_capacity_bytes")
    ),
}  # fmt: skip
"""Relations of table columns that no single formula makes."""
