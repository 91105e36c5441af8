"""How sources measured each engine: numbers fitted to what they published, in `habits.json`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated

import msgspec

from gpuplanner_gui.domain.field import about
from tools.observation.practice import PoolPractice

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
