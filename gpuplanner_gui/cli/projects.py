"""Commands on a project's file: begin one, read a model for it, check it, and compare two."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from gpuplanner_gui import api
from gpuplanner_gui.cli.plan import answered
from gpuplanner_gui.cli.terminal import (
    JSON,
    PROJECT_FILE,
    Argument,
    NameProblem,
    aligned,
    command,
    json_text,
    option,
    print_answers,
)
from gpuplanner_gui.domain.catalog import merged_with_snapshot
from gpuplanner_gui.domain.scenario import Project, Scenario
from gpuplanner_gui.drawing.carried import carried_lines
from gpuplanner_gui.drawing.comparison_rows import value_text
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.shown_money import money_of, money_shown
from gpuplanner_gui.drawing.units import NOTHING, format_value
from gpuplanner_gui.drawing.words.candidates import headline_name
from gpuplanner_gui.drawing.words.findings import finding_text, remedy_text
from gpuplanner_gui.drawing.words.training import batch_advice
from gpuplanner_gui.engine.advisor.row_rules import unusable_rows
from gpuplanner_gui.engine.decision.compare import differing_inputs
from gpuplanner_gui.engine.model.model_summary import model_summary
from gpuplanner_gui.files.catalogs import load_catalog
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.knowledge import calibrated_by, load_calibration
from gpuplanner_gui.files.model_import import ImportFinding, read_model
from gpuplanner_gui.files.project import headlines_of, load_project
from gpuplanner_gui.files.text import plain_text


@command(
    "check", "validate a project file",
    PROJECT_FILE,
)  # fmt: skip
def check(arguments: argparse.Namespace) -> int:
    """`gpuplanner check FILE.gpuplan`: is the file valid?"""
    project = load_project(arguments.file)
    count = len(project.scenarios)
    print(f"{arguments.file.name}: valid, {count} scenario{'' if count == 1 else 's'}.")
    catalog = merged_with_snapshot(load_catalog(), project.catalog)
    calibration = calibrated_by(project.measurements, catalog, load_calibration())
    if project.calibration_digest and project.calibration_digest != calibration.digest:
        print("It was saved with another calibration: results may differ from what the sender saw.")
    for scenario in project.scenarios:
        for found in unusable_rows(scenario, catalog):
            print(f"{scenario.name}: {finding_text(found)} {remedy_text(found.remedy)}")
        if advice := batch_advice(scenario):
            print(f"{scenario.name}: {advice}")
    lines = carried_lines(catalog, project)
    if lines:
        print("It has its own figures, and they are used:")
        print("\n".join(f"    {line}" for line in lines))
    return 0


FINDINGS = {
    "checkpoint_size_agrees": "The checkpoint's index states {stated}, which matches the model.",
    "checkpoint_size_differs": ("The checkpoint's index states {stated}, but the model's weights add up to {counted}."),
    "checkpoint_size_unknown": "The checkpoint's index states no size.",
}


@command(
    "model", "read a model's config.json",
    option("config", type=Path, help="a config.json, or a diffusion pipeline's model_index.json"),
    option("--index", type=Path, help="the checkpoint's *.safetensors.index.json, to check the size"),
    option("--json", action="store_true", help="print JSON, in bytes and counts"),
)  # fmt: skip
def model(arguments: argparse.Namespace) -> int:
    """`gpuplanner model CONFIG.json`: what a model's config file says about its size."""
    imported = read_model(arguments.config, arguments.index)
    summary = model_summary(imported.model)
    if not summary["total_params"]:
        what = tr("{name} is a class whose parts are not known, so its parameters can't be counted")
        remedy = tr("Choose a model of the catalogue that is like it, and enter its parameters and FLOPs under Model")
        name = plain_text(summary["architecture"]) or plain_text(summary["name"])
        raise FileProblem(arguments.config, "", what.format(name=name), remedy)
    if arguments.json:
        summary["findings"] = [{"code": finding.code, **finding.values} for finding in imported.findings]
        print(json_text(summary))
    else:
        print(model_text(summary, imported.findings))
    return 0


def model_text(summary: dict[str, Any], findings: tuple[ImportFinding, ...]) -> str:
    """The summary as a person reads it, exact counts beside rounded sizes."""
    rows = [
        ("Architecture", f"{summary['architecture']} ({summary['kind'].replace('_', ' ')})", ""),
        ("Parameters", *_count(summary["total_params"])),
        ("Active per token", *_count(summary["active_params"])),
        ("KV cache per token, BF16", *_size(summary["kv_bytes_per_token"])),
    ]
    if summary["kv_bytes_per_token_beyond_window"] != summary["kv_bytes_per_token"]:
        rows.append(("  beyond the attention window", *_size(summary["kv_bytes_per_token_beyond_window"])))
    for key, title in (
        ("indexer_bytes_per_token", "Indexer cache per token"),
        ("fixed_state_bytes_per_sequence", "Fixed state per sequence"),
        ("cross_attention_bytes_per_sequence", "Encoder cache per sequence"),
    ):
        if summary[key]:
            rows.append((title, *_size(summary[key])))
    rows += [(f"Weights, {precision}", *_size(size)) for precision, size in summary["weight_bytes"].items()]
    lines = [aligned((summary["name"], "", ""), rows, right=frozenset({1, 2}))]
    lines += [_finding_text(finding) for finding in findings]
    for key, heading in (("assumed", "Assumed:"), ("not_understood", "Not understood:")):
        if summary[key]:
            lines.append("\n".join([heading, *(f"  {text}" for text in summary[key])]))
    return "\n".join(lines)


def _count(count: int) -> tuple[str, str]:
    return format_value(float(count), "param", 4), f"{count:,}"


def _size(size: float) -> tuple[str, str]:
    return format_value(float(size), "bytes on disk", 4), f"{size:,.0f} bytes"


def _finding_text(finding: ImportFinding) -> str:
    sizes = {name.partition("_")[0]: format_value(size, "bytes on disk", 4) for name, size in finding.values.items()}
    return FINDINGS[finding.code].format(**sizes)


def _asked(question: api.Question) -> Argument:
    """A question of the guided start as an option."""
    name = f"--{question.name.replace('_', '-')}"
    if question.name == "may_stop":
        return option(name, dest=question.name, action="store_true", default=None, help=question.help)
    return option(name, dest=question.name, choices=question.choices or None, help=question.help)


@command(
    "new", "create a project from a model and a few answers",
    option("model", metavar="CONFIG.json|NAME", help="a model's config.json, or a model of the catalogue"),
    option("-o", "--output", type=Path, required=True, metavar="FILE", help="the .gpuplan file to write"),
    option("--name", default="", help="name of the scenario (default: the model's)"),
    option("--force", action="store_true", help="overwrite an existing file"),
    *map(_asked, api.QUESTIONS),
)  # fmt: skip
def new(arguments: argparse.Namespace) -> int:
    """`gpuplanner new CONFIG.json -o FILE.gpuplan`: the guided start without a window; each question is an option."""
    given = {one.name: getattr(arguments, one.name) for one in api.QUESTIONS}
    if arguments.output.exists() and not arguments.force:
        raise NameProblem(f"{arguments.output.name} already exists. Choose another name, or add --force.")
    try:
        read = api.read_model(arguments.model)
        answers = {name: value for name, value in given.items() if value is not None}
        scenario = api.new_scenario(read, name=arguments.name, **answers)
    except api.StartProblem as problem:
        raise NameProblem(str(problem)) from None
    api.save(scenario, arguments.output)
    print(f"{arguments.output.name}: {scenario.name}. Next: gpuplanner plan {arguments.output.name}")
    defaults = api.defaults_of(scenario, given)
    if defaults:
        rows = [(f"--{one.name.replace('_', '-')}", text, one.help) for one, text in defaults]
        print("\nNot given, so set to the default:")
        print(aligned(("option", "taken", "what it is"), rows))
    return 0


@command(
    "diff", "compare two project files",
    option("first", type=Path, metavar="A", help="a .gpuplan file"),
    option("second", type=Path, metavar="B", help="another one"),
    option("--inputs-only", action="store_true", help="compare only the inputs, without planning"),
    JSON,
)  # fmt: skip
def diff(arguments: argparse.Namespace) -> int:
    """`gpuplanner diff A.gpuplan B.gpuplan`: which inputs of two projects differ, and what that does to the results."""
    first, second = load_project(arguments.first), load_project(arguments.second)
    pairs = tuple(matched(first, second))
    carried = _carried("A", first) | _carried("B", second)
    results: dict[tuple[str, str], Results] = {}
    if not arguments.inputs_only:
        for side, project in (("A", first), ("B", second)):
            results |= {(side, one.scenario.name): one for one in answered(project)}
    return print_answers(
        arguments,
        lambda: [_diff_json(one, other, results, carried) for one, other in pairs],
        lambda: (line for one, other in pairs for line in _diff_text(one, other, results, carried)),
    )


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


Lines = dict[tuple[str, str], list[str]]


def _carried(side: str, project: Project) -> Lines:
    """The figures that each scenario takes from its file and this installation has otherwise."""
    catalog = merged_with_snapshot(load_catalog(), project.catalog)
    return {(side, one.name): carried_lines(catalog, project, [one]) for one in project.scenarios}


def _diff_text(
    one: Scenario | None, other: Scenario | None, results: dict[tuple[str, str], Results], carried: Lines
) -> list[str]:
    if one is None or other is None:
        scenario, side = (one, "A") if one is not None else (other, "B")
        assert scenario is not None
        return [f"{scenario.name}: only in {side}", ""]
    # Both sides in the first's currency, as a report on several scenarios: a change is one of the same money.
    with money_shown(money_of(one.economics)):
        return _compared(one, other, results, carried)


def _compared(one: Scenario, other: Scenario, results: dict[tuple[str, str], Results], carried: Lines) -> list[str]:
    name = one.name if one.name == other.name else f"{one.name} → {other.name}"
    lines = [name, "=" * len(name)]
    inputs = [
        [part.path, *(value_text(part, value) for value in part.values)] for part in differing_inputs((one, other))
    ]
    lines.append(aligned(("input", "A", "B"), inputs) if inputs else "No input differs.")
    own = {"A": carried["A", one.name], "B": carried["B", other.name]}
    for letter, others in (("A", own["B"]), ("B", own["A"])):
        alone = [f"    {line}" for line in own[letter] if line not in others]
        if alone:
            lines += [f"Figures of {letter} alone that differ from your catalogue:", *alone]
    rows = list(_result_rows(one, other, results))
    if rows:
        lines += ["", aligned(("result", "A", "B", "change"), rows, frozenset({1, 2, 3}))]
    return [*lines, ""]


def _headlines(scenario: Scenario, side: str, results: dict[tuple[str, str], Results]) -> dict[str, Any]:
    found = results.get((side, scenario.name))
    return {} if found is None else {line.code: line for line in headlines_of(scenario, found.plan, are_shown=True)}


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


def _diff_json(
    one: Scenario | None, other: Scenario | None, results: dict[tuple[str, str], Results], carried: Lines
) -> dict[str, Any]:
    names = {"a": one.name if one else None, "b": other.name if other else None}
    if one is None or other is None:
        return names
    inputs = [
        {"path": part.path, "unit": part.unit, **dict(zip("ab", msgspec.to_builtins(part.values)))}
        for part in differing_inputs((one, other))
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
    own = {"a": carried["A", one.name], "b": carried["B", other.name]}
    return names | {"inputs": inputs, "carried": own, "results": shown}


def _number(headlines: dict[str, Any], code: str) -> float | None:
    line = headlines.get(code)
    return None if line is None or line.value != line.value else float(line.value)
