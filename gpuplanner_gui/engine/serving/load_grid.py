"""Deployments along a grid of load: step times, caps, and latency in closed form at every point.

Several questions about the same deployments are asked as one, which takes little longer than one of them: deployments
stand beside each other, once for every question, and what the questions differ in has a value for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.workload import Slo
from gpuplanner_gui.engine.explaining.formula import carried, formula, leaf
from gpuplanner_gui.engine.serving.demand import Demand
from gpuplanner_gui.engine.serving.deployments import Deployments, pool_step_factor
from gpuplanner_gui.engine.serving.engine_release import Admission, admission_of
from gpuplanner_gui.engine.serving.load.balance import load_states
from gpuplanner_gui.engine.serving.load.full_batches import full_batch_states
from gpuplanner_gui.engine.serving.load.rates import capacity_per_s, rising_latency_s, rising_rate_per_s
from gpuplanner_gui.engine.serving.load.states import LOAD_GRID, ClassLengths, ClassSlo, LoadStates
from gpuplanner_gui.engine.serving.load.steps import MixesTogether
from gpuplanner_gui.engine.serving.load.whole_batches import whole_batch_grid, whole_batch_states
from gpuplanner_gui.engine.serving.pace import ServingPace, paced_steps
from gpuplanner_gui.engine.serving.step_table import (
    DeploymentSteps,
    DraftedSteps,
    apart_steps,
    decode_pool_steps,
    drafted_steps,
    side_by_side,
    virtualised_steps,
)
from gpuplanner_gui.engine.serving.tabulated import ONE_GROUP, steps_together, usual_work
from gpuplanner_gui.engine.simulation.arrays import Numbers, over_columns
from gpuplanner_gui.engine.simulation.requests import ReplicaCaps


@dataclass(frozen=True)
class LoadModel:
    """Step times and caps of candidates that fit: all that a state under load follows from."""

    deployed: Deployments
    step: DeploymentSteps
    sequences: Floats
    """Sequences of mean length that the cache holds."""
    most_requests: Floats
    """Requests per step at the tightest cap."""
    admission: Admission
    pace: ServingPace | None
    """What own measurements say, already in `step`; None where there are none."""
    places: Floats
    """Sequences that the caps allow at once."""
    groups: Floats
    """Attention groups, each with its own token budget."""

    def at(self, part: slice | Integers) -> LoadModel:
        """Some of the deployments, for states under load: `deployed` stays whole."""
        return replace(
            self,
            step=self.step.at(part),
            sequences=self.sequences[part],
            most_requests=self.most_requests[part],
            places=self.places[part],
            groups=self.groups[part],
        )

    @property
    def prefills_apart(self) -> bool:
        """Whether prompts have steps of their own."""
        is_apart = self.deployed.engine.mixes_prefill or self.deployed.samples is not None
        return self.deployed.role == "both" and not is_apart


def load_model(deployed: Deployments, demand: Demand) -> LoadModel:
    """Tabulate the step times of deployments, and find their caps: on bare metal, at the engine's own pace."""
    (model,) = load_models(deployed, (demand,), (None,), 0.0)
    return model


def load_models(
    deployed: Deployments,
    demands: Sequence[Demand],
    paces: Sequence[ServingPace | None],
    virtualisation_loss: float,
) -> tuple[LoadModel, ...]:
    """The same for several demands that ask alike of engine and drafts: tabulated together, which is several times as
    fast as one after another."""
    groups, first = deployed.layout.data_parallel, demands[0]
    most_tokens = first.max_sequences * first.answers.verified_tokens
    usual = [usual_work(one.mix, one.token_budget) for one in demands]
    tables = steps_together(deployed, usual, first.token_budget, most_tokens, groups=np.union1d(groups, ONE_GROUP))
    return tuple(
        _capped(deployed, demand, paced_steps(_of_role(step, deployed, demand), pace), pace, virtualisation_loss)
        for step, demand, pace in zip(tables, demands, paces, strict=True)
    )


def _of_role(step: DeploymentSteps, deployed: Deployments, demand: Demand) -> DeploymentSteps:
    if deployed.role == "decode":
        return decode_pool_steps(step, pool_step_factor(deployed))
    is_apart = deployed.role == "both" and not (deployed.engine.mixes_prefill or demand.is_of_samples)
    return apart_steps(step) if is_apart else step


def _capped(
    deployed: Deployments, demand: Demand, step: DeploymentSteps, pace: ServingPace | None, virtualisation_loss: float
) -> LoadModel:
    """Load limited by the cache and the engine's caps, with draft tokens."""
    step, groups = virtualised_steps(step, virtualisation_loss), deployed.layout.data_parallel
    if demand.speculation is not None:
        step = drafted_steps(step, demand.speculation)
    sequences = _sequences(deployed, demand)
    held = np.minimum(sequences, demand.sequences_at_once * groups)
    caps = ReplicaCaps(demand.token_budget * groups, held, sequences * demand.context_tokens)
    most, _ = caps.requests_per_step(demand.answers)
    most = np.minimum(most, held / demand.answers.output_tokens)
    return LoadModel(
        deployed,
        step,
        sequences,
        most,
        admission_of(deployed.engine, demand.prompt_tokens),
        pace,
        most * demand.answers.output_tokens,
        groups,
    )


def states_of(
    model: LoadModel, demand: Demand, requests_per_step: Floats, pooled_replicas: Numbers = 1.0
) -> LoadStates:
    """Latency and occupancy at given loads, shape (points, deployments)."""
    requests = requests_per_step if demand.filled is None else model.most_requests[None, :]
    states = load_states(
        model.step, requests, demand.mix, demand.token_budget, demand.arrival_cv, model.admission,
        model.prefills_apart, demand.speculation, model.most_requests,
        pooled_replicas=pooled_replicas if demand.has_few_places else 1.0, is_closed=demand.users > 0,
        groups=model.groups,
    )  # fmt: skip
    if demand.filled is not None:
        share = requests_per_step / model.most_requests
        return full_batch_states(states, share, model.places, demand.arrival_cv, demand.filled, model.admission)
    if not demand.batches_whole:
        return states
    return whole_batch_states(states, demand.mix.output_tokens, model.places, pooled_replicas)


def loads_of(model: LoadModel, demand: Demand) -> Floats:
    """Requests per step at each point of the grid of load, shape (points, deployments)."""
    if demand.begins_with_some:
        return whole_batch_grid(model.places) * model.most_requests
    return LOAD_GRID[:, None] * model.most_requests


def draft_gain(model: LoadModel, demand: Demand, requests_per_step: Floats, states: LoadStates) -> Floats:
    """Time per output token without drafts over that with them, at the same batches. [1]

    What is above 1 at a batch is above 1 at the rate that leads to it: without drafts, the same rate then needs a
    larger batch.
    """
    drafts = demand.speculation
    if drafts is None or not isinstance(model.step, DraftedSteps):
        without: Floats = leaf(np.ones(states.step_s.shape[-1]), "draft_gain", "", "scenario: engine drafts nothing")
        return without
    plain = load_states(
        model.step.plain, requests_per_step / drafts.tokens_per_step, demand.mix, demand.token_budget,
        demand.arrival_cv, model.admission, model.prefills_apart,
        most_requests=model.most_requests / drafts.tokens_per_step, groups=model.groups,
    )  # fmt: skip
    gain = gain_by_drafts(plain.step_s, states.token_s)
    return carried(gain[0], gain)


@formula(
    title="Speed-up by draft tokens",
    unit="",
    expression="token_without_s / token_with_s",
    source="both at the same batch; under 1, drafts cost more than they yield",
)
def gain_by_drafts(token_without_s: Floats, token_with_s: Floats) -> Floats:
    """How many times as fast tokens come with drafts. [1]"""
    return token_without_s / token_with_s


@dataclass(frozen=True)
class LoadGrid:
    """Some candidates on the whole grid of load."""

    model: LoadModel
    requests_per_step: Floats
    states: LoadStates
    rising_rate_per_s: Floats
    capacity_per_s: Floats
    latencies_s: dict[tuple[str, float, ClassLengths | None], Floats] = field(default_factory=dict)
    """Latencies by metric, percentile and class, computed when first asked for; they do not depend on the limit."""

    def rising_latency_s(self, states: LoadStates, slo: Slo) -> Floats:
        """What a target limits along the grid. [s]"""
        kind = (slo.metric, slo.percentile, slo.lengths if isinstance(slo, ClassSlo) else None)
        if kind not in self.latencies_s:
            self.latencies_s[kind] = rising_latency_s(states, slo)
        return self.latencies_s[kind]


def load_grid(model: LoadModel, demand: Demand, pooled_replicas: Numbers = 1.0) -> LoadGrid:
    """Deployments on the grid of load, as many replicas of each sharing their places."""
    requests = loads_of(model, demand)
    states = states_of(model, demand, requests, pooled_replicas)
    return LoadGrid(model, requests, states, rising_rate_per_s(states), capacity_per_s(states))


def _sequences(deployed: Deployments, demand: Demand) -> Floats:
    """Sequences of mean length that the pool holds at once."""
    held = deployed.sequences_held(demand.context_tokens + demand.reserved_tokens(deployed.engine.reserves_answers))
    return np.maximum(np.where(np.isfinite(held), held, demand.max_sequences), 1.0)


def kinds_of_targets(demand: Demand) -> tuple[Any, ...]:
    """What targets limit, whatever their limits: only demands that limit the same are asked together."""
    return tuple((slo.metric, slo.percentile, isinstance(slo, ClassSlo)) for slo in demand.slos)


def asked_together(demands: Sequence[Demand]) -> tuple[tuple[int, ...], ...]:
    """Places of the questions that can be asked as one; those about full batches are asked one after another."""
    groups: dict[Any, list[int]] = {}
    for place, demand in enumerate(demands):
        groups.setdefault(place if demand.filled is not None else _alike(demand), []).append(place)
    return tuple(map(tuple, groups.values()))


def _alike(demand: Demand) -> tuple[Any, ...]:
    """What has one value for all deployments of a question."""
    return (
        demand.token_budget, demand.users, demand.speculation, demand.batches_whole, demand.mix.verified_tokens,
        kinds_of_targets(demand),
    )  # fmt: skip


def models_together(models: Sequence[LoadModel]) -> LoadModel:
    """Step times and caps of all questions beside each other; `deployed` stays that of the first."""
    first = models[0]
    if len(models) == 1:
        return first
    count = len(first.places)
    admissions = [vars(one.admission) for one in models]
    admission = Admission(*(over_columns([one[name] for one in admissions], count) for name in admissions[0]))
    names = ("sequences", "most_requests", "places", "groups")
    columns: dict[str, Any] = {name: np.concatenate([getattr(one, name) for one in models]) for name in names}
    return replace(first, step=side_by_side([one.step for one in models]), admission=admission, **columns)


def demands_together(demands: Sequence[Demand], count: int) -> Demand:
    """What each question asks of its own `count` deployments."""
    first = demands[0]
    if len(demands) == 1:
        return first
    return replace(
        first,
        mix=MixesTogether.of([one.mix for one in demands], count),
        arrival_cv=over_columns([one.arrival_cv for one in demands], count),
        slos=tuple(_targets_together(alike, count) for alike in zip(*(one.slos for one in demands), strict=True)),
    )


def _targets_together(slos: Sequence[Slo], count: int) -> Slo:
    changes: dict[str, Any] = {"limit_s": over_columns([one.limit_s for one in slos], count)}
    lengths = [one.lengths for one in slos if isinstance(one, ClassSlo)]
    if lengths:
        changes["lengths"] = ClassLengths(
            MixesTogether.of([one.prompts for one in lengths], count),
            over_columns([one.output_tokens for one in lengths], count),
            over_columns([one.output_spread for one in lengths], count),
            tuple(chain.from_iterable(one.lengths for one in lengths)),
            over_columns([one.before for one in lengths], count),
            over_columns([one.up_to for one in lengths], count),
        )
    return msgspec.structs.replace(slos[0], **changes)
