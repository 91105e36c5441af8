"""The sentence for every finding; what stands in braces are values that the engine gives."""

from __future__ import annotations

from gpuplanner_gui.drawing.words.run_finding_sentences import RUN_FINDING_SENTENCES

FINDING_SENTENCES: dict[str, str] = RUN_FINDING_SENTENCES | {
    "slow_first_token": (
        "{share} of the requests wait {ttft_s} or longer for their first token. People lose patience at {limit_s}."
    ),
    "cheaper_api": (
        "At {provider}'s API, the mean load would cost {other_usd_per_month} instead of {usd_per_month}: {saved_share} "
        "less ({model}, price of {date}). How fast it answers and where your data may go are not judged here."
    ),
    "uneven_tokens": (
        "By the quick estimate, 1 % of the gaps between tokens last {gap_s} or longer: text stutters while other "
        "prompts are prefilled."
    ),
    "drafts_cost": (
        "Draft tokens slow this load down: with {drafts} drafts and {batch} sequences in the batch, a token "
        "takes {longer_share} longer than without."
    ),
    "fewer_drafts": "Drafting makes tokens {gain} times as fast, but {drafts} draft tokens are too many for this load.",
    "unstable_latency": "The slowest 1 % of first tokens ({p99_s}) take {ratio} times the median ({p50_s}).",
    "unstable_answers": "The slowest 1 % of answers ({p99_s}) take {ratio} times the median ({p50_s}).",
    "thin_slo_margin": "A load {headroom_share} above the plan's misses a target: a small error in the plan is enough.",
    "idle_capacity": (
        "The whole service averages {mean_per_s}: {busy_share} of what its replicas together carry at saturation. The "
        "rest, headroom and spares included, costs {idle_usd_per_month}."
    ),
    "host_bound": (
        "A step waits for the host {host_share} of its time ({host_s}): a faster accelerator would "
        "not shorten that. Without that wait {effect}."
    ),
    "host_bound_for_nothing": (
        "A step waits for the host {host_share} of its time ({host_s}): a faster accelerator would "
        "not shorten that. Without that wait the fleet would cost the same."
    ),
    "full_cache": (
        "The KV cache is {used_share} full at the planned load, and {high_share} full when long requests "
        "coincide: requests would be preempted and recomputed."
    ),
    "requests_refused": (
        "{refused_share} of the requests are longer than the largest context of {tokens} tokens and are refused."
    ),
    "split_for_latency": (
        "The model fits on one device, but a replica uses {devices} to meet its targets: one device would be at "
        "best {over} times as slow as a target allows."
    ),
    "split_for_cost": (
        "The model fits on one device, but a replica uses {devices}, which is cheaper. With one device per replica "
        "the service would cost {single_usd_per_month} instead of {usd_per_month}."
    ),
    "emulated_format": (
        "This device lacks {format}: weights are unpacked for each product. Compute is {compute_share} of a step."
    ),
    "quantised_model": (
        "The plan uses {formats} and costs {usd_per_month}. Without quantisation the cheapest plan is "
        "{other_devices} × {other_device}, {other_usd_per_month}. The program cannot tell whether the quantised model "
        "stays accurate enough."
    ),
    "quantised_model_is_needed": (
        "The plan uses {formats} ({weights_bytes}): without quantisation no candidate meets the "
        "targets. The program cannot tell whether the model stays accurate enough."
    ),
    "quantised_model_unpriced": (
        "The plan uses {formats} ({weights_bytes}). The program cannot tell whether the model stays accurate enough."
    ),
    "bursty_arrivals": (
        "Requests come in bursts (coefficient of variation of the gaps: {cv}). With random arrivals at the "
        "same rate, {effect}."
    ),
    "lever_shorter_answers": (
        "If answers were a quarter shorter, {effect}. Instructions and a limit on tokens do that; check that users "
        "still get what they need."
    ),
    "lever_shared_prefix": (
        "If 30 % of each prompt were found in the prefix cache, {effect}. Prompts must begin alike, and the router "
        "must send those that do to the same replica."
    ),
    "lever_kept_sessions": (
        "If the router kept each session on its replica, {effect}. Replicas are then less evenly loaded when some "
        "sessions ask far more than others."
    ),
    "lever_draft_tokens": (
        "With 3 draft tokens per step and the scenario's draft acceptance, {effect}. The gain depends on a draft "
        "model that fits your requests: measure its acceptance first."
    ),
    "lever_larger_batch": "With batches twice as large, {effect}. A request then takes {e2e_s} on average.",
    "lever_continuous_batching": ("With continuous batching {effect}. It has no drawback if the engine supports it."),
    "lever_narrower_formats": (
        "With 8-bit and 4-bit weights {effect}. A quantised model may answer worse: compare on your own tasks first."
    ),
    "lever_smaller_model": (
        "With {model} {effect}. A smaller model answers worse on hard tasks: compare both on your own tasks first."
    ),
    "lever_fewer_steps": "With a third fewer denoising steps {effect}. Details get coarser: compare pictures first.",
    "lever_separate_pools": (
        "With separate pools for prefill and decode {effect}. The two pools need a fast network between them, and "
        "their sizes fit one ratio of prompts to answers: check how much yours varies."
    ),
    "lever_by_the_hour": (
        "{priced} accelerators can be {term} at a known price, {priced_by_the_hour} can be rented by the hour. With "
        "{device} by the hour, {effect}."
    ),
    "lever_rented": "Rented by the hour instead of bought, on {device}, {effect}.",
    "lever_larger_batch_run": (
        "With {batch_tokens} tokens in a batch, the run takes {run_s} and costs {usd}. Very large batches learn less "
        "from each token: compare with published runs of such models."
    ),
    "lever_even_batch_run": (
        "With {batch_tokens} tokens in a batch, more copies share it evenly: the run takes {run_s} and costs {usd}."
    ),
    "lever_narrow_recipe": (
        "With FP8 matrix products, {devices} × {device} take {run_s} and cost {usd}. Compare the loss with that of a "
        "BF16 run before relying on it."
    ),
    "lever_more_devices_run": "With up to {devices} devices, the run takes {run_s} and costs {usd}.",
    "lever_other_devices": ("The plan adds devices of the kind you own. With {device} instead, {effect}."),
    "lever_looser_targets": (
        "If every latency target were {longer_share} longer, {effect}. Ask users if that is fast enough."
    ),
    "classes_apart": "A fleet for each class of requests would cost {usd_per_month} in all, {saved_share} less.",
    "lever_without_spare": "With one replica and no spare, {effect}. A failure then stops it until it is repaired.",
    "lever_pauses": (
        "Here each user sends the next request the moment an answer ends, as load tests do. If each read for 15 s "
        "first, {effect}."
    ),
    "bursts_of_windows": (
        "Requests come in bursts: {busiest_second} times the mean in the busiest second, {busiest_minute} "
        "times in the busiest minute. With random arrivals at the same rate, {effect}."
    ),
    "more_flops_cost_more": (
        "{devices} × {device} would serve too: up to {flops_ratio} times as fast per device, at {cost_ratio} times "
        "the cost of the plan's {plan_devices} × {plan_device}."
    ),
    "scale_to_zero_saves": (
        "Requests come {gap_s} apart on average and a cold start takes {start_s}. Scaling to zero between requests "
        "saves {saved_share} ({saved_usd_per_month}), and {cold_share} of the requests wait for a cold start."
    ),
    "scale_to_zero_breaks_target": (
        "Requests come {gap_s} apart on average. Scaling to zero between requests would save {saved_share}, but "
        "{cold_share} of them would wait {start_s} for a cold start; the target of {limit_s} allows {allowed_share}."
    ),
    "weak_evidence": (
        "Published runs on the recommended device with {software} in the plan's format: {runs}; a reliable "
        "prediction needs {least_runs}. In 1 of 10 cases, a step takes over {band_factor} times as long as predicted. "
        "The cheapest device with enough runs, {device}, costs {difference}."
    ),
    "weak_evidence_held": (
        "Published runs on the recommended device with {software} in the plan's format: {runs}; a reliable "
        "prediction needs {least_runs}. In 1 of 10 cases, a step takes over {band_factor} times as long as predicted. "
        "The cheapest device with enough runs, {device}, costs {difference}, idle time included."
    ),
    "weak_evidence_only": (
        "Published runs on the recommended device with {software} in the plan's format: {runs}; a reliable "
        "prediction needs {least_runs}. In 1 of 10 cases, a step takes over {band_factor} times as long as predicted. "
        "No allowed device with enough runs meets the targets."
    ),
    "cheaper_by_datasheet": (
        "By its datasheet alone the service would cost {other_usd_per_month} on {device}. Benchmark one first."
    ),
    "cheaper_few_offers": (
        "On {device} {effect}. It still ranks lower: devices with offers from at least {needed} providers rank first. "
        "Providers that offer it: {providers}."
    ),
    "price_of_certainty": (
        "{split}. What is added for confidence costs {more_usd_per_month}; your own measurements may reduce it."
    ),
    "service_over_budget": "The service costs {usd_per_month}; its budget is {budget_usd_per_month}.",
    "replica_loss_stops_service": "If one replica is lost, the service cannot carry its peak. Replicas: {replicas}.",
    "replica_loss_breaks_targets": (
        "If one of {replicas} replicas is lost, each of the others would carry {load_share} of the load that its "
        "targets allow."
    ),
    "availability_adds_replicas": (
        "Replicas for an availability of {target_share}, beyond those for load, zones and spares: {replicas}."
    ),
    "burst_too_much": (
        "A burst over {carried} times the planned peak overloads the service. Bursts of {burst} times are common."
    ),
    "service_on_spot": (
        "Spot capacity would be interrupted about {interruptions} times per month, and this service cannot "
        "fail over at once."
    ),
    "training_on_spot": (
        "Spot capacity would be interrupted about {interruptions} times in a run of {run_s}, and this run "
        "cannot restart from a checkpoint."
    ),
    "much_lost_to_failures": (
        "{lost_share} of the run's time is lost to checkpoints, failures and restarts ({lost_usd}); a "
        "checkpoint of {checkpoint_bytes} is due every {interval_s}."
    ),
    "faster_than_published": (
        "The plan expects {flop_per_s} per {device}, {over_share} more than any published run on it in this format, "
        "whatever the software (best: {best_flop_per_s}, {model}, {devices} devices). Predictions above every "
        "published run are often too high."
    ),
    "held_at_published": (
        "The prediction may be optimistic: it is {over_share} faster than the fastest of {runs} published runs on "
        "{device} in this format (any software), although {held_share} was added to its step times. {at_published}"
    ),
    "measured_beyond_hardware": (
        "Your measurements are {beyond_share} faster than the memory bandwidth and peak rate of {device} allow. The "
        "plan does not go beyond these; check which model, batch and device were measured."
    ),
    "feeding_moves_the_plan": (
        "Storage or cores cannot feed {devices} × {device}, so the plan takes another cluster. With faster data "
        "{effect}."
    ),
    "pipeline_bubble": (
        "The {stages} pipeline stages wait for {share} of the step ({wasted_usd}), because {micro_batches} "
        "micro-batches do not keep them busy. A larger global batch or fewer stages shorten the wait."
    ),
    "stated_schedule": (
        "You fixed the pipeline schedule, and its stages wait for {bubble_share} of a step. With the best "
        "schedule {effect}."
    ),
    "older_attention": (
        "The framework's default attention kernels are slower than these devices allow, and each sequence has "
        "{sequence_tokens} tokens. With FlashAttention-3 or cuDNN {effect}."
    ),
    "slow_checkpoint_store": (
        "The store takes {write_s} to write a checkpoint of {checkpoint_bytes}, so a failure loses that time "
        "and up to {interval_s} of work. It must hold {stored_bytes}. With a faster store {effect}."
    ),
    "cheaper_terms": "The planned {device} costs {other_usd_per_hour} if {term}, instead of {price_usd_per_hour}.",
    "cheaper_terms_at": (
        "The planned {device} costs {other_usd_per_hour} if {term} at {provider}, instead of {price_usd_per_hour}."
    ),
    "stranded_devices": (
        "Devices come in units of {unit_devices}: you pay for {paid_devices} and use {devices}. Unused "
        "devices are {left_share} of the cost."
    ),
    "owned_first": "The service uses {used} of your {stock} × {device} and adds {added}. Yours cost "
    "{price_usd_per_hour} each for power, space and support.",
    "owned_first_run": (
        "The run uses {used} of your {stock} × {device} and adds {added}. Yours cost {price_usd_per_hour} each for "
        "power, space and support."
    ),
    "owned_beyond_site": "Your site can power and cool {fed} of your {stock} × {device}; the others stay idle.",
    "owned_left_aside": "Your {stock} × {device} stay idle: whole units that the plan adds hold the {added} it needs.",
    "owned_too_few_run": "All {added} × {device} are rented; your {stock} stay idle: a run cannot span two sites.",
    "owned_only": "The service uses {used} of your {stock} × {device}. They cost {price_usd_per_hour} each for power, "
    "space and support.",
    "owned_only_run": "The run uses {used} of your {stock} × {device}. They cost {price_usd_per_hour} each for power, "
    "space and support.",
    "other_devices_run": "Only devices of the kind you own are planned with. On {device} instead, {effect}.",
    "marketplace_only": "Only a marketplace rents out {device}: {provider}, from {price_usd_per_hour}, without a "
    "service-level agreement. The plan has no price for it.",
    "named_device_not_sold": "{device} is no longer sold new, so the plan does not buy it.",
    "named_device_not_licensed": "{device} is excluded: its driver is not licensed for data centres. It may be used at "
    "home or in an office.",
    "owned_device_not_licensed": "Your {stock} × {device} are left out: Data-centre licence admits only devices that "
    "are built for servers and whose driver is licensed for data centres.",
    "owned_device_without_recipe": "Your {stock} × {device} are left out: they do not compute in {format}.",
    "named_device_cloud_only": "{device} is excluded: only clouds offer it, and the site is air-gapped.",
    "allowed_devices_unknown": "Allowed accelerators that are not in this catalogue, so nothing is planned with them: "
    "{entries}.",
    "row_without_device": "Row {row} of {field} has no accelerator of the catalogue: the plan ignores it.",
    "hours_of_one_day": "{count} values of Load by hour are spread evenly over the 24 hours of a day.",
    "currency_without_rate": "Row {row} of {field} is in {currency}, which has no exchange rate: its price "
    "does not count, and the catalogue's holds.",
    "rates_differ": "{currency} has {count} different exchange rates: none is used, and its prices do not count.",
    "undercut_rent_per_device_hour": "Rent in row {row} of {field} is not used: another row has {lowest_usd_per_hour}.",
    "undercut_purchase_per_device": "The price in row {row} of {field} is not used: another row has {lowest_usd}.",
    "named_device_without_recipe": "{device} is excluded: it does not compute in {format}.",
    "cluster_size_unknown": "The plan needs {devices} × {device}. No offer of {provider} says how many it can connect "
    "in one cluster.",
    "priced_one_by_one": "The plan needs nodes of {devices} × {device} each, but {provider} states only a price per "
    "device.",
    "cluster_beyond_offer": "The plan needs {devices} × {device}; {provider} connects {most} at most.",
    "few_offers": (
        "The price of {device}, {price_usd_per_hour}, is that of {provider}. Providers that offer it: {providers}. "
        "A reliable price needs {needed}, and no device with that many meets the targets."
    ),
    "follow_the_load": (
        "The mean load, {mean_per_s}, is {mean_over_peak_share} of the {peak_per_s} at peak. With {base} replicas "
        "reserved and up to {more} more rented by the hour at peak, the service would cost {mixed_usd_per_month}: "
        "{saved_share} less, at {provider}, where a device costs {hour_usd_per_hour} by the hour."
    ),
    "follow_the_load_then_reserve": (
        "The mean load is {mean_over_peak_share} of its peak: off peak, fewer replicas are enough. If you also reserve "
        "{base} of this fleet's replicas, in an order of their own, you save another {further_usd_per_month}, at "
        "{provider}, where a device costs {hour_usd_per_hour} by the hour."
    ),
    "fewer_replicas_off_peak": (
        "The mean load, {mean_per_s}, is {mean_over_peak_share} of the {peak_per_s} at peak: off peak, fewer replicas "
        "are enough."
    ),
    "unused_fabric": "The service pays {fabric_usd_per_month} for links between devices and uses {used_share} of them.",
    "more_than_needed": (
        "The mean load uses only {busy_share} of the fleet's capacity and {memory_share} of its memory. {device} would "
        "serve it for {other_usd_per_month}, but is not allowed."
    ),
    "node_exceeds_rack": "A node draws up to {node_w}; a rack of this site gives {limit_w}.",
    "fleet_exceeds_site": "Devices that you own or buy draw up to {fleet_w} with cooling; the site gives {limit_w}.",
    "consumer_licence": (
        "The driver of {device} is not licensed for use in a data centre ({source}). The plan uses {devices}. "
        "{other_device} is licensed and costs {difference}."
    ),
    "consumer_licence_only": (
        "The driver of {device} is not licensed for use in a data centre ({source}). The plan uses {devices}. "
        "No other allowed device meets the targets."
    ),
    "rented_without_network": (
        "The site is air-gapped, so devices there cannot be rented from a cloud. An owned device-hour costs "
        "{other_usd_per_hour} instead of {price_usd_per_hour}."
    ),
    "rented_without_network_unpriced": (
        "The site is air-gapped, so devices there cannot be rented from a cloud for {price_usd_per_hour}. "
        "The purchase price of this device is not known."
    ),
    "rented_without_network_site": (
        "The site is air-gapped, so devices there cannot be rented from a cloud for {price_usd_per_hour}. "
        "Bought for all years, they would exceed its power or cooling."
    ),
    "liquid_is_missing": "The node ({node_w}) needs liquid cooling, which this site does not have.",
    "one_device_for_both": (
        "{device} for both workloads costs {more_usd} ({more_share}) more over a run and a month of service "
        "than {training_device} to train on and {serving_device} to serve on."
    ),
    "one_device_is_best_for_both": (
        "{training_device} is the cheapest for both workloads: {usd} for a run and a month of service."
    ),
    "no_device_for_both": "No device does both within its targets: {training_device} trains, {serving_device} serves.",
    "service_on_training_nodes": (
        "On {device}, the best device for training, the service would cost {cost_ratio} times as much: "
        "{more_usd_per_month} more."
    ),
    "training_on_serving_nodes": (
        "On {device}, the best device for serving, a run needs {slowdown} times the device-hours and costs "
        "{more_usd} more."
    ),
    "training_on_serving_nodes_cheaper": (
        "On {device}, the best device for serving, a run needs {slowdown} times the device-hours and costs "
        "{less_usd} less."
    ),
    "serving_nodes_train_too_late": (
        "On {device}, the best device for serving, a run takes {run_s} on {devices} devices, misses its "
        "deadline and needs {slowdown} times the device-hours."
    ),
    "serving_nodes_do_not_fit_training": (
        "{device}, the best device for serving, cannot train this: even {devices} of them lack {missing_bytes} each."
    ),
    "serving_nodes_cannot_train": "{device}, the best device for serving, cannot train this: its layouts {reason}.",
    "one_profile_forced": (
        "The hardware choice allows only {device} for both: {training_devices} for training and "
        "{serving_devices} for serving, used {busy_share} on average."
    ),
    "latency_outgrows_load": (
        "At the planned {planned_per_s} per replica, p95 latency grows {elasticity} times as fast as the load. "
        "A replica saturates at {saturation_per_s}."
    ),
    "knee_is_further_up": (
        "By the quick estimate, the knee of {latency} is at about {knee_per_s} per replica: above it, 1 % more load "
        "makes {latency} more than 1 % longer. The plan loads a replica with {planned_per_s}."
    ),
    "simulated_knee_is_further_up": (
        "In the simulation, the knee of {latency} is at {knee_per_s} per replica: above it, 1 % more load makes "
        "{latency} more than 1 % longer. The plan loads a replica with {planned_per_s}."
    ),
    "old_price": "The price of {device} is {age_s} old. Accelerator prices change by about 20 % in {limit_s}.",
    "carried_figures": "The recommended {device} (†) uses figures from this file: {figures}.",
    "carried_device": "The recommended {device} (†) is defined only in this file; your catalogue does not have it.",
    "carried_entries": "This file has own figures for devices marked †, which differ from your catalogue: {names}.",
    "carried_estate": "The estate is priced with figures of this file that differ from your catalogue: {names}.",
    "carried_measurements": "Predictions are calibrated with measurements from this file: {count} sets.",
    "carried_quote": "The recommended {device} (†) is planned with prices quoted in this file: {figures}.",
    "carried_model": "{device} differs from the model of the same name in your catalogue: {figures}.",
    "switch_off": (
        "The mean load, {mean_per_s}, is {mean_over_peak_share} of the {peak_per_s} at peak. If its rented replicas "
        "were started and stopped by the hour, this fleet of up to {peak} replicas would cost {mixed_usd_per_month}: "
        "{saved_share} less, at {provider}, where a device costs {hour_usd_per_hour} by the hour."
    ),
    "service_judged_by_training": (
        "All {points} of your measurements are of training. Serving on {device} is not measured: a token may "
        "take up to {band_factor} times longer or shorter than planned."
    ),
    "training_judged_by_service": (
        "All {points} of your measurements are of serving. Training on {device} is not measured: a step may "
        "take up to {band_factor} times longer or shorter than planned."
    ),
    "loading_saturates_storage": (
        "A single replica starts in {alone_s}. After an outage, {replicas} replicas start together and need "
        "{together_s}, because they share the {read_bytes_per_s} of the weight store."
    ),
    "service_misses_targets": (
        "No candidate meets every target: even a single request on the closest one takes {over} times a "
        "limit (TTFT p95 {ttft_s}, TPOT p95 {tpot_s})."
    ),
    "service_misses_simulated": (
        "No candidate meets every target. The simulation tried up to {most_replicas} replicas of the closest one; it "
        "misses a limit by {over_share} at best, with {nearest_replicas}."
    ),
    "service_misses_full_batches": (
        "No candidate meets every target: even at the load that suits it best, the closest one takes {over} times a "
        "limit. With static batching a batch begins only when it is full."
    ),
    "service_misses_whole_answers": (
        "No candidate meets every target: even a single request takes {over} times a limit (E2E p95 {e2e_s})."
    ),
}
