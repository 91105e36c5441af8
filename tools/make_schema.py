"""Writes resources/gpuplan.schema.json, the JSON Schema of `.gpuplan` files, from the structs that read them.

python -m tools.make_schema
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from gpuplanner_gui.domain.scenario import FORMAT_VERSION, Project

SCHEMA_FILE = Path(__file__).resolve().parents[1] / "resources" / "gpuplan.schema.json"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
BOUNDS = {"x-minimum": "minimum", "x-maximum": "maximum", "x-exclusiveMinimum": "exclusiveMinimum"}
ENTRIES = {"x-maxItems": "maxItems", "x-minItems": "minItems"}
"""A field's bounds as `domain.field.about` notes them → as a schema states them for a number."""
NUMBERS = ("integer", "number")

Schema = dict[str, Any]


def project_schema() -> Schema:
    """The schema of the newest format version; units stand beside their fields as `x-unit`."""
    made = msgspec.json.schema(Project)
    for part in _parts(made):
        _bound(part)
    made["$defs"]["Project"]["properties"]["version"] = {"title": "Format version", "const": FORMAT_VERSION}
    return {"$schema": DIALECT, "title": f"GPU Planner project, format version {FORMAT_VERSION}", **made}


def schema_text() -> str:
    """The schema as its file: one definition a line, so that a change can be read."""
    schema = project_schema()
    lines = [f'  "{name}": {_compact(one)}' for name, one in schema.pop("$defs").items()]
    head = _compact(schema).removesuffix("}")
    return f'{head}, "$defs": {{\n' + ",\n".join(lines) + "\n}}\n"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _parts(value: Any) -> Iterator[Schema]:
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from _parts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _parts(inner)


def _bound(part: Schema) -> None:
    """Bounds hold for plain numbers, alone or in a list; those of a distribution are checked when the file is read."""
    bounds = {BOUNDS[key]: part.pop(key) for key in BOUNDS if key in part}
    part.update({ENTRIES[key]: part.pop(key) for key in ENTRIES if key in part})
    for one in (part, *part.get("anyOf", ()), part.get("items", {})):
        if one.get("type") in NUMBERS:
            one.update(bounds)


def main() -> None:
    SCHEMA_FILE.write_text(schema_text(), encoding="utf-8")
    print(SCHEMA_FILE.name)


if __name__ == "__main__":
    main()
