"""Add a model to catalogs/models.json, read from its published configuration by the program's own importer.

    python -m tools.add_model CONFIG_FILE ID NAME SOURCE

An entry of the same ID is replaced where it stands. Every key of the configuration must be understood; what the model
lacks of the maker's stated total is for a person to look into before the entry is kept.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from gpuplanner_gui.domain.catalog import CatalogModel
from gpuplanner_gui.domain.field import problems_of
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.files.model_import import import_model
from tools.repository import CATALOGS

CATALOGUE = CATALOGS / "models.json"


def main(configuration: Path, entry_id: str, name: str, source: str) -> None:
    model = import_model(configuration.read_bytes())
    if model.not_understood:
        sys.exit(f"not understood: {', '.join(model.not_understood)}")
    model = msgspec.structs.replace(model, name=name, source="")
    entry = CatalogModel(id=entry_id, name=name, source=source, confidence="secondary", model=model)
    if problems := problems_of(entry):
        sys.exit(str(problems))
    rows = {row["id"]: row for row in json.loads(CATALOGUE.read_text(encoding="utf-8"))}
    CATALOGUE.write_text(catalogue_text([*(rows | {entry_id: without_defaults(entry)}).values()]), encoding="utf-8")
    print(f"{name}: {model_parameters(model).total:,} parameters")


def without_defaults(value: Any) -> Any:
    """Plain data with only the fields that differ from their defaults, and the tags of unions."""
    if isinstance(value, msgspec.Struct):
        tag = type(value).__struct_config__
        kept = {tag.tag_field: tag.tag} if tag.tag_field else {}
        for field in msgspec.structs.fields(type(value)):
            item = getattr(value, field.name)
            if field.required or item != _default(field):
                kept[field.encode_name] = without_defaults(item)
        return kept
    if isinstance(value, (list, tuple)):
        return [without_defaults(item) for item in value]
    return value


def _default(field: Any) -> Any:
    return field.default if field.default is not msgspec.NODEFAULT else field.default_factory()


def catalogue_text(rows: list[dict[str, Any]]) -> str:
    """One entry per block, its layers one per line."""
    blocks = []
    for row in rows:
        lines = [f"  {json.dumps(key)}: {_line(value)}" for key, value in row.items()]
        blocks.append(" {\n" + ",\n".join(lines) + "\n }")
    return "[\n" + ",\n".join(blocks) + "\n]\n"


def _line(value: Any) -> str:
    if not isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    parts = []
    for key, item in value.items():
        text = json.dumps(item, ensure_ascii=False)
        if key in ("layers", "encoder_layers"):
            text = "[\n    " + ",\n    ".join(json.dumps(group, ensure_ascii=False) for group in item) + "\n   ]"
        parts.append(f"   {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n  }"


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), *sys.argv[2:])
