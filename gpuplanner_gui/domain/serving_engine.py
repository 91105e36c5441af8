"""What a serving engine adds to the kernels: host time, memory it keeps back, how it starts."""

from __future__ import annotations

from typing import Annotated

import msgspec

from gpuplanner_gui.domain.field import about


class EngineFacts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Overheads of one engine, each with its source in `sources`."""

    engine: Annotated[str, about("Engine", "", "A plan's engines, and those that published results come from.")]
    name: Annotated[str, about("Name")]
    aliases: Annotated[tuple[str, ...], about("Other names", "", "As published tables write it.")] = ()
    mixes_prefill: Annotated[
        bool, about("Mixed steps", "", "Prompts ride on decode steps; else they have steps of their own.")
    ] = True
    token_budget: Annotated[int, about("Token budget", "tok", "Of a step, by default.", minimum=16)] = 8192
    max_sequences: Annotated[int, about("Largest batch", "seq", "By default.", minimum=1)] = 1024
    client_prompts: Annotated[
        dict[str, float],
        about("Prompts per unit of concurrency", "", "Of the clients that published results come from.", minimum=1),
    ] = {}
    decode_step_host_s: Annotated[
        float, about("Host time of a decode step", "s", "Not hidden behind kernels.", minimum=0)
    ]
    decode_layer_host_s: Annotated[
        float,
        about("Host time per layer of a decode step", "s", "Launches that a captured graph does not hide.", minimum=0),
    ]
    sequence_host_s: Annotated[float, about("Host time per sequence of a step", "s", minimum=0)]
    prefill_step_host_s: Annotated[float, about("Host time of a prefill step", "s", minimum=0)]
    prefill_layer_host_s: Annotated[
        float, about("Host time per layer of a prefill step", "s", "Hidden while the kernels take longer.", minimum=0)
    ]
    request_host_s: Annotated[
        float, about("Host time of a request", "s", "Arrival to first step, and the reply.", minimum=0)
    ]
    launch_factor: Annotated[
        float, about("Kernel floors kept", "", "Below 1 where kernels are fused or captured in graphs.", minimum=0)
    ] = 1.0
    collective_factor: Annotated[
        float, about("Collectives kept", "", "Below 1 where they are fused or hidden.", minimum=0)
    ] = 1.0
    server_share: Annotated[
        float, about("Share of the full rate under a latency limit", "", "As contests set it.", above=0, maximum=1)
    ] = 0.85
    sample_compute_share: Annotated[
        float, about("Share of the peak for samples", "", "Of models without tokens.", above=0)
    ] = 0.4
    sample_bandwidth_share: Annotated[float, about("Share of the bandwidth for samples", above=0)] = 0.7
    sample_fill_flop: Annotated[
        float, about("Work that fills the device", "FLOP", "Added to every pass over samples.", minimum=0)
    ] = 0.0
    sample_host_s: Annotated[float, about("Host time of a pass over samples", "s", minimum=0)] = 0.0002
    sample_batch: Annotated[float, about("Samples at once where nobody says", minimum=1)] = 64.0
    log_sd: Annotated[float, about("Spread of step times", "", "Standard deviation of the logarithm.", minimum=0)]
    memory_fraction: Annotated[float, about("Memory fraction", "", "Of device memory, by default.", above=0, maximum=1)]
    activation_per_token: Annotated[
        float,
        about(
            "Activation factor", "", "Times hidden size and 2 bytes, per token of the budget, one device.", minimum=0
        ),
    ]
    activation_per_token_moe: Annotated[float, about("Activation factor, experts", minimum=0)]
    activation_parallel_exponent: Annotated[
        float,
        about("Activation cut by tensor parallelism", "", "Factor falls as TP to minus this.", minimum=0, maximum=1),
    ]
    runtime_bytes: Annotated[float, about("Context and workspace", "bytes", "One device alone.", minimum=0)]
    parallel_runtime_bytes: Annotated[
        float, about("Communication buffers", "bytes", "With tensor parallelism.", minimum=0)
    ]
    graph_bytes: Annotated[float, about("Captured graphs", "bytes", minimum=0)]
    sources: Annotated[tuple[str, ...], about("Sources")]
    date: Annotated[str, about("As of")]
