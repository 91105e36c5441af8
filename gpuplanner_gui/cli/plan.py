"""`gpuplanner plan FILE.gpuplan`: the ranked candidates of every scenario."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np

from gpuplanner_gui import api
from gpuplanner_gui.cli.terminal import (
    JSON,
    OWN_FIGURES,
    PROJECT_FILE,
    ProgressLine,
    aligned,
    command,
    json_text,
    option,
)
from gpuplanner_gui.domain.catalog import merged_with_snapshot
from gpuplanner_gui.domain.field import fields_of
from gpuplanner_gui.domain.measurement import Evidence, EvidenceKind
from gpuplanner_gui.domain.plan import Plan, Reason, Resource, ServingTable, TrainingTable
from gpuplanner_gui.domain.scenario import Project, Scenario
from gpuplanner_gui.domain.verdict import Finding
from gpuplanner_gui.drawing.carried import (
    both_text,
    brought,
    carried_lines,
    estate_brought,
    headlines_of_both,
    saved_text,
    with_own_figures,
)
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.shown_money import money_of, money_shown
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import (
    accelerator_of,
    estimates_text,
    formats_text,
    left_out_texts,
    order_text,
    precisions_text,
    serving_layout,
)
from gpuplanner_gui.drawing.words.findings import (
    MARKS,
    SEVERITIES,
    all_findings,
    effect_text,
    finding_text,
    money_text,
    remedy_text,
)
from gpuplanner_gui.drawing.words.reasons import reason_text
from gpuplanner_gui.drawing.words.request_kinds import columns_without_meaning
from gpuplanner_gui.drawing.words.selected_plan import named_text
from gpuplanner_gui.drawing.words.simulated_fleet import simulated_text
from gpuplanner_gui.drawing.words.training import data_text, store_rows, store_text
from gpuplanner_gui.drawing.words.verdict import verdicts
from gpuplanner_gui.engine.advisor.case import serving_case, training_case
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.decision.ownership_view import energy_of
from gpuplanner_gui.engine.serving.demand import served_contexts
from gpuplanner_gui.engine.serving.engine_release import older_release, release_costs
from gpuplanner_gui.engine.simulation.refusal import refusal_of_best
from gpuplanner_gui.files.catalogs import load_catalog
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import changed_headlines, headlines_of, load_project

MOST_LINES = 40
"""Most lines of `plan`; `check` prints all."""


def own_project(project: Project) -> Project:
    """The project planned with this installation's own figures."""
    return with_own_figures(project, load_catalog())


def are_figures_carried(answers: tuple[Results, ...]) -> bool:
    """Whether a file brings figures that this installation has otherwise."""
    return any(brought(one.catalog, one.scenario) for one in answers)


def warn_of_carried(project: Project) -> None:
    """Say on stderr that a file has figures of its own, where a command uses them and lists none."""
    if carried_lines(merged_with_snapshot(load_catalog(), project.catalog), project):
        sentence = tr("This file has its own figures, and they are used here: `gpuplanner check` lists them.")
        print(sentence, file=sys.stderr)


def carried_text(answers: tuple[Results, ...], own: tuple[Results, ...]) -> list[str]:
    """Every figure that the file brings, and what its headline results are with this installation's own."""
    lines = carried_lines(answers[0].catalog, answers[0].project)
    text = [tr("This file has its own figures, and they are used here:")]
    text += [f"    {line}" for line in lines[:MOST_LINES]]
    if len(lines) > MOST_LINES:
        text.append("    " + tr("… and {count} more; check lists all.").format(count=len(lines) - MOST_LINES))
    for results, other in zip(answers, own):
        pairs = headlines_of_both(results.scenario, results.plan, other.plan)
        with money_shown(money_of(results.scenario.economics)):
            text += [f"    {results.scenario.name}: {both_text(one, mine, results.catalog)}" for one, mine in pairs]
    return [*text, tr("With --own-figures your own are used.")]


SERVING_COLUMNS = (
    ("per replica", "devices_per_replica", ""),
    ("replicas", "replicas", ""),
    ("p95 TTFT", "ttft_p95_s", "s"),
    ("p95 E2E", "e2e_p95_s", "s"),
    ("p95 TPOT", "tpot_p95_s", "s"),
    ("output at peak, tok/s/device", "output_tokens_per_s_per_device", ""),
    ("cost/month", "usd_per_month", "USD"),
    ("cost/M output", "usd_per_million_output_tokens", "USD"),
)
TRAINING_COLUMNS = (
    ("devices", "devices", ""),
    ("devices paid", "paid_devices", ""),
    ("TP", "tensor_parallel", ""),
    ("PP", "pipeline_parallel", ""),
    ("ZeRO", "zero_stage", ""),
    ("micro-batch", "micro_batch", ""),
    ("step", "step_time_s", "s"),
    ("MFU", "mfu", "share"),
    ("run", "run_time_s", "s"),
    ("cost", "usd_per_run", "USD"),
)
CODES = {"reason": Reason, "limit": Resource, "evidence": Evidence, "evidence_kind": EvidenceKind}


@command(
    "plan", "rank the candidates of a project",
    PROJECT_FILE,
    option("--top", type=int, default=10, metavar="N", help="candidates to print (default 10)"),
    JSON,
    OWN_FIGURES,
)  # fmt: skip
def plan(arguments: argparse.Namespace) -> int:
    """`gpuplanner plan FILE.gpuplan`: the ranked candidates of every scenario."""
    project = load_project(arguments.file)
    if arguments.own_figures:
        project = own_project(project)
    answers = answered(project)
    own = answered(own_project(project)) if are_figures_carried(answers) else ()
    top = max(0, arguments.top)
    if arguments.json:
        print(json_text(as_json(project, answers, top, own)))
        return 0
    for results in answers:
        print("\n".join(as_text(results, top)))
    known = {one.scenario.name: one for one in answers}
    for old, now in changed_headlines(project, {name: one.plan for name, one in known.items()}):
        results = known[old.scenario]
        with money_shown(money_of(results.scenario.economics)):
            print(f"{old.scenario}: {saved_text(old, now, results.catalog)}")
    if own or (answers and estate_brought(project, answers[0].catalog)):
        print("\n".join(carried_text(answers, own)))
    if project.estate is not None and project.estate.workloads:
        text = tr("The file has an estate of {count} workloads: `gpuplanner estate {file}` says what to order when.")
        print(text.format(count=len(project.estate.workloads), file=arguments.file))
    return 0


def answered(project: Project, is_judged: bool = True) -> tuple[Results, ...]:
    """`api.plan`, with its progress on a terminal; `is_judged` for what prints a verdict or findings."""
    with ProgressLine(tr("Planning")) as progress:
        return api.plan(project, progress.show, progress.beat, is_judged)


def chosen_answers(arguments: argparse.Namespace, project: Project, workload: str) -> list[Results]:
    """The scenarios with this workload, or the one of them that is named. Raises FileProblem where there is none."""
    names = {one.name for one in project.scenarios if getattr(one, workload) is not None}
    if arguments.scenario:
        names &= {arguments.scenario}
    if not names:
        does, part = {"serving": ("serves", "serving load"), "training": ("trains", "training job")}[workload]
        what = f"no scenario {arguments.scenario!r} {does} anything" if arguments.scenario else f"no scenario {does}"
        raise FileProblem(arguments.file, "", what, f"Choose a scenario with a {part}")
    return [one for one in answered(project, is_judged=False) if one.scenario.name in names]


def as_text(results: Results, top: int) -> list[str]:
    """A scenario's verdict and tables as lines, amounts in its currency."""
    name = results.scenario.name
    lines = [name, "=" * len(name)]
    with money_shown(money_of(results.scenario.economics)):
        for verdict in verdicts(results):
            lines += [verdict.text, *filter(None, [named_text(results, verdict.workload)])]
            simulated = simulated_text(results) if verdict.workload == "serving" else ""
            lines += [simulated, ""] if simulated else [""]
        for workload in results.workloads():
            is_served = workload == "serving"
            of_service = (estimates_text(results.plan), formats_text(results.scenario.model)) if is_served else ()
            notes = (order_text(workload), *of_service)
            note = " ".join(one for one in notes if one) if top > 1 else ""
            lines += [workload.capitalize(), _text_table(results, workload, top), *([note] if note else []), ""]
        lines += _storage_text(results)
        left_out = left_out_texts(results.plan)
        lines += [*left_out, ""] if left_out else []
        return lines + _findings_text(results)


def _storage_text(results: Results) -> list[str]:
    """What the recommended run asks of storage; nothing without one."""
    best = results.plan.training.best if results.plan.training is not None else -1
    rows = store_rows(results)
    cells = [
        ["" if cell is None else cell if isinstance(cell, str) else format_value(cell, column.unit)
         for cell, column in zip(row, rows.columns, strict=True)]
        for row in rows.cells
    ]  # fmt: skip
    said = [one for one in (data_text(results, best), store_text(results, best)) if one]
    headings = [column.title for column in rows.columns]
    table = [aligned(headings, cells, frozenset({0, 2, 3, 4, 5, 6}))] if cells else []
    return [tr("Data and storage"), *said, *table, ""] if said else []


def _findings_text(results: Results) -> list[str]:
    """What the planner should know, with what may be done about it."""
    found = all_findings(results)
    lines = ["Findings"] if found else []
    for one in found:
        money = money_text(one)
        lines.append(f"{MARKS[one.severity]} {finding_text(one)}{f' [{money}]' if money else ''}")
        advice = " ".join(part for part in (remedy_text(one.remedy), effect_text(one.remedy)) if part)
        lines += [f"    {advice}"] if advice else []
    return [*lines, ""]


def _text_table(results: Results, workload: str, top: int) -> str:
    table, is_serving = results.plan.answers[workload].table, workload == "serving"
    hidden = columns_without_meaning(results.scenario)
    columns = [one for one in (SERVING_COLUMNS if is_serving else TRAINING_COLUMNS) if one[1] not in hidden]
    rows = []
    # What the planner ruled out is no rival, unless nothing else is there.
    kept = table.order[table.reason[table.order] != Reason.EXCLUDED]
    for position, index in enumerate(int(one) for one in (kept if len(kept) else table.order)[:top]):
        cells = [str(position + 1), accelerator_of(results.plan, results.catalog, table, index)]
        if isinstance(table, ServingTable):
            cells += [precisions_text(results.plan, table, index), serving_layout(table, index)]
        cells += [format_value(float(getattr(table, name)[index]), unit) for _, name, unit in columns]
        rows.append([*cells, reason_text(results.plan, table, index)])
    headings = [
        "#",
        "accelerator",
        *(["precision", "layout"] if is_serving else []),
        *(title for title, _, _ in columns),
        "why not",
    ]
    if not any(row[-1] for row in rows):
        headings, rows = headings[:-1], [row[:-1] for row in rows]
    first = 4 if is_serving else 2
    return aligned(headings, rows, frozenset(range(first, first + len(columns))))


def as_json(project: Project, answers: tuple[Results, ...], top: int, own: tuple[Results, ...] = ()) -> dict[str, Any]:
    """All columns of the best candidates, codes as names, unknown numbers as null."""
    return {
        "project": project.name,
        "carried": carried_lines(answers[0].catalog, project) if answers else [],
        "with_own_figures": [
            msgspec.structs.asdict(one)
            for mine in own
            for one in headlines_of(mine.scenario, mine.plan, are_shown=True)
        ],
        "scenarios": [
            {
                "name": results.scenario.name,
                "calibration_digest": results.plan.calibration_digest,
                "candidates": _counts(results.plan),
                "serving": _json_rows(results.plan, "serving", top),
                "pruned": results.plan.serving.pruned if results.plan.serving is not None else 0,
                "pool_pairs": _json_tried(results.plan, "pool_pairs"),
                "drafted": _json_tried(results.plan, "drafted"),
                "simulated": _json_simulated(results.plan),
                "largest_context": _json_context(results.scenario),
                "engine_release": _json_release(results.scenario),
                "verdicts": _json_verdicts(results.plan),
                "training": _json_rows(results.plan, "training", top),
                "energy": _json_energy(results),
                "storage": _json_storage(results.plan),
                "findings": [_json_finding(one) for one in all_findings(results)],
            }
            for results in answers
        ],
    }


def _json_context(scenario: Scenario) -> dict[str, Any] | None:
    """The context that engines are started with, and the share of requests that it and shorter ones refuse."""
    contexts = served_contexts(scenario.serving, scenario.model) if scenario.serving is not None else ()
    if not contexts:
        return None
    (planned, *shorter) = [{"tokens": int(tokens), "refused_share": refused} for tokens, refused in contexts]
    return {**planned, "shorter": shorter}


def _json_release(scenario: Scenario) -> dict[str, Any] | None:
    """The release that the plan speaks for (null: the newest known), and what older ones cost per decode step."""
    if scenario.serving is None:
        return None
    settings = scenario.serving.engine
    facts = load_calibration().engine(settings.engine)
    layers = sum(group.count for group in scenario.model.layers)
    older = older_release(facts, settings.release)
    return {
        "engine": settings.engine,
        "stated": settings.release or None,
        "planned_before": None if older is None else older.before,
        "older": [vars(one) for one in release_costs(facts, layers)],
    }


def _json_energy(results: Results) -> dict[str, Any]:
    """Energy of a year of service and of the run, with power and hours at each load; null where nothing runs."""
    context = context_of(results.catalog, load_calibration())
    cases = {
        "serving": serving_case(results.scenario, results.plan, context),
        "training": training_case(results.scenario, results.plan, context),
    }
    return {name: None if case is None else msgspec.to_builtins(energy_of(case)) for name, case in cases.items()}


def _json_storage(found: Plan) -> dict[str, Any] | None:
    """The checkpoint store that the recommended run needs, and its run with others; null without one."""
    if found.training is None or found.training.store_needed is None:
        return None
    parts = {"needed": found.training.store_needed, "stores": found.training.stores}
    return {name: msgspec.to_builtins(part) for name, part in parts.items()}


def _json_finding(one: Finding) -> dict[str, Any]:
    remedy = one.remedy
    advice: dict[str, Any] | None = None
    if remedy is not None:
        edits = [{"path": edit.path, "value": msgspec.to_builtins(edit.value)} for edit in remedy.edits]
        advice = {"code": remedy.code, "edits": edits, "metric": remedy.metric}
        advice |= {name: value for name in ("before", "after") if np.isfinite(value := getattr(remedy, name))}
    found = {"code": one.code, "severity": SEVERITIES[one.severity], "workload": one.workload, "usd": one.usd}
    return found | {"values": one.values, "text": finding_text(one), "remedy": advice}


def _json_simulated(found: Plan) -> dict[str, int] | None:
    """The simulation of the recommended fleet, 0 replicas where none keeps its targets; null where its replicas are a
    quick estimate."""
    served = found.serving
    one = served.simulation_of_best or refusal_of_best(served) if served is not None else None
    if one is None:
        return None
    names = ("replicas", "quick_replicas", "most_replicas", "requests", "seed")
    return {name: getattr(one, name) for name in names}


def _json_tried(found: Plan, name: str) -> dict[str, int] | None:
    """How many pairs of pools, or candidates with drafts, were tried and left out; null where none were."""
    tried = 0 if found.serving is None else getattr(found.serving, name)
    return {"tried": tried, "left_out": getattr(found.serving, f"{name}_left_out")} if tried else None


def _json_verdicts(found: Plan) -> dict[str, Any] | None:
    """What each workload and both together are worth; null for one that the scenario lacks."""
    made: dict[str, Any] | None = msgspec.to_builtins(found.verdicts)
    for one in filter(None, (made or {}).values()):
        one["chance_without"] = one["chance_of_expected_fleet"]  # Its older name; keys are never dropped.
    return made


def _counts(found: Plan) -> dict[str, int]:
    return {name: len(answer.table.order) for name, answer in found.answers.items()}


def _json_rows(found: Plan, workload: str, top: int) -> list[dict[str, Any]] | None:
    answer = found.answers.get(workload)
    return None if answer is None else list(_rows(found, answer.table, top))


def _rows(found: Plan, table: ServingTable | TrainingTable, top: int) -> Iterator[dict[str, Any]]:
    names = [field.name for field in fields_of(type(table)) if field.name != "order"]
    for rank, index in enumerate(table.order[:top], 1):
        row: dict[str, Any] = {"rank": rank}
        for name in names:
            row[name] = _json_value(found, name, getattr(table, name)[index])
        if isinstance(table, ServingTable):
            row |= _json_pools(table, int(index))
        yield row


def _json_pools(table: ServingTable, row: int) -> dict[str, Any]:
    """Layout, workers and memory of each pool of a replica; null where prompts and answers share every device."""
    if not table.prefill_workers[row]:
        return {"prefill": None, "decode": None}
    sizes = ("tensor_parallel", "pipeline_parallel", "attention_data_parallel", "expert_parallel", "workers")
    prefill = (
        table.prefill_tensor_parallel[row], 1, table.prefill_data_parallel[row], table.prefill_expert_parallel[row],
        table.prefill_workers[row],
    )  # fmt: skip
    decode = (*(getattr(table, name)[row] for name in sizes[:4]), table.decode_workers[row])
    pools = {}
    for name, own in (("prefill", prefill), ("decode", decode)):
        first = "prefill_" if name == "prefill" else ""
        pools[name] = {size: int(value) for size, value in zip(sizes, own, strict=True)} | {
            memory: float(getattr(table, first + memory)[row]) for memory in ("weights_bytes", "kv_pool_bytes")
        }
    return pools


def _json_value(found: Plan, name: str, value: Any) -> Any:
    if name == "accelerator":
        return found.accelerators[int(value)]
    if name in ("weight_precision", "kv_precision"):
        return found.precisions[int(value)]
    return plain_code(name, value)


def plain_code(name: str, value: Any) -> Any:
    """A value of a table's column, a code as its name."""
    return CODES[name](int(value)).name.lower() if name in CODES else value
