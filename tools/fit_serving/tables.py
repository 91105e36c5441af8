"""The measured tables that stand in the repository, as cases with what was measured and the group they belong to.

And how publishers set up the separate pools of these tables, for fitting and judging what pools add: the program itself
reads a row as it stands.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Annotated

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Integers
from gpuplanner_gui.domain.benchmark import PoolLayout, ServingCase
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.field import about
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.files.benchmark_rows import inference_rows, open_loop_rows, serving_rows
from gpuplanner_gui.files.benchmark_rows.names import model_named
from gpuplanner_gui.files.benchmark_rows.question import Row, RowProblem, RowQuestion, word
from tools.observation.habits import Source, as_drawn, source_of
from tools.repository import DATA, table_rows

TABLES = {
    "serving": ("measured-serving-dev", serving_rows),
    "inference": ("measured-inference-dev", inference_rows),
    "open_loop": ("measured-open-loop-dev", open_loop_rows),
    "publishers": ("measured-publishers-dev", serving_rows),
    "publishers_open": ("measured-publishers-open-dev", open_loop_rows),
}
PEERS = "peer-predictions-serving-dev"

SAME_ARCHITECTURE = (
    (("deepseek-r1", "deepseek-v3"), "deepseek-v3"),
    (("llama-3-8b", "llama-3.1-8b", "llama-3.3-8b"), "llama-3-8b"),
    (("llama-3-70b", "llama-3.1-70b", "llama-3.3-70b"), "llama-3-70b"),
)
"""Beginnings of catalogue identifiers that are one architecture in different trainings."""


@dataclass(frozen=True)
class MeasuredCase:
    """A row that became a case, with its questions; `group` is left out as a whole."""

    case: ServingCase
    questions: tuple[RowQuestion, ...]
    group: str
    row: dict[str, str]
    ways: tuple[ServingCase, ...] = ()
    """Set-ups among which the source leaves open what ran; empty: the case is what ran."""
    source: Source = field(default_factory=Source)
    """How it was measured."""


@dataclass(frozen=True)
class RefusedRow:
    """A row that could not become a case, and why."""

    case_id: str
    reason: str


def canonical(model_name: str) -> str:
    """One name for the trainings of an architecture."""
    plain = model_name.lower()
    for beginnings, name in SAME_ARCHITECTURE:
        if plain.startswith(beginnings):
            return name
    return plain


def measured_cases(
    table: str, catalog: Catalog, calibration: Calibration
) -> tuple[list[MeasuredCase], list[RefusedRow]]:
    """Every row of a table whose source is not in doubt, and those that could not be read."""
    name, module = TABLES[table]
    names = {id(entry.model): entry.id for entry in catalog.models.values()}
    found, refused = [], []
    for row in table_rows(name):
        if not module.counts(row):
            continue
        try:
            questions = module.questions(row)
            case, _ = module.case(row, catalog, calibration)
        except RowProblem as problem:
            refused.append(RefusedRow(row.get("case_id", ""), problem.sentence))
            continue
        group = f"{canonical(names[id(case.model)])} × {case.accelerator}"
        if table == "serving":
            source = source_of(row, case)
            found.append(MeasuredCase(as_drawn(case, source), questions, group, row, source=source))
        else:
            found.append(MeasuredCase(case, questions, group, row))
    return found, refused


RECIPES = DATA / "pool_recipes.json"

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


FOUR_BIT_FORMATS = frozenset(("nvfp4", "mxfp4", "int4"))
NEAR = math.log(2.0)
"""A recipe for up to twice or half the concurrency still tells the pools of a run between two recipes."""

Sizes = tuple[int, int]
"""Devices of a worker that prefills and of one that decodes, as the row states them."""


def completed(one: MeasuredCase, catalog: Catalog, book: RecipeBook) -> MeasuredCase:
    """The row with pools as its source's recipes set them up; the row itself where it says them or no recipe fits.

    Several recipes may fit a row that says too little, with and without drafts above all: then all stand as ways.
    """
    case, row = one.case, one.row
    is_said = case.layout.replicas > 0 and word(row, "mode") == "disagg"
    if case.load != "disaggregated" or is_said:
        return one
    model_id, model, _ = model_named(catalog, word(row, "model_path"))
    ways = tuple(
        msgspec.structs.replace(
            case, layout=way.layout, prefill_layout=way.prefill_layout, draft_tokens=way.draft_tokens
        )
        for way in recipe_ways(case, model_id, word(row, "backend_version"), _stated_sizes(row, model), book)
    )
    if len(ways) == 1:
        return replace(one, case=ways[0], source=replace(one.source, may_speculate=False))
    return replace(one, ways=ways)


def _stated_sizes(row: Row, model: Model) -> Sizes:
    has_experts = model_parameters(model).routed_experts > 0
    prefixes = ("prefill_", "decode_") if word(row, "mode") == "disagg" else ("", "")
    prefill, decode = (serving_rows.pool_layout(row, prefix, has_experts, []).devices for prefix in prefixes)
    return prefill, decode


def ways_of(rows: Sequence[MeasuredCase]) -> tuple[Integers, list[MeasuredCase]]:
    """Every set-up that may have run as a row of its own, and which row it belongs to."""
    found = [(index, way) for index, one in enumerate(rows) for way in _each_way(one)]
    return np.array([index for index, _ in found], np.int64), [way for _, way in found]


def _each_way(one: MeasuredCase) -> list[MeasuredCase]:
    said = replace(one.source, may_speculate=False)
    return [replace(one, case=way, ways=(), source=said) for way in one.ways] or [one]


def recipe_ways(case: ServingCase, model_id: str, release: str, sizes: Sizes, book: RecipeBook) -> tuple[PoolWay, ...]:
    """The distinct set-ups of the recipes that fit best: for this concurrency, else for the nearest; those of the row's
    own release, where it has any."""
    fitting = [
        (distance(one, case.concurrency), sweep.release != release, one.way())
        for sweep in book.sweeps
        if _is_of(sweep, case, model_id)
        for one in sweep.recipes
        if (one.prompt_tokens, one.output_tokens) == (case.prompt_tokens, case.output_tokens)
        and has_sizes(one.way(), sizes)
    ]
    if not fitting:
        return ()
    best = min(found[:2] for found in fitting)
    return tuple(dict.fromkeys(way for *rank, way in fitting if tuple(rank) == best)) if best[0] <= NEAR else ()


def _is_of(sweep: RecipeSweep, case: ServingCase, model_id: str) -> bool:
    bits = 4 if has_four_bits(case) else 8
    stated = (sweep.model, sweep.accelerator, sweep.engine, sweep.weight_bits)
    return stated == (model_id, case.accelerator, case.engine, bits)


def has_four_bits(case: ServingCase) -> bool:
    return (case.expert_format or case.dense_format) in FOUR_BIT_FORMATS


def distance(recipe: PoolRecipe, concurrency: float) -> float:
    """How far a concurrency is from the nearest of a recipe's, as the size of a logarithm."""
    if concurrency <= 0:
        return math.inf
    return min(abs(math.log(concurrency / one)) for one in recipe.concurrency)


def has_sizes(way: PoolWay, sizes: Sizes) -> bool:
    """Whether a row's devices can be a recipe's: per worker, all of them together in both columns, or unsaid."""
    prefill, decode = way.prefill_layout, way.layout
    together = round(prefill.devices * prefill.replicas + decode.devices * decode.replicas)
    return sizes in ((prefill.devices, decode.devices), (together, together), (1, 1))
