"""What a scenario asks of a service, in numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import asdict

from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.quantity import Quantity, central
from gpuplanner_gui.domain.workload import ServingWorkload, Slo
from gpuplanner_gui.engine.serving.load.full_batches import OwnAnswers, own_answers
from gpuplanner_gui.engine.serving.load.states import ClassLengths, ClassSlo, lengths_of
from gpuplanner_gui.engine.serving.load.steps import in_steps
from gpuplanner_gui.engine.serving.samples import MODELS_OF, in_slices, in_tokens, is_heard, is_of_samples
from gpuplanner_gui.engine.simulation.arrivals import BurstArrivals, bursts_of
from gpuplanner_gui.engine.simulation.requests import RequestMix
from gpuplanner_gui.engine.simulation.step_time import Speculation, speculation_of
from gpuplanner_gui.engine.uncertainty.distributions import (
    class_mix,
    longest_request_tokens,
    mean_prompt_tokens,
    quantile_of,
    refused_share,
)

SHORTER_CONTEXTS = 3
SAMPLE_BUDGET = 1_000_000
"""Slices of samples are no tokens: no budget holds them up."""
FEW_PLACES = 16
"""Largest batch up to which it matters that replicas share their places; more hardly make anyone wait."""
BLIND_ROUTERS = ("random", "round_robin")
"""Routers that do not know who is busy."""


@dataclass(frozen=True)
class Demand:
    """What the scenario asks of a service, in numbers."""

    mix: RequestMix
    prompt_tokens: float
    output_tokens: float
    peak_rate_per_s: float
    slos: tuple[Slo, ...]
    """The strictest target of each latency and percentile, of each class where their lengths differ."""
    targets: tuple[Slo, ...]
    """Every target of every class, in their order; each knows its class where their lengths differ."""
    slo_positions: tuple[int, ...]
    """Where each stands among the targets of all classes, in their order."""
    token_budget: int
    max_sequences: int
    context_tokens: float
    longest_tokens: float
    arrival_cv: float
    kv_waste_tokens: float = 0.0
    """Cache tokens that a sequence wastes in blocks it does not fill."""
    users: float = 0.0
    """Who each wait for their answer; 0: requests come at a rate."""
    think_s: float = 0.0
    """Time from an answer to the same user's next request."""
    bursts: BurstArrivals | None = None
    """Phases of more and of fewer requests than the mean; None: none but by chance."""
    speculation: Speculation | None = None
    """Drafts of the engine's settings; None without."""
    is_batch: bool = False
    """All requests are there at once: replicas are full until the last."""
    is_of_samples: bool = False
    """Requests are passes over samples, counted in slices, and not tokens."""
    batches_whole: bool = False
    """What is worked on together begins and ends together."""
    filled: OwnAnswers | None = None
    """Answers before padding, where batches wait to be full; users who wait for them wait for no others."""
    finds_idle: bool = True
    """A request goes to a replica that is idle, if one is; else each replica has a queue of its own."""

    @property
    def answers(self) -> RequestMix:
        """The requests with their answers counted in steps, which drafts make fewer."""
        return in_steps(self.mix, self.speculation)

    def reserved_tokens(self, reserves_answers: bool) -> float:
        """Cache tokens that a sequence of mean length takes beyond those it has, the last block's empty part included.

        An engine that reserves answers takes in no request without room for its last token.
        """
        return self.kv_waste_tokens + (self.output_tokens / 2 if reserves_answers else 0.0)

    @property
    def has_few_places(self) -> bool:
        """Whether requests of a replica wait for a place."""
        return self.sequences_at_once <= FEW_PLACES

    @property
    def shares_places(self) -> bool:
        """Whether it matters that a request finds a place at any of the replicas, and whether it does: a replica whose
        batch runs has none."""
        return self.finds_idle and self.filled is None and (self.has_few_places or self.begins_with_some)

    @property
    def begins_with_some(self) -> bool:
        """Whether a batch of answers begins with whoever is there, and lets nobody in before it ends."""
        return self.batches_whole and not self.is_of_samples and self.filled is None

    @property
    def sequences_at_once(self) -> int:
        """Largest batch: what a step's tokens allow where each sequence verifies several."""
        each = 1 if self.speculation is None else self.speculation.verified_tokens
        return max(1, min(self.max_sequences, self.token_budget // each))


def demand_of(serving: ServingWorkload, model: Model) -> Demand:
    """Sum the request classes up: one mix of lengths, one rate, the strictest target of each kind."""
    of_samples = is_of_samples(serving, model)
    longest = _longest_tokens(serving, model)
    serving = in_slices(serving, model)
    asked = _asked(serving)
    traffic = serving.traffic
    peak_rate = serving.peak_rate_per_s
    plain, prompt = class_mix(serving.classes), mean_prompt_tokens(serving.classes)
    if serving.engine.batches_whole and not of_samples:
        serving = padded_to_batch(serving)
    mix, targets = class_mix(serving.classes), _targets(serving, asked)
    strictest: dict[Any, tuple[int, Slo]] = {}
    for position, slo in enumerate(targets):
        key = (slo.metric, slo.percentile, slo.lengths if isinstance(slo, ClassSlo) else None)
        if key not in strictest or slo.limit_s < strictest[key][1].limit_s:
            strictest[key] = (position, slo)
    return Demand(
        mix=mix,
        prompt_tokens=prompt,
        output_tokens=plain.output_tokens,
        peak_rate_per_s=peak_rate,
        slos=tuple(slo for _, slo in strictest.values()),
        targets=targets,
        slo_positions=tuple(position for position, _ in strictest.values()),
        token_budget=max(serving.engine.token_budget, SAMPLE_BUDGET) if of_samples else serving.engine.token_budget,
        max_sequences=serving.engine.max_sequences,
        context_tokens=prompt + plain.output_tokens / 2,
        longest_tokens=longest,
        arrival_cv=central(traffic.burstiness_cv) if traffic.arrivals in ("poisson", "gamma") else 1.0,
        kv_waste_tokens=(serving.engine.kv_block_tokens - 1) / 2,
        users=traffic.users if traffic.arrivals == "users" else 0.0,
        think_s=traffic.think_time_s,
        bursts=bursts_of(traffic, peak_rate),
        speculation=None if of_samples else speculation_of(serving.engine, model),
        is_batch=traffic.is_batch,
        is_of_samples=of_samples,
        batches_whole=serving.engine.batches_whole or of_samples,
        filled=own_answers(plain) if waits_to_be_full(serving) and not of_samples else None,
        finds_idle=_finds_idle(serving, plain, of_samples),
    )


def _finds_idle(serving: ServingWorkload, mix: RequestMix, of_samples: bool) -> bool:
    """Whether a request goes to an idle replica if one is: the router knows, or it goes by turns and all requests take
    alike. They then end in the order in which they began, and whose turn it is has been idle longest."""
    router = serving.availability.router
    if router != "round_robin":
        return router not in BLIND_ROUTERS and not keeps_sessions(serving)
    is_alike = all(bool(np.allclose(bins.value, bins.value[0])) for bins in (mix.computed_bins, mix.output_bins))
    return is_alike and (of_samples or not serving.engine.batches_whole)


def keeps_sessions(serving: ServingWorkload) -> bool:
    """Whether a session's requests all go to the replica that holds its prompts, whoever waits there."""
    has_sessions = any(one.session_share and central(one.prefix_cache_share) for one in serving.classes)
    return serving.availability.router == "prefix_affinity" and has_sessions


def _longest_tokens(serving: ServingWorkload, model: Model) -> float:
    """Context to plan for: as stated, else of nearly all requests; no more than the model's. [tokens]"""
    classes = in_tokens(serving, model).classes
    usual = max(2 * (mean_prompt_tokens(classes) + class_mix(classes).output_tokens), longest_request_tokens(classes))
    return min(float(serving.max_context or usual), float(model.max_context or np.inf))


def waits_to_be_full(serving: ServingWorkload) -> bool:
    """Whether a batch begins only when it is full."""
    is_static = serving.engine.batching == "static" and serving.engine.max_sequences > 1
    return is_static and serving.traffic.arrivals != "users"


def padded_to_batch(serving: ServingWorkload) -> ServingWorkload:
    """The same requests with answers as long as the longest of a full batch: their places are free no sooner; with
    prompts likewise where each batch is full.

    Of independent answers, the longest of n is about the n-th of n + 1 parts of their distribution.
    """
    most, is_full = serving.engine.max_sequences, waits_to_be_full(serving)
    if most == 1:
        return serving

    def longest(tokens: Quantity) -> float:
        return quantile_of(tokens, most / (most + 1.0))

    return msgspec.structs.replace(serving, classes=tuple(
        msgspec.structs.replace(
            one, output_tokens=longest(one.output_tokens),
            prompt_tokens=longest(one.prompt_tokens) if is_full else one.prompt_tokens,
        )
        for one in serving.classes
    ))  # fmt: skip


def served_contexts(serving: ServingWorkload, model: Model) -> tuple[tuple[float, float], ...]:
    """The largest context that is planned, then powers of two below it, each with the share of requests that it
    refuses; none where requests are no text. [tokens, 1]
    """
    is_no_text = is_of_samples(serving, model) and model.kind not in MODELS_OF["document"]
    if is_no_text or is_heard(serving, model):
        return ()
    planned = demand_of(serving, model).longest_tokens
    below = 2.0 ** np.arange(np.ceil(np.log2(max(planned, 2.0))) - 1, 0, -1)[:SHORTER_CONTEXTS]
    classes = in_tokens(serving, model).classes
    return tuple((float(tokens), refused_share(classes, tokens)) for tokens in (planned, *below))


def _asked(serving: ServingWorkload) -> tuple[tuple[int, Slo], ...]:
    """Every target with the position of its class; all of an answer of one token is its first."""
    return tuple(
        (place, msgspec.structs.replace(slo, metric="ttft"))
        if slo.metric == "e2e" and not serving.classes[place].has_next_tokens
        else (place, slo)
        for place, slo in serving.targets
    )


def _targets(serving: ServingWorkload, asked: tuple[tuple[int, Slo], ...]) -> tuple[Slo, ...]:
    """The targets of all classes, with the lengths and the place in the queue of theirs where classes differ."""
    lengths = _in_order(serving, [lengths_of(class_mix((one,))) for one in serving.classes])
    if len(set(lengths)) < 2:
        return tuple(slo for _, slo in asked)
    owned = [(lengths[place], slo) for place, slo in asked]
    # Gaps between tokens are those of the replica's steps, whoever waits for them.
    return tuple(slo if slo.metric == "itl" else ClassSlo(**asdict(slo), lengths=own) for own, slo in owned)


def _in_order(serving: ServingWorkload, lengths: list[ClassLengths]) -> list[ClassLengths]:
    """Classes with the shares of prompt work that are served before them and no later."""
    order = np.array([one.priority for one in serving.classes])
    rates = np.array([central(one.peak_rate_per_s) for one in serving.classes])
    share = rates * np.array([one.prompts.computed_tokens for one in lengths])
    share /= share.sum()
    places = [(float(share[order < mine].sum()), float(1.0 - share[order > mine].sum())) for mine in order]
    return [
        replace(one, lengths=(*one.lengths, *place), before=place[0], up_to=place[1])
        for one, place in zip(lengths, places, strict=True)
    ]


def at_any_rate(demand: Demand) -> Demand:
    """What is the same whatever rate or number of users is asked for, and whatever targets: all that load grids follow
    from."""
    users = min(demand.users, 1.0)
    return replace(
        demand,
        peak_rate_per_s=0.0,
        slos=(),
        targets=(),
        slo_positions=(),
        users=users,
        think_s=0.0,
        bursts=None,
        is_batch=False,
        finds_idle=True,
    )
