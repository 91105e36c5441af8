"""The sentence for every finding and every remedy; what stands in braces are values that the engine gives."""

FINDING_SENTENCES: dict[str, str] = {
    "slow_first_token": (
        "One request in twenty waits {ttft_s} or longer for its first token; people lose patience at about {limit_s}."
    ),
    "uneven_tokens": (
        "One gap between tokens in a hundred is {gap_s}, against {usual_s} on average: text stutters while other "
        "prompts are prefilled."
    ),
    "drafts_cost": (
        "Draft tokens cost at this load: with {drafts} of them and {batch} sequences in the batch, a token takes "
        "{longer_share} longer than without."
    ),
    "fewer_drafts": (
        "Tokens come {gain} times as fast as without drafts, but {drafts} of them are more than this load pays for."
    ),
    "unstable_latency": "The slowest first tokens (p99, {p99_s}) take {ratio} times the usual {p50_s}.",
    "thin_slo_margin": "Only {headroom_share} more load fits before a target is missed: a small error of the "
    "plan would miss it.",
    "idle_capacity": (
        "The fleet's mean utilisation is {busy_share}; idle capacity costs {idle_usd_per_month}, including the "
        "headroom of {headroom_share}."
    ),
    "host_bound": (
        "{host_share} of a decode step waits for the host ({host_s}): a faster accelerator would not help. Without "
        "that wait {effect}."
    ),
    "host_bound_for_nothing": (
        "{host_share} of a decode step waits for the host ({host_s}): a faster accelerator would not help. The fleet "
        "would cost the same without that wait."
    ),
    "full_cache": (
        "The KV cache is {used_share} full at the planned load, {high_share} when long requests come together: "
        "requests would be stopped and computed again."
    ),
    "requests_refused": (
        "{refused_share} of the requests are longer than the largest context of {tokens} tokens and are refused."
    ),
    "split_for_latency": (
        "{devices} devices share a replica although one would hold the model: alone it takes {single_tpot_s} "
        "per token instead of {tpot_s} and misses a target by {over} times its limit."
    ),
    "split_for_cost": (
        "{devices} devices share a replica although one would hold the model: singly the service costs "
        "{single_usd_per_month} instead of {usd_per_month}."
    ),
    "emulated_format": (
        "{format} weights are unpacked before each product on this device; {compute_share} of a decode step is "
        "computing."
    ),
    "quantised_model": (
        "The plan uses {format} weights ({cache_format} KV cache), which save {saved_usd_per_month}. The program "
        "cannot tell whether the model's answers stay good enough."
    ),
    "quantised_model_is_needed": (
        "Without {format} weights ({cache_format} KV cache, {weights_bytes} of weights) no candidate meets the "
        "targets. The program cannot tell whether the model's answers stay good enough."
    ),
    "quantised_model_unpriced": (
        "The plan uses {format} weights ({cache_format} KV cache, {weights_bytes} of weights). The program cannot tell "
        "whether the model's answers stay good enough."
    ),
    "bursty_arrivals": (
        "Requests come in bursts (CV {cv} of the gaps between them). If as many came at random, {effect}."
    ),
    "lever_shorter_answers": (
        "If answers were a quarter shorter, {effect}. Instructions and a limit on tokens do that; check that users "
        "still get what they need."
    ),
    "lever_shared_prefix": (
        "If 30 % of each prompt were found in the prefix cache, {effect}. Prompts have to begin alike, and the router "
        "has to keep those that do on one replica."
    ),
    "lever_kept_sessions": (
        "If the router kept each session on its replica, {effect}. Replicas are then less evenly loaded when some "
        "sessions ask far more than others."
    ),
    "lever_draft_tokens": (
        "With 3 draft tokens per step and the stated acceptance, {effect}. The gain depends on a draft model that fits "
        "your requests: measure its acceptance first."
    ),
    "lever_larger_batch": ("With batches twice as large, {effect}. A token then takes {tpot_s} on average."),
    "lever_continuous_batching": (
        "With continuous batching {effect}. Nothing speaks against it where the engine can do it."
    ),
    "lever_narrower_formats": (
        "With 8-bit and 4-bit weights {effect}. Answers of a quantised model may be worse: compare them on your own "
        "tasks first."
    ),
    "bursts_of_windows": (
        "Requests come in bursts: {busiest_second} times the mean in the busiest second, {busiest_minute} times in the "
        "busiest minute. If as many came at random, {effect}."
    ),
    "more_flops_cost_more": (
        "{device} has {flops_ratio} times the peak rate and costs {cost_ratio} times as much for this load: "
        "peak rates do not rank devices for serving."
    ),
    "scale_to_zero_saves": (
        "Requests come {gap_s} apart and a start takes {start_s}: switching off between them saves "
        "{saved_share} ({saved_usd_per_month}), and {cold_share} of the requests wait for a start."
    ),
    "scale_to_zero_breaks_target": (
        "Requests come {gap_s} apart; switching off between them would save {saved_share}, but {cold_share} of "
        "the requests would wait {start_s} for a start, with a target of {limit_s}."
    ),
    "weak_evidence": (
        "No runs on the recommended device are known, and its kernels were not timed: it may be {band_factor} "
        "times faster or slower. The best device with measurements, {device}, costs {difference}."
    ),
    "weak_evidence_only": (
        "No runs on this device are known, and its kernels were not timed: it may be {band_factor} times faster "
        "or slower, and no device with measurements meets the targets."
    ),
    "service_over_budget": "The service costs {usd_per_month}; its budget is {budget_usd_per_month}.",
    "replica_loss_stops_service": "If one replica of {replicas} is lost, the service cannot carry its peak.",
    "replica_loss_breaks_targets": (
        "With one of {replicas} replicas lost, each of the others gets {load_share} of the load at which it just "
        "meets its targets."
    ),
    "availability_adds_replicas": (
        "For an availability of {target_share} it takes {replicas} more replicas than load, zones and spares do."
    ),
    "burst_too_much": (
        "A burst of {carried} times the planned peak fills the queues without end; bursts of {burst} times are common."
    ),
    "service_on_spot": (
        "Spot capacity would be taken away about {interruptions} times a month from a service that cannot fail "
        "over at once."
    ),
    "training_on_spot": (
        "Spot capacity would be taken away about {interruptions} times during a run of {run_s} that cannot "
        "restart from a checkpoint."
    ),
    "much_lost_to_failures": (
        "{lost_share} of the run's time is lost to checkpoints, failures and restarts ({lost_usd}); a "
        "checkpoint of {checkpoint_bytes} is due every {interval_s}."
    ),
    "faster_than_published": (
        "The plan expects {flop_per_s} from each {device}, {over_share} more than the best published run in this "
        "format ({best_flop_per_s}, {model} on {devices} devices). The best of many predictions is often too "
        "optimistic."
    ),
    "feeding_moves_the_plan": (
        "Storage or cores cannot feed {devices} × {device}, so the plan takes another cluster. With faster data "
        "{effect}."
    ),
    "pipeline_bubble": (
        "The {stages} stages of the pipeline wait for {share} of the step ({wasted_usd}): {micro_batches} "
        "micro-batches do not keep them busy. A larger global batch or fewer stages shorten the wait."
    ),
    "stated_schedule": (
        "The pipeline's schedule is stated, and its stages wait for {bubble_share} of a step. With the best schedule "
        "{effect}."
    ),
    "slow_checkpoint_store": (
        "The store takes {write_s} to write a checkpoint of {checkpoint_bytes}, and a failure loses that and up to "
        "{interval_s} of work; it has to hold {stored_bytes}. With a faster store {effect}."
    ),
    "cheaper_terms": (
        "The same fleet costs {saved_share} less {term}: {other_usd_per_hour} instead of {price_usd_per_hour} "
        "per device-hour."
    ),
    "cheaper_terms_at": (
        "The same fleet costs {saved_share} less {term} at {provider}: {other_usd_per_hour} instead of "
        "{price_usd_per_hour} per device-hour."
    ),
    "stranded_devices": (
        "Devices come in units of {unit_devices}, so {paid_devices} are paid for and {devices} used: "
        "{left_share} of the money pays for the rest."
    ),
    "owned_first": (
        "The plan uses {used} of your {stock} × {device} at {price_usd_per_hour} a device-hour for power, space "
        "and support, and adds {added}."
    ),
    "marketplace_only": (
        "No provider but a marketplace rents {device} out: {provider}, from {price_usd_per_hour}, without a service "
        "level. The plan has no price."
    ),
    "named_device_not_sold": "{device} is no longer sold new, so the plan does not buy it.",
    "named_device_not_licensed": (
        "{device} is left out: its driver is not licensed for data centres. At home or in an office it may be used."
    ),
    "named_device_cloud_only": "{device} is left out: only clouds have it, and the site is air-gapped.",
    "cluster_size_unknown": (
        "The plan needs {devices} × {device}. No offer of {provider} says how many it connects in one place."
    ),
    "cluster_beyond_offer": "The plan needs {devices} × {device}; {provider} connects {most} at most.",
    "few_offers": (
        "{device}'s price, {price_usd_per_hour}, rests on {providers} provider(s): {provider}. No device that {needed} "
        "providers sell meets the targets."
    ),
    "follow_the_load": (
        "The mean load is {mean_over_peak_share} of its peak. Reserving {base} replicas and renting up to {peak} "
        "by the hour would cost {mixed_usd_per_month}: {saved_share} less."
    ),
    "unused_fabric": (
        "{fabric_usd_per_month} of the service's cost pays for links between devices, of which it uses {used_share}."
    ),
    "more_than_needed": (
        "Only {busy_share} of the fleet's capacity and {memory_share} of its memory are used. {device} would be "
        "enough, for {other_usd_per_month}."
    ),
    "node_exceeds_rack": "A node draws up to {node_w}; a rack of this site gives {limit_w}.",
    "fleet_exceeds_site": "The fleet draws up to {fleet_w} with cooling; the site gives {limit_w}.",
    "consumer_licence": (
        "The driver of {device} is not licensed for use in a data centre ({source}); {devices} are planned. "
        "{other_device} is licensed and costs {difference}."
    ),
    "consumer_licence_only": (
        "The driver of {device} is not licensed for use in a data centre ({source}); {devices} are planned. "
        "No other allowed device meets the targets."
    ),
    "rented_without_network": (
        "The site has no network, so what stands there cannot be rented from a cloud. Owned, an hour of this device "
        "costs {other_usd_per_hour} instead of {price_usd_per_hour}."
    ),
    "rented_without_network_unpriced": (
        "The site has no network, so what stands there cannot be rented from a cloud for {price_usd_per_hour}; "
        "the purchase price of this device is not known."
    ),
    "liquid_is_missing": "The node ({node_w}) is cooled by liquid, which this site does not have.",
    "input_bound": (
        "The accelerators wait for data {waiting_share} of the time, {lost_s} of the run. More accelerators would wait "
        "too; with faster data {effect}."
    ),
    "input_bound_by_hosts": (
        "The accelerators wait for data {waiting_share} of the time, {lost_s} of the run: the hosts' adapters or PCIe "
        "take no more, however fast storage is. More accelerators would wait too."
    ),
    "communication_bound": (
        "{share} of a step is communication that is not overlapped ({tensor_share} within layers, "
        "{network_share} between copies, stages and experts)."
    ),
    "slow_link": (
        "One link at {rate_share} of its rate slows every collective; they take {network_share} of a step. With all "
        "links at full rate {effect}."
    ),
    "slow_node_link": (
        "One link within a node at {rate_share} of its rate slows every collective; they take {network_share} of a "
        "step. With all links at full rate {effect}."
    ),
    "oversubscribed": (
        "The network is oversubscribed {ratio} to 1; collectives take {network_share} of a step. Without "
        "oversubscription {effect}."
    ),
    "slow_device": (
        "One device at {speed_share} of its speed holds up all others: computing and memory traffic take {work_share} "
        "of a step. With all devices at full speed {effect}."
    ),
    "tensor_across_nodes": (
        "Tensor parallelism over {tensor_parallel} devices leaves the scale-up domain of {domain}: its "
        "collectives take {share} of a step."
    ),
    "more_devices_buy_time": (
        "On {devices} devices the run ends {saved_s} earlier and costs {difference}; scaling efficiency "
        "{scaling_share}."
    ),
    "scaling_ends": (
        "On {devices} devices the run ends only {saved_s} earlier and costs {difference}: scaling efficiency "
        "{scaling_share}."
    ),
    "start_up_heavy": "Start-up takes {share} of a run of {run_s}.",
    "memory_is_thin": "Only {free_share} of memory ({free_bytes}) is free: fragmentation may end the run.",
    "activations_dominate": (
        "Activations take {activation_share} of memory ({activation_bytes}) at {micro_batch} sequences per "
        "pass: sequence length and micro-batch decide what fits."
    ),
    "needless_recompute": (
        "What is computed again is stated, and {free_share} of memory is free. With the best choice {effect}."
    ),
    "no_headroom_for_retries": (
        "The plan pays for {device_hours} device-hours with {spare_share} for retries, validation and "
        "experiments; {usual_share} is usual."
    ),
    "training_cluster_too_small": (
        "The run takes {run_s} on {devices} devices, {ratio} times its deadline of {deadline_s}."
    ),
    "run_over_budget": "The run costs {usd}; its budget is {budget_usd}.",
    "does_not_fit_to_train": (
        "None of {candidates} layouts holds the training state. The nearest, {devices} × {device}, lacks "
        "{missing_bytes} per device."
    ),
    "hardware_cannot_train": "None of {candidates} layouts can train: {count} {reason}.",
    "spot_for_training": (
        "Spot capacity costs {spot_usd_per_hour} instead of {price_usd_per_hour} and stretches the run by "
        "{stretch_share}: {saved_share} less."
    ),
    "term_outlasts_run": (
        "The runs use {use_share} of the time that is paid for; below {break_even_share} renting for the runs "
        "alone is cheaper, here by {extra_usd_per_year}."
    ),
    "one_device_for_both": (
        "{device} for both workloads costs {more_usd} ({more_share}) more over a run and a month of service "
        "than {training_device} to train on and {serving_device} to serve on."
    ),
    "one_device_is_best_for_both": (
        "{training_device} is the cheapest for both workloads: {usd} for a run and a month of service."
    ),
    "no_device_for_both": "No device does both within its targets: {training_device} trains, {serving_device} serves.",
    "service_on_training_nodes": (
        "On {device}, the best to train on, the service would cost {cost_ratio} times as much: "
        "{more_usd_per_month} more."
    ),
    "training_on_serving_nodes": (
        "On {device}, the best to serve on, a run needs {slowdown} times the device-hours and costs {more_usd} more."
    ),
    "training_on_serving_nodes_cheaper": (
        "On {device}, the best to serve on, a run needs {slowdown} times the device-hours and costs {less_usd} less."
    ),
    "serving_nodes_train_too_late": (
        "On {device}, the best to serve on, a run takes {run_s} on {devices} devices, past its deadline, and "
        "{slowdown} times the device-hours."
    ),
    "serving_nodes_do_not_fit_training": (
        "{device}, the best to serve on, cannot train this: even {devices} of them lack {missing_bytes} each."
    ),
    "serving_nodes_cannot_train": "{device}, the best to serve on, cannot train this: its layouts {reason}.",
    "one_profile_forced": (
        "The hardware choice leaves {device} alone for both: {training_devices} to train on, {serving_devices} "
        "to serve on, of which {busy_share} are used on average."
    ),
    "latency_outgrows_load": (
        "At the planned {planned_per_s} per replica TTFT p95 grows {elasticity} times as fast as the load; it "
        "saturates at {saturation_per_s}."
    ),
    "knee_is_further_up": (
        "Latency grows faster than load from {knee_per_s} per replica on; {planned_per_s} are planned."
    ),
    "old_price": "The price of {device} was read {age_s} ago; prices of accelerators move by a fifth in {limit_s}.",
    "carried_figures": "The recommended {device} (†) is planned with figures of this file: {figures}.",
    "carried_device": "The recommended {device} (†) is known from this file alone; your catalogue does not have it.",
    "carried_entries": "This file brings figures that differ from your catalogue, of devices marked †: {names}.",
    "carried_measurements": "Own measurements of this file correct the predictions: {count} sets.",
    "carried_quote": "The price of the recommended {device} (†) is a quotation in this file: {figures}.",
    "carried_model": "{device} is not the model of that name in your catalogue: {figures}.",
    "switch_off": (
        "The mean load is {mean_over_peak_share} of its peak. Renting up to {peak} replicas by the hour as the "
        "load needs them would cost {mixed_usd_per_month}: {saved_share} less."
    ),
    "service_judged_by_training": (
        "All {points} measurements of your own are of training: nothing tells yet how {device} serves, and a token may "
        "come {band_factor} times sooner or later than planned."
    ),
    "training_judged_by_service": (
        "All {points} measurements of your own are of serving: nothing tells yet how {device} trains, and a step may "
        "take {band_factor} times as long as planned, or as short."
    ),
    "loading_saturates_storage": (
        "A replica alone serves after {alone_s}; {replicas} that start together, as after an outage, wait "
        "{together_s}: they share the {read_bytes_per_s} of the store that holds the weights."
    ),
    "service_misses_targets": (
        "No candidate meets every target: even a single request on the nearest one takes {over} times a limit "
        "(TTFT p95 {ttft_s}, TPOT p95 {tpot_s})."
    ),
}

REMEDY_SENTENCES: dict[str, str] = {
    "ask_for_it": "Set the target for the first token to {limit_s}; candidates that meet it exist.",
    "smaller_token_budget": "Set the token budget per step to {tokens}: prompts are prefilled in smaller chunks.",
    "serve_longer": "Leave the largest context open: it then holds 99.9 % of the requests, if the model does.",
    "draft_less": "Set the draft tokens per step to {drafts}.",
    "draft_nothing": "Draft no tokens.",
    "leave_headroom": "Plan for {share} of the rate that just meets the targets.",
    "use_more_of_it": "Plan for {share} of the rate that just meets the targets; the targets leave room for it.",
    "validate_quality": "Compare the quantised model's answers with the original's on your own tasks before buying.",
    "measure_it": "Rent one node for a day and import its measurements before buying.",
    "add_spare": "Keep {spares} spare replicas, for {usd_per_month} more at most.",
    "leave_room_for_bursts": "Plan for {share} of the rate that just meets the targets.",
    "rent_on_demand": "Rent it by the hour.",
    "feed_faster": (
        "Before more accelerators: read {read_bytes_per_s} from storage, and prepare data on {cores} CPU cores per "
        "device or beforehand."
    ),
    "pull_shorter_answers": "Plan with answers a quarter shorter.",
    "pull_shared_prefix": "Plan with 30 % prefix-cache hits.",
    "pull_kept_sessions": "Route by prefix affinity.",
    "pull_draft_tokens": "Plan with 3 draft tokens per step.",
    "pull_larger_batch": "Double the largest batch.",
    "pull_continuous_batching": "Use chunked prefill.",
    "pull_narrower_formats": "Allow FP8, INT8 and INT4 weights.",
    "smooth_bursts": "Spread the bursts, with a queue or a limit on the rate before the service.",
    "choose_schedule": "Let the search choose the pipeline's schedule.",
    "faster_checkpoint_store": "Write checkpoints at {write_bytes_per_s}.",
    "checkpoint_in_background": "Write checkpoints behind the steps.",
    "change_terms": "Pay for it {term}.",
    "autoscale": "Reserve {base} replicas and rent the others in the hours that need them.",
    "allow_device": "Allow {device} as well.",
    "licensed_devices": "Allow only devices that are licensed for data centres.",
    "larger_reads": "Before more accelerators: a store of {reads_per_s}, or larger reads of packed samples.",
    "stage_data": "Before more accelerators: copy the data to the hosts' own disks, or store samples smaller.",
    "mend_node_link": "Find the device with the slow link, and take its node out.",
    "mend_link": "Find and replace the slow link.",
    "replace_device": "Find the slow device with a test on each, and replace it.",
    "full_bisection": "Build the network without oversubscription.",
    "keep_headroom": "Keep a tenth of memory free.",
    "choose_recompute": "Recompute only what does not fit.",
    "allow_more_devices": "Allow up to {devices} devices.",
    "train_on_spot": "Train on spot capacity; the run takes {stretch_share} longer.",
    "rent_for_the_run": "Rent by the hour for the run, and release it afterwards.",
    "replicas_batching_or_memory": "Add replicas, lower the token budget per step, or give the KV cache more memory.",
    "read_price_again": "Ask for a quotation and enter it.",
    "measure_service": "Import a serving benchmark of this device at the planned load before buying.",
    "measure_training": "Import a few training steps of this device before buying.",
    "faster_store": "Read weights at {read_bytes_per_s}, by copies on each node or a faster store.",
    "take_marketplace_price": "Set Price level to Low, which includes marketplaces.",
    "allow_named_device_not_sold": "Include end-of-life devices, or rent {device}.",
    "allow_named_device_not_licensed": "Turn Data-centre licence off if {device} stands at home or in an office.",
    "allow_named_device_cloud_only": "Turn Air-gapped site off to rent {device}.",
    "ask_quotes": "Ask other providers for a quotation, and enter it under Quoted prices.",
    "autoscale_all": "Start and stop replicas with the load.",
}
