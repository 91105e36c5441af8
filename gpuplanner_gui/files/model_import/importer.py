"""The door: a configuration file or its bytes in, a model out."""

from __future__ import annotations

from pathlib import Path

import msgspec

from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.model_import.config import Config
from gpuplanner_gui.files.model_import.quantization import weight_format
from gpuplanner_gui.files.model_import.registry import CLASSES, FAMILIES
from gpuplanner_gui.files.safe_json import plain_text, read_json


def import_model(source: Path | str | bytes, index: Path | str | bytes | None = None) -> Model:
    path = Path("config.json") if isinstance(source, bytes) else Path(source)
    data = read_json(source, name=path, keep_infinity=True)
    if not isinstance(data, dict):
        raise FileProblem(path, "", "a JSON object is expected")
    top = Config(data, path, "")
    name = top.text("model_type")
    text = top.part("text_config", name)
    config = text or top
    family = FAMILIES.get(config.text("model_type")) or FAMILIES.get(
        CLASSES.get((top.items("architectures", str) or [""])[0], "")
    )
    if family is None:
        raise FileProblem(path, "model_type", f"unknown {name}")
    config = Config(config.data, path, family.model_type, top.notes, config.place)
    model = family.build(config, top if text else None)
    return msgspec.structs.replace(
        model,
        name=plain_text(path.stem),
        weight_format=weight_format(config, top if text else None, None),
        assumed=tuple(top.notes.assumed),
        not_understood=tuple(top.notes.not_understood),
    )
