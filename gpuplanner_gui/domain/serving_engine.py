"""What a serving engine adds to the kernels: host time, memory it keeps back, how it starts."""

from __future__ import annotations

from typing import Annotated

import msgspec

from gpuplanner_gui.domain.field import about
from gpuplanner_gui.domain.workload import ServingEngine


class EngineFacts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Overheads of one engine, each with its source in `sources`."""

    engine: Annotated[ServingEngine, about("Engine")]
    name: Annotated[str, about("Name")]
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
