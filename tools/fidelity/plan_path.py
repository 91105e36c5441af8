"""Published closed loops asked the way a planner asks: what the plan says of each, against what was measured.

    python -m tools.fidelity.plan_path [--left-out] [--wide] [--users] [--rows-per-setup N] [--worst N] [--csv OUT]

Beside the closed loops stand published first tokens of lone requests, and how far the plan is from `predict`.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from tools.fidelity.left_out import left_out
from tools.fidelity.planned_rows import PLANNED_ENGINES, PlannedRow, askable, lone_prompts, planned_rows
from tools.fidelity.report_text import error_cells, markdown, percent, sections, write_rows
from tools.fit_serving.tables import measured_cases
from tools.repository import grouped, shipped_context

FEW_USERS = 4.0
"""The fewest that the table's closed loops have."""
FEWEST_IN_GROUP = 3
WORST_SHOWN = 12

SCORE_HEAD = ["rows", "answered", "TPOT median", "90th percentile", "bias", "in the 80 % band", "one replica carries",
              "TTFT median", "of 4 users"]  # fmt: skip


def scores(rows: Sequence[PlannedRow]) -> list[str]:
    """Rows asked and answered, errors of TPOT, band, replicas, and TTFT where few wait."""
    answered = [row for row in rows if not row.reason]
    if not answered:
        return [str(len(rows)), "0", *["–"] * (len(SCORE_HEAD) - 2)]
    errors = error_cells([row.tpot_error for row in answered], [row.is_in_band for row in answered])
    first = np.abs([row.ttft_error for row in answered])
    few = np.array([row.measured.case.concurrency <= FEW_USERS for row in answered])
    figures = (
        np.mean([row.replicas <= 1 for row in answered]),
        np.median(first),
        np.median(first[few]) if few.any() else float("nan"),
    )
    return [str(len(rows)), *errors, *(percent(float(figure)) for figure in figures)]


CLASSES: tuple[tuple[str, Callable[[PlannedRow], bool]], ...] = (
    ("all", lambda row: True),
    ("without drafts that may have run", lambda row: not row.measured.source.may_speculate),
    ("dense", lambda row: row.measured.case.model.kind == "dense_decoder"),
    ("experts", lambda row: row.measured.case.model.kind == "moe_decoder"),
    ("vLLM", lambda row: row.measured.case.engine == "vllm"),
    ("SGLang", lambda row: row.measured.case.engine == "sglang"),
    ("TensorRT-LLM", lambda row: row.measured.case.engine == "trtllm"),
)


def worst_setups(rows: Sequence[PlannedRow], most: int = WORST_SHOWN) -> list[list[str]]:
    """Set-ups whose middle row is furthest off, by the logarithm of plan over measurement."""
    setups = grouped((row for row in rows if not row.reason), lambda row: row.setup)
    middles = {
        name: (float(np.median([row.plan_tpot_s / row.tpot_s for row in own])), own)
        for name, own in setups.items()
        if len(own) >= FEWEST_IN_GROUP
    }
    worst = sorted(middles.items(), key=lambda entry: -abs(np.log(entry[1][0])))[:most]
    return [
        [name, str(len(own)), f"{middle:.2f}", percent(float(np.mean([row.replicas <= 1 for row in own])))]
        for name, (middle, own) in worst
    ]


def refusals(rows: Sequence[PlannedRow]) -> Iterator[list[str]]:
    counts = Counter((row.reason, row.setup) for row in rows if row.reason)
    for (reason, setup), count in counts.most_common():
        yield [reason, setup, str(count)]


ALONE_HEAD = ["engine", "rows", "answered", "TTFT median", "90th percentile", "bias"]


def alone_scores(rows: Sequence[PlannedRow]) -> Iterator[list[str]]:
    """Errors of first tokens of lone requests, by engine."""
    for engine in ("", *PLANNED_ENGINES):
        part = [row for row in rows if engine in ("", row.measured.case.engine)]
        errors = np.array([row.ttft_error for row in part if not row.reason])
        if len(errors):
            yield [engine or "all", str(len(part)), *error_cells(errors)]


LOW_UTILISATION = 0.7
"""Up to which waiting is rare, so that users in a loop and requests at random come to the same batch."""
AGAINST_HEAD = ["load", "rows", "TPOT median apart", "90th percentile", "within 1 %", "within 10 %"]


def against_predict(rows: Sequence[PlannedRow]) -> Iterator[list[str]]:
    """How far the plan is from `predict` on the same rows."""
    for name, most in (("all", np.inf), (f"under {LOW_UTILISATION:.0%} of capacity", LOW_UTILISATION)):
        part = [row for row in rows if not row.reason and row.utilisation <= most]
        apart = np.abs([row.plan_tpot_s / row.predict_tpot_s - 1.0 for row in part])
        if part:
            figures = (np.median(apart), np.quantile(apart, 0.9), np.mean(apart <= 0.01), np.mean(apart <= 0.1))
            yield [name, str(len(part)), *(percent(float(figure)) for figure in figures)]


def report(
    title: str, rows: Sequence[PlannedRow], alone: Sequence[PlannedRow], most_worst: int = WORST_SHOWN
) -> list[str]:
    """The plan's errors, its worst set-ups, and what it refuses."""
    classes = [[name, *scores(part)] for name, test in CLASSES if (part := [row for row in rows if test(row)])]
    parts = [
        ("", ["class", *SCORE_HEAD], classes),
        ("Requests alone", ALONE_HEAD, list(alone_scores(alone))),
        ("Against predict", AGAINST_HEAD, list(against_predict(rows))),
        ("Set-ups furthest off", ["set-up", "rows", "plan over measured", "one replica carries"],
         worst_setups(rows, most_worst)),
        ("Rows that the plan refuses", ["reason", "set-up", "rows"], list(refusals([*rows, *alone]))),
    ]  # fmt: skip
    return sections(title, [(heading, markdown(head, body)) for heading, head, body in parts if body])


COLUMNS = (
    "case_id", "model", "accelerator", "engine", "release", "tp", "dp", "ep", "dense_format", "expert_format",
    "asked_format", "isl", "osl", "concurrency", "may_speculate", "rate_per_s", "tpot_ms", "plan_tpot_ms",
    "predict_tpot_ms", "ttft_ms", "plan_ttft_ms", "predict_ttft_ms", "replicas", "utilisation", "is_in_band", "refusal",
)  # fmt: skip


def csv_cells(row: PlannedRow) -> list[object]:
    """A row under `COLUMNS`; times in milliseconds."""
    case, layout, source = row.measured.case, row.measured.case.layout, row.measured.source
    times = (row.tpot_s, row.plan_tpot_s, row.predict_tpot_s, row.ttft_s, row.plan_ttft_s, row.predict_ttft_s)
    return [
        case.case_id, case.model.name, case.accelerator, case.engine, row.measured.row["backend_version"],
        layout.tensor_parallel, layout.data_parallel, layout.expert_parallel, case.dense_format,
        case.expert_format, row.weight_precision, case.prompt_tokens, case.output_tokens, case.concurrency,
        int(source.may_speculate), f"{row.rate_per_s:.5g}", *(f"{1e3 * time:.5g}" for time in times),
        f"{row.replicas:g}", f"{row.utilisation:.3f}", int(row.is_in_band), row.reason,
    ]  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.fidelity.plan_path", description=__doc__)
    parser.add_argument("--left-out", action="store_true", help="by fits that have not seen a row's model × device")
    parser.add_argument("--wide", action="store_true", help="also rows with EP or data-parallel attention, apart")
    parser.add_argument("--users", action="store_true", help="with the run's users instead of its rate")
    parser.add_argument("--rows-per-setup", type=int, default=0, metavar="N", help="at most so many; 0: all")
    parser.add_argument("--worst", type=int, default=WORST_SHOWN, metavar="N", help="set-ups to print")
    parser.add_argument("--csv", type=Path, metavar="OUT", help="write every row there")
    chosen = parser.parse_args(arguments)
    shipped = shipped_context()
    cases, _ = measured_cases("serving", shipped.catalog, shipped.calibration)
    contexts = left_out(cases, shipped).contexts if chosen.left_out else {}

    def answered(wide: bool) -> list[PlannedRow]:
        return planned_rows(askable(cases, wide, chosen.rows_per_setup), shipped, contexts, chosen.users)

    alone, _ = measured_cases("inference", shipped.catalog, shipped.calibration)
    how = "groups of architecture × accelerator left out" if chosen.left_out else "without your runs"
    rows, wide_rows = answered(False), answered(True) if chosen.wide else []
    asked = "with their users in a loop" if chosen.users else "at their rates"
    title = f"Published closed loops asked of the plan {asked}, {how}"
    print("\n".join(report(title, rows, lone_prompts(alone, shipped), chosen.worst)))
    if wide_rows:
        print("\n".join(report(f"{title}: expert parallelism or attention in groups", wide_rows, (), chosen.worst)))
    if chosen.csv:
        write_rows(chosen.csv, COLUMNS, map(csv_cells, [*rows, *wide_rows]))


if __name__ == "__main__":
    main()
