"""The sentence for every remedy of a finding; what stands in braces are values that the engine gives."""

REMEDY_SENTENCES: dict[str, str] = {
    "ask_for_it": "Set the TTFT target to {limit_s}; some candidates meet that.",
    "smaller_token_budget": "Set the token budget per step to {tokens}: prompts are prefilled in smaller chunks.",
    "smaller_token_budget_dearer": (
        "Set the token budget per step to {tokens}: prompts are prefilled in smaller chunks. The service then costs "
        "{more_usd_per_month} more."
    ),
    "serve_longer": (
        "Leave the largest context empty: the plan then sizes it for 99.9 % of the requests, or up to the model's "
        "own limit."
    ),
    "draft_less": "Set the draft tokens per step to {drafts}.",
    "draft_nothing": "Switch speculative decoding off.",
    "leave_headroom": "Set the target utilisation to {share}.",
    "use_more_of_it": "Raise the target utilisation to {share}; the targets allow it.",
    "validate_quality": "Compare the quantised model with the original on your own tasks before ordering.",
    "measure_it": "Borrow or rent one replica for a day, benchmark it, and import the results before ordering.",
    "measure_steps": "Run 50 steps with the command in Calibrate, and import the log before ordering.",
    "add_spare": "Set spare replicas to {spares}, for {usd_per_month} more at most.",
    "leave_room_for_bursts": "Set the target utilisation to {share}.",
    "rent_on_demand": "Rent it by the hour.",
    "feed_faster": (
        "Instead of more accelerators: read {read_bytes_per_s} from storage, and prepare data on {cores} CPU "
        "cores per device or in advance."
    ),
    "try_the_api": "Compare its latency and terms with what you need.",
    "plan_classes_apart": "Plan each class in a scenario of its own.",
    "pull_shorter_answers": "Plan with answers a quarter shorter.",
    "pull_shared_prefix": "Plan with 30 % prefix-cache hits.",
    "pull_kept_sessions": "Route by prefix affinity.",
    "pull_draft_tokens": "Plan with 3 draft tokens per step.",
    "pull_larger_batch": "Double the largest batch.",
    "pull_continuous_batching": "Use chunked prefill.",
    "pull_narrower_formats": "Allow FP8, INT8 and INT4 weights.",
    "pull_smaller_model": "Plan with {model}.",
    "pull_fewer_steps": "Plan with a third fewer denoising steps.",
    "pull_separate_pools": "Search separate prefill and decode pools.",
    "pull_even_batch_run": "Train with {batch_tokens} tokens in a batch.",
    "pull_larger_batch_run": "Train with {batch_tokens} tokens in a batch.",
    "pull_narrow_recipe": "Train with FP8 matrix products.",
    "ask_for_nodes": "Ask for nodes of that size and their price before ordering.",
    "pull_more_devices_run": "Allow up to {devices} devices.",
    "pull_by_the_hour": "Plan with devices rented by the hour.",
    "pull_rented": "Plan with devices rented by the hour.",
    "pull_other_devices": "Plan with every accelerator.",
    "pull_without_spare": "Plan without a spare replica, for an availability of 99 %.",
    "pull_looser_targets": "Plan with latency targets {longer_share} longer.",
    "pull_pauses": "Set the think time to 15 s.",
    "smooth_bursts": "Smooth the bursts with a queue or a rate limit in front of the service.",
    "choose_schedule": "Let the search choose the pipeline schedule.",
    "faster_checkpoint_store": "Raise the checkpoint write rate to {write_bytes_per_s}.",
    "checkpoint_in_background": "Write checkpoints asynchronously.",
    "change_terms": "Plan with the fleet {term}.",
    "change_terms_to": "Plan with devices {term}.",
    "autoscale": "Reserve {base} replicas and rent the others by the hour when needed.",
    "autoscale_rented": "Rent replicas by the hour, only while the load needs them.",
    "allow_device": "Allow {device} as well.",
    "allow_device_alone": "Allow only {device}. The plan is then {fleet}.",
    "allow_every_device": "Allow every accelerator of the catalogue.",
    "allow_known_devices": "Allow only the others.",
    "licensed_devices": "Allow only devices that are licensed for data centres.",
    "larger_reads": (
        "Instead of more accelerators: use a store with {reads_per_s}, or read packed samples in larger blocks."
    ),
    "stage_data": "Instead of more accelerators: copy the data to the hosts' own disks, or store smaller samples.",
    "mend_node_link": "Find the device with the slow link, and remove its node.",
    "mend_link": "Find and replace the slow link.",
    "replace_device": "Test each device, and replace the slow one.",
    "full_bisection": "Build the network without oversubscription.",
    "keep_headroom": "Keep a tenth of memory free.",
    "take_flash_attention_3": "Train with FlashAttention-3.",
    "choose_recompute": "Let the search choose the recomputation.",
    "train_on_spot": "Train on spot capacity. The run takes {stretch_share} longer.",
    "rent_for_the_run": "Rent by the hour for the run, and release the devices afterwards.",
    "replicas_or_batch": "Add replicas, or a larger batch.",
    "replicas_batching_or_memory": "Add replicas, lower the token budget per step, or give the KV cache more memory.",
    "read_price_again": "Ask for a quotation and enter it.",
    "measure_service": "Import a serving benchmark of this device at the planned load before ordering.",
    "measure_training": "Import a few training steps of this device before ordering.",
    "faster_store": "Read weights at {read_bytes_per_s}: keep copies on each node, or use a faster store.",
    "take_marketplace_price": "Set Price level to Low, which includes marketplaces.",
    "allow_named_device_not_sold": "Include end-of-life devices, or rent {device}.",
    "allow_named_device_not_licensed": "Turn Data-centre licence off if {device} stands at home or in an office.",
    "allow_owned_device_not_licensed": "Turn Data-centre licence off if they stand at home or in an office.",
    "allow_owned_device_without_recipe": "Train in {other_format}.",
    "allow_named_device_cloud_only": "Turn Air-gapped site off to rent {device}.",
    "allow_named_device_without_recipe": "Train in {other_format}.",
    "state_days": "Enter the 24 hours of a day, and how the days differ in Load by day.",
    "enter_rate": "Enter the dollars for one unit of it under Exchange rates.",
    "keep_one_rate": "Keep one rate for it under Exchange rates.",
    "remove_quotation": "Remove the row whose price you can't or won't take.",
    "choose_device_of_row": "Choose its accelerator, or remove the row.",
    "ask_quotes": "Ask other providers for a quotation, and enter it under Quoted prices.",
    "autoscale_all": (
        "Start and stop replicas with the load. The cheapest plan is then up to {replicas} replicas on {fleet}. "
        "A cold start takes {start_s}."
    ),
    "autoscale_and_reserve": (
        "Start and stop replicas with the load, all rented by the hour. The cheapest plan is then up to "
        "{replicas} replicas on {fleet}. A cold start takes {start_s}."
    ),
}
