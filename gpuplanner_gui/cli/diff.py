"""`gpuplanner diff A.gpuplan B.gpuplan`: which inputs of two projects differ, and what that does to the results."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from gpuplanner_gui.cli.json_text import json_text
from gpuplanner_gui.cli.plan import answered
from gpuplanner_gui.cli.tables import aligned
from gpuplanner_gui.domain.decision import DifferingInput
from gpuplanner_gui.domain.scenario import Project, Scenario
from gpuplanner_gui.drawing.decision_rows import value_text
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.units import NOTHING, format_value
from gpuplanner_gui.drawing.words.candidates import headline_name
from gpuplanner_gui.engine.decision.compare import differing_inputs
from gpuplanner_gui.files.project import headlines_of, load_project


def add_parser(subparsers: Any) -> None:
    """Mount the command."""
    command = subparsers.add_parser("diff", help="compare two project files", description=__doc__)
    command.add_argument("first", type=Path, metavar="A", help="a .gpuplan file")
    command.add_argument("second", type=Path, metavar="B", help="another one")
    command.add_argument("--inputs-only", action="store_true", help="do not plan; compare only what was entered")
    command.add_argument("--json", action="store_true", help="print JSON, in SI base units")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Match scenarios by name, else by place; print what differs. Status 0, whether or not anything does."""
    first, second = load_project(arguments.first), load_project(arguments.second)
    pairs = tuple(matched(first, second))
    results: dict[tuple[str, str], Results] = {}
    if not arguments.inputs_only:
        for side, project in (("A", first), ("B", second)):
            results |= {(side, one.scenario.name): one for one in answered(project)}
    if arguments.json:
        print(json_text([_as_json(one, other, results) for one, other in pairs]))
        return 0
    for one, other in pairs:
        print("\n".join(_as_text(one, other, results)))
    return 0


def matched(first: Project, second: Project) -> Iterator[tuple[Scenario | None, Scenario | None]]:
    """Scenarios of the same name; of those left over, each with the one at the same place."""
    by_name = {one.name: one for one in second.scenarios}
    alone = [one for one in first.scenarios if one.name not in by_name]
    names = {one.name for one in first.scenarios}
    left = [one for one in second.scenarios if one.name not in names]
    for one in first.scenarios:
        if one.name in by_name:
            yield one, by_name[one.name]
    for place in range(max(len(alone), len(left))):
        yield (
            alone[place] if place < len(alone) else None,
            left[place] if place < len(left) else None,
        )


def _as_text(one: Scenario | None, other: Scenario | None, results: dict[tuple[str, str], Results]) -> list[str]:
    if one is None or other is None:
        scenario, side = (one, "A") if one is not None else (other, "B")
        assert scenario is not None
        return [f"{scenario.name}: only in {side}", ""]
    name = one.name if one.name == other.name else f"{one.name} → {other.name}"
    lines = [name, "=" * len(name)]
    inputs = [[part.path, *(value_text(part, value) for value in part.values)] for part in _differing(one, other)]
    lines.append(aligned(("input", "A", "B"), inputs) if inputs else "No input differs.")
    rows = list(_result_rows(one, other, results))
    if rows:
        lines += ["", aligned(("result", "A", "B", "change"), rows, frozenset({1, 2, 3}))]
    return [*lines, ""]


def _differing(one: Scenario, other: Scenario) -> tuple[DifferingInput, ...]:
    return differing_inputs((one, other))


def _headlines(scenario: Scenario, side: str, results: dict[tuple[str, str], Results]) -> dict[str, Any]:
    found = results.get((side, scenario.name))
    return {} if found is None else {line.code: line for line in headlines_of(scenario, found.plan)}


def _result_rows(one: Scenario, other: Scenario, results: dict[tuple[str, str], Results]) -> Iterator[list[str]]:
    before, after = _headlines(one, "A", results), _headlines(other, "B", results)
    for code in dict.fromkeys((*before, *after)):
        was, now = before.get(code), after.get(code)
        cells = [f"{format_value(line.value, line.unit)}" if line is not None else NOTHING for line in (was, now)]
        change = ""
        if was is not None and now is not None and was.value:
            share = now.value / was.value - 1
            change = f"{'+' if share >= 0 else '−'}{format_value(abs(share), 'share', 2)}"
            if was.candidate != now.candidate and code.endswith("devices"):
                change += f" ({was.candidate} → {now.candidate})"
        yield [headline_name(code), *cells, change]


def _as_json(one: Scenario | None, other: Scenario | None, results: dict[tuple[str, str], Results]) -> dict[str, Any]:
    names = {"a": one.name if one else None, "b": other.name if other else None}
    if one is None or other is None:
        return names
    inputs = [
        {"path": part.path, "unit": part.unit, "a": _plain(part.values[0]), "b": _plain(part.values[1])}
        for part in _differing(one, other)
    ]
    before, after = _headlines(one, "A", results), _headlines(other, "B", results)
    shown = [
        {
            "code": code,
            "unit": (before.get(code) or after[code]).unit,
            "a": _number(before, code),
            "b": _number(after, code),
        }
        for code in dict.fromkeys((*before, *after))
    ]
    return names | {"inputs": inputs, "results": shown}


def _plain(value: Any) -> Any:
    return msgspec.to_builtins(value)


def _number(headlines: dict[str, Any], code: str) -> float | None:
    line = headlines.get(code)
    return None if line is None or line.value != line.value else float(line.value)
