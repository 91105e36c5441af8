"""The habits of rows of one model and engine, by client, model and crowd; and what was observed with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.deployments import case_deployments, model_operations
from gpuplanner_gui.engine.serving.predict.points import column, replicas_of
from gpuplanner_gui.engine.serving.rates import layer_counts, rates_of
from gpuplanner_gui.engine.simulation.arrays import Numbers, as_floats
from tools.observation.closed_loops import LoopHabits, Observed, loop_passes, observed, steady_loop
from tools.observation.habits import EngineHabits, Source


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
