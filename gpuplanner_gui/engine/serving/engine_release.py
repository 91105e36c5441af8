"""Facts of an engine as they were at a stated release."""

from __future__ import annotations

import re
from dataclasses import dataclass

import msgspec

from gpuplanner_gui.domain.serving_engine import EngineFacts, OlderRelease
from gpuplanner_gui.domain.workload import EngineSettings

REST_OF_STEP = 0.5
"""Steps that a prompt waits for on average where the next one takes it in, as closed form and simulation have it."""


@dataclass(frozen=True)
class Admission:
    """Admission delays of an engine with default settings.

    The crowds that delay the prompts of closed loops are left out: runs at a request rate do not show them.
    """

    request_host_s: float
    """Arrival to first step, and the reply, of any request. [s]"""
    late_steps: float
    """Steps until a prompt is taken in, beyond the rest of the one that runs. [1]"""
    token_host_s: float = 0.0
    """Tokenising, for each token of a prompt. [s]"""
    prompt_tokens: float = 0.0
    """Mean prompt, those in the prefix cache too. [tokens]"""

    @property
    def host_s(self) -> float:
        """Host time of a mean request. [s]"""
        return self.request_host_s + self.token_host_s * self.prompt_tokens


def admission_of(engine: EngineFacts, prompt_tokens: float) -> Admission:
    """What an engine adds for prompts of a mean length."""
    late_steps = max(engine.admission_steps - REST_OF_STEP, 0.0)
    return Admission(engine.request_host_s, late_steps, engine.prompt_token_host_s, prompt_tokens)


_NUMBERS = re.compile(r"^v?(\d{1,6}(?:\.\d{1,6}){0,3})")
_BUILD = re.compile(r"^b(\d{1,6})$")
"""A build by its number alone, as llama.cpp names them."""


def release_numbers(release: str) -> tuple[int, ...]:
    """A release's numbers, 0.7.3 for `v0.7.3.post1`; empty where it does not begin with any.

    A build by its number, `b11312`, is one of 0.0: it comes before every release with a version.
    """
    build = _BUILD.match(release.strip())
    if build is not None:
        return (0, 0, int(build[1]))
    found = _NUMBERS.match(release.strip())
    return tuple(int(part) for part in found[1].split(".")) if found else ()


def engine_of_release(engine: EngineFacts, release: str, year: float = 0.0) -> EngineFacts:
    """The facts with what releases before a known change did otherwise; as they are where nothing is known.

    Releases since the last known change schedule steps ahead of a prompt, and are known by how long they tokenise it;
    of older ones, all that is in their host time and delivery. `year` stands for a release that is not stated, 2024.5
    for the middle of 2024; 0 where that is not known either.
    """
    older = older_release(engine, release, year)
    if older is None:
        return engine
    return msgspec.structs.replace(
        engine,
        mixes_prefill=older.mixes_prefill,
        captured_tokens=older.captured_tokens,
        max_sequences=older.max_sequences,
        decode_step_host_s=older.decode_step_host_s,
        decode_layer_host_s=engine.decode_layer_host_s + older.layer_host_s,
        sequence_host_s=older.sequence_host_s,
        delivery_steps=older.delivery_steps,
        admission_steps=REST_OF_STEP,
        prompt_token_host_s=0.0,
    )


def engine_as_set(engine: EngineFacts, settings: EngineSettings) -> EngineFacts:
    """The facts of the planner's release, with the overheads that the planner knows in place of the usual ones."""
    found = engine_of_release(engine, settings.release)
    if settings.runtime_bytes is not None:
        found = msgspec.structs.replace(
            found, runtime_bytes=settings.runtime_bytes, graph_bytes=0.0, parallel_runtime_bytes=0.0
        )
    if settings.request_host_s is not None:
        found = msgspec.structs.replace(found, request_host_s=settings.request_host_s, prompt_token_host_s=0.0)
    if settings.step_host_s is not None:
        per_layer = {name: 0.0 for name in EngineFacts.__struct_fields__ if name.endswith("_layer_host_s")}
        found = msgspec.structs.replace(
            found, decode_step_host_s=settings.step_host_s, prefill_step_host_s=settings.step_host_s,
            sequence_host_s=0.0, **per_layer,
        )  # fmt: skip
    return found


def engine_of_samples(engine: EngineFacts, settings: EngineSettings) -> EngineFacts:
    """The facts for requests that are no tokens: what their passes take on the host was fitted with them."""
    call_s = settings.request_host_s or 0.0
    return msgspec.structs.replace(engine, request_host_s=call_s, prompt_token_host_s=0.0, admission_steps=REST_OF_STEP)


def older_release(engine: EngineFacts, release: str, year: float = 0.0) -> OlderRelease | None:
    """The known change that a release lies before, the oldest first; None for a newer one and an unknown one."""
    numbers = release_numbers(release)
    for older in engine.older:
        if numbers < release_numbers(older.before) if numbers else 0 < year < older.before_year:
            return older
    return None


@dataclass(frozen=True)
class ReleaseCost:
    """What a decode step of releases before a known change takes longer than one of the newest. [s]"""

    before: str
    step_s: float
    sequence_s: float
    """Host time for each sequence of a step."""
    mixes_prefill: bool


def release_costs(engine: EngineFacts, layers: int) -> tuple[ReleaseCost, ...]:
    """Costs of older releases for a model of so many layers, oldest first."""
    return tuple(
        ReleaseCost(
            older.before,
            older.decode_step_host_s - engine.decode_step_host_s + layers * older.layer_host_s,
            older.sequence_host_s - engine.sequence_host_s,
            older.mixes_prefill,
        )
        for older in engine.older
    )
