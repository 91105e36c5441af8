"""The JSON Schema that ships describes the files that the program writes, and refuses what it refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tools.make_schema import SCHEMA_FILE, project_schema, schema_text

REPOSITORY = Path(__file__).resolve().parents[2]
FILES = sorted([*(REPOSITORY / "resources" / "examples").glob("*.gpuplan"), *Path(__file__).parent.glob("versions/*")])
SCHEMA = project_schema()
NEWEST = SCHEMA["$defs"]["Project"]["properties"]["version"]["const"]

TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "null": lambda value: value is None,
}
CHECKS: dict[str, Callable[[Any, Any], bool]] = {
    "type": lambda stated, value: TYPES[stated](value),
    "enum": lambda stated, value: value in stated,
    "const": lambda stated, value: value == stated,
    "minimum": lambda stated, value: value >= stated,
    "maximum": lambda stated, value: value <= stated,
    "exclusiveMinimum": lambda stated, value: value > stated,
    "required": lambda stated, value: set(stated) <= set(value),
    "pattern": lambda stated, value: re.search(stated, value) is not None,
    "minItems": lambda stated, value: len(value) >= stated,
    "maxItems": lambda stated, value: len(value) <= stated,
    "$ref": lambda stated, value: fits(SCHEMA["$defs"][stated.removeprefix("#/$defs/")], value),
    "anyOf": lambda stated, value: any(fits(one, value) for one in stated),
    "items": lambda stated, value: stated is not False and all(fits(stated, one) for one in value),
    "prefixItems": lambda stated, value: all(fits(one, item) for one, item in zip(stated, value)),
    "propertyNames": lambda stated, value: all(fits(stated, name) for name in value),
}
TELLING = {"title", "description", "default", "discriminator", "examples", "$schema", "$defs", "x-unit"}
"""Keywords that say something and refuse nothing."""


def fits(schema: dict[str, Any], value: Any) -> bool:
    """Whether a value is what a schema describes; knows every keyword that the schema of projects uses."""
    if "type" in schema and not TYPES[schema["type"]](value):
        return False
    for keyword, stated in schema.items():
        if keyword in TELLING or keyword in ("properties", "additionalProperties"):
            continue
        if not CHECKS[keyword](stated, value):
            return False
    named = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    if not isinstance(value, dict):
        return True
    return all(
        fits(named[name], one) if name in named else others is True or (others is not False and fits(others, one))
        for name, one in value.items()
    )


def project(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def test_the_schema_that_ships_is_that_of_the_present_structs() -> None:
    """Renewed by `python -m tools.make_schema`."""
    assert SCHEMA_FILE.read_text(encoding="utf-8") == schema_text()
    assert json.loads(schema_text()) == json.loads(json.dumps(SCHEMA))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_files_of_the_newest_version_fit_and_older_ones_do_not(path: Path) -> None:
    data = project(path)
    assert fits(SCHEMA, data) == (data["version"] == NEWEST)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("version", NEWEST + 1),
        ("seed", -1),
        ("unheard_of", 1),
        ("scenarios.0.name", None),
        ("scenarios.0.model.layers.0.count", 0),
        ("scenarios.0.serving.classes.0.peak_rate_per_s", -1.0),
        ("scenarios.0.serving.classes.0.prompt_tokens", {"type": "guess", "value": 3}),
        ("scenarios.0.hardware.cooling", ["fire"]),
    ],
)
def test_what_the_program_refuses_does_not_fit(place: str, value: Any) -> None:
    data = project(REPOSITORY / "resources" / "examples" / "70b-chat.gpuplan")
    *path, last = [int(step) if re.fullmatch(r"\d+", step) else step for step in place.split(".")]
    part: Any = data
    for step in path:
        part = part[step]
    part[last] = value
    assert not fits(SCHEMA, data)
