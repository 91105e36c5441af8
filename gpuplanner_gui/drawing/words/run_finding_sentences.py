"""The sentences for findings about a training run: its step, its devices and how long it takes."""

RUN_FINDING_SENTENCES: dict[str, str] = {
    "input_bound": (
        "The accelerators wait for data {waiting_share} of the time, {lost_s} of the run. More accelerators "
        "would wait too. With faster data {effect}."
    ),
    "input_bound_by_hosts": (
        "The accelerators wait for data {waiting_share} of the time, {lost_s} of the run: the hosts' network "
        "adapters or PCIe are the limit, not storage. More accelerators would wait too."
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
        "One device at {speed_share} of its speed slows all others: compute and memory traffic take "
        "{work_share} of a step. With all devices at full speed {effect}."
    ),
    "tensor_across_nodes": (
        "Tensor parallelism over {tensor_parallel} devices leaves the scale-up domain of {domain}: its "
        "collectives take {share} of a step."
    ),
    "more_devices_buy_time": (
        "On {devices} devices the run ends {saved_s} earlier and costs {difference} (scaling efficiency "
        "{scaling_share})."
    ),
    "scaling_ends": (
        "On {devices} devices the run ends only {saved_s} earlier and costs {difference} (scaling efficiency "
        "{scaling_share})."
    ),
    "start_up_heavy": "Start-up takes {share} of a run of {run_s}.",
    "memory_is_thin": "Only {free_share} of memory ({free_bytes}) is free: fragmentation may end the run.",
    "activations_dominate": (
        "Activations and logits take {activation_bytes}, {activation_share} of a device's memory, with a micro-batch "
        "of {micro_batch}: sequence length and micro-batch decide what fits."
    ),
    "host_memory_is_unknown": (
        "The plan keeps {host_bytes} of each {device} in host memory. The catalogue does not state how much memory its "
        "host has: check that it is enough."
    ),
    "needless_recompute": "You fixed the recomputation; {free_share} of memory is free. With the best choice {effect}.",
    "no_headroom_for_retries": (
        "The plan pays for {device_hours} device-hours, {spare_share} of them for retries, validation and "
        "experiments; {usual_share} is typical."
    ),
    "training_cluster_too_small": "The run takes {run_s} on {devices} devices, {ratio} times the {deadline_s} allowed.",
    "run_over_budget": "The run costs {usd}; its budget is {budget_usd}.",
    "does_not_fit_to_train": (
        "None of {candidates} layouts holds the training state. The nearest, {devices} × {device}, lacks "
        "{missing_bytes} per device."
    ),
    "hardware_cannot_train": "None of {candidates} layouts can train: {count} {reason}.",
    "spot_for_training": (
        "Spot capacity of {provider} costs {spot_usd_per_hour} instead of {price_usd_per_hour} and makes the run "
        "{stretch_share} longer: {saved_share} cheaper in total."
    ),
    "term_outlasts_horizon": "The term commits {commitment_usd} over {term_years}; the horizon is {horizon_years}.",
    "runs_exceed_year": "{runs} runs of {run_s} fill {use_share} of a year: the order has {clusters} such clusters.",
    "run_outlasts_horizon": (
        "A run takes its devices for {run_s}, longer than the horizon of {horizon_years}. The order and the ways to "
        "pay hold the first {horizon_years} only."
    ),
    "term_outlasts_run": (
        "The runs use {use_share} of the time paid for. Below {break_even_share} it is cheaper to rent for "
        "the runs only, here by {extra_usd_per_year}."
    ),
    "bought_for_the_run": (
        "Buying {devices} × {device} takes {capital_usd}. The cost of the run, {usd}, counts only its own hours, "
        "{use_share} of the whole years it takes: other work has to fill the rest."
    ),
}
