"""Step times of many deployments as tables: what the closed form of load and the simulation ask for any mix of work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace

import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.explaining.formula import formula, leaf
from gpuplanner_gui.engine.serving.step import StepTimes
from gpuplanner_gui.engine.simulation.arrays import Numbers, as_floats
from gpuplanner_gui.engine.simulation.step_time import Speculation, drafted_step_s

TIMES = ("decode_s", "prompt_s", "cache_token_s", "pair_s", "beside_s", "sequence_s", "encoder_token_s")
"""Columns of a step table that are times of the hardware."""


@dataclass(frozen=True)
class DeploymentSteps:
    """Step time of every deployment (`engine.simulation.step_time.StepTime` over arrays, deployments on the last axis).

    A step that only decodes is read off one table by its sequences, a step with prompts off another by all its tokens;
    both are linear between entries. Cached tokens read and attention pairs of prompts add their own slopes.
    """

    batch: Floats
    decode_s: Floats
    """Shape (batch, deployments): a decode step without reading any cache."""
    tokens: Floats
    prompt_s: Floats
    """Shape (tokens, deployments): a step of prompts alone, without attention pairs."""
    cache_token_s: Floats
    pair_s: Floats
    beside_s: Floats
    """What decoding adds to a step with prompts beyond its tokens and cache, and"""
    sequence_s: Floats
    """what each of its sequences adds."""
    encoder_token_s: Floats = field(default_factory=lambda: np.zeros(1), kw_only=True)
    """What the encoder of images or audio takes for each token of a prompt; what decodes has been seen already."""
    further_stages: Floats = field(default_factory=lambda: np.zeros(1), kw_only=True)
    """Stages of the pipeline beyond the first: steps count its throughput, and one prompt passes them in turn."""
    token_slope_s: Floats | None = field(default=None, kw_only=True)
    """What a token of a prompt adds over the whole of a deployment's own table; None where this is that table."""

    def at(self, part: slice | Integers) -> DeploymentSteps:
        """Some of the deployments."""
        return replace(
            self,
            decode_s=np.ascontiguousarray(self.decode_s[:, part]),
            prompt_s=np.ascontiguousarray(self.prompt_s[:, part]),
            cache_token_s=self.cache_token_s[part],
            pair_s=self.pair_s[part],
            beside_s=self.beside_s[part],
            sequence_s=self.sequence_s[part],
            encoder_token_s=self.encoder_token_s[part] if len(self.encoder_token_s) > 1 else self.encoder_token_s,
            further_stages=self.further_stages[part],
            token_slope_s=None if self.token_slope_s is None else self.token_slope_s[part],
        )

    def retimed(self, change: Callable[[str, Floats], Floats]) -> DeploymentSteps:
        """The same steps in other times, each made from its name and its time so far."""
        return replace(self, **{name: change(name, getattr(self, name)) for name in TIMES})

    @property
    def prompt_token_s(self) -> Floats:
        """What one more token of a prompt adds to a step, over the whole table, shape (deployments,). [s]"""
        if self.token_slope_s is not None:
            return self.token_slope_s
        own_s = (self.prompt_s[-1] - self.prompt_s[0]) / (self.tokens[-1] - self.tokens[0])
        return np.asarray(own_s + self.encoder_token_s)

    def step_time_s(
        self,
        decode_sequences: Numbers,
        prefill_tokens: Numbers,
        kv_tokens_read: Numbers,
        attention_pairs: Numbers = 0.0,
    ) -> Floats:
        """See `engine.simulation.step_time.StepTime`; arrays of shape (…, deployments)."""
        decoding, prompts = as_floats(decode_sequences), as_floats(prefill_tokens)
        has_prompts = prompts > 0
        pass_s = self.decode_pass_s(decoding)
        if has_prompts.any():
            pass_s = np.where(has_prompts, self.prompt_pass_s(decoding, prompts), pass_s)
        return step_with_cache_s(
            pass_s, self.cache_token_s, as_floats(kv_tokens_read), self.pair_s, as_floats(attention_pairs)
        )

    def decode_pass_s(self, decoding: Floats) -> Floats:
        """A step of so many sequences without reading any cache, shape (…, deployments). [s]"""
        return interpolated_s(decoding, self.batch, self.decode_s)

    def prompt_pass_s(self, decoding: Floats, prompt_tokens: Numbers) -> Floats:
        """A step with prompts beside so many decoding sequences, without cache and pairs. [s]"""
        tokens_s = interpolated_s(decoding + prompt_tokens, self.tokens, self.prompt_s)
        seen_s = tokens_s + self.encoder_token_s * prompt_tokens
        return beside_decoding_s(seen_s, self.beside_s, self.sequence_s, decoding)

    def full_pass_s(self, decoding: Floats, token_budget: Floats) -> Floats:
        """A step whose tokens the prompts beside the decoding fill, likewise. [s]"""
        seen_s = self._of_tokens_s(token_budget) + self.encoder_token_s * np.maximum(token_budget - decoding, 0.0)
        return beside_decoding_s(seen_s, self.beside_s, self.sequence_s, decoding)

    def _of_tokens_s(self, tokens: Floats) -> Floats:
        return interpolated_s(np.broadcast_to(tokens, self.prompt_s.shape[1:]), self.tokens, self.prompt_s)

    def with_cache_s(self, pass_s: Floats, kv_tokens_read: Numbers, attention_pairs: Numbers = 0.0) -> Floats:
        """A pass with what attention reads and computes. [s]"""
        return step_with_cache_s(
            pass_s, self.cache_token_s, as_floats(kv_tokens_read), self.pair_s, as_floats(attention_pairs)
        )


@dataclass(frozen=True)
class DraftedSteps(DeploymentSteps):
    """Step times of deployments that draft and verify tokens; decode counts are sequences."""

    plain: DeploymentSteps
    speculation: Speculation

    def at(self, part: slice | Integers) -> DraftedSteps:
        """Some of the deployments."""
        return drafted_steps(self.plain.at(part), self.speculation)

    def decode_pass_s(self, decoding: Floats) -> Floats:
        """See `DeploymentSteps`."""
        return self._drafted_s(self.plain.decode_pass_s(decoding * float(self.speculation.verified_tokens)), decoding)

    def prompt_pass_s(self, decoding: Floats, prompt_tokens: Numbers) -> Floats:
        """See `DeploymentSteps`."""
        verified = decoding * float(self.speculation.verified_tokens)
        return self._drafted_s(self.plain.prompt_pass_s(verified, prompt_tokens), decoding)

    def full_pass_s(self, decoding: Floats, token_budget: Floats) -> Floats:
        """See `DeploymentSteps`."""
        verified = decoding * float(self.speculation.verified_tokens)
        return self._drafted_s(self.plain.full_pass_s(verified, token_budget), decoding)

    def _drafted_s(self, verify_s: Floats, decoding: Floats) -> Floats:
        drafts = self.speculation
        once_s = np.where(decoding > 0, self.plain.decode_pass_s(decoding), 0.0)
        return drafted_step_s(verify_s, once_s, drafts.draft_tokens, drafts.draft_share)


def drafted_steps(step: DeploymentSteps, speculation: Speculation) -> DraftedSteps:
    """Tables of step times with what drafting adds: every cached token is read by each pass of the draft too."""
    drafts, share = speculation.draft_tokens, speculation.draft_share
    columns = {part.name: getattr(step, part.name) for part in fields(DeploymentSteps)}
    columns["cache_token_s"] = drafted_step_s(step.cache_token_s, step.cache_token_s, drafts, share)
    columns["pair_s"] = with_draft_s(step.pair_s, share)
    return DraftedSteps(**columns, plain=step, speculation=speculation)


def side_by_side(steps: Sequence[DeploymentSteps]) -> DeploymentSteps:
    """Tables as one of all their deployments: over the entries of all, between which each stays as linear as it was."""
    first = steps[0]
    if isinstance(first, DraftedSteps):
        plain = side_by_side([one.plain for one in steps if isinstance(one, DraftedSteps)])
        return drafted_steps(plain, first.speculation)
    batch, tokens = (np.unique(np.concatenate([getattr(one, name) for one in steps])) for name in ("batch", "tokens"))

    def beside(values: Sequence[Floats]) -> Floats:
        return np.concatenate(values, axis=-1)

    names = ("cache_token_s", "pair_s", "beside_s", "sequence_s", "further_stages")
    return replace(
        first,
        batch=batch,
        decode_s=beside([_at_entries(batch, one.batch, one.decode_s) for one in steps]),
        tokens=tokens,
        prompt_s=beside([_at_entries(tokens, one.tokens, one.prompt_s) for one in steps]),
        token_slope_s=beside([one.prompt_token_s for one in steps]),
        encoder_token_s=beside([np.broadcast_to(one.encoder_token_s, one.pair_s.shape) for one in steps]),
        **{name: beside([getattr(one, name) for one in steps]) for name in names},
    )


def _at_entries(entries: Floats, grid: Floats, values: Floats) -> Floats:
    if len(entries) == len(grid):
        return values
    return interpolated_s(np.broadcast_to(entries[:, None], (len(entries), values.shape[1])), grid, values)


@dataclass(frozen=True)
class ApartSteps(DeploymentSteps):
    """Steps of an engine that reads prompts in steps of their own: decoding stands still for them."""

    def prompt_pass_s(self, decoding: Floats, prompt_tokens: Numbers) -> Floats:
        """See `DeploymentSteps`; a step of prompts and the decode step that it delays."""
        read_s = interpolated_s(np.zeros_like(decoding) + prompt_tokens, self.tokens, self.prompt_s)
        return np.asarray(self.decode_pass_s(decoding) + read_s + self.encoder_token_s * prompt_tokens)

    def full_pass_s(self, decoding: Floats, token_budget: Floats) -> Floats:
        """See `DeploymentSteps`."""
        seen_s = self._of_tokens_s(token_budget) + self.encoder_token_s * token_budget
        return np.asarray(self.decode_pass_s(decoding) + seen_s)


@dataclass(frozen=True)
class SampleSteps(DeploymentSteps):
    """Slices of passes over samples: a sample that begins is one more of the batch, without a prompt to read."""

    def prompt_pass_s(self, decoding: Floats, prompt_tokens: Numbers) -> Floats:
        """See `DeploymentSteps`."""
        return self.decode_pass_s(decoding + np.zeros_like(as_floats(prompt_tokens)))

    def full_pass_s(self, decoding: Floats, token_budget: Floats) -> Floats:
        """See `DeploymentSteps`."""
        return self.decode_pass_s(decoding + np.zeros_like(token_budget))


def apart_steps(step: DeploymentSteps) -> ApartSteps:
    """The same tables where prompts have steps of their own."""
    return ApartSteps(**{part.name: getattr(step, part.name) for part in fields(DeploymentSteps)})


@dataclass(frozen=True)
class DecodePoolSteps(DeploymentSteps):
    """Steps of a pool that only decodes: a prompt whose cache has arrived is one more decoding sequence."""

    def prompt_pass_s(self, decoding: Floats, prompt_tokens: Numbers) -> Floats:
        """See `DeploymentSteps`."""
        return self.decode_pass_s(decoding)

    def full_pass_s(self, decoding: Floats, token_budget: Floats) -> Floats:
        """See `DeploymentSteps`."""
        return self.decode_pass_s(decoding)


def decode_pool_steps(step: DeploymentSteps, factor: Floats) -> DecodePoolSteps:
    """The same tables where prompts are read elsewhere; `factor` is what pools make of a step."""
    paced = paced_decode(step, factor)
    columns = {part.name: getattr(paced, part.name) for part in fields(DeploymentSteps)}
    return DecodePoolSteps(**columns | {"pair_s": np.zeros_like(step.pair_s)})


def paced_decode(step: DeploymentSteps, factor: Floats) -> DeploymentSteps:
    """Tables of a pool that decodes, whose steps take `factor` times as long."""
    decode_s, cache_token_s = (pool_step_s(one, factor) for one in (step.decode_s, step.cache_token_s))
    return replace(step, decode_s=decode_s, cache_token_s=cache_token_s)


@formula(
    title="Step of a decode pool",
    unit="s",
    expression="step_s · factor",
    source="engine facts: groups of attention wait for the fullest; experts in four bits",
)
def pool_step_s(step_s: Floats, factor: Floats) -> Floats:
    """A step at the pace that decode pools were seen to have. [s]"""
    return step_s * factor


@formula(
    title="Prefill with a draft model",
    unit="s",
    expression="prompt_s · (1 + draft_share)",
    source="the draft model reads the prompt too, in one pass",
)
def with_draft_s(prompt_s: Floats, draft_share: float) -> Floats:
    """Time that prompts take where what drafts reads them too. [s]"""
    return prompt_s * (1.0 + draft_share)


@formula(
    title="Step under load",
    unit="s",
    expression="pass_s + cache_token_s · kv_tokens_read + pair_s · attention_pairs",
    source="time affine in cached tokens read at a fixed batch "
    "(docs/derivations/load.md#time-of-a-step-against-its-work)",
)
def step_with_cache_s(
    pass_s: Floats, cache_token_s: Floats, kv_tokens_read: Floats, pair_s: Floats, attention_pairs: Floats
) -> Floats:
    """A pass of tokens through the weights, plus what attention reads and computes. [s]"""
    return np.asarray(pass_s + cache_token_s * kv_tokens_read + pair_s * attention_pairs)


@formula(
    title="Prompts together with decoding",
    unit="s",
    expression="tokens_s + beside_s + sequence_s · sequences",
    source="decoding sequences have attention kernels and host time of their own, which a prompt's tokens have not",
)
def beside_decoding_s(tokens_s: Floats, beside_s: Floats, sequence_s: Floats, sequences: Floats) -> Floats:
    """A step with prompts, before what attention reads. [s]"""
    return np.asarray(tokens_s + beside_s + sequence_s * sequences)


@formula(
    title="Step time from the step table",
    unit="s",
    expression="linear between the entries around the step's sequences or tokens",
    source="the serving model, tabulated over sequences, and over tokens of steps with prompts",
)
def interpolated_s(at: Floats, grid: Floats, values: Floats) -> Floats:
    """Per deployment linear between entries, beyond the last with its slope. `at` (…, N), `values` (points, N)."""
    deployments = values.shape[1]
    below = np.searchsorted(grid[1:-1], at)
    # Positions in the flattened table: one gather along a line is several times faster than one over two axes.
    low = below * deployments + np.arange(deployments)
    start_s = np.take(values, low)
    rise_s = np.take(values, low + deployments) - start_s
    part = np.maximum((at - np.take(grid, below)) * np.take(1.0 / (grid[1:] - grid[:-1]), below), 0.0)
    return np.asarray(start_s + part * rise_s)


def serving_loss(scenario: Scenario) -> float:
    """Share of the service's work that virtual machines lose; 0 on bare metal. [1]"""
    return central(scenario.economics.fleets.serving_virtualisation_loss)


@formula(
    title="Time on virtual machines",
    unit="s",
    expression="bare_metal_s / (1 − virtualisation_loss)",
    source="work lost to the hypervisor is time lost to every step",
)
def virtualised_s(bare_metal_s: Floats, virtualisation_loss: float) -> Floats:
    """A step's time on virtual machines. [s]"""
    return np.asarray(bare_metal_s / (1.0 - virtualisation_loss))


def virtualised_steps(step: DeploymentSteps, loss: float) -> DeploymentSteps:
    """Tables of step times on virtual machines."""
    if loss == 0.0:
        return step
    share = _leaf(loss)
    return step.retimed(lambda _, time_s: virtualised_s(time_s, share))


def virtualised_breakdown(times: StepTimes, loss: float) -> StepTimes:
    """A decode step by resource on virtual machines."""
    if loss == 0.0:
        return times
    share = _leaf(loss)
    return times.retimed(lambda part: virtualised_s(part, share))


def _leaf(loss: float) -> float:
    marked: float = leaf(loss, "virtualisation_loss", "", "scenario: fleets over time")
    return marked
