"""Static batching in closed form: replicas that begin only with a full batch, and answer all of it at its end."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import cast

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.explaining.formula import formula, leaf
from gpuplanner_gui.engine.serving.engine_release import Admission
from gpuplanner_gui.engine.serving.load.first_token import admission_s, ttft_with_host_s
from gpuplanner_gui.engine.serving.load.percentiles import spread_ttft_s
from gpuplanner_gui.engine.serving.load.states import ClassLengths, LoadStates
from gpuplanner_gui.engine.simulation.requests import RequestMix


@dataclass(frozen=True)
class OwnAnswers:
    """Answers before they are padded to the longest of their batch."""

    tokens: float
    spread: float
    """Standard deviation over the mean."""

    def shorter(self, percentile: float) -> float:
        """The answer that so many of a hundred are longer than, of a lognormal distribution. [tokens]"""
        variance = math.log1p(self.spread**2)
        z = NormalDist().inv_cdf(percentile / 100)
        return max(self.tokens * math.exp(-variance / 2 - z * math.sqrt(variance)), 1.0)


def own_answers(mix: RequestMix) -> OwnAnswers:
    """Of requests as they are asked."""
    return OwnAnswers(mix.output_tokens, math.sqrt(max(mix.output_squared / mix.output_tokens**2 - 1.0, 0.0)))


@dataclass(frozen=True, kw_only=True)
class FullBatchStates(LoadStates):
    """States whose wait is for batches before theirs, and whose rest is the time until their own is full."""

    own: OwnAnswers

    def of_class(self, lengths: ClassLengths) -> LoadStates:
        """All requests of a batch are padded alike."""
        return self

    def ttft_s(self, percentile: float) -> Floats:
        """See `LoadStates.ttft_s`."""
        return spread_ttft_s(
            self.ttft_mean_s, self.prefill_s, self.prefill_s, self.wait_s, self.rest_s, np.zeros_like(self.rest_s),
            self.utilisation, percentile,
        )  # fmt: skip

    def tpot_s(self, percentile: float) -> Floats:
        """See `LoadStates.tpot_s`; short answers wait for the longest."""
        return padded_token_s(self.token_s, self.output_tokens, self.own.shorter(percentile))

    def itl_s(self, percentile: float) -> Floats:
        """See `LoadStates.itl_s`."""
        return self.step_s


def full_batch_states(
    full: LoadStates, share: Floats, places: Floats, arrival_cv: float, own: OwnAnswers, admission: Admission
) -> FullBatchStates:
    """States at shares of capacity, shape (points, deployments), from those of a full replica, shape (1, deployments).

    Parameters
    ----------
    full : LoadStates
        Of requests that are padded to the longest of a batch.
    share : float array, shape (points, deployments)
        Of the rate at which batches follow each other without a pause. [1]
    places : float array, shape (deployments,)
        Sequences of a batch. [1]
    """
    read_s = batch_read_s(places, full.occupied_s)
    batch_s = full_batch_s(read_s, full.output_tokens, full.decode_step_s)
    rate = share * places / batch_s
    rest_s, wait_s = batch_fill_s(places, rate), full_batch_wait_s(share, batch_s, arrival_cv, places)
    late_s = admission_s(leaf(admission.late_steps, "late_steps", "", "engine facts"), full.decode_step_s)
    columns = {
        name: np.broadcast_to(one, share.shape) if isinstance(one, np.ndarray) else one
        for name, one in vars(full).items() if name not in ("rest_s", "prefill_s")
    }  # fmt: skip
    step_s = np.broadcast_to(full.decode_step_s, share.shape)
    states = FullBatchStates(
        **columns | {
            "rate_per_s": rate, "utilisation": share, "step_s": step_s, "mean_step_s": step_s,
            "wait_s": np.zeros_like(rate),
            "ttft_mean_s": ttft_with_host_s(read_s + rest_s, admission.host_s, late_s),
            "batch": np.broadcast_to(places, share.shape),
        },
        rest_s=rest_s, prefill_s=np.broadcast_to(read_s, share.shape), own=own,
    )  # fmt: skip
    return cast(FullBatchStates, states.waiting(wait_s))


@formula(
    title="Prompts of a batch",
    unit="s",
    expression="places · occupied_s",
    source="static batching reads the padded prompts of a batch together",
)
def batch_read_s(places: Floats, occupied_s: Floats) -> Floats:
    """Until the first tokens of a batch. [s]"""
    return np.asarray(places * occupied_s)


@formula(
    title="A full batch",
    unit="s",
    expression="read_s + (longest_tokens − 1) · decode_step_s",
    source="Yu et al., Orca, OSDI 2022, section 2: all of a batch ends with its longest answer",
)
def full_batch_s(read_s: Floats, longest_tokens: float, decode_step_s: Floats) -> Floats:
    """From the beginning of a batch to its end. [s]"""
    return np.asarray(read_s + max(longest_tokens - 1.0, 0.0) * decode_step_s)


@formula(
    title="Wait until a batch is full",
    unit="s",
    expression="(places − 1) / (2 · rate_per_s)",
    source="a request waits for those of its batch that come after it: on average half of them",
)
def batch_fill_s(places: Floats, rate_per_s: Floats) -> Floats:
    """Mean; spread evenly between nothing and twice that. [s]"""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(places > 1, (places - 1.0) / (2.0 * rate_per_s), 0.0))


@formula(
    title="Wait of a full batch",
    unit="s",
    expression="share / (1 − share) · batch_s · v/2 · exp(−2/3 · (1 − share) · (1 − v)² / (share · v)),"
    " v = arrival_cv² / places",
    source="every places-th arrival brings a batch, which all take the same time: Kingman 1961 with the factor of"
    " Krämer and Langenbach-Belz 1976 for regular arrivals",
)
def full_batch_wait_s(share: Floats, batch_s: Floats, arrival_cv: float, places: Floats) -> Floats:
    """Mean, infinite at capacity. [s]"""
    with np.errstate(divide="ignore"):
        busy = np.where(share < 1.0, share / np.maximum(1.0 - share, 1e-12), np.inf)
    varied = arrival_cv**2 / places
    regular = np.maximum(1.0 - varied, 0.0) ** 2 / np.maximum(varied * share, 1e-12)
    return np.asarray(busy * batch_s * (varied / 2.0) * np.exp(-2.0 / 3.0 * np.maximum(1.0 - share, 0.0) * regular))


@formula(
    title="TPOT of a padded answer",
    unit="s",
    expression="token_s · max(1, (longest_tokens − 1) / max(1, answer_tokens − 1))",
    source="answers of a batch are returned when its longest is done",
)
def padded_token_s(token_s: Floats, longest_tokens: float, answer_tokens: float) -> Floats:
    """Time per output token of an answer that is shorter than the longest of its batch. [s]"""
    return np.asarray(token_s * max((longest_tokens - 1.0) / max(answer_tokens - 1.0, 1.0), 1.0))
