"""How well separate prefill and decode pools are predicted on models × accelerators that their fit has not seen.

    python -m tools.fidelity.pools

What pools add (drafts, waiting groups, the way between pools) is fitted without each group of canonical architecture ×
accelerator in turn, bands likewise; engines' other facts are those that ship. Rows are told apart by what is known of
them. Writes `build/fidelity/pools.md`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.evidence.certainty import CALIBRATED_ENGINES
from gpuplanner_gui.engine.serving.predict.door import loop_log_sds
from tools.fidelity.left_out import plain_times
from tools.fidelity.report_text import markdown, percent, sections, write_report
from tools.fidelity.serving import HEAD, JudgedRow, judged, rows_by, scores
from tools.fit_serving.bands import bands_of, observed_ends, pool_residuals
from tools.fit_serving.pools import (
    LeftOutFacts,
    PoolProblem,
    all_pool_facts,
    left_out_facts,
    left_out_logs,
    pool_problem,
    predicted_s,
)
from tools.fit_serving.tables import MeasuredCase, completed, load_pool_recipes, measured_cases, ways_of
from tools.repository import shipped_context

KINDS = {
    "stated": "the row says its workers",
    "recipe": "one published recipe fits",
    "ways": "several published recipes fit",
    "unsaid": "neither said nor published",
}


@dataclass(frozen=True)
class Pools:
    """Judged rows of pools with what is known of each, by case."""

    rows: list[JudgedRow]
    kinds: dict[str, str]

    def of(self, kind: str) -> list[JudgedRow]:
        """Rows of which so much is known."""
        return [row for row in self.rows if self.kinds[row.case_id] == kind]


def kind_of(one: MeasuredCase) -> str:
    """What is known of a row's pools."""
    if one.ways:
        return "ways"
    if one.source.may_speculate:
        return "unsaid"
    return "stated" if one.row.get("decode_num_workers") else "recipe"


def judged_pools(problems: Sequence[PoolProblem], facts: LeftOutFacts, context: Context, as_stated: bool) -> Pools:
    """TTFT and TPOT of every pool by facts and bands that have not seen its group."""
    logs = left_out_logs(problems, facts, context, as_stated)
    residuals = [
        one for problem in problems for one in pool_residuals(problem, logs[problem.engine.engine], context, as_stated)
    ]
    bands = {
        group: bands_of([one for one in residuals if one.group != group])
        for group in sorted({one.group for one in residuals})
    }
    rows, kinds = [], {}
    for problem in problems:
        plain_s = plain_times(problem.read(as_stated), context)
        measured = dict(zip(("ttft_ms", "tpot_ms"), problem.measured_s))
        predicted = dict(zip(measured, logs[problem.engine.engine]))
        for index, (one, in_full) in enumerate(zip(problem.read(as_stated), problem.cases)):
            kinds[one.case.case_id] = kind_of(in_full)
            for metric, said in measured.items():
                low, high = observed_ends(one, metric, bands[one.group], context)
                away = float(np.log(said[index]) - predicted[metric][index])
                if np.isfinite(away):
                    value = 1e3 * float(np.exp(predicted[metric][index]))
                    row = judged(one, metric, 1e3 * float(said[index]), value, low <= away <= high, context)
                    plain = 1e3 * plain_s[one.case.case_id][metric.replace("_ms", "_mean")]
                    low_sd, high_sd = loop_log_sds(one.case, metric, context)
                    is_plain_held = -Z_80 * low_sd <= np.log(row.measured / plain) <= Z_80 * high_sd
                    rows.append(replace(row, plain=plain, is_plain_held=bool(is_plain_held)))
    return Pools(rows, kinds)


def oracle_rows(problems: Sequence[PoolProblem], context: Context) -> list[list[str]]:
    """What one who knew which of the fitting recipes ran would reach, with shipped facts: the best of a row's ways."""
    middle_errors, best_errors = [], []
    facts = all_pool_facts(problems, context)
    for problem in problems:
        open_rows = np.array([bool(one.ways) for one in problem.cases], np.bool_)
        if not open_rows.any():
            continue
        part = problem.at(open_rows)
        case_of, ways = ways_of(part.cases)
        _, tpot_s = predicted_s(ways, problem.engine, facts[problem.engine.engine], context)
        logs = np.log(tpot_s / part.measured_s[1][case_of])
        for index in range(len(part.cases)):
            own = logs[case_of == index]
            middle_errors.append(np.mean(own))
            best_errors.append(own[np.argmin(np.abs(own))])
    return [
        [name, str(len(found)), percent(float(np.median(size))), percent(float(np.quantile(size, 0.9)))]
        for name, found in (("the middle of them", middle_errors), ("the best of them", best_errors))
        if len(found)
        for size in [np.abs(np.exp(np.array(found)) - 1.0)]
    ]


def twin_rows(plain: Sequence[MeasuredCase]) -> list[list[str]]:
    """Rows that agree in every stated column and differ in what was measured: how far apart TPOT is."""
    twins: dict[tuple[str, ...], set[float]] = defaultdict(set)
    counts: dict[tuple[str, ...], int] = defaultdict(int)
    for one in plain:
        said = tuple(value for name, value in one.row.items() if not name.startswith(("case_id", "measured_t")))
        twins[said].add(float(one.row["measured_tpot_ms"]))
        counts[said] += 1
    apart = [(max(values) / min(values), counts[said]) for said, values in twins.items()]
    return [[f"{ratio:g} times", str(sum(count for far, count in apart if far >= ratio))] for ratio in (1.2, 1.5, 2.0)]


def rows_by_kind(found: Pools, metrics: Sequence[str]) -> list[list[str]]:
    """Scores of each metric by what is known."""
    return [
        [metric, said, *scores([row for row in found.of(kind) if row.metric == metric])]
        for metric in metrics
        for kind, said in KINDS.items()
    ]


def report(found: Pools, with_recipes: Pools, problems: Sequence[PoolProblem], context: Context) -> list[str]:
    head = ["metric", "what is known", *HEAD]
    tpot = [row for row in found.rows if row.metric == "tpot_ms"]
    plain = [one for problem in problems for one in problem.plain]
    parts = [
        ("All, groups of architecture × accelerator left out (target: TPOT 20 %)",
         markdown(["metric", *HEAD], rows_by(found.rows, lambda row: row.metric))),
        ("By what is known", markdown(head, rows_by_kind(found, ("tpot_ms", "ttft_ms")))),
        ("With workers and drafts from the recipes that the rows' source publishes, which the program does not know",
         markdown(["metric", *HEAD], rows_by(with_recipes.rows, lambda row: row.metric))),
        ("The same by what is known", markdown(head, rows_by_kind(with_recipes, ("tpot_ms",)))),
        ("TPOT where several recipes fit, as shipped",
         markdown(["predicted is", "rows", "median error", "90th percentile"], oracle_rows(problems, context))),
        ("Rows equal in every stated column whose TPOT differs by at least",
         markdown(["factor", "rows"], twin_rows(plain))),
        ("TPOT by group and engine",
         markdown(["group", *HEAD], rows_by(tpot, lambda row: f"{row.group}, {row.engine}"))),
    ]  # fmt: skip
    return sections("Separate pools against published results", parts)


def main() -> None:
    context = shipped_context()
    catalog, calibration = context.catalog, context.calibration
    plain, _ = measured_cases("serving", catalog, calibration)
    in_full = [completed(one, catalog, load_pool_recipes()) for one in plain]
    problems = [pool_problem(in_full, plain, calibration.engine(engine)) for engine in CALIBRATED_ENGINES]
    facts = left_out_facts(problems, context)
    as_they_stand, with_recipes = (judged_pools(problems, facts, context, as_stated) for as_stated in (True, False))
    write_report("pools.md", report(as_they_stand, with_recipes, problems, context))


if __name__ == "__main__":
    main()
