"""Every input of a scenario changes some result: plan, verdict, readiness, fleets, terms, range, order or report."""

from __future__ import annotations

import dataclasses
import hashlib
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, get_args

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.desktop.store import replaced
from gpuplanner_gui.domain.economics import ExchangeRate, OrderEntry, PriceOverride
from gpuplanner_gui.domain.field import problems_of
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.model import Attention, AudioTower, DenseFfn, LayerGroup, Model, MoeFfn, VisionTower
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.quantity import Money, central
from gpuplanner_gui.domain.scenario import HardwareChoice, OwnedStock, Project, Scenario
from gpuplanner_gui.domain.traffic import LengthFigures, TraceFigures
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload, Slo
from gpuplanner_gui.drawing.candidate_keys import candidate_key
from gpuplanner_gui.drawing.in_depth import compared, in_depth
from gpuplanner_gui.drawing.report.build import report_of
from gpuplanner_gui.drawing.report_subjects import SUBJECTS
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.decision import doors
from gpuplanner_gui.engine.fleet.fleet_sizing import fleet_sizing
from gpuplanner_gui.engine.serving.limits import plan_limits
from gpuplanner_gui.engine.simulation.candidate_load import simulated_curves
from gpuplanner_gui.engine.simulation.fleet_check import simulated_plan
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import load_project

pytestmark = pytest.mark.usefixtures("short_simulations")

IS_DEEP = "GPUPLANNER_DEEP" in os.environ
H100, H200, RTX_4090 = "nvidia-h100-sxm-80gb", "nvidia-h200-sxm-141gb", "nvidia-rtx-4090"
DENSE = Model(
    name="8B", hidden_size=4096, vocab_size=128_256, max_context=131_072, other_parameters=4096,
    layers=(LayerGroup(count=32, mixer=Attention(heads=32, kv_heads=8, head_dim=128), ffn=DenseFfn(size=14_336),
                       norms=2),),
)  # fmt: skip
EXPERTS = msgspec.structs.replace(
    DENSE, name="experts", kind="moe_decoder",
    layers=(LayerGroup(count=32, mixer=Attention(heads=32, kv_heads=8, head_dim=128), norms=2,
                       ffn=MoeFfn(experts=64, top_k=4, expert_size=2048)),),
)  # fmt: skip
BASE = Scenario(
    name="both", model=DENSE, serving=ServingWorkload(classes=(RequestClass(peak_rate_per_s=100.0),)),
    training=TrainingWorkload(tokens=5e10, global_batch_tokens=1_048_576),
    hardware=HardwareChoice(accelerators=(H100, H200), training_devices=64),
)  # fmt: skip
TOWER = LayerGroup(
    count=24, mixer=Attention(heads=16, kv_heads=16, head_dim=64, causal=False, cached=False),
    ffn=DenseFfn(size=4096, gated=False),
)  # fmt: skip
PERCEPTIVE = msgspec.structs.replace(
    DENSE, vision=VisionTower(hidden_size=1024, layers=(TOWER,)), audio=AudioTower(hidden_size=1024, layers=(TOWER,))
)
MOST_TRIED = 4
ROOT = Path(__file__).parent.parent
DAY_S = 86_400.0


CATALOG = load_shipped_catalog()
BESIDE: dict[str, dict[str, Any]] = {
    "": {},
    "video": {"model": CATALOG.models["wan2.1-1.3b"].model, "training": None, "serving.classes": (
        RequestClass(
            peak_rate_per_s=1e-3, request="video", slos=(Slo(metric="e2e", percentile=95.0, limit_s=3600.0),)
        ),
    )},
    "adapters": {"training.method": "lora"},
    "anything": {"hardware.accelerators": ()},
    "owned": {"economics.serving_procurement": "own", "economics.training_procurement": "own"},
    "bursts": {"serving.traffic.arrivals": "mmpp"},
    "recorded": {"serving.traffic.arrivals": "trace"},
    "users": {"serving.traffic.arrivals": "users", "serving.traffic.users": 200.0},
    "batch": {"serving.traffic.arrivals": "batch"},
    "perceptive": {"model": PERCEPTIVE},
    "sessions": {"serving.classes[0].prefix_cache_share": 0.8},
    "drafts": {"serving.engine.speculative_tokens": 3},
    "experts": {"model": EXPERTS},
    "recomputed": {"training.recompute": "full"},
    "pipeline": {"training.parallelism.pipeline": 4, "training.schedule": "interleaved"},
    "slow data": {"training.data.preprocessing_tokens_per_s_per_core": 500.0},
    "own disks": {
        "training.checkpoints.first_copy": "local_disk", "training.checkpoints.failures_per_node_day": 0.5,
        "training.checkpoints.storage_write_bytes_per_s": 1e8,
    },
    "shared store": {
        "training.checkpoints.failures_per_node_day": 0.5, "training.checkpoints.storage_write_bytes_per_s": 1e8,
        "training.data.bytes_per_token": 1000.0,
    },
    "two classes": {"serving.classes": (
        RequestClass(peak_rate_per_s=50.0), RequestClass(name="other", peak_rate_per_s=50.0, prompt_tokens=4000.0),
    )},
    "spot": {"economics.serving_procurement": "rent_spot", "economics.training_procurement": "rent_spot"},
    "moved": {
        "economics.renting.serving_egress_bytes_per_month": 1e15, "economics.renting.stored_bytes": 1e15,
    },
    "idle": {"economics.fleets.training_runs_per_year": 4.0, "serving.traffic.mean_over_peak": 0.3},
    "in turns": {
        "hardware.training_devices": 0, "hardware.accelerators": (H100,), "serving.classes[0].peak_rate_per_s": 800.0,
        "training.tokens": 2e11, "serving.traffic.mean_over_peak": 0.3, "economics.fleets.training_runs_per_year": 4.0,
    },
    "at home": {"hardware.accelerators": (RTX_4090, H100)},
    "any size": {"hardware.training_devices": 0},
    "in euros": {"economics.display_currency": "EUR"},
    "liquid": {"hardware.accelerators": ("nvidia-gb200",), "economics.serving_procurement": "own"},
    "seldom": {"serving.classes[0].peak_rate_per_s": 0.001},
}  # fmt: skip
"""What has to hold for some inputs to matter, by a name."""
NEEDS = {
    "training.lora_rank": "adapters",
    "training.parallelism.expert": "experts",
    "training.parallelism.virtual_stages": "pipeline",
    "training.parallelism.recomputed_layers": "recomputed",
    "training.data.cpu_cores_per_device": "slow data",
    "training.checkpoints.lost_copy_share": "own disks",
    "training.checkpoints.shares_store": "shared store",
    "serving.classes[0].denoising_steps": "image-generation",
    "serving.classes[0].image_width": "image-generation",
    "serving.classes[0].image_height": "image-generation",
    "serving.classes[0].audio_s": "transcription",
    "serving.classes[0].request": "embedding-index",
    "serving.classes[0].priority": "two classes",
    "serving.traffic.users": "users",
    "serving.traffic.think_time_s": "users",
    "serving.traffic.batch_requests": "batch",
    "serving.traffic.batch_time_s": "batch",
    "serving.classes[0].prompt_images": "perceptive",
    "serving.classes[0].session_share": "sessions",
    "serving.classes[0].prompt_audio_s": "perceptive",
    "serving.traffic.peak_over_mean_1s": "bursts",
    "serving.traffic.peak_over_mean_10s": "bursts",
    "serving.traffic.peak_over_mean_60s": "bursts",
    "serving.traffic.trace": "recorded",
    "serving.engine.draft_acceptance": "drafts",
    "serving.engine.draft_share": "drafts",
    "serving.attention_data_parallel": "experts",
    "serving.expert_parallel": "experts",
    "serving.start.keep_alive_s": "seldom",
    "hardware.vendors": "anything",
    "hardware.kinds": "anything",
    "hardware.ecosystems": "anything",
    "hardware.air_gapped": "anything",
    "hardware.licensed_for_data_centres": "at home",
    "hardware.include_end_of_life": "owned",
    "hardware.max_kw_per_rack": "owned",
    "hardware.max_kw_total": "owned",
    "hardware.cooling": "liquid",
    "hardware.max_training_devices": "any size",
    "economics.rates": "in euros",
    "economics.fleets.first_run_s": "idle",
    "economics.fleets.service_opens_s": "idle",
    "economics.fleets.switching_loss": "in turns",
    "economics.renting.egress_usd_per_gb": "moved",
    "economics.renting.storage_usd_per_gb_month": "moved",
    "economics.spot_interruption_interval_s": "spot",
}
"""Inputs that say nothing in the plain scenario, and what they need; an example's name stands for its scenario."""


def _base(name: str) -> Scenario:
    if name not in BESIDE:
        return load_project(ROOT / "resources" / "examples" / f"{name}.gpuplan").scenarios[0]
    scenario = BASE
    for path, value in BESIDE[name].items():
        scenario = replaced(scenario, path, value)
    return scenario


LABELS = ("model", "name", "notes", "serving.classes[0].name")
"""What names a thing and is no figure; the model has tests of its own."""


def paths_of(value: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Path, type and value of every field that is no part with fields of its own."""
    for one in msgspec.structs.fields(type(value)):
        found, there = getattr(value, one.name), f"{path}.{one.name}" if path else one.name
        if there in LABELS:
            continue
        if isinstance(found, msgspec.Struct) and not _is_quantity(found):
            yield from paths_of(found, there)
        elif isinstance(found, tuple) and found and isinstance(found[0], msgspec.Struct):
            yield from paths_of(found[0], f"{there}[0]")
        else:
            yield there, one.type, found


def _is_quantity(value: Any) -> bool:
    return type(value).__module__.endswith("quantity")


def literals(kind: Any) -> tuple[Any, ...]:
    """The choices of an annotated literal; empty for another type."""
    found: tuple[Any, ...] = ()
    for one in get_args(kind):
        found += (one,) if isinstance(one, str) and "Literal" in str(kind) and not get_args(one) else literals(one)
    return found


def tried(path: str, kind: Any, value: Any) -> Iterator[Any]:
    """Other values that the field may have."""
    if path in GIVEN:
        yield from GIVEN[path]
    elif path.startswith("chosen_"):
        yield from keys_of_others(path.removeprefix("chosen_"))
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, str) and literals(kind):
        yield from (one for one in literals(kind) if one != value)
    elif isinstance(value, int | float) or _is_quantity(value):
        middle = central(value)
        others = [middle * factor for factor in (2.0, 0.5, 8.0, 0.02, 100.0)] + [1.0, 2.0, 0.37, 0.0]
        yield from (type(value)(one) if isinstance(value, int) else one for one in others)
    elif value is None:
        yield from (0.01, 1.0, 1e3, 1e5)


LENGTHS = LengthFigures(mean=1000.0, p50=900.0, p90=2000.0, p95=2500.0, p99=3000.0, longest=9000.0, log_sd=0.7)
GIVEN: dict[str, tuple[Any, ...]] = {
    "training.sequence_length": (2048,),
    "training.micro_batch": (2,),
    "training.parallelism.tensor": (4,),
    "training.parallelism.pipeline": (4,),
    "training.parallelism.context": (2,),
    "training.parallelism.expert": (8,),
    "training.parallelism.virtual_stages": (4,),
    "training.deadline_s": (DAY_S,),
    "training.budget_usd": (1000.0,),
    "serving.classes[0].slos[0].percentile": (99.0, 80.0),
    "serving.classes[0].image_width": (512,),
    "serving.classes[0].image_height": (512,),
    "serving.classes[0].video_frames": (17,),
    "serving.traffic.hours": ((1.0, 5.0),),
    "serving.traffic.days": ((1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0),),
    "serving.traffic.trace": (TraceFigures(
        name="day", requests=100_000, duration_s=3600.0, rate_per_s=27.0, peak_over_mean_1s=5.0, peak_over_mean_10s=3.0,
        peak_over_mean_60s=2.0, gap_cv=2.0, prompt_tokens=LENGTHS, output_tokens=LENGTHS,
    ),),
    "serving.engine.release": ("0.6.0",),
    "serving.weight_precisions": (("bf16",),),
    "serving.kv_precisions": (("bf16",),),
    "serving.tensor_parallel": (4,),
    "serving.attention_data_parallel": (8,),
    "serving.expert_parallel": (8,),
    "serving.max_context": (100_000,),
    "hardware.accelerators": ((H200,),),
    "hardware.vendors": (("AMD",),),
    "hardware.kinds": (("tpu",),),
    "hardware.ecosystems": (("rocm",),),
    "hardware.owned": ((OwnedStock(accelerator=H100, devices=8),),),
    "hardware.network": ("eth-100",),
    "hardware.cooling": (("air",),),
    "economics.fleets.first_run_s": (60 * DAY_S,),
    "economics.fleets.switching_loss": (0.9,),
    "economics.overrides": ((PriceOverride(accelerator=H100, rent_per_device_hour=Money(1.0)),),),
    "economics.order": ((OrderEntry(item="other", name="Cables", unit_price=Money(1e4)),),),
    "economics.rates": ((ExchangeRate("EUR", 2.0),),),
    "economics.display_currency": ("EUR",),
}  # fmt: skip
"""Values of fields that are no plain numbers, or that take few."""


def keys_of_others(workload: str) -> tuple[str, ...]:
    """Of the candidate that comes second."""
    found = plan(BASE, CATALOG, known())
    answer = found.serving if workload == "serving" else found.training
    assert answer is not None
    return (candidate_key(found, workload, int(answer.table.order[1])),)


def is_valid(scenario: Scenario) -> bool:
    try:
        msgspec.convert(msgspec.to_builtins(scenario), Scenario)
    except msgspec.ValidationError:
        return False
    return not problems_of(scenario)


def digest(value: Any) -> str:
    """Of all numbers and words in an answer, times that it took left out."""
    found = hashlib.sha256()

    def add(one: Any) -> None:
        if isinstance(one, np.ndarray):
            found.update(np.ascontiguousarray(one).tobytes())
        elif isinstance(one, msgspec.Struct):
            for name in one.__struct_fields__:
                if not name.endswith("elapsed_s"):
                    add(getattr(one, name))
        elif dataclasses.is_dataclass(one):
            for part in dataclasses.fields(one):
                if part.repr and part.name not in ("scenario", "project", "catalog", "elapsed_s"):
                    add(getattr(one, part.name))
        elif isinstance(one, dict):
            for key, item in one.items():
                add(key)
                add(item)
        elif isinstance(one, list | tuple):
            for item in one:
                add(item)
        elif not callable(one):
            found.update(repr(one).encode())

    add(value)
    return found.hexdigest()


@cache
def known() -> Calibration:
    return load_calibration()


def answers(scenario: Scenario) -> Iterator[str]:
    """What is answered about a scenario, quickest first."""
    calibration = known()
    found = plan(scenario, CATALOG, calibration)
    yield digest(msgspec.structs.replace(found, verdicts=None))
    yield digest(found.verdicts)
    yield digest(doors.fleets(scenario, CATALOG, calibration, found))
    yield digest(doors.ownership(scenario, CATALOG, calibration, found))
    if found.serving is not None and found.serving.best >= 0:
        yield digest(fleet_sizing(scenario, found, found.serving.best))
        yield digest(plan_limits(scenario, CATALOG, calibration, found))
        curves = simulated_curves(scenario, CATALOG, calibration, found, found.serving.best, None, seed=1)
        yield digest(next(iter(curves)))
    looked_at = Results(project=Project(scenarios=(scenario,)), scenario=scenario, plan=found, catalog=CATALOG)
    yield digest([looked_at.candidate(workload) for workload in looked_at.workloads()])
    final = simulated_plan(scenario, CATALOG, calibration, found)
    yield digest(final)
    yield reported(scenario, final)


def reported(scenario: Scenario, final: Plan) -> str:
    """The report without the list of its inputs."""
    other = msgspec.structs.replace(scenario, name="other", serving=None)
    project = Project(scenarios=(scenario, other))
    first = Results(project=project, scenario=scenario, plan=final, catalog=CATALOG)
    second = Results(project=project, scenario=other, plan=plan(other, CATALOG, known()), catalog=CATALOG)
    made = compared((in_depth(first, known()), second), known())
    subjects = [one for one in SUBJECTS if one not in ("inputs", "sources")]
    return digest(report_of(project, made, subjects=subjects))


@cache
def answers_of_base(name: str) -> list[str]:
    return list(answers(_base(name)))


PATHS = [(path, kind) for path, kind, _ in paths_of(BASE)]


@pytest.mark.parametrize(("path", "kind"), PATHS if IS_DEEP else PATHS[::160], ids=lambda one: str(one)[:60])
def test_an_input_changes_some_result(path: str, kind: Any) -> None:
    base, before = _base(NEEDS.get(path, "")), answers_of_base(NEEDS.get(path, ""))
    value = value_at(base, path)
    changed = [replaced(base, path, other) for other in tried(path, kind, value) if other != value]
    valid = [one for one in changed if is_valid(one)]
    assert valid
    assert any(is_other(one, before) for one in valid[:MOST_TRIED])


def is_other(scenario: Scenario, before: list[str]) -> bool:
    """Whether anything is answered differently; what is quickest is asked first."""
    made = answers(scenario)
    return any(next(made, "") != one for one in before)


def value_at(scenario: Scenario, path: str) -> Any:
    value: Any = scenario
    for one in path.replace("[0]", ".0").split("."):
        value = value[0] if one == "0" else getattr(value, one)
    return value
