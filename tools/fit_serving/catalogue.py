"""Writes what a fit found into the catalogues, figures rounded, all else as it stands."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec

from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.serving_engine import DeviceFamily
from gpuplanner_gui.engine.evidence.certainty import CALIBRATED_ENGINES
from tools.fit_serving.closed_loops import QUEUE_SPACE, SPECULATION, LoopFit, LoopProblem
from tools.fit_serving.pools import PoolFacts
from tools.observation.habits import CLIENTS, SWEEP, USUAL, PoolPractice, write_habits
from tools.repository import CATALOGS, write_json

ENGINES_FILE = CATALOGS / "serving_engines.json"
FAMILIES_FILE = CATALOGS / "serving_devices.json"
DIGITS = 3
FIT_SOURCE = (
    "fitted by tools/fit_serving to published closed-loop results (aiconfigurator-core 0.12, Apache-2.0), whole groups"
    " of architecture and accelerator left out to judge it"
)
FAMILY_SOURCE = "fitted by tools/fit_serving together with the engines"


def rounded(value: float) -> float:
    """Three significant digits."""
    return float(f"{value:.{DIGITS}g}")


def engine_changes(fit: LoopFit, engine: str) -> dict[str, Any]:
    """Fields of an engine's facts that a fit of closed loops gives; prompts are taken in as comparisons of a release
    have it, whose recipes leave engines as they come."""
    step = fit.space.engine_values(fit.step, CALIBRATED_ENGINES.index(engine))
    queue = QUEUE_SPACE.engine_values(fit.queue, CALIBRATED_ENGINES.index(engine))
    of_engine = {name: value for name, value in step.items() if name not in OF_SOURCES}
    of_engine |= {name: queue[name] for name in ("request_host_s", "prompt_token_host_s")}
    return {name: rounded(value) for name, value in of_engine.items()} | {
        "admission_steps": rounded(queue[f"{SWEEP}_admission_steps"])
    }


OF_SOURCES = (SPECULATION, "sweep_sequence_host_s")
"""Parameters of steps that sources set, not engines."""


def habit_changes(fit: LoopFit, engine: str, recipe_looks_less_often: bool) -> dict[str, Any]:
    """Habits of an engine's sources that a fit of closed loops gives."""
    step = fit.space.engine_values(fit.step, CALIBRATED_ENGINES.index(engine))
    queue = QUEUE_SPACE.engine_values(fit.queue, CALIBRATED_ENGINES.index(engine))
    gain = step[SPECULATION]

    def by_client(name: str, clients: Sequence[str] = CLIENTS) -> dict[str, float]:
        return {client: rounded(queue[f"{client}_{name}"]) for client in clients}

    def by_sweep(ratios: dict[str, float], usual: float) -> dict[str, float]:
        own = {name: ratio for name, ratio in ratios.items() if name.startswith(engine)}
        return {name.removeprefix(engine).strip(): rounded(usual * ratio) for name, ratio in own.items()}

    return {
        "sequence_host_s": {SWEEP: rounded(step["sweep_sequence_host_s"])},
        "drafts_gain": rounded(gain),
        "drafts_gain_by_sweep": by_sweep(fit.sweep_gain, gain),
        "first_token_by_sweep": by_sweep(fit.sweep_first_token, 1.0),
        "admission_steps": by_client("admission_steps"),
        "complex_steps": by_client("complex_steps", (USUAL,)),
        "crowd_steps": dict.fromkeys((USUAL,) if recipe_looks_less_often else CLIENTS, rounded(queue["crowd_steps"])),
        "start_delay_s": by_client("start_delay_s"),
    } | {name: rounded(queue[name]) for name in ("group_admission_steps", "clump_prompts", "arrival_chance")}


def write_engines(changes: dict[str, dict[str, Any]]) -> None:
    """Change fields of engines in their catalogue."""
    entries = json.loads(ENGINES_FILE.read_text(encoding="utf-8"))
    for entry in entries:
        if entry["engine"] in changes:
            entry |= changes[entry["engine"]]
            entry["sources"] = [FIT_SOURCE, *(one for one in entry["sources"] if one != FIT_SOURCE)]
    write_json(ENGINES_FILE, entries)


def pool_changes(facts: PoolFacts) -> dict[str, Any]:
    """Fields of an engine's facts that a fit of pools gives."""
    return {
        "pool_entry_s": rounded(facts.entry_s),
        "pool_group_time": rounded(facts.group_time),
        "draft_acceptance": rounded(facts.acceptance),
        "pool_four_bit_time": rounded(facts.four_bit_time),
    }


def practice_changes(practice: PoolPractice) -> dict[str, Any]:
    """Habits of operators that a fit of pools gives."""
    found = {name: rounded(value) for name, value in msgspec.structs.asdict(practice).items()}
    return {"pool_practice": PoolPractice(**found)}


def write_families(families: Sequence[DeviceFamily], factors: dict[str, dict[str, float]]) -> None:
    """Change factors of families, keeping those that are not among them; new ones come first."""
    entries = {entry["family"]: entry for entry in json.loads(FAMILIES_FILE.read_text(encoding="utf-8"))}
    for family in families:
        known = entries.get(family.family)
        stated: dict[str, Any] = known or {
            "family": family.family,
            "ecosystems": list(family.ecosystems),
            "architectures": list(family.architectures),
            "sources": [FAMILY_SOURCE],
            "date": "2026-11",
        }
        stated |= {name: rounded(value) for name, value in factors[family.family].items()}
        entries[family.family] = stated
    write_json(FAMILIES_FILE, list(entries.values()))


def write_loop_fit(fit: LoopFit, families: Sequence[DeviceFamily], problems: Sequence[LoopProblem]) -> None:
    """Engines, families and sources' habits of a fit of closed loops."""
    write_engines({one.engine: engine_changes(fit, one.engine) for one in problems})
    write_habits({one.engine: habit_changes(fit, one.engine, one.recipe_looks_less_often) for one in problems})
    factors = {family.family: fit.space.family_factors(fit.step, index) for index, family in enumerate(families)}
    write_families(families, factors)


def calibration_of(calibration: Calibration, fit: LoopFit, problems: Sequence[LoopProblem]) -> Calibration:
    """What `write_loop_fit` would ship, in memory: engines and families of a fit."""
    changes = {one.engine: engine_changes(fit, one.engine) for one in problems}
    factors = {name: fit.space.family_factors(fit.step, index) for index, name in enumerate(fit.space.families)}
    return msgspec.structs.replace(
        calibration,
        engines=tuple(msgspec.structs.replace(one, **changes.get(one.engine, {})) for one in calibration.engines),
        families=tuple(
            msgspec.structs.replace(
                one, **{name: rounded(value) for name, value in factors.get(one.family, {}).items()}
            )
            for one in calibration.families
        ),
    )
