"""How publishers set up the separate pools of the measured table: workers and drafts by concurrency."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Annotated

import msgspec

from gpuplanner_gui.domain.benchmark import PoolLayout
from gpuplanner_gui.domain.field import about

RECIPES = Path(__file__).parents[2] / "tests" / "fidelity" / "data" / "pool_recipes.json"

WorkersText = Annotated[
    str,
    msgspec.Meta(pattern=r"^[1-9][0-9]{0,3} x (TP|TEP|DP|DEP)[1-9][0-9]{0,3}$"),
    about("Workers", "", "As 4 x DEP8: D attention in parallel, E experts apart, T tensor parallelism."),
]


class PoolWay(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One way in which separate pools may have been set up."""

    layout: PoolLayout
    """Of the decode pool."""
    prefill_layout: PoolLayout
    draft_tokens: Annotated[int, about("Drafts", "tok", "Of each sequence's step; 0: none.", minimum=0)] = 0


class PoolRecipe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Pools for some concurrencies, which are requests of all workers together."""

    prompt_tokens: Annotated[int, about("Prompt", "tok", minimum=1)]
    output_tokens: Annotated[int, about("Answer", "tok", minimum=1)]
    concurrency: tuple[int, ...]
    draft_tokens: Annotated[
        int, about("Drafts", "tok", "Of the model's prediction layer in a step.", minimum=0, maximum=16)
    ]
    prefill: WorkersText
    decode: WorkersText

    def way(self) -> PoolWay:
        """The recipe as layouts."""
        return PoolWay(
            layout=workers_layout(self.decode),
            prefill_layout=workers_layout(self.prefill),
            draft_tokens=self.draft_tokens,
        )


class RecipeSweep(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The recipes of one release of an engine for one model on one accelerator."""

    model: Annotated[str, about("Model", "", "Catalogue id.")]
    accelerator: Annotated[str, about("Accelerator", "", "Catalogue id.")]
    engine: Annotated[str, about("Engine", "", "As the engine facts name it.")]
    release: Annotated[str, about("Release", "", "Of the engine's container.")]
    weight_bits: Annotated[int, about("Bits of a weight", "bit", minimum=2, maximum=32)]
    recipes: tuple[PoolRecipe, ...]
    source: Annotated[str, about("Source")]
    date: Annotated[str, about("As of")]


class RecipeBook(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All recipes that the measured table needs."""

    sweeps: tuple[RecipeSweep, ...] = ()


@lru_cache(maxsize=1)
def load_pool_recipes() -> RecipeBook:
    """The recipes of published rows."""
    return msgspec.json.decode(RECIPES.read_bytes(), type=RecipeBook)


def workers_layout(text: str) -> PoolLayout:
    """Workers as recipes write them, `4 x DEP8`, as a layout with so many replicas."""
    count, _, kind = text.partition(" x ")
    arrangement = kind.rstrip("0123456789")
    devices = int(kind.removeprefix(arrangement))
    experts = devices if "E" in arrangement else 1
    groups = devices if arrangement.startswith("D") else 1
    return PoolLayout(
        tensor_parallel=devices // groups,
        data_parallel=groups,
        expert_parallel=experts,
        expert_tensor_parallel=devices // experts,
        replicas=float(count),
    )
