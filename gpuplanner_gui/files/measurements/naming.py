"""Context in the program's own words: names found in the catalogues, and what the planner says beside the file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, get_args

import msgspec

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.measurement import PROCESSOR, MeasuredLoad, Measurement, MeasurementContext
from gpuplanner_gui.domain.model import Precision
from gpuplanner_gui.files.benchmark_rows.names import cache_format, engine_named, plain_key, weight_format
from gpuplanner_gui.files.benchmark_rows.question import RowProblem
from gpuplanner_gui.files.catalog_names import resolve_accelerator
from gpuplanner_gui.files.errors import FileProblem, said
from gpuplanner_gui.files.measurements.table import FIELDS
from gpuplanner_gui.files.measurements.values import count, positive, word
from gpuplanner_gui.files.model_names import precision_hint, resolve_model

LOADS = tuple(one for one in get_args(MeasuredLoad) if one)
FRAMEWORKS = (
    ("megatron", "megatron"), ("nemo", "megatron"), ("nanotron", "nanotron"), ("fsdp", "fsdp"), ("torchtitan", "fsdp"),
    ("deepspeed", "deepspeed"), ("trainer", "fsdp"), ("accelerate", "fsdp"), ("litgpt", "fsdp"), ("torchtune", "fsdp"),
)  # fmt: skip
"""Frameworks as logs name them, and the one whose measured habits they share."""
_ALIASES = {alias: name for name, aliases in FIELDS.items() for alias in (name, *aliases)}
_ALIASES |= {"model": "model_as_written", "accelerator": "accelerator_as_written"}


def stated_context(stated: Mapping[str, str], path: Any = "context") -> dict[str, Any]:
    """What a planner says about all runs of a file, as values of the context's fields.

    Raises FileProblem for a field that there is none of, or a value that can't be.
    """
    found: dict[str, Any] = {}
    for key, text in stated.items():
        name = _ALIASES.get(key.strip().lower())
        if name is None:
            known = ", ".join(dict.fromkeys(aliases[0] for aliases in FIELDS.values()))
            raise FileProblem(path, key, "there is no such context field", said("Write one of {known}", known=known))
        found[name] = _value(name, text, path)
    return found


def _value(name: str, text: str, path: Any) -> Any:
    default = getattr(MeasurementContext(), name)
    text = re.sub(r"[ -]", "_", text.strip().lower()) if name == "load" else text
    if name == "load" and text not in LOADS:
        raise FileProblem(
            path,
            "load",
            said("{word} is not a kind of load", word=repr(word(text, 40))),
            said("Write one of {loads}", loads=", ".join(LOADS)),
        )
    if isinstance(default, str):
        return word(text)
    value = count(text) if isinstance(default, int) else positive(text)
    if not value:
        raise FileProblem(
            path, name, said("{word} is not a number above 0", word=repr(word(text, 40))), "Write a number"
        )
    return value


def refuse_other_device(
    measurements: Iterable[Measurement], stated: Mapping[str, Any], catalog: Catalog, path: Any = "context"
) -> None:
    """What ran on a processor speaks of no accelerator, whatever is stated. Raises FileProblem."""
    wanted = str(stated.get("accelerator_as_written", ""))
    found = catalog.accelerators.get(resolve_accelerator(catalog, wanted) or "") if wanted else None
    if found is None or found.kind == PROCESSOR:
        return
    for one in measurements:
        if one.context.device_kind == PROCESSOR:
            name = one.context.accelerator_as_written
            raise FileProblem(
                path,
                "accelerator",
                said(
                    "these figures were measured on a processor ({name}), not on {device}", name=name, device=found.name
                ),
                "Run the probe where PyTorch sees the accelerator",
            )


def with_context(
    measurements: Iterable[Measurement], stated: Mapping[str, Any], catalog: Catalog, calibration: Calibration
) -> tuple[Measurement, ...]:
    """Measurements with what the planner states in place of what the file says, and names as the catalogues have them.

    A name that no catalogue knows leaves its field empty, so that it counts as missing.
    """
    made = []
    for one in measurements:
        context = msgspec.structs.replace(one.context, **stated)
        if set(one.phases) & {"prefill", "decode", "serving", "memory"} and not context.load:
            context = msgspec.structs.replace(context, load=_implied_load(context))
        named = msgspec.structs.replace(context, **_named(context, one, catalog, calibration))
        made.append(msgspec.structs.replace(one, context=named))
    return tuple(made)


def _implied_load(context: MeasurementContext) -> MeasuredLoad:
    if context.rate_per_s:
        return "open_loop"
    return "closed_loop" if context.concurrency else ""


def _named(
    context: MeasurementContext, measurement: Measurement, catalog: Catalog, calibration: Calibration
) -> dict[str, str]:
    model, hint = resolve_model(catalog, context.model_as_written) if context.model_as_written else (None, None)
    accelerator = resolve_accelerator(catalog, context.accelerator_as_written) if context.accelerator_as_written else ""
    is_training = "training" in measurement.phases
    return {
        "model": model or "",
        "accelerator": accelerator or "",
        "weight_precision": precision_named(context.weight_precision) or hint or "",
        "kv_precision": cache_format(context.kv_precision, []) or "",
        **_engine_names(context, is_training, calibration),
    }


def precision_named(text: str) -> str:
    """A precision as it is written anywhere, in the program's own words; empty where it is not known."""
    plain = text.strip().lower()
    if not plain:
        return ""
    if plain in get_args(Precision):
        return plain
    try:
        return weight_format(plain, [])
    except RowProblem:
        return precision_hint(plain) or ""


def _engine_names(context: MeasurementContext, is_training: bool, calibration: Calibration) -> dict[str, str]:
    """The framework whose habits are taken, and the one that ran where that is another."""
    if context.operation:
        return {}
    taken = _engine(context.engine, is_training, calibration)
    ran = context.engine_as_written if context.engine == taken else context.engine
    shares_habits = is_training and bool(ran) and _framework(ran) == taken and taken not in plain_key(ran)
    return {"engine": taken, "engine_as_written": ran if shares_habits else ""}


def _framework(name: str) -> str:
    key = plain_key(name)
    return next((framework for mark, framework in FRAMEWORKS if mark in key), "")


def _engine(name: str, is_training: bool, calibration: Calibration) -> str:
    if not name:
        return ""
    if not is_training:
        return engine_named(calibration, name)
    known = {facts.framework for facts in calibration.training.frameworks}
    found = _framework(name)
    return found if found in known else name
