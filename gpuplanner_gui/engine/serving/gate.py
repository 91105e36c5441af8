"""Which serving candidates can run at all, and why the others cannot."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Integers
from gpuplanner_gui.domain.model import Model, MoeFfn
from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.serving_engine import SupportedOperation
from gpuplanner_gui.engine.context import Context, Gate
from gpuplanner_gui.engine.handoff.layouts import refused_layouts
from gpuplanner_gui.engine.model.cache_sizes import has_kv_cache
from gpuplanner_gui.engine.model.precision import PRECISION_INDEX
from gpuplanner_gui.engine.serving.candidates import ServingCandidates, stated_layout
from gpuplanner_gui.engine.serving.deployments import Deployments
from gpuplanner_gui.engine.serving.formats import device_precision
from gpuplanner_gui.engine.serving.samples import SAMPLE_FORMATS, unanswered
from gpuplanner_gui.engine.training.communication import cluster_for


def serving_gate(
    scenario: Scenario, context: Context, candidates: ServingCandidates, deployed: Deployments, longest_tokens: float,
    is_pool: bool = False,
) -> Gate:  # fmt: skip
    """Reasons in the order in which a planner would want to hear them; `is_pool` of workers of separate pools."""
    who = candidates.accelerator
    devices, hardware, memory = context.devices, scenario.hardware, deployed.memory
    gate = Gate.opened(len(candidates))
    if unanswered(scenario.service, scenario.model):
        return gate.close(np.full(len(candidates), True), Reason.REQUEST_NOT_FOR_MODEL, 0.0)
    gate = gate.close(~context.allowed(hardware)[who], Reason.EXCLUDED, 0.0)
    not_sold = context.cannot_be_bought(hardware, scenario.economics.serving_procurement)
    gate = gate.close(not_sold[who], Reason.END_OF_LIFE, 0.0)
    runs_nothing = np.all(context.refused(deployed.engine.engine, "products"), axis=1)
    gate = gate.close(np.asarray(runs_nothing)[who], Reason.ENGINE_NOT_ON_DEVICE, 0.0)
    gate = gate.close(np.isnan(memory.capacity), Reason.NO_MEMORY_FIGURE, 0.0)
    gate = gate.close(np.isnan(devices.bandwidth_bytes_per_s[who]), Reason.NO_BANDWIDTH_FIGURE, 0.0)
    peak = devices.peak_flop_per_s[who, candidates.weight_precision]
    gate = gate.close(np.isnan(peak), Reason.NO_COMPUTE_FIGURE, 0.0)
    for precision, is_refused in refused_formats(deployed, context):
        gate = gate.close(is_refused, Reason.PRECISION_NOT_SUPPORTED, precision.astype(np.float64))
    if deployed.samples is not None:
        gate = gate.close(candidates.devices > 1, Reason.ONE_DEVICE_PER_SAMPLE, 1.0)
        formats = [PRECISION_INDEX[name] for name in SAMPLE_FORMATS]
        stored = candidates.weight_precision
        gate = gate.close(~np.isin(stored, formats), Reason.PRECISION_NOT_SUPPORTED, stored.astype(np.float64))
    if deployed.engine.one_server:
        held = cluster_for(context.catalog, hardware).node_devices[who].astype(np.float64)
        gate = gate.close(candidates.devices > held, Reason.ENGINE_ON_ONE_SERVER, held)
    together = candidates.tensor_parallel * candidates.data_parallel
    if not hardware.tensor_parallel_across_nodes and not stated_layout(scenario.service):
        box = context.box_devices[who]
        gate = gate.close(together > box, Reason.BEYOND_SCALE_UP_DOMAIN, box)
    alone = (candidates.devices > 1) & np.isnan(devices.scale_up_bytes_per_s[who])
    gate = gate.close(alone, Reason.BEYOND_SCALE_UP_DOMAIN, 1.0)
    heads, layers = context.heads(scenario.model), context.layer_count(scenario.model)
    if heads:
        gate = gate.close(heads % candidates.tensor_parallel != 0, Reason.HEADS_NOT_DIVISIBLE, float(heads))
    experts = fewest_experts(scenario.model)
    in_groups = candidates.expert_parallel * candidates.data_parallel > 1
    is_uneven = experts % candidates.expert_parallel != 0 if experts else in_groups
    gate = gate.close(is_uneven, Reason.EXPERTS_NOT_DIVISIBLE, float(experts))
    if deployed.engine.experts_over_all:
        some = (candidates.expert_parallel > 1) & (candidates.expert_parallel < together)
        gate = gate.close(some, Reason.EXPERTS_NOT_OVER_ALL, together.astype(np.float64))
    no_option = refused_layouts(scenario, context, candidates, is_pool)
    gate = gate.close(no_option, Reason.LAYOUT_NOT_IN_ENGINE, 0.0)
    gate = gate.close(candidates.pipeline_parallel > max(layers, 1), Reason.LAYERS_NOT_DIVISIBLE, float(layers))
    gate = gate.close(memory.pool < 0, Reason.DOES_NOT_FIT, -memory.pool)
    longest = deployed.cache_bytes_per_sequence(longest_tokens)
    return gate.close(memory.pool < longest, Reason.KV_CACHE_TOO_SMALL, longest - memory.pool)


def fewest_experts(model: Model) -> int:
    """Routed experts that expert parallelism must divide: of the layers that have any; 0 without."""
    counts = [group.ffn.experts for group in model.layers if isinstance(group.ffn, MoeFfn)]
    return int(np.gcd.reduce(counts)) if counts else 0


def refused_formats(deployed: Deployments, context: Context) -> list[tuple[Integers, NDArray[np.bool_]]]:
    """Formats of each part (index into `PRECISIONS`), and where the engine is recorded not to run them."""
    who, formats = deployed.accelerator, deployed.replica.formats
    parts: list[tuple[SupportedOperation, Integers]] = [
        ("products", formats.mixer), ("products", formats.ffn),
    ]  # fmt: skip
    if has_kv_cache(deployed.model):
        parts.append(("kv_cache", deployed.kv_precision))
    if deployed.counts.expert_layers:
        parts.append(("experts", formats.expert))
    engine, found = deployed.engine.engine, []
    for operation, which in parts:
        precision = device_precision(which)
        found.append((precision, np.asarray(context.refused(engine, operation)[who, precision])))
    return found
