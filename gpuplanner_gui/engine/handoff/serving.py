"""What a serving engine must be told to run as the plan has it, the cache that it takes whole at its start included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

import numpy as np

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.launch import Launcher, LaunchNote, LaunchSetting
from gpuplanner_gui.domain.model import DECODERS, Attention, DenseFfn, DraftHead, LayerGroup, Model, ModelKind, MoeFfn
from gpuplanner_gui.domain.plan import Plan, ServingTable, column
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.workload import BatchingPolicy, ServingWorkload
from gpuplanner_gui.engine.handoff.layouts import layouts_of, node_settings, size_settings
from gpuplanner_gui.engine.handoff.options import Setting
from gpuplanner_gui.engine.hardware.devices import usual_node_devices
from gpuplanner_gui.engine.model.precision import cache_bytes_per_value
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.demand import demand_of, served_contexts
from gpuplanner_gui.engine.serving.deployments import Role
from gpuplanner_gui.engine.serving.memory import cache_groups, device_cache_bytes, with_draft_bytes
from gpuplanner_gui.engine.serving.samples import stated_drafts, worked_as
from gpuplanner_gui.engine.simulation.arrays import as_floats
from gpuplanner_gui.engine.simulation.step_time import acceptance_of


def megatron_arguments(model: Model) -> tuple[str, ...]:
    """Arguments that build layers of these sizes; empty for a model that they cannot describe.

    Notes
    -----
    Arguments as in Megatron-LM's `megatron/training/arguments.py`: attention with grouped queries, and feed-forward
    networks that are dense, of experts, or dense in the first layers. Hybrids and latent attention have specifications
    of their own, and what sees later tokens has another script.
    """
    mixers = {group.mixer for group in model.layers}
    (mixer, *others) = mixers or {None}
    if not isinstance(mixer, Attention) or not mixer.causal or others:
        return ()
    if any(group.cross_attention for group in model.layers):
        return ()
    networks = _networks(model.layers)
    if not networks:
        return ()
    found = [
        f"--num-layers {sum(group.count for group in model.layers)}",
        f"--hidden-size {model.hidden_size}",
        *_attention(mixer, model.hidden_size),
        *networks,
        "--position-embedding-type rope",
        f"--vocab-size {model.vocab_size}",
    ]
    if model.layers[0].norm_kind == "rms":
        found.append("--normalization RMSNorm")
    if not model.tied_embeddings:
        found.append("--untie-embeddings-and-output-weights")
    return tuple(found)


def _attention(mixer: Attention, hidden_size: int) -> list[str]:
    found = [f"--num-attention-heads {mixer.heads}"]
    if mixer.head_dim * mixer.heads != hidden_size:
        found.append(f"--kv-channels {mixer.head_dim}")
    if mixer.kv_heads != mixer.heads:
        found.append(f"--group-query-attention --num-query-groups {mixer.kv_heads}")
    if mixer.qk_norm != "none":
        found.append("--qk-layernorm")
    if mixer.qkv_bias:
        found.append("--add-qkv-bias")
    return found


def _networks(layers: tuple[LayerGroup, ...]) -> list[str]:
    """Feed-forward networks; empty where they are neither all alike nor dense in the first layers alone."""
    dense = [group.ffn for group in layers if isinstance(group.ffn, DenseFfn)]
    of_experts = [group.ffn for group in layers if isinstance(group.ffn, MoeFfn)]
    if len(dense) + len(of_experts) != len(layers) or len(set(dense)) > 1 or len(set(of_experts)) > 1:
        return []
    found = []
    if dense:
        found += [f"--ffn-hidden-size {dense[0].size}"]
    is_biased = any(ffn.bias for ffn in dense) or any(ffn.expert_bias for ffn in of_experts)
    if of_experts:
        ffn = of_experts[0]
        found += [
            f"--num-experts {ffn.experts} --moe-router-topk {ffn.top_k} --moe-ffn-hidden-size {ffn.expert_size}",
            "--moe-grouped-gemm --moe-token-dispatcher-type alltoall",
        ]  # fmt: skip
        if not dense:
            found.append(f"--ffn-hidden-size {ffn.expert_size}")
        if ffn.shared_size:
            found.append(f"--moe-shared-expert-intermediate-size {ffn.shared_size}")
    if dense and of_experts:
        first = next(place for place, group in enumerate(layers) if isinstance(group.ffn, MoeFfn))
        if any(isinstance(group.ffn, DenseFfn) for group in layers[first:]):
            return []
        counts = [sum(group.count for group in part) for part in (layers[:first], layers[first:])]
        found.append(f'--moe-layer-freq "[0]*{counts[0]}+[1]*{counts[1]}"')
    if any(ffn.gated for ffn in dense) or any(ffn.gated for ffn in of_experts):
        found.append("--swiglu")
    if not is_biased:
        found.append("--disable-bias-linear")
    return found


CACHE_SHORT = "cache_short"
"""Said where not all slots find room at the largest context."""
SIXTEEN_BIT = ("bf16", "fp16")
WITH_TOKENS: tuple[ModelKind, ...] = (*DECODERS, "encoder", "encoder_decoder")
"""Kinds of model that engines for language models have launch options for."""


def serving_settings(
    scenario: Scenario, catalog: Catalog, plan: Plan, candidate: int, launcher: Launcher, role: Role = "both"
) -> tuple[Setting, ...]:
    """Everything that the plan holds and an engine must know, sizes of 1 and usual formats left out.

    `role` says which workers are meant where prefill and decode have pools of their own.
    """
    serving, answer = scenario.serving, plan.serving
    if serving is None or answer is None:
        return ()
    table = answer.table
    one = ServingCandidates.of_table(table, np.array([candidate]))
    one = one.prefill if role == "prefill" else one.together
    layout = layouts_of(one)[0]
    entry = catalog.accelerators.get(plan.accelerators[int(one.accelerator[0])])
    pool = () if role == "both" else (Setting("pool_role", role),)
    longest = int(demand_of(serving, scenario.model).longest_tokens)
    room = cache_room(scenario, plan, one, candidate, role, longest, launcher.cache_bytes)
    return (
        *size_settings(layout),
        *_formats(scenario, catalog, plan, table, candidate),
        *_limits(scenario, serving, longest, layout.groups, room | _memory_shares(table, candidate, role)),
        *_behaviour(serving, scenario.model, longest, layout.groups),
        *_drafts(scenario, table, candidate, role),
        *node_settings(layout, usual_node_devices(entry, catalog)),
        *pool,
    )


def _formats(scenario: Scenario, catalog: Catalog, plan: Plan, table: ServingTable, row: int) -> Iterator[Setting]:
    weights, cache = (plan.precisions[int(one[row])] for one in (table.weight_precision, table.kv_precision))
    rate_of = catalog.accelerators[plan.accelerators[int(table.accelerator[row])]].peak_flop_per_s
    if weights == "bf16" and rate_of("bf16") is None and rate_of("fp16") is not None:
        weights = "fp16"  # The same bytes; engines refuse BF16 where a device has no units for it.
    stored = stored_precision(scenario)
    if weights != stored:
        # Engines neither unpack a quantised checkpoint nor quantise it another way.
        is_quantised = stored not in (*SIXTEEN_BIT, "fp32")
        yield Setting("weight_precision", weights, {"stored": "quantised" if is_quantised else "plain"})
    if cache not in SIXTEEN_BIT:
        yield Setting("kv_precision", cache, _at_once(scenario))


def _at_once(scenario: Scenario) -> dict[str, str | int | float]:
    """How many sequences are decoded together, for engines that have an option only for one."""
    return {"max_sequences": scenario.service.engine.max_sequences}


def _limits(
    scenario: Scenario, serving: ServingWorkload, longest: int, groups: int, memory: dict[str, str | int | float]
) -> Iterator[Setting]:
    """Limits of each attention group; `all_groups` for engines that share them out among the groups."""
    budget, sequences = step_limits(serving, scenario.model, longest)
    yield Setting("max_context", longest, memory)
    yield Setting("max_sequences", sequences, {**memory, "all_groups": sequences * groups})
    yield Setting("token_budget", budget)
    yield Setting("memory_fraction", scenario.engine_memory_fraction, memory)
    yield Setting("kv_block_tokens", serving.engine.kv_block_tokens)


def step_limits(serving: ServingWorkload, model: Model, longest_tokens: int) -> tuple[int, int]:
    """Tokens of a step, and sequences that decode together in it.

    A prompt that is not cut into chunks must fit in one step, and each sequence takes a token of it: engines refuse
    other limits.
    """
    engine = serving.engine
    is_cut = batching_of(serving, model) == "chunked_prefill"
    budget = engine.token_budget if is_cut else max(engine.token_budget, longest_tokens)
    return budget, min(engine.max_sequences, budget)


def batching_of(serving: ServingWorkload, model: Model) -> BatchingPolicy:
    """How requests are batched: a model that sees later tokens reads a prompt whole, never in chunks."""
    policy = serving.engine.batching
    return "continuous" if policy == "chunked_prefill" and _sees_later_tokens(model) else policy


def _sees_later_tokens(model: Model) -> bool:
    return any(isinstance(group.mixer, Attention) and not group.mixer.causal for group in model.layers)


def _memory_shares(table: ServingTable, row: int, role: Role) -> dict[str, str | int | float]:
    """The same memory as engines count it: weights and cache over all; cache over what the rest leaves free. [1]"""
    own = "prefill_" if role == "prefill" else ""
    capacity = float(table.memory_capacity_bytes[row])
    weights, pool, activation, runtime = (
        float(column(table, f"{own}{part}_bytes")[row]) for part in ("weights", "kv_pool", "activation", "runtime")
    )
    left = capacity - weights - activation - runtime
    return {
        "static_share": round((weights + pool) / capacity, 3),
        "free_share": round(pool / left, 3) if left > 0 else 0.0,
    }


def _behaviour(serving: ServingWorkload, model: Model, longest: int, groups: int) -> Iterator[Setting]:
    budget, _ = step_limits(serving, model, longest)
    sees: dict[str, str | int | float] = {"attention": "bidirectional" if _sees_later_tokens(model) else "causal"}
    is_of_documents = worked_as(serving, model) == "encoder"
    if is_of_documents:
        yield Setting("embeddings", "on", sees)
    yield Setting("batching", batching_of(serving, model), {**sees, "all_groups": budget * groups})
    if not is_of_documents and any(central(one.prefix_cache_share) > 0 for one in serving.classes):
        yield Setting("prefix_cache", "on")
    if len({one.priority for one in serving.classes}) > 1:
        yield Setting("priorities", "on")


def _drafts(scenario: Scenario, table: ServingTable, row: int, role: Role) -> Iterator[Setting]:
    """Drafts by the model's own head, from n-grams, or by a model that the planner has.

    A head goes on from the hidden states and cache of a prompt, so that workers that prefill must have it too.
    """
    tokens, head = drafts_of(scenario, table, row)
    if tokens and (head is not None or role != "prefill"):
        checkpoint = head.checkpoint if head is not None else ""
        code = _drafts_code(scenario, head) or "speculative_tokens"
        yield Setting(code, tokens, {"verified_tokens": tokens + 1, "head": checkpoint, **_at_once(scenario)})


def _drafts_code(scenario: Scenario, head: DraftHead | None) -> str:
    """What drafts; empty for a draft model."""
    if head is None:
        return "ngram_drafts" if scenario.service.engine.draft_share == 0 else ""
    return f"{head.kind}_drafts"


def drafts_of(scenario: Scenario, table: ServingTable, row: int) -> tuple[int, DraftHead | None]:
    """Draft tokens of a step, and the model's own head where the planner states no other draft by its size."""
    engine = scenario.service.engine
    stated = stated_drafts(scenario.service, scenario.model)
    tokens = int(table.draft_tokens[row]) if stated is None else stated
    return tokens, scenario.model.drafts if engine.draft_share is None else None


def serving_notes(
    scenario: Scenario,
    plan: Plan,
    candidate: int,
    launcher: Launcher,
    settings: Iterable[Setting],
    told: Iterable[LaunchSetting],
) -> Iterator[LaunchNote]:
    """What no flag says; `told` is how the launcher is told about each of the settings."""
    serving, answer = scenario.serving, plan.serving
    if serving is None or answer is None:
        return
    table = answer.table
    replicas = float(table.replicas[candidate])
    workers = [int(one[candidate]) for one in (table.prefill_workers, table.decode_workers)]
    if replicas == replicas and replicas < 1e9 and workers[0]:
        first, then = (int(replicas) * count for count in workers)
        yield LaunchNote(code="pools", values={"prefill": first, "decode": then})
    elif replicas == replicas and replicas < 1e9:
        yield LaunchNote(code="replicas", values={"replicas": int(replicas)})
    for (tokens, refused), (shorter, more) in pairwise(served_contexts(serving, scenario.model)[:2]):
        yield LaunchNote(
            code="refused",
            values={"tokens": int(tokens), "refused": refused, "shorter": int(shorter), "shorter_refused": more},
        )
    if serving.engine.engine != launcher.id:
        yield LaunchNote(code="planned_for", values={"engine": serving.engine.engine})
    yield from _weight_notes(scenario, plan, candidate, launcher, told)
    limits = next((one.numbers | {"context": one.value} for one in settings if one.code == "max_context"), {})
    is_short = float(limits.get("full_slots", 0)) < float(limits.get("slots", 0))
    yield from (LaunchNote(code=code, values=limits) for code in launcher.notes if is_short or code != CACHE_SHORT)
    tokens, head = drafts_of(scenario, table, candidate)
    if tokens:
        share = central(acceptance_of(serving.engine, scenario.model))
        code = _drafts_code(scenario, head) or "draft"
        values: dict[str, str | int | float] = {
            "tokens": tokens,
            "acceptance": share,
            "head": head.checkpoint if head is not None else "",
        }
        yield LaunchNote(code=code, values=values)


def _weight_notes(
    scenario: Scenario, plan: Plan, candidate: int, launcher: Launcher, told: Iterable[LaunchSetting]
) -> Iterator[LaunchNote]:
    """What the checkpoint must be, and what its format asks for."""
    table = plan.served.table
    weights = plan.precisions[int(table.weight_precision[candidate])]
    if launcher.checkpoints:
        stored, held = launcher.checkpoints.get(weights, weights), weights_held(table, candidate)
        yield LaunchNote(code="stored_as", values={"stored": stored, "weights": held})
    elif asked := [one.value for one in told if (one.code, one.status) == ("weight_precision", "in_checkpoint")]:
        yield LaunchNote(code="checkpoint", values={"precision": asked[0]})
    if weights != stored_precision(scenario) and weights not in (*SIXTEEN_BIT, "fp32"):
        yield LaunchNote(code="validate", values={"precision": weights})
    if bool(table.emulated[candidate]):
        yield LaunchNote(code="emulated", values={"precision": weights})


def weights_held(table: ServingTable, row: int) -> float:
    """Weights that the plan counts for a replica, drafts included. [bytes]"""
    one = ServingCandidates.of_table(table, np.array([row])).together
    return float(table.weights_bytes[row]) * int(one.worker_devices[0])


def stored_precision(scenario: Scenario) -> str:
    """How the checkpoint stores its matrices."""
    stored = scenario.model.weight_format
    return stored.quantized or stored.native


PADDING = 256
"""Tokens to whose multiples engines round the cache up."""


def cache_room(
    scenario: Scenario,
    plan: Plan,
    one: ServingCandidates,
    row: int,
    role: Role,
    longest_tokens: int,
    stored_bytes: Mapping[str, float],
) -> dict[str, str | int | float]:
    """Slots that decode together, tokens of the cache for all of them, and slots that could all be full.

    Parameters
    ----------
    one : ServingCandidates
        The candidate alone.
    row : int
        Its row in the plan's table.
    longest_tokens : int
        Largest context. [tokens]
    stored_bytes : mapping
        Bytes per cached value of formats that an engine stores with scales, by format. [bytes]

    Returns
    -------
    dict
        `slots`, `cache_tokens`, `full_slots`, `pool_bytes`. What grows with a sequence is filled up to the plan's pool,
        after windows and recurrent states of all slots; never with more than all slots need at the largest context.
    """
    table, engine = plan.served.table, scenario.service.engine
    pool = float(column(table, f"{'prefill_' if role == 'prefill' else ''}kv_pool_bytes")[row])
    precision = plan.precisions[int(table.kv_precision[row])]
    value_bytes = stored_bytes.get(precision, float(cache_bytes_per_value()[table.kv_precision[row]]))
    held = device_cache_bytes(
        cache_groups(scenario.model), np.array([longest_tokens, 2.0 * longest_tokens]),
        as_floats(one.tensor_parallel), as_floats(one.pipeline_parallel), np.array([value_bytes]),
    )  # fmt: skip
    if table.draft_tokens[row] > 0 and engine.draft_share:
        held = with_draft_bytes(held, np.array([engine.draft_share]))
    first, twice = (float(bytes_each) for bytes_each in held)
    per_token = (twice - first) / longest_tokens
    fixed = first - per_token * longest_tokens
    most = float(table.max_sequences[row])
    _, sequences = step_limits(scenario.service, scenario.model, longest_tokens)
    slots = max(1, int(min(sequences, most if np.isfinite(most) else sequences)))
    if fixed > 0:
        slots = max(1, min(slots, int((pool - per_token * longest_tokens) / fixed)))
    needed = slots * longest_tokens
    room = (pool - slots * fixed) / per_token if per_token > 0 else float(needed)
    tokens = needed if room >= needed else max(int(room) // PADDING * PADDING, longest_tokens)
    return {
        "slots": slots, "cache_tokens": tokens, "full_slots": max(1, tokens // longest_tokens), "pool_bytes": int(pool),
    }  # fmt: skip
