"""The fitted figures: their priors and bounds, how rows read them, and how they are written to the calibration."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.benchmark import TrainingCase
from gpuplanner_gui.domain.training_calibration import (
    ArchitectureFacts,
    FrameworkFacts,
    RecipeFacts,
    ReleaseFacts,
    TrainingCalibration,
    family_of,
)
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.training.predict import CaseWork, case_work, flop_per_token
from gpuplanner_gui.engine.training.rates import Rates
from gpuplanner_gui.engine.training.step_time import training_step
from gpuplanner_gui.files.benchmark_rows import training_rows
from gpuplanner_gui.files.benchmark_rows.question import RowProblem
from tools.repository import table_rows

TUNING = "tuning"
"""Name of the spread of fine-tuning, which all frameworks share."""
SCORED = ("step_time", "tokens_per_s_per_device")


@dataclass(frozen=True)
class Measured:
    """One row: what was measured, the case, its group."""

    row: dict[str, str]
    case: TrainingCase
    value: float
    architecture: str
    """Of the accelerator."""

    @property
    def group(self) -> str:
        """Canonical architecture × accelerator: what a fit is judged by leaving out."""
        return f"{canonical(self.row)} × {self.case.accelerator}"

    @property
    def publisher(self) -> str:
        """Who measured: the first word of the source, such as NVIDIA, MosaicML or meta-pytorch."""
        return re.split(r"[ /@]", self.row["source"])[0]


def canonical(row: dict[str, str]) -> str:
    """The architecture by its numbers, so that two names of one model are one; the name where numbers are missing."""
    numbers = [row[name] for name in ("layers", "hidden", "heads", "ffn")]
    return "-".join(numbers) if all(numbers) else row["model"]


def measured_rows(context: Context) -> tuple[list[Measured], list[tuple[dict[str, str], str]]]:
    """Every row that is a case as the command line reads it, and every one that is not with its reason."""
    made, refused = [], []
    for row in table_rows("measured-training-dev"):
        try:
            question = training_rows.questions(row)[0]
            case, _ = training_rows.case(row, context.catalog, context.calibration)
        except RowProblem as problem:
            refused.append((row, str(problem)))
            continue
        if question.measured is None or not training_rows.counts(row):
            continue
        architecture = context.catalog.accelerators[case.accelerator].architecture
        made.append(Measured(row, case, float(question.measured) / question.per_si_unit, architecture))
    return made, refused


def step_seconds(found: Measured, made: CaseWork) -> float:
    """The measured metric as seconds per step; NaN for one that is no speed."""
    job, case = made.job, found.case
    if case.metric == "step_time":
        return found.value
    if case.metric == "tokens_per_s_per_device":
        return job.tokens_per_step / (found.value * case.devices)
    if case.metric == "tokens_per_s":
        return job.tokens_per_step / found.value
    flop = flop_per_token(case, job) * job.tokens_per_step / case.devices
    if case.metric == "model_flop_per_s_per_device":
        return flop / found.value
    if case.metric == "hardware_flop_per_s_per_device":
        return flop * executed_share(made) / found.value
    if case.metric == "mfu":
        return flop / (found.value * float(made.work.peak_flop_per_s[0]))
    return float("nan")


def executed_share(made: CaseWork) -> float:
    """FLOPs that the hardware does, recomputation included, over the model's."""
    passes = float(training_step(made.work, made.job.rates).passes[0])
    return passes / (1 + made.job.backward_share)


def is_fully_stated(row: Measured) -> bool:
    """Shapes, batch and layout are the source's own words."""
    needed = ["seq_len", "micro_batch", *(["tp", "pp"] if row.case.devices > 1 else [])]
    return all(row.row[name] for name in needed)


def works_of(rows: list[Measured], context: Context) -> list[CaseWork]:
    """The work of every row's step."""
    return [case_work(found.case, context) for found in rows]


@dataclass(frozen=True)
class Parameter:
    """One fitted figure; `spread` is how far from its prior it is readily believed."""

    name: str
    prior: float
    low: float
    high: float
    spread: float


FAMILIES = ("Ampere", "Hopper", "Blackwell", "CDNA")
ERAS = ("", "26.06")
"""Releases of Megatron from which its experts run otherwise: full CUDA graphs and fused dispatch came with 26.06."""
YOUNG = "25.11"
"""Before this release Blackwell's software was young."""

OVERLAP_SPREAD = 0.1
"""How far the hidden part of what pipeline stages and tensor parallel devices exchange strays from its prior. Most rows
are their makers' own recipes over one fabric, which hide nearly all of it or can't tell it from the pace of computing;
fits of the same error put it at 0.38 and at 0.65 of pipelines', where a slow network costs next to nothing."""

PARAMETERS = (
    *(Parameter(f"sustained {family}", 0.85, 0.4, 1.1, 0.1) for family in FAMILIES),
    Parameter("share fsdp", 1.0, 0.5, 1.2, 0.1),
    Parameter("share nanotron", 1.0, 0.5, 1.2, 0.1),
    Parameter("bandwidth", 0.9, 0.4, 1.2, 0.1),
    Parameter("recipe fp8", 0.95, 0.5, 1.1, 0.1),
    Parameter("recipe fp8_micro", 0.95, 0.5, 1.1, 0.1),
    Parameter("recipe fp4", 0.8, 0.3, 1.1, 0.2),
    Parameter("cast fp8", 0.7, 0.0, 3.0, 0.5),
    Parameter("cast fp8_micro", 1.0, 0.0, 3.0, 0.5),
    Parameter("cast fp4", 1.0, 0.0, 3.0, 0.5),
    *(Parameter(f"expert share {era}", 0.6, 0.2, 1.2, 0.2) for era in ERAS),
    *(Parameter(f"routing {era}", 1.0, 0.1, 10.0, 1.0) for era in ERAS),
    *(Parameter(f"expert overlap {era}", 0.3, 0.0, 0.95, 0.3) for era in ERAS),
    *(Parameter(f"expert host {era}", 0.0005, 0.0, 0.01, 0.0005) for era in ERAS),
    Parameter("young Blackwell", 0.9, 0.6, 1.0, 0.1),
    Parameter("attention megatron", 0.9, 0.3, 1.5, 0.2),
    Parameter("attention fsdp", 0.9, 0.3, 1.5, 0.2),
    Parameter("attention fsdp Hopper", 0.6, 0.2, 1.5, 0.2),
    Parameter("state", 0.6, 0.1, 1.5, 0.2),
    Parameter("elementwise megatron", 1.0, 0.2, 5.0, 0.5),
    Parameter("elementwise fsdp", 1.0, 0.2, 5.0, 0.5),
    Parameter("accumulation", 0.5, 0.0, 2.0, 0.3),
    Parameter("tensor overlap megatron", 0.6, 0.0, 0.95, OVERLAP_SPREAD),
    Parameter("tensor overlap nanotron", 0.2, 0.0, 0.95, 0.3),
    Parameter("pipeline overlap", 0.3, 0.0, 0.95, OVERLAP_SPREAD),
    Parameter("cover megatron", 0.5, 0.0, 1.0, 0.3),
    Parameter("leak megatron", 0.1, 0.0, 1.0, 0.2),
    Parameter("cover fsdp", 0.7, 0.0, 1.0, 0.3),
    Parameter("leak fsdp", 0.3, 0.0, 1.0, 0.2),
    Parameter("leak nanotron", 0.3, 0.0, 1.0, 0.3),
    Parameter("layer host megatron", 0.0005, 0.0, 0.003, 0.0003),
    Parameter("layer host fsdp", 0.0006, 0.0, 0.005, 0.0005),
    Parameter("step host megatron", 0.05, 0.0, 0.5, 0.1),
    Parameter("step host fsdp", 0.02, 0.0, 0.5, 0.05),
)

RELATIVES = {"deepspeed": "fsdp"}
"""Frameworks with too few rows of their own, and whose figures they take."""
ATTENTION_BACKWARD = 3.2
"""2.5 times the forward's FLOPs at somewhat lower efficiency (FlashAttention-2, Dao 2023, section 4.1)."""
FLASH_ATTENTION_3 = ("Hopper",)
"""Made for these; as fast as Megatron's, which takes kernels made for each architecture."""
STATE_BACKWARD = 2.5
ELEMENTWISE_BACKWARD = 2.0
FSDP_TENSOR_OVERLAP = 0.2


@dataclass(frozen=True)
class Columns:
    """What decides which figures a row reads; arrays over rows."""

    framework: NDArray[np.str_]
    recipe: NDArray[np.str_]
    family: NDArray[np.str_]
    is_new: NDArray[np.bool_]
    is_young: NDArray[np.bool_]
    is_made_for: NDArray[np.bool_]
    """Attention by kernels that were made for the architecture."""


def columns_of(rows: list[Measured]) -> Columns:
    """The keys of every row."""
    release = np.array([found.case.release for found in rows])
    recipe = [
        "fp8_micro" if (found.case.recipe, found.case.scaling) == ("fp8", "micro") else found.case.recipe
        for found in rows
    ]
    family = np.array([family_of(found.architecture) for found in rows])
    is_dated = release != ""
    return Columns(
        np.array([RELATIVES.get(found.case.framework, found.case.framework) for found in rows]),
        np.array(recipe),
        family,
        ~is_dated | (release >= ERAS[1]),
        is_dated & (release < YOUNG) & (family == "Blackwell"),
        np.array([found.case.flash_attention_3 for found in rows]) & np.isin(family, FLASH_ATTENTION_3),
    )


def _picked(keys: NDArray[np.str_], values: Mapping[str, float], other: float) -> Floats:
    found = np.full(len(keys), other)
    for key, value in values.items():
        found[keys == key] = value
    return found


def rates_over(values: Mapping[str, float], columns: Columns) -> Rates:
    """The figures of every row as arrays. Paces of accelerators are folded into the shares."""
    framework, fsdp = columns.framework, columns.framework == "fsdp"
    sustained = _picked(columns.family, {one: values[f"sustained {one}"] for one in FAMILIES}, 0.8)
    share = _picked(framework, {one: values[f"share {one}"] for one in ("fsdp", "nanotron")}, 1.0)
    young = np.where(columns.is_young & (framework == "megatron"), values["young Blackwell"], 1.0)
    attention = np.where(fsdp, values["attention fsdp"], values["attention megatron"])
    attention = np.where(fsdp & (columns.family == "Hopper"), values["attention fsdp Hopper"], attention)
    attention = np.where(columns.is_made_for, values["attention megatron"], attention)

    def by_era(name: str) -> Floats:
        return np.where(columns.is_new, values[f"{name} {ERAS[1]}"], values[f"{name} {ERAS[0]}"])

    def by_framework(name: str) -> Floats:
        return np.where(fsdp, values[f"{name} fsdp"], values[f"{name} megatron"])

    narrow = ("fp8", "fp8_micro", "fp4")
    overlap = {"fsdp": FSDP_TENSOR_OVERLAP, "nanotron": values["tensor overlap nanotron"]}
    arrays: dict[str, Any] = {
        "compute_share": sustained * share * young,
        "sustained_bandwidth": np.full(len(framework), values["bandwidth"]),
        "recipe_share": _picked(columns.recipe, {one: values[f"recipe {one}"] for one in narrow}, 1.0),
        "expert_share": by_era("expert share"),
        "routing_share": by_era("routing"),
        "attention_share": attention,
        "attention_backward": ATTENTION_BACKWARD,
        "state_share": values["state"],
        "state_backward": STATE_BACKWARD,
        "elementwise_share": by_framework("elementwise"),
        "elementwise_backward": ELEMENTWISE_BACKWARD,
        "cast_share": _picked(columns.recipe, {one: values[f"cast {one}"] for one in narrow}, 1.0),
        "accumulation_share": values["accumulation"],
        "tensor_overlap": _picked(framework, overlap, values["tensor overlap megatron"]),
        "expert_overlap": by_era("expert overlap"),
        "pipeline_overlap": values["pipeline overlap"],
        "data_cover": by_framework("cover"),
        "data_leak": _picked(
            framework, {"fsdp": values["leak fsdp"], "nanotron": values["leak nanotron"]}, values["leak megatron"]
        ),
        "layer_host_s": by_framework("layer host"),
        "expert_host_s": by_era("expert host"),
        "step_host_s": by_framework("step host"),
    }
    return Rates(**arrays)


def calibration_with(
    values: Mapping[str, float], old: TrainingCalibration, log_sd: Mapping[str, float]
) -> TrainingCalibration:
    """The calibration with fitted figures in the place of the old ones."""
    rounded = {name: float(f"{value:.4g}") for name, value in values.items()}

    def recipe(facts: RecipeFacts) -> RecipeFacts:
        if f"recipe {facts.recipe}" not in values:
            return facts
        return msgspec.structs.replace(
            facts, compute_share=rounded[f"recipe {facts.recipe}"], cast_share=rounded[f"cast {facts.recipe}"]
        )

    others = float(np.mean([values[f"sustained {family}"] for family in FAMILIES]))
    architectures = (
        ArchitectureFacts(architecture="", sustained_compute=float(f"{others:.3g}"), sources=("mean of those below",)),
        *(
            ArchitectureFacts(architecture=family, sustained_compute=rounded[f"sustained {family}"])
            for family in FAMILIES
        ),
    )
    return msgspec.structs.replace(
        old,
        frameworks=tuple(_framework_with(rounded, facts, log_sd) for facts in old.frameworks),
        flash_attention_3_share=dict.fromkeys(FLASH_ATTENTION_3, rounded["attention megatron"]),
        recipes=tuple(recipe(facts) for facts in old.recipes),
        architectures=architectures,
    )


def _framework_with(rounded: Mapping[str, float], facts: FrameworkFacts, log_sd: Mapping[str, float]) -> FrameworkFacts:
    name = RELATIVES.get(facts.framework, facts.framework)
    kind = "fsdp" if name == "fsdp" else "megatron"
    hopper = rounded["attention fsdp Hopper"] / rounded["attention fsdp"]
    return msgspec.structs.replace(
        facts,
        compute_share=1.0 if name == "megatron" else rounded[f"share {name}"],
        sustained_bandwidth=rounded["bandwidth"],
        attention_share=rounded[f"attention {kind}"],
        attention_by_architecture={"Hopper": float(f"{hopper:.4g}")} if name == "fsdp" else {},
        attention_backward=ATTENTION_BACKWARD,
        state_share=rounded["state"],
        state_backward=STATE_BACKWARD,
        elementwise_share=rounded[f"elementwise {kind}"],
        elementwise_backward=ELEMENTWISE_BACKWARD,
        accumulation_share=rounded["accumulation"],
        tensor_overlap=FSDP_TENSOR_OVERLAP if name == "fsdp" else rounded[f"tensor overlap {name}"],
        data_cover=rounded[f"cover {kind}"],
        data_leak=rounded[f"leak {name}"],
        pipeline_overlap=rounded["pipeline overlap"],
        layer_host_s=rounded[f"layer host {kind}"],
        step_host_s=rounded[f"step host {kind}"],
        releases=_releases_with(rounded, name),
        log_sd=float(f"{log_sd[name]:.3g}"),
        expert_log_sd=float(f"{log_sd[f'{name} experts']:.3g}"),
        tuning_log_sd=float(f"{log_sd[TUNING]:.3g}"),
    )


def _releases_with(rounded: Mapping[str, float], name: str) -> tuple[ReleaseFacts, ...]:
    eras = tuple(
        ReleaseFacts(
            since=era,
            expert_share=rounded[f"expert share {era}"],
            routing_share=rounded[f"routing {era}"],
            expert_overlap=rounded[f"expert overlap {era}"],
            expert_host_s=rounded[f"expert host {era}"],
        )
        for era in ERAS
    )
    if name != "megatron":
        return eras
    young = {"Blackwell": rounded["young Blackwell"]}
    first, *later = eras
    return (
        msgspec.structs.replace(first, pace=young), msgspec.structs.replace(first, since=YOUNG), *later,
    )  # fmt: skip
