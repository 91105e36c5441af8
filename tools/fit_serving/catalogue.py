"""Writes what a fit found into the catalogues, figures rounded, all else as it stands."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.serving_band import ServingBand
from gpuplanner_gui.domain.serving_engine import DeviceFamily
from tools.fit_serving.closed_loops import ENGINES, QUEUE_SPACE, SPECULATION, LoopFit, LoopProblem
from tools.fit_serving.pools import PoolFacts
from tools.observation.habits import write_habits
from tools.observation.practice import PoolPractice
from tools.observation.sources import CLIENTS, SWEEP, USUAL

CATALOGS = Path(__file__).parents[2] / "catalogs"
ENGINES_FILE = CATALOGS / "serving_engines.json"
FAMILIES_FILE = CATALOGS / "serving_devices.json"
BANDS_FILE = CATALOGS / "serving_bands.json"
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
    step = fit.space.engine_values(fit.step, ENGINES.index(engine))
    queue = QUEUE_SPACE.engine_values(fit.queue, ENGINES.index(engine))
    of_engine = {name: value for name, value in step.items() if name not in OF_SOURCES}
    of_engine |= {name: queue[name] for name in ("request_host_s", "prompt_token_host_s")}
    return {name: rounded(value) for name, value in of_engine.items()} | {
        "admission_steps": rounded(queue[f"{SWEEP}_admission_steps"])
    }


OF_SOURCES = (SPECULATION, "sweep_sequence_host_s")
"""Parameters of steps that sources set, not engines."""


def habit_changes(fit: LoopFit, engine: str, recipe_looks_less_often: bool) -> dict[str, Any]:
    """Habits of an engine's sources that a fit of closed loops gives."""
    step = fit.space.engine_values(fit.step, ENGINES.index(engine))
    queue = QUEUE_SPACE.engine_values(fit.queue, ENGINES.index(engine))
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
    ENGINES_FILE.write_text(json.dumps(entries, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


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
    FAMILIES_FILE.write_text(json.dumps(list(entries.values()), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


BAND_SOURCE = "errors of tools/fit_serving on groups of architecture and accelerator left out"
BAND_DATE = "2026-11"


def write_bands(bands: Sequence[ServingBand]) -> None:
    """The bands of all loads, and of each engine the spread of a step and of a first token that plans go by."""
    replace_bands(bands)
    write_engines({engine: spread_changes(bands, engine) for engine in ENGINES})


def spread_changes(bands: Sequence[ServingBand], engine: str) -> dict[str, Any]:
    """Fields of an engine's facts that bands of closed loops give."""
    loops = {band.quantity: band for band in bands if band.load == "closed_loop"}
    return {
        "log_sd": engine_spread(loops["decode"], engine),
        "first_token_log_sd": engine_spread(loops["prefill"], engine),
    }


def replace_bands(bands: Sequence[ServingBand]) -> None:
    """Write the bands of some loads, keeping those of the others."""
    loads = {band.load for band in bands}
    known = msgspec.json.decode(BANDS_FILE.read_bytes(), type=list[ServingBand])
    kept = [band for band in known if band.load not in loads]
    content = msgspec.json.format(msgspec.json.encode([*bands, *kept]), indent=2).decode()
    BANDS_FILE.write_text(content + "\n", encoding="utf-8")


def engine_spread(band: ServingBand, engine: str) -> float:
    """Standard deviation of the logarithm that gives a band of this width to an engine's usual case."""
    return rounded((band.high - band.low) / 2 / Z_80 * band.width({"engine": engine}))


def write_loop_fit(fit: LoopFit, families: Sequence[DeviceFamily], problems: Sequence[LoopProblem]) -> None:
    """Engines, families and sources' habits of a fit of closed loops."""
    write_engines({one.engine: engine_changes(fit, one.engine) for one in problems})
    write_habits({one.engine: habit_changes(fit, one.engine, one.recipe_looks_less_often) for one in problems})
    factors = {family.family: fit.space.family_factors(fit.step, index) for index, family in enumerate(families)}
    write_families(families, factors)


def calibration_of(
    calibration: Calibration, fit: LoopFit, problems: Sequence[LoopProblem], bands: Sequence[ServingBand]
) -> Calibration:
    """What `write_loop_fit` and `write_bands` would ship, in memory: engines, families and bands of a fit."""
    changes = {one.engine: engine_changes(fit, one.engine) | spread_changes(bands, one.engine) for one in problems}
    factors = {name: fit.space.family_factors(fit.step, index) for index, name in enumerate(fit.space.families)}
    loads = {band.load for band in bands}
    return msgspec.structs.replace(
        calibration,
        engines=tuple(msgspec.structs.replace(one, **changes.get(one.engine, {})) for one in calibration.engines),
        families=tuple(
            msgspec.structs.replace(
                one, **{name: rounded(value) for name, value in factors.get(one.family, {}).items()}
            )
            for one in calibration.families
        ),
        serving_bands=(*bands, *(band for band in calibration.serving_bands if band.load not in loads)),
    )
