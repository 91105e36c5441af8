"""Write catalogs/models.json and catalogs/aliases_models.json from a folder of collected facts.

    python -m tools.make_models FACTS_FOLDER [CATALOGS_FOLDER]

An entry whose configuration file is in the folder is read from it, any other from the configuration that its family
would have; both by the program's own importer. What the counted structure lacks of the collected total goes to the
model's `other_parameters` and is named in the entry's notes.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from gpuplanner_gui.domain.catalog import CatalogModel
from gpuplanner_gui.domain.field import problems_of
from gpuplanner_gui.domain.hardware import Confidence
from gpuplanner_gui.domain.model import Model, Precision, WeightFormat
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.engine.model.weight_sizes import USUAL_FORMATS
from gpuplanner_gui.files.model_import import import_model
from tools.make_models.additional import CONFIGURATIONS, DECODERS, HYBRIDS, OTHERS, VARIANTS
from tools.make_models.aliases import ALIASES
from tools.make_models.configurations import Fact, configuration
from tools.make_models.pictures import PICTURES
from tools.make_models.published import check_count, published_facts

FILE_OF_ENTRY = {"clip-vit-l-14": "clip-vit-large-patch14", "bert-base": "bert-base-uncased"}
"""Entries whose configuration file has another name."""
CORRECTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "jamba-1.5-large": (
        {"mamba_dt_rank": 256},
        "Counted with a time-step rank of 256, as the collected total; a rank of 512 adds 528,498,432 parameters.",
    ),
    "command-r-plus-104b": (
        {"use_qk_norm": False},
        "Counted without 851,968 weights of QK norms, as the collected total; the model page includes them.",
    ),
}
"""Keys changed so that the collected total comes out, and what that leaves out."""
RECOUNTED: dict[str, tuple[dict[str, Any], str]] = {
    "step-3.7-flash": (
        {"num_sliding_attention_heads": 96},
        "Windowed layers have 96 query heads (attention_other_setting of the published config.json); the collected "
        "195,844,496,640 parameters were counted with 64.",
    ),
}
"""Keys that the collected facts lack, whose total is not the collected one."""
DIFFERENCES = {"minimax-m3": "sparse indexers of 57 layers"}
CONFIDENCE: dict[str, Confidence] = {"high": "secondary", "medium": "secondary", "low": "estimate"}
"""The facts grade their counts; architectures were read from configuration files, not from the publishers' pages."""
NATIVE: dict[str, Precision] = {"fp32": "fp32", "fp16/bf16": "fp16", "bf16": "bf16"}


def main(facts_folder: Path, catalogs_folder: Path) -> None:
    facts = json.loads((facts_folder / "models.json").read_text(encoding="utf-8"))
    entries = [_entry(fact, facts_folder / "hf-configs") for fact in facts]
    entries += [_entry(fact, None) for fact in (*DECODERS, *HYBRIDS, *OTHERS, *PICTURES)]
    entries += [_finished(fact, import_model(_encoded(keys)), []) for fact, keys in CONFIGURATIONS]
    entries += [_published(fact) for fact in published_facts()]
    known = {entry.id: entry for entry in entries}
    entries += [_variant(known[other], entry_id, name, precision) for entry_id, name, other, precision in VARIANTS]
    check(entries)
    rows = [without_defaults(entry) for entry in entries]
    write(catalogs_folder / "models.json", rows)
    write_aliases(catalogs_folder / "aliases_models.json")


def _entry(fact: Fact, files: Path | None) -> CatalogModel:
    file = files / f"{FILE_OF_ENTRY.get(fact['id'], fact['id'])}.json" if files is not None else None
    notes: list[str] = []
    if file is not None and file.is_file():
        model = import_model(file.read_bytes())
    else:
        keys = configuration(fact)
        if keys is None:
            return _finished(fact, _unlayered(fact), notes)
        if fact["id"] in CORRECTIONS:
            changes, note = CORRECTIONS[fact["id"]]
            keys |= changes
            notes.append(note)
        if fact["id"] in RECOUNTED:
            changes, note = RECOUNTED[fact["id"]]
            keys |= changes
            notes.append(note)
            fact = fact | {"total_params": None}
        model = import_model(_encoded(keys))
    model = _reconciled(fact, model, notes)
    return _finished(fact, model, notes)


def _published(fact: Fact) -> CatalogModel:
    model = import_model(_encoded(fact["config"]))
    check_count(fact, model_parameters(model).total)
    if model.not_understood:
        raise ValueError(f"{fact['id']}: {model.not_understood}")
    fact = {"confidence": "high", "published_total_params": fact.get("stated_total"), **fact}
    return _finished(fact, model, [fact["note"]] if "note" in fact else [])


def _encoded(keys: dict[str, Any]) -> bytes:
    return json.dumps(keys).encode()


def _reconciled(fact: Fact, model: Model, notes: list[str]) -> Model:
    """The model with the collected total, context and FLOPs."""
    changes: dict[str, Any] = {}
    total = fact.get("total_params")
    difference = total - model_parameters(model).total if total else 0
    if difference:
        if difference < 0:
            raise ValueError(
                f"{fact['id']}: the structure has {-difference:,} parameters more than the collected total"
            )
        changes["other_parameters"] = model.other_parameters + difference
        reason = DIFFERENCES.get(fact["id"], "not explained by the structure")
        notes.append(f"{difference:,} parameters ({reason}) stand in other parameters.")
    if fact.get("max_context") and model.kind not in ("vision_transformer",):
        changes["max_context"] = fact["max_context"]
    if fact.get("fwd_flops_per_sample"):
        changes |= {"flop_per_sample": float(fact["fwd_flops_per_sample"]), "sample": fact["flops_input"]}
    if fact["id"] == "e5-mistral-7b":
        changes |= {"has_head": False, "tied_embeddings": False}
    return msgspec.structs.replace(model, **changes)


def _unlayered(fact: Fact) -> Model:
    """A model given by its totals; a picture generator's sample is one picture, its training sample one pass."""
    flop, training_flop, sample = float(fact["fwd_flops_per_sample"]), 0.0, fact["flops_input"]
    if fact.get("flops_per_image"):
        flop, training_flop = float(fact["flops_per_image"]), flop
        steps, passes = fact["default_steps"], fact["passes_per_step_with_cfg"]
        sample = f"1 image: {steps} steps of {passes} pass{'es' * (passes > 1)}, decoded; {sample}"
    return Model(
        name="",
        kind=fact["kind"],
        family=fact["family"],
        has_head=False,
        custom_parameters=fact["total_params"],
        flop_per_sample=flop,
        training_flop_per_sample=training_flop,
        sample=sample,
        weight_format=WeightFormat(native=NATIVE[fact["native_weight_dtype"]]),
    )


def _finished(fact: Fact, model: Model, notes: list[str]) -> CatalogModel:
    published = fact.get("published_total_params")
    if published:
        notes.append(f"Published: {published:,} parameters.")
    if fact.get("license"):
        notes.append(f"Licence: {fact['license']} (not checked against the licence file).")
    assumed = () if fact["id"] != "kimi-k3-mxfp4" else model.assumed
    model = msgspec.structs.replace(model, name=fact["name"], source="", assumed=assumed)
    return CatalogModel(
        id=fact["id"],
        name=fact["name"],
        source=fact["source"],
        confidence=CONFIDENCE[fact["confidence"]],
        model=model,
        notes=tuple(notes),
    )


def _variant(other: CatalogModel, entry_id: str, name: str, precision: Precision) -> CatalogModel:
    model = msgspec.structs.replace(other.model, name=name, weight_format=USUAL_FORMATS[precision])
    source = f"as {other.id}, weights stored as {precision}"
    return msgspec.structs.replace(other, id=entry_id, name=name, model=model, source=source)


def check(entries: list[CatalogModel]) -> None:
    """Refuse bounds broken and identifiers used twice."""
    seen: set[str] = set()
    for entry in entries:
        problems = problems_of(entry)
        if problems or entry.id in seen:
            raise ValueError(f"{entry.id}: {problems or 'the identifier is there twice'}")
        seen.add(entry.id)


def without_defaults(value: Any) -> Any:
    """Plain data with only the fields that differ from their defaults, and the tags of unions."""
    if isinstance(value, msgspec.Struct):
        info = msgspec.structs.fields(type(value))
        tag = type(value).__struct_config__
        kept = {tag.tag_field: tag.tag} if tag.tag_field else {}
        for field in info:
            item = getattr(value, field.name)
            if field.required or item != _default(field):
                kept[field.encode_name] = without_defaults(item)
        return kept
    if isinstance(value, (list, tuple)):
        return [without_defaults(item) for item in value]
    return value


def _default(field: Any) -> Any:
    return field.default if field.default is not msgspec.NODEFAULT else field.default_factory()


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    """One entry per block, its layers one per line."""
    blocks = []
    for row in rows:
        lines = [f"  {json.dumps(key)}: {_line(value)}" for key, value in row.items()]
        blocks.append(" {\n" + ",\n".join(lines) + "\n }")
    path.write_text("[\n" + ",\n".join(blocks) + "\n]\n", encoding="utf-8")


def _line(value: Any) -> str:
    if not isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    parts = []
    for key, item in value.items():
        if key in ("layers", "encoder_layers"):
            inner = ",\n    ".join(json.dumps(group, ensure_ascii=False) for group in item)
            parts.append(f"   {json.dumps(key)}: [\n    {inner}\n   ]")
        else:
            parts.append(f"   {json.dumps(key)}: {json.dumps(item, ensure_ascii=False)}")
    return "{\n" + ",\n".join(parts) + "\n  }"


def write_aliases(path: Path) -> None:
    lines = [f"  {json.dumps(name)}: {json.dumps(target)}" for name, target in sorted(ALIASES.items(), key=_folded)]
    path.write_text('{\n "models": {\n' + ",\n".join(lines) + "\n }\n}\n", encoding="utf-8")


def _folded(item: tuple[str, Any]) -> str:
    return item[0].lower()


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) == 3 else Path(__file__).parents[2] / "catalogs")
