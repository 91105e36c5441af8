"""Deployments: what is served on what, how it is laid out and stored, under which engine; arrays with an entry each.

A candidate of the search and a published or own measurement become the same thing here. Memory, step times, latency
under load, simulation, explanation and own measurements know only deployments, never where one came from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.benchmark import PoolLayout, ServingCase
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.hardware.devices import DeviceTable
from gpuplanner_gui.engine.model.operations import Operation, operations
from gpuplanner_gui.engine.model.precision import PRECISION_INDEX, cache_bytes_per_value
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.engine_release import engine_as_set, engine_of_samples
from gpuplanner_gui.engine.serving.formats import (
    StoredFormats,
    cache_format,
    format_arrays,
    formats_of_precisions,
    stored_formats,
)
from gpuplanner_gui.engine.serving.memory import (
    ServingMemory,
    cache_groups,
    device_cache_bytes,
    serving_memory,
    with_draft_bytes,
)
from gpuplanner_gui.engine.serving.prompt_media import encoder_work
from gpuplanner_gui.engine.serving.rates import LayerCounts, layer_counts
from gpuplanner_gui.engine.serving.replica import Layout, Replica, replica_of
from gpuplanner_gui.engine.serving.samples import (
    SamplePasses,
    is_of_samples,
    mean_flop,
    sample_passes,
    stated_drafts,
    unanswered,
    worked_as,
)
from gpuplanner_gui.engine.simulation.arrays import Numbers, as_floats
from gpuplanner_gui.engine.simulation.step_time import draft_share_of

NO_DRAFTS: Floats = np.zeros(1)
Role = Literal["both", "prefill", "decode"]
"""Whether replicas read prompts and write answers, or have a pool for each."""
LEAST_POOL_SHARE = 0.5
"""Least share of the free memory that the cache gets: a published run was set up so that its cache was not starved."""
LARGE_MEMORY_BYTES = 70e9
SMALL_DEVICE_TOKEN_BUDGET = 2048.0
"""vLLM's budget on devices with less memory (its default since V1; 8,192 on larger ones)."""
SMALL_DEVICE_MAX_SEQUENCES = 256.0
"""Likewise its largest batch (1,024 on larger ones)."""


@dataclass(frozen=True)
class Deployments:
    """Replicas of one model under one engine, an entry per deployment."""

    model: Model
    engine: EngineFacts
    operations: tuple[Operation, ...]
    counts: LayerCounts
    replica: Replica
    memory: ServingMemory
    token_budget: Floats
    """Tokens of a step and data-parallel group."""
    max_sequences: Floats
    """Most sequences in a step of one data-parallel group."""
    draft_share: Floats = field(default_factory=lambda: NO_DRAFTS)
    """Size of what drafts over the model's."""
    samples: SamplePasses | None = None
    """Passes over samples; None: requests are tokens."""
    encoder_token_s: Floats | None = None
    """Time of the encoder before a prompt, over the prompt's tokens; None: nothing is heard."""
    role: Role = "both"

    def __len__(self) -> int:
        return len(self.replica)

    def at(self, index: Integers) -> Deployments:
        """Some of them."""
        return replace(
            self,
            replica=self.replica.at(index),
            memory=self.memory.at(index),
            token_budget=self.token_budget[index],
            max_sequences=self.max_sequences[index],
            draft_share=np.broadcast_to(self.draft_share, len(self))[index],
            encoder_token_s=None if self.encoder_token_s is None else self.encoder_token_s[index],
            samples=None if self.samples is None else self.samples.at(index),
        )

    @property
    def layout(self) -> Layout:
        return self.replica.layout

    @property
    def accelerator(self) -> Integers:
        return self.replica.accelerator

    @property
    def kv_precision(self) -> Integers:
        return self.replica.kv_precision

    def cache_bytes_per_sequence(self, context_tokens: Numbers) -> Floats:
        """What one sequence takes on one device of its group, that of drafts included; shapes broadcast. [bytes]"""
        held = device_cache_bytes(
            cache_groups(self.model),
            as_floats(context_tokens),
            self.layout.tensor_parallel,
            self.layout.pipeline_parallel,
            cache_bytes_per_value()[self.kv_precision],
        )
        return with_draft_bytes(held, self.draft_share) if self.draft_share.any() else held

    def sequences_held(self, context_tokens: Numbers) -> Floats:
        """Sequences of a mean length that all groups of a replica hold at once; infinite where they cache nothing."""
        per_sequence = self.cache_bytes_per_sequence(context_tokens)
        held = np.maximum(self.memory.pool, 0.0) / np.maximum(per_sequence, 1.0)
        return np.where(per_sequence > 0, held * self.layout.data_parallel, np.inf)


def candidate_pools(
    scenario: Scenario, context: Context, candidates: ServingCandidates
) -> tuple[Deployments, Deployments]:
    """Workers that prefill and that decode, of candidates with separate pools; only the latter draft."""
    first = candidate_deployments(scenario, context, candidates.prefill)
    return replace(first, role="prefill"), replace(candidate_deployments(scenario, context, candidates), role="decode")


def pool_step_factor(decode: Deployments) -> Floats:
    """Time of a decode pool's step over what its kernels say: groups wait for the fullest; experts in four bits. [1]"""
    engine = decode.engine
    groups = np.where(decode.layout.data_parallel > 1, engine.pool_group_time, 1.0)
    has_experts = decode.counts.expert_layers > 0
    return groups * np.where(has_experts & (decode.replica.expert_bytes < 1.0), engine.pool_four_bit_time, 1.0)


def candidate_deployments(scenario: Scenario, context: Context, candidates: ServingCandidates) -> Deployments:
    """The search's candidates under a scenario's engine settings; of separate pools the workers that decode."""
    settings, model = scenario.service.engine, scenario.model
    stated = stated_drafts(scenario.service, model)
    drafts = candidates.draft_tokens if stated is None else np.full(len(candidates), stated)
    found = deployments_of(
        model,
        context,
        engine_as_set(context.calibration.engine(settings.engine), settings),
        candidates,
        scenario.engine_memory_fraction,
        float(settings.token_budget),
        float(settings.max_sequences),
        np.where(drafts > 0, draft_share_of(settings, model), 0.0),
        settings.activation_bytes,
        context.devices_of(scenario.hardware),
    )
    if not is_of_samples(scenario.service, model):
        work = None if unanswered(scenario.service, model) else encoder_work(scenario.service, model)
        if work is None:
            return found
        formats = candidates.weight_precision
        each = work.flop / work.samples
        one = sample_passes(model, each, found.replica, formats, settings.engine, context, work.kind)
        # Images and windows pass the encoder by themselves, on every device of a replica.
        compute_s, _, host_s = one.parts_s(np.full(len(candidates), work.samples))
        return replace(found, encoder_token_s=(compute_s + work.passes * host_s) / work.prompt_tokens)
    flop = mean_flop(scenario.service.classes, model)
    formats, kind = candidates.weight_precision, worked_as(scenario.service, model)
    passes = sample_passes(model, flop, found.replica, formats, settings.engine, context, kind)
    return replace(found, samples=passes, engine=engine_of_samples(found.engine, settings))


def deployments_of(
    model: Model,
    context: Context,
    engine: EngineFacts,
    candidates: ServingCandidates,
    memory_fraction: float,
    token_budget: float,
    max_sequences: float,
    draft_share: Floats = NO_DRAFTS,
    activation_bytes: float | None = None,
    devices: DeviceTable | None = None,
) -> Deployments:
    """Candidates of any model and engine, on the context's devices unless others are given."""
    devices = context.devices if devices is None else devices
    tp, pp, dp, ep = (
        one.astype(np.float64)
        for one in (
            candidates.tensor_parallel, candidates.pipeline_parallel, candidates.data_parallel,
            candidates.expert_parallel,
        )
    )  # fmt: skip
    replica = replica_of(
        Layout(tp, pp, dp, ep, tp * dp / ep),
        formats_of_precisions(model, candidates.weight_precision),
        candidates.accelerator,
        candidates.kv_precision,
        devices,
        context.kernels(engine.engine),
    )
    parts = model_operations(model)
    return Deployments(
        model=model,
        engine=engine,
        operations=parts,
        counts=layer_counts(parts),
        replica=replica,
        memory=serving_memory(
            model, replica, devices, engine, memory_fraction, token_budget, draft_share, activation_bytes
        ),
        token_budget=np.full(len(candidates), token_budget),
        max_sequences=np.full(len(candidates), max_sequences),
        draft_share=draft_share,
    )


def case_deployments(
    cases: Sequence[ServingCase], layouts: Sequence[PoolLayout], context: Context, engine: EngineFacts
) -> Deployments:
    """Published or own measurements that share model and engine, each with the layout of the pool in question.

    What a case leaves open is as the engine has it by default on that device.
    """
    model = cases[0].model
    positions = {name: index for index, name in enumerate(context.devices.ids)}
    accelerator = np.array([positions[case.accelerator] for case in cases], np.int64)

    def column(read: Callable[[PoolLayout], int]) -> Floats:
        return np.array([read(layout) for layout in layouts], np.float64)

    layout = Layout(
        column(lambda one: one.tensor_parallel),
        column(lambda one: one.pipeline_parallel),
        column(lambda one: one.data_parallel),
        column(lambda one: one.expert_parallel),
        column(lambda one: one.expert_tensor_parallel),
    )
    stored = [formats_of_case(case) for case in cases]
    caches = [cache_format(case.engine, one, case.kv_precision) for case, one in zip(cases, stored, strict=True)]
    cache = np.array([PRECISION_INDEX[name] for name in caches], np.int64)
    replica = replica_of(
        layout, format_arrays(stored), accelerator, cache, context.devices, context.kernels(engine.engine)
    )
    device_bytes = context.devices.memory_bytes[accelerator]
    budget = _on_device(device_bytes, engine.token_budget, SMALL_DEVICE_TOKEN_BUDGET)
    parts = model_operations(model)
    memory = serving_memory(model, replica, context.devices, engine, engine.memory_fraction, budget)
    return Deployments(
        model=model,
        engine=engine,
        operations=parts,
        counts=layer_counts(parts),
        replica=replica,
        memory=replace(memory, pool=np.maximum(memory.pool, LEAST_POOL_SHARE * (memory.capacity - memory.weights))),
        token_budget=budget,
        max_sequences=_on_device(device_bytes, engine.max_sequences, SMALL_DEVICE_MAX_SEQUENCES),
    )


def formats_of_case(case: ServingCase) -> StoredFormats:
    """Formats of a case's parts: as stated, else the checkpoint's own."""
    return stored_formats(case.model, case.dense_format, case.expert_format)


def _on_device(device_bytes: Floats, usual: int, on_small: float) -> Floats:
    """An engine's default, which is lower on devices with little memory."""
    return np.where(device_bytes < LARGE_MEMORY_BYTES, min(on_small, float(usual)), float(usual))


@lru_cache(maxsize=256)
def model_operations(model: Model) -> tuple[Operation, ...]:
    """Operations of a pass; equal ones of different groups of layers stand as one, so that each is timed once."""
    counts: dict[Operation, int] = {}
    first: dict[Operation, Operation] = {}
    for operation in operations(model):
        key = replace(operation, count=0)
        counts[key] = counts.get(key, 0) + operation.count
        first.setdefault(key, operation)
    return tuple(replace(first[key], count=count) for key, count in counts.items())
