"""How sources measured each engine: numbers fitted to what they published, in `habits.json`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.domain.field import about
from gpuplanner_gui.domain.model import LatentAttention, Model
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.deployments import case_deployments, model_operations
from gpuplanner_gui.engine.serving.predict.points import column, replicas_of
from gpuplanner_gui.engine.serving.rates import layer_counts, rates_of
from gpuplanner_gui.engine.simulation.arrays import Numbers, as_floats
from gpuplanner_gui.files.benchmark_rows.question import Row, word
from tools.observation.closed_loops import LoopHabits, Observed, loop_passes, observed, steady_loop


class PoolPractice(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What each trait of a set-up adds to its utility: one that has 1 more is chosen e times as often."""

    groups_by_load: Annotated[
        float, about("Attention in groups by load", "", "Times the logarithm of requests per decoding device.")
    ] = 0.0
    groups_by_workers: Annotated[
        float, about("Attention in groups by workers", "", "Times the logarithm of the workers that decode.")
    ] = 0.0
    devices: Annotated[float, about("Devices that decode", "", "Times the logarithm of a 32nd of them.")] = 0.0
    devices_squared: Annotated[float, about("Devices that decode, squared", "", "Times that logarithm's square.")] = 0.0
    devices_by_length: Annotated[
        float, about("Devices that decode by length", "", "Times that logarithm and that of prompt over answer.")
    ] = 0.0
    drafts: Annotated[float, about("Drafts", "", "Any number of them.")] = 0.0


TRAITS: tuple[str, ...] = PoolPractice.__struct_fields__
"""The traits' names, in order."""


HABITS_FILE = Path(__file__).with_name("habits.json")


class EngineHabits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Habits of the clients and recipes that ran one engine; dictionaries are by `sources.CLIENTS`."""

    engine: Annotated[str, about("Engine")]
    compared_releases: Annotated[
        tuple[str, ...], about("Compared releases", "", "Of undated runs that a release's comparison made.")
    ] = ()
    prompts_per_user: Annotated[float, about("Prompts per user", "", "Of a run, over its concurrency.", minimum=1)] = (
        10.0
    )
    admission_steps: Annotated[
        dict[str, float], about("Admission", "", "Steps until a prompt is taken in, as recipes set engines up.")
    ] = {}
    crowd_clients: Annotated[float, about("A crowd", "", "Users at which the steps below count once.", minimum=1)] = (
        16.0
    )
    crowd_growth: Annotated[
        float, about("Growth with the crowd", "", "Power of its users; 0: all at once, from so many on.", minimum=0)
    ] = 0.5
    crowd_steps: Annotated[dict[str, float], about("More steps in a crowd")] = {}
    complex_steps: Annotated[
        dict[str, float], about("More steps with complex layers", "", "Latent attention and recurrent states.")
    ] = {}
    group_admission_steps: Annotated[
        float, about("More steps with attention groups", "", "Groups wait for each other's prompts.", minimum=0)
    ] = 0.0
    gathering_steps: Annotated[
        float, about("Gathering", "", "Steps over which recipes let attention groups gather prompts.", minimum=1)
    ] = 1.0
    sequence_host_s: Annotated[
        dict[str, float], about("Host time per sequence", "s", "Where answers are left to the engine's one process.")
    ] = {}
    start_delay_s: Annotated[
        dict[str, float], about("Delay of a run's first answers", "s", "Spread over all: compilation, first use.")
    ] = {}
    clump_prompts: Annotated[
        float, about("Clump", "", "Prompts that come together after a start burst of equal answers.", minimum=0)
    ] = 1.0
    arrival_chance: Annotated[
        float, about("Chance of arrivals", "", "Of the spread that random arrivals have.", minimum=0)
    ] = 1.0
    drafts_gain: Annotated[float, about("Gain by unsaid drafts", "", "Of TPOT.", above=0)] = 1.0
    drafts_gain_by_sweep: Annotated[dict[str, float], about("Gain by sweep", "", "By release and month.")] = {}
    first_token_by_sweep: Annotated[
        dict[str, float], about("TTFT by sweep", "", "Over the usual, as its recipes set queues up.")
    ] = {}
    pool_practice: PoolPractice = PoolPractice()
    """How separate pools are set up whose source leaves it open."""
    sources: Annotated[tuple[str, ...], about("Sources")] = ()
    date: Annotated[str, about("As of")] = ""


@lru_cache(maxsize=1)
def load_habits() -> dict[str, EngineHabits]:
    """By engine."""
    return {one.engine: one for one in msgspec.json.decode(HABITS_FILE.read_bytes(), type=list[EngineHabits])}


def habits_of(engine: str) -> EngineHabits:
    """Of one engine; none where nothing published was fitted to."""
    return load_habits().get(engine, EngineHabits(engine=engine))


def write_habits(changes: Mapping[str, Mapping[str, object]]) -> None:
    """Change fields of engines in the file."""
    changed = [msgspec.structs.replace(one, **changes.get(one.engine, {})) for one in load_habits().values()]
    HABITS_FILE.write_bytes(msgspec.json.format(msgspec.json.encode(changed), indent=2) + b"\n")
    load_habits.cache_clear()


USUAL, SWEEP = CLIENTS = ("usual", "sweep")
"""Repeated, dated runs; a release's own comparison."""
SHORTEST_SHARE = {USUAL: 0.8, SWEEP: 1.0}
"""Lengths vary evenly from this share of the stated, by client: comparisons of a release send equal ones, as the
answers of an engine that stops decoding for prompts show, which end together."""


@dataclass(frozen=True)
class Source:
    """How a row was measured."""

    client: str = USUAL
    recipe: str = ""
    """Release and month, for models that sources have a recipe of their own for; empty: none."""
    may_speculate: bool = False
    """Whether runs of the source use the model's prediction layer without saying so."""


def source_of(row: Row, case: ServingCase) -> Source:
    """What a row's columns give away."""
    is_dated = bool(word(row, "measured_on"))
    is_compared = not is_dated and word(row, "backend_version") in habits_of(case.engine).compared_releases
    has_recipe = is_dated and _is_latent(case.model)
    return Source(
        client=SWEEP if is_compared else USUAL,
        recipe=f"{word(row, 'backend_version')} {word(row, 'measured_on')[:7]}".strip() if has_recipe else "",
        may_speculate=has_recipe and not word(row, "engine_image"),
    )


def as_drawn(case: ServingCase, source: Source) -> ServingCase:
    """The case with the lengths that the source's client drew."""
    return msgspec.structs.replace(case, shortest_share=SHORTEST_SHARE[source.client])


def _is_latent(model: Model) -> bool:
    return any(isinstance(group.mixer, LatentAttention) for group in model.layers)


def crowd_share(users: Numbers, habits: EngineHabits) -> Floats:
    """How much of the steps that a crowd adds until a prompt is taken in, by users of a replica; 1 at a crowd. [1]

    What the host does for running requests delays new ones; recipes that look less often from a crowd on add all at
    once.
    """
    crowds = as_floats(users) / habits.crowd_clients
    return np.asarray(crowds**habits.crowd_growth if habits.crowd_growth > 0 else np.where(crowds >= 1.0, 1.0, 0.0))


def admission_steps(cases: Sequence[ServingCase], sources: Sequence[Source], habits: EngineHabits) -> Floats:
    """Steps until a prompt is taken in, as the recipes have them for such models in such crowds, groups apart."""
    is_complex = layer_counts(model_operations(cases[0].model)).complex_layers > 0
    more = habits.complex_steps if is_complex else {}
    steps = [habits.admission_steps[one.client] + more.get(one.client, 0.0) for one in sources]
    in_crowd = np.array([habits.crowd_steps.get(one.client, 0.0) for one in sources])
    return np.array(steps) + in_crowd * crowd_share(column(cases, "concurrency") / replicas_of(cases), habits)


def loop_habits(cases: Sequence[ServingCase], sources: Sequence[Source], habits: EngineHabits) -> LoopHabits:
    """What clients and recipes did in each row."""
    every = np.ones(len(cases))
    return LoopHabits(
        prompts_per_user=every * habits.prompts_per_user,
        admission_steps=admission_steps(cases, sources, habits),
        group_admission_steps=every * habits.group_admission_steps,
        start_delay_s=np.array([habits.start_delay_s[one.client] for one in sources]),
        clump_prompts=every * habits.clump_prompts,
        arrival_chance=every * habits.arrival_chance,
    )


def drafts_gain(sources: Sequence[Source], habits: EngineHabits) -> Floats:
    """TPOT without drafts over that with those that a source leaves unsaid."""
    gains = [habits.drafts_gain_by_sweep.get(one.recipe, habits.drafts_gain) for one in sources]
    return np.where([one.may_speculate for one in sources], gains, 1.0)


def first_token_ratio(sources: Sequence[Source], habits: EngineHabits) -> Floats:
    """TTFT over the usual, as a recipe sets queues up."""
    return np.array([habits.first_token_by_sweep.get(one.recipe, 1.0) if one.recipe else 1.0 for one in sources])


def observed_loops(
    cases: Sequence[ServingCase],
    sources: Sequence[Source],
    context: Context,
    engine: EngineFacts,
    habits: EngineHabits,
) -> Observed:
    """What sources' clients saw of closed loops of one model and engine."""
    found = case_deployments(cases, [case.layout for case in cases], context, engine)
    sequence_s = [habits.sequence_host_s.get(one.client, engine.sequence_host_s) for one in sources]
    rates = replace(rates_of(engine), sequence_host_s=np.array(sequence_s))
    loop = steady_loop(loop_passes(cases, found, habits.gathering_steps), rates)
    seen = observed(loop, loop_habits(cases, sources, habits))
    return Observed(seen.ttft_s * first_token_ratio(sources, habits), seen.tpot_s / drafts_gain(sources, habits))
