"""What numbers of an answer rest on where no single formula makes them: stated once for each field.

Inputs are named from the struct that holds the number: a neighbour (`paid_hours`), one around it (`../horizon_h`), each
of several (`fleets/*/usd`), the same entry of another array (`rates_per_s/@`), a column of the candidate at hand
(`column:serving:usd_per_month`), or a part of the scenario (`scenario:economics.horizon_years`).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Relation:
    """How a number comes about, who says so, and what goes in."""

    expression: str
    source: str
    inputs: tuple[str, ...] = ()


SAMPLES = (
    "Latin hypercube over the inputs' distributions, model error included (docs/derivations/uncertainty.md#sampling)"
)
SIMULATED = "simulation of every step of the engine (docs/derivations/load.md#simulation)"
FLEETS = "hour by hour over the horizon"
_SAMPLED = ("planned", "../samples", "../seed")
_STEPS = ("column:serving:decode_step_s", "column:serving:prefill_s", "column:serving:kv_pool_bytes")
_REPLICA = ("candidate", "requests", *_STEPS)
_SERVED = ("column:serving:slo_rate_per_s", "column:serving:replicas")

FLEET_RELATIONS: dict[tuple[str, str], Relation] = {
    ("FleetsAnswer", "horizon_h"): Relation("years · 8760", "scenario", ("scenario:economics.horizon_years",)),
    ("FleetsAnswer", "opens_h"): Relation(
        "as stated, or when the first run ends", "scenario",
        ("scenario:economics.fleets.service_opens_s", "windows_h/0/1"),
    ),
    ("FleetsAnswer", "windows_h"): Relation(
        "runs evenly spread over a year, each as long as the time for a run", "scenario",
        ("scenario:economics.fleets.training_runs_per_year", "scenario:economics.fleets.first_run_s",
         "scenario:economics.fleets.training_window_s", "scenario:training.deadline_s"),
    ),
    ("FleetsAnswer", "options"): Relation(
        "kinds of device among the cheapest for either workload or for both", "plan",
        ("column:serving:usd_per_month", "column:training:usd_per_run"),
    ),
    ("StrategyAnswer", "usd"): Relation("sum over the fleets", FLEETS, ("fleets/*/usd",)),
    ("StrategyAnswer", "unused_usd"): Relation(
        "paid − used, over resources and fleets", FLEETS, ("fleets/*/paid/total", "fleets/*/used/total")
    ),
    ("Fleet", "usd"): Relation("devices + storage + egress", FLEETS, ("devices_usd", "storage_usd", "egress_usd")),
    ("Fleet", "devices_usd"): Relation(
        "device-hours paid · price of each, held throughout or by the hour", FLEETS,
        ("paid_hours", "devices", "../timeline/*/usd", "column:serving:usd_per_device_hour",
         "column:training:usd_per_device_hour"),
    ),
    ("Fleet", "storage_usd"): Relation(
        "stored · months · price · (1 + support)", "scenario: rental bill",
        ("scenario:economics.renting.stored_bytes", "scenario:economics.renting.storage_usd_per_gb_month",
         "scenario:economics.renting.support_share", "../../horizon_h"),
    ),
    ("Fleet", "egress_usd"): Relation(
        "moved out · price · (1 + support)", "scenario: rental bill",
        ("scenario:economics.renting.serving_egress_bytes_per_month",
         "scenario:economics.renting.training_egress_bytes_per_run", "scenario:economics.renting.egress_usd_per_gb",
         "scenario:economics.renting.support_share"),
    ),
    ("Fleet", "devices"): Relation(
        "the most that either workload, or both at once, need in any hour, in whole nodes", FLEETS,
        ("column:serving:devices_per_replica", "column:serving:slo_rate_per_s", "column:training:device_hours"),
    ),
    ("Fleet", "paid_hours"): Relation(
        "devices · hours held, and what is rented by the hour", FLEETS, ("devices", "../../horizon_h", "../../opens_h")
    ),
    ("Fleet", "training_hours"): Relation(
        "device-hours of a run · runs over the horizon", FLEETS,
        ("column:training:device_hours", "scenario:economics.fleets.training_runs_per_year", "../../horizon_h"),
    ),
    ("Fleet", "serving_hours"): Relation(
        "replicas of each hour, spares included · devices of a replica", FLEETS,
        ("column:serving:devices_per_replica", "column:serving:slo_rate_per_s", "column:serving:replicas"),
    ),
    ("Fleet", "busy_share"): Relation(
        "(training_hours + serving_hours) / paid_hours", FLEETS, ("training_hours", "serving_hours", "paid_hours")
    ),
    ("Fleet", "unused_usd"): Relation("paid − used", FLEETS, ("paid/total", "used/total")),
    ("FleetSpan", "*"): Relation(
        "devices from the first to the last hour of the stretch, at their price", FLEETS,
        ("devices", "start_h", "end_h", "usd", "../../horizon_h"),
    ),
    ("ResourceMoney", "*"): Relation(
        "cost of the fleet's devices · share that buys the resource · use while busy · share of hours busy",
        "what a device's price buys; use by each workload's step "
        "(docs/derivations/cost.md#what-a-devices-price-buys)",
        ("../devices_usd", "../paid_hours", "../training_hours", "../serving_hours",
         "column:serving:decode_step_s", "column:training:mfu"),
    ),
    ("Misplaced", "slowdown"): Relation(
        "device time on the other's devices / at home", FLEETS,
        ("column:training:device_hours", "column:serving:slo_rate_per_s"),
    ),
    ("Misplaced", "*"): Relation(
        "what the workload costs there over the horizon, or for a run", FLEETS,
        ("slowdown", "column:training:usd_per_run", "column:serving:usd_per_month"),
    ),
}  # fmt: skip

MONEY_RELATIONS: dict[tuple[str, str], Relation] = {
    ("OwnershipAnswer", "devices"): Relation(
        "of the recommended candidate", "plan", ("column:serving:devices", "column:training:devices")
    ),
    ("OwnershipAnswer", "use_share"): Relation(
        "1 for a service; hours of the runs / hours of a year for training", "plan",
        ("column:training:run_time_s", "scenario:economics.fleets.training_runs_per_year"),
    ),
    ("OwnershipAnswer", "node_usd"): Relation(
        "purchase price of the node / its devices, after the planner's own prices", "catalogue",
        ("scenario:economics.price_level", "capital/node_usd"),
    ),
    ("OwnershipAnswer", "straight_line_usd_per_hour"): Relation(
        "(capital − resale) / life / 8760", "accounting depreciation",
        ("capital/total", "scenario:economics.ownership.residual_share",
         "scenario:economics.ownership.useful_life_years"),
    ),
    ("OwnershipAnswer", "owned_usd_per_calendar_hour"): Relation(
        "year's cost / 8760", "docs/derivations/cost.md#cost-of-owning", ("annual/total",)
    ),
    ("OwnershipAnswer", "owned_usd_per_useful_hour"): Relation(
        "calendar hour / (availability · share of hours in use)", "docs/derivations/cost.md#cost-of-owning",
        ("owned_usd_per_calendar_hour", "use_share", "scenario:economics.ownership.availability"),
    ),
    ("OwnershipAnswer", "horizon_years"): Relation(
        "the planner's horizon, ten years at most", "scenario", ("scenario:economics.horizon_years",)
    ),
    ("OwnershipAnswer", "growth_per_year"): Relation(
        "the planner's growth of the load", "scenario", ("scenario:serving.traffic.growth_per_year",)
    ),
    ("OwnershipAnswer", "replicas"): Relation("of the recommended candidate", "plan", ("column:serving:replicas",)),
    ("OwnershipAnswer", "replicas_by_year"): Relation(
        "replicas for the highest load of each year, zones and spares included", "plan",
        ("replicas", "growth_per_year", "scenario:serving.traffic.growth_per_year"),
    ),
    ("OwnershipAnswer", "commitment_usd"): Relation(
        "sum over the years of the cheapest mix, each by its worth today", "docs/derivations/cost.md#mix-of-terms",
        ("commitments/*/usd", "scenario:economics.ownership.cost_of_capital"),
    ),
    ("CapitalParts", "total"): Relation("sum of the parts", "docs/derivations/cost.md#cost-of-owning", ("*",)),
    ("CapitalParts", "*"): Relation(
        "the planner's terms of owning on the device's purchase price", "docs/derivations/cost.md#cost-of-owning",
        ("../node_usd", "scenario:economics.ownership.capital_discount",
         "scenario:economics.ownership.network_usd_per_device", "scenario:economics.ownership.storage_usd_per_device",
         "scenario:economics.ownership.installation_share"),
    ),
    ("OwnedParts", "total"): Relation("sum of the parts", "docs/derivations/cost.md#cost-of-owning", ("*",)),
    ("OwnedParts", "*"): Relation(
        "the planner's terms of owning, a year and device", "docs/derivations/cost.md#cost-of-owning",
        ("../capital/total", "scenario:economics.ownership.cost_of_capital",
         "scenario:economics.ownership.useful_life_years", "scenario:economics.ownership.facility_usd_per_kw_month",
         "scenario:economics.site.electricity_usd_per_kwh", "scenario:economics.site.pue",
         "scenario:economics.ownership.support_share_per_year"),
    ),
    ("TermAnswer", "usd_per_device_hour"): Relation(
        "price of the term for this device; owned: the hour in which it is up", "catalogue of offers, or owning",
        ("../owned_usd_per_calendar_hour", "scenario:economics.price_level", "column:serving:usd_per_device_hour"),
    ),
    ("TermAnswer", "usd"): Relation(
        "bill of each year by its worth today; an owner's capital as an annuity",
        "net present value (docs/derivations/cost.md#present-value)",
        ("usd_by_year/*", "usd_per_device_hour", "../devices", "../use_share", "scenario:economics.horizon_years",
         "scenario:economics.price_trend_per_year", "scenario:economics.ownership.cost_of_capital"),
    ),
    ("TermAnswer", "usd_by_year"): Relation(
        "device-hours of the year's fleet · price, with what is billed beside; undiscounted",
        "docs/derivations/cost.md#storage-egress-and-support",
        ("usd_per_device_hour", "../devices", "../growth_per_year", "scenario:economics.price_trend_per_year"),
    ),
    ("TermAnswer", "break_even_share"): Relation(
        "owned hour / (rented hour · (1 + support share))", "docs/derivations/cost.md#when-buying-beats-renting",
        ("usd_per_device_hour", "../owned_usd_per_calendar_hour"),
    ),
    ("OwnersTerms", "*"): Relation(
        "owned hour under the terms of this kind of owner", "presets of owners, with their sources in the catalogue",
        ("../node_usd",),
    ),
    ("Investment", "*"): Relation(
        "purchase now, rent saved less running costs each year, resale at the end",
        "docs/derivations/cost.md#cost-of-owning",
        ("rent_usd_per_hour", "cash_flows_usd/*", "scenario:economics.ownership.cost_of_capital"),
    ),
    ("CommitmentYear", "*"): Relation(
        "a replica is reserved where it is needed in a larger share of hours than its price over that by the hour",
        "docs/derivations/cost.md#mix-of-terms",
        ("three_years", "one_year", "by_the_hour", "../terms/*/usd_per_device_hour", "column:serving:replicas"),
    ),
    ("EnergyAnswer", "*"): Relation(
        "rated power · share drawn · PUE · hours, times price, carbon and water of a kWh",
        "docs/derivations/cost.md#power-energy-and-carbon",
        ("rated_power_w", "it_power_w", "facility_power_w", "energy_kwh", "scenario:economics.site.pue",
         "scenario:economics.site.electricity_usd_per_kwh", "scenario:economics.site.grid_g_co2e_per_kwh",
         "scenario:economics.site.water_litres_per_kwh", "assumed_log_sd"),
    ),
    ("LeverAnswer", "*"): Relation(
        "cost of the run · (1 − factor of hours · factor of price), after the measures before it",
        "factors multiply; spot stretched by interruptions (docs/derivations/cost.md#spot)",
        ("alone_usd", "in_order_usd", "column:training:usd_per_run", "column:training:device_hours"),
    ),
    ("UnitCost", "*"): Relation(
        "cost of the fleet over the units that it serves or trains", "docs/derivations/cost.md#unit-costs",
        ("column:serving:usd_per_request", "column:serving:usd_per_million_output_tokens",
         "column:training:usd_per_run"),
    ),
}  # fmt: skip

SAMPLE_RELATIONS: dict[tuple[str, str], Relation] = {
    ("UncertaintyAnswer", "*"): Relation("as asked for", "scenario", ("scenario:economics.uncertainty.samples",)),
    ("Headline", "limit"): Relation("", "target, budget or date of the scenario"),
    ("Headline", "planned"): Relation("of the plan as it stands", "plan", ("column:code",)),
    ("Headline", "input_share"): Relation(
        "variance without model error / variance with it", SAMPLES, ("p10", "p90", *_SAMPLED)
    ),
    ("Headline", "*"): Relation("percentile over the samples", SAMPLES, _SAMPLED),
    ("Probability", "*"): Relation(
        "share of the samples in which it holds", SAMPLES, ("../samples", "../seed", "../headlines/*/limit")
    ),
    ("Verdict", "chance"): Relation(
        "share of the samples in which every target holds", SAMPLES, ("../headlines/*/limit",)
    ),
    ("Verdict", "confidence"): Relation("four in five", "the confidence that a verdict asks for", ("chance",)),
    ("Verdict", "weakest_chance"): Relation(
        "share of the samples in which the weakest target holds", SAMPLES, ("../headlines/*/limit",)
    ),
    ("Raising", "value"): Relation("80th percentile of what is needed", SAMPLES, ("../confidence",)),
    ("Tornado", "middle"): Relation("every input at its median", SAMPLES, ("../headlines/*/planned",)),
    ("TornadoBar", "low_input"): Relation("10th percentile of the input", SAMPLES, ("high_input",)),
    ("TornadoBar", "high_input"): Relation("90th percentile of the input", SAMPLES, ("low_input",)),
    ("TornadoBar", "*"): Relation(
        "this input at its 10th or 90th percentile, the others at their medians", SAMPLES,
        ("low_input", "high_input", "../middle"),
    ),
    ("Rival", "*"): Relation(
        "cost of the candidate in the same samples; where it misses its targets it is no rival", SAMPLES,
        ("../samples", "column:serving:usd_per_month", "column:training:usd_per_run"),
    ),
    ("Measurement", "value_usd"): Relation(
        "expected cost of deciding now − of deciding when the input is known",
        "value of information by regression (Strong, Oakley and Brennan 2014)", ("../samples", "../rivals/*/p50_usd"),
    ),
    ("ComparedScenario", "score"): Relation(
        "weighted mean of the criteria", "weights of the ranking", ("scores/*", "scenario:economics.ranking.cost",
         "scenario:economics.ranking.latency", "scenario:economics.ranking.certainty"),
    ),
    ("ComparedScenario", "scores"): Relation(
        "0 for the worst of the scenarios, 1 for the best", "criteria of the ranking", ("headlines/*/p50",)
    ),
    ("ComparisonAnswer", "beats"): Relation(
        "share of the same samples in which the row costs less than the column", SAMPLES,
        ("scenarios/*/headlines/0/p50",),
    ),
    ("ComparisonAnswer", "ranking"): Relation("by score", "weights of the ranking", ("scenarios/*/score",)),
}  # fmt: skip

LOAD_RELATIONS: dict[tuple[str, str], Relation] = {
    ("LoadCurve", "rates_per_s"): Relation(
        "rates from idle to saturation",
        "closed form (docs/derivations/load.md#balance-of-steps-and-requests)",
        ("max_rate_per_s",)
    ),
    ("LoadCurve", "*"): Relation(
        "mean-field load of a replica at this rate",
        "closed form (docs/derivations/load.md#balance-of-steps-and-requests)",
        ("rates_per_s/@", "max_rate_per_s", "slo_rate_per_s", *_STEPS),
    ),
    ("SimulatedCurve", "*"): Relation(
        "counted or taken as percentile over the requests of a run at this rate", SIMULATED, _REPLICA
    ),
    ("TargetResult", "limit_s"): Relation("", "target of the scenario"),
    ("TargetResult", "*"): Relation(
        "percentile over the requests of the run", SIMULATED, ("percentile", "limit_s", *_STEPS)
    ),
    ("StressResult", "*"): Relation(
        "the same service with the disturbance in its midst", SIMULATED,
        ("factor", "duration_s", "replicas_hit", "../rate_per_s", *_STEPS),
    ),
    ("Readiness", "*"): Relation(
        "peak rate of the service over its replicas", "plan",
        ("column:serving:load_per_replica_per_s", "column:serving:replicas"),
    ),
    ("StartTimes", "*"): Relation(
        "provision + image + weights / store's rate + compile + graphs + warm-up",
        "docs/derivations/load.md#cold-start",
        ("provision_s", "image_s", "weights_s", "compile_s", "graph_capture_s", "warm_up_s",
         "scenario:serving.start.storage_read_bytes_per_s", "../weight_bytes"),
    ),
    ("FleetSizing", "*"): Relation(
        "replicas for the peak at the targets, for failures, and over a day",
        "docs/derivations/load.md#replicas-and-availability",
        ("peak_rate_per_s", "slo_rate_per_s", "base", "spares", "total", "replica_availability", *_SERVED),
    ),
    ("PoolArrangement", "*"): Relation(
        "fewest replicas with which every class is within its targets", SIMULATED, ("usd_per_replica_hour", *_SERVED)
    ),
    ("SearchOutcome", "usd_per_hour"): Relation(
        "(replicas · price + storage and egress) · (1 + support)", "as the ranked candidates",
        ("replicas", "column:serving:usd_per_device_hour", "column:serving:devices_per_replica",
         "scenario:economics.renting.support_share"),
    ),
    ("SearchOutcome", "*"): Relation(
        "fewest replicas whose simulated percentiles meet every target", SIMULATED,
        ("max_sequences", "token_budget", "replicas", "slo_rate_per_s", "tightest/measured_s", *_STEPS),
    ),
    ("SearchResult", "*"): Relation("configurations looked at", "search by targets", ("considered", "simulated")),
}  # fmt: skip

DEVICE_RELATIONS: dict[tuple[str, str], Relation] = {
    ("ServingLimits", "largest_concurrency"): Relation(
        "free memory / cache of a sequence at the given context", "memory of a replica, solved for the batch",
        ("free_bytes/@", "context_tokens", "column:serving:kv_pool_bytes"),
    ),
    ("ServingLimits", "longest_context"): Relation(
        "free memory / cache of a token at the given concurrency", "memory of a replica, solved for the context",
        ("free_bytes/@", "concurrency", "column:serving:kv_pool_bytes"),
    ),
    ("ServingLimits", "largest_parameters"): Relation(
        "memory beside cache, activations and runtime / bytes of a parameter", "memory of a replica, solved for it",
        ("free_bytes/@", "model_parameters", "column:serving:weights_bytes"),
    ),
    ("ServingLimits", "free_bytes"): Relation(
        "capacity − weights − activations − runtime − cache", "memory of a replica",
        ("column:serving:memory_capacity_bytes", "column:serving:weights_bytes", "column:serving:activation_bytes",
         "column:serving:runtime_bytes", "column:serving:kv_cache_bytes"),
    ),
    ("ServingLimits", "concurrency_by_context"): Relation(
        "free memory / cache of a sequence of this length", "memory of a replica, solved for the batch",
        ("column:serving:memory_capacity_bytes", "column:serving:weights_bytes", "column:serving:kv_pool_bytes"),
    ),
    ("ServingLimits", "*"): Relation(
        "sequences of a length that the memory holds", "memory of a replica", ("concurrency", "context_tokens")
    ),
    ("Roofline", "decode_ceiling_tokens_per_s"): Relation(
        "planned batch · bandwidth / bytes that a step moves on one device", "model, catalogue: the roofline's slope",
        ("batches/planned_batch", "bandwidth_bytes_per_s", "context_tokens"),
    ),
    ("Roofline", "*"): Relation(
        "datasheet's figure, or the best that was timed of the device or a near relative", "catalogue, calibration",
        ("peak_flop_per_s/*", "measured_flop_per_s/*", "bandwidth_bytes_per_s", "measured_bandwidth_bytes_per_s"),
    ),
    ("RooflinePoint", "*"): Relation(
        "operations and bytes of the operation; time by resource at the efficiency that was measured for its kind",
        "operations of the model; calibration of kernels",
        ("intensity_flop_per_byte", "achieved_flop_per_s", "time_s", "compute_s", "bandwidth_s", "interconnect_s",
         "host_s", "../bandwidth_bytes_per_s", "../measured_bandwidth_bytes_per_s"),
    ),
    ("BatchShares", "*"): Relation(
        "a decode step of this batch by resource", "calibration of kernels",
        ("batch/@", "../context_tokens", "planned_batch", "largest_batch", "crossover_batch", *_STEPS),
    ),
    ("PhaseGain", "gain"): Relation(
        "time of the first / time of the second", "calibration of kernels, catalogue",
        ("first/time_s", "second/time_s", "devices", "batch"),
    ),
    ("PhaseGain", "*"): Relation(
        "gain · e^(∓1.2816 · σ)", "spread of predictions for the two devices (calibration)",
        ("gain", "devices", "batch", "first/time_s", "second/time_s"),
    ),
    ("PhaseTime", "*"): Relation(
        "time of the phase on so many devices of this kind", "calibration of kernels, catalogue",
        ("../devices", "../batch", "../../prompt_tokens", "../../context_tokens"),
    ),
    ("PhaseGains", "peak_ratio"): Relation(
        "figure of the second / of the first", "datasheets (catalogue)", ("gains/0/gain",)
    ),
    ("PhaseGains", "*"): Relation(
        "lengths that the phases are timed at", "scenario", ("prompt_tokens", "context_tokens")
    ),
    ("MeasuredGain", "*"): Relation("", "published results of both devices in the same configuration"),
}  # fmt: skip

TRAINING_RELATIONS: dict[tuple[str, str], Relation] = {
    ("StepPhases", "*"): Relation(
        "part of a step of the slowest stage", "step of the layout (docs/derivations/training.md#step-of-a-layout)",
        ("micro_batches", "column:training:step_time_s", "column:training:compute_s", "column:training:bandwidth_s"),
    ),
    ("StageMemory", "*"): Relation(
        "bytes of a device of this stage at the peak of a step",
        "memory of a layout (docs/derivations/training.md#memory-of-a-layout)",
        ("layers/@", "in_flight/@", "capacity_bytes", "column:training:weights_bytes",
         "column:training:activation_bytes", "column:training:runtime_bytes"),
    ),
    ("TimelineTask", "*"): Relation(
        "passes of the schedule, one after another on each stage", "pipeline schedule",
        ("start_s", "end_s", "../total_s", "../idle_share", "column:training:step_time_s"),
    ),
    ("PipelineTimeline", "*"): Relation(
        "passes of the schedule, one after another on each stage", "pipeline schedule",
        ("stages", "micro_batches", "total_s", "column:training:bubble_s"),
    ),
    ("StepDetail", "*"): Relation("of the candidate", "plan", ("column:training:devices",)),
    ("ScalingCurve", "*"): Relation(
        "the fastest layout of this number of devices", "layouts tried, as for the candidates",
        ("devices/@", "step_time_s/@", "efficiency/@", "column:training:step_time_s", "column:training:usd_per_run"),
    ),
    ("MemorySweep", "*"): Relation(
        "memory of the layout at this value", "memory of a layout (docs/derivations/training.md#memory-of-a-layout)",
        ("values/@", "state_bytes/@", "activation_bytes/@", "capacity_bytes", "column:training:activation_bytes"),
    ),
    ("LargestModel", "*"): Relation(
        "memory of all devices / bytes of a parameter, solved for the size", "state of the recipe, and activations",
        ("total_memory_bytes", "bytes_per_parameter", "devices", "column:training:memory_capacity_bytes"),
    ),
    ("LayoutRanking", "*"): Relation(
        "a layout's own figures against the winner's", "layouts tried, as for the candidates",
        ("tried", "fitting", "column:training:step_time_s"),
    ),
    ("TrainingTable", "*"): Relation(
        "of this layout, as for the candidates", "step, memory and run of a layout",
        ("step_time_s/@", "devices/@", "column:training:step_time_s", "column:training:usd_per_run"),
    ),
}  # fmt: skip

CALIBRATION_RELATIONS: dict[tuple[str, str], Relation] = {
    ("LocalPoint", "measured"): Relation(
        "", "the set of measurements; without what virtual machines lost"
    ),
    ("LocalPoint", "*"): Relation(
        "prediction of the measured case by the shipped calibration, and its distance",
        "kernels and engines as published results have them", ("measured", "predicted", "low80", "high80"),
    ),
    ("PointVerdict", "*"): Relation(
        "prediction of the case from the other measurements", "posterior over what cases share",
        ("point/measured", "point/predicted", "after"),
    ),
    ("EvidenceCase", "measured"): Relation("", "the source that stands beside it, or the set that was imported"),
    ("EvidenceCase", "*"): Relation(
        "prediction of the measured case by the shipped calibration, and its distance from the plan",
        "kernels and engines as published results have them; distances by doublings", ("measured", "predicted"),
    ),
    ("DriftedPoint", "*"): Relation(
        "new measurement against what the plan expects of it", "posterior over what cases share",
        ("point/measured", "expected", "low80", "high80"),
    ),
    ("NextMeasurement", "*"): Relation(
        "spread of the candidate before and after such a measurement", "posterior over what cases share",
        ("column:serving:tpot_mean_s", "column:serving:usd_per_month"),
    ),
    ("NextTrainingRun", "*"): Relation(
        "spread of the candidate before and after such a run", "posterior over what cases share",
        ("column:training:step_time_s", "column:training:usd_per_run"),
    ),
    ("Figure", "*"): Relation("", "the file that was imported"),
    ("Measurement", "*"): Relation("", "the file that was imported"),
    ("MeasurementContext", "*"): Relation("", "the file that was imported, or what the planner said of it"),
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
COLUMN_RELATIONS: dict[tuple[str, str], Relation] = {
    ("serving", "tensor_parallel"): Relation("", _TRIED),
    ("serving", "pipeline_parallel"): Relation("", _TRIED),
    ("serving", "attention_data_parallel"): Relation("", _TRIED),
    ("serving", "expert_parallel"): Relation("", _TRIED),
    ("serving", "prefill_tensor_parallel"): Relation("", _TRIED),
    ("serving", "prefill_data_parallel"): Relation("", _TRIED),
    ("serving", "prefill_expert_parallel"): Relation("", _TRIED),
    ("serving", "prefill_workers"): Relation("", "the ratio of workers that carries the peak with the fewest devices"),
    ("serving", "decode_workers"): Relation("", "the ratio of workers that carries the peak with the fewest devices"),
    ("serving", "draft_tokens"): Relation("", "scenario: engine"),
    ("serving", "prefill_kv_pool_bytes"): Relation(
        "capacity · fraction of memory for the engine − weights − activations − runtime", "memory of a replica",
        ("memory_capacity_bytes", "prefill_weights_bytes"),
    ),
    ("serving", "devices_per_replica"): Relation(
        "tensor_parallel · pipeline_parallel · attention_data_parallel, times decode_workers, and as much for prefill",
        _TRIED,
        ("tensor_parallel", "pipeline_parallel", "attention_data_parallel", "prefill_workers", "decode_workers"),
    ),
    ("serving", "kv_pool_bytes"): Relation(
        "capacity · fraction of memory for the engine − weights − activations − runtime", "memory of a replica",
        ("memory_capacity_bytes", "weights_bytes", "activation_bytes", "runtime_bytes"),
    ),
    ("serving", "max_sequences"): Relation(
        "KV pool / cache of a sequence at mean lengths", "memory of a replica", ("kv_pool_bytes",)
    ),
    ("serving", "kv_cache_bytes"): Relation(
        "sequences at once · cache of each at mean lengths", "memory of a replica",
        ("batch", "kv_pool_bytes", "max_sequences"),
    ),
    ("serving", "max_rate_per_s"): Relation(
        "rate at which every step is full: of tokens, of sequences, or of cache",
        "stability of the queue (docs/derivations/load.md#capacity-and-stability)",
        ("decode_step_s", "prefill_s", "max_sequences"),
    ),
    ("serving", "load_per_replica_per_s"): Relation(
        "peak rate / replicas that work",
        "spares and a zone's reserve left out (docs/derivations/load.md#replicas-and-availability)",
        ("replicas", "slo_rate_per_s"),
    ),
    ("serving", "headroom"): Relation(
        "slo_rate_per_s / load_per_replica_per_s − 1",
        "docs/derivations/load.md#replicas-and-availability",
        ("slo_rate_per_s", "load_per_replica_per_s")
    ),
    ("serving", "draft_gain"): Relation(
        "time per token without drafts / with them", "both at the planned batch", ("tpot_mean_s", "batch")
    ),
    ("serving", "ttft_low80_s"): Relation("ttft_p95_s · e^(−1.2816 · σ)", _BAND, ("ttft_p95_s",)),
    ("serving", "ttft_high80_s"): Relation("ttft_p95_s · e^(1.2816 · σ)", _BAND, ("ttft_p95_s",)),
    ("serving", "tpot_low80_s"): Relation("tpot_mean_s · e^(−1.2816 · σ)", _BAND, ("tpot_mean_s",)),
    ("serving", "tpot_high80_s"): Relation("tpot_mean_s · e^(1.2816 · σ)", _BAND, ("tpot_mean_s",)),
    ("training", "step_low80_s"): Relation("step_time_s · e^(−1.2816 · σ)", _BAND, ("step_time_s",)),
    ("training", "step_high80_s"): Relation("step_time_s · e^(1.2816 · σ)", _BAND, ("step_time_s",)),
    ("training", "devices"): Relation("", _TRIED),
    ("training", "tensor_parallel"): Relation("", _TRIED),
    ("training", "pipeline_parallel"): Relation("", _TRIED),
    ("training", "context_parallel"): Relation("", _TRIED),
    ("training", "expert_parallel"): Relation("", _TRIED),
    ("training", "schedule"): Relation("", _TRIED),
    ("training", "virtual_stages"): Relation("", _TRIED),
    ("training", "data_parallel"): Relation(
        "devices / (tensor_parallel · pipeline_parallel · context_parallel)", _TRIED,
        ("devices", "tensor_parallel", "pipeline_parallel", "context_parallel"),
    ),
    ("training", "micro_batch"): Relation("the fastest that fits", _TRIED, ("activation_bytes", "tokens_per_s")),
    ("training", "recompute_share"): Relation(
        "as many layers as are needed to fit", _TRIED, ("activation_bytes", "memory_capacity_bytes")
    ),
}  # fmt: skip
"""Of columns of the candidates' tables that no single formula makes."""
