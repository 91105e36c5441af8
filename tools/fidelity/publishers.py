"""How well the program predicts publishers that it has not seen: each left out as a whole, each counting once.

    python -m tools.fidelity.publishers

The engines were fitted to the table of serving results alone, so every other publisher is new to them; rows of that
table are predicted by fits without their group of architecture × accelerator, and count as one publisher per engine.
The errors that make the bands are fitted without the publisher that is judged. Writes `build/fidelity/publishers.md`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.uncertainty.distributions import normal_quantile
from gpuplanner_gui.engine.uncertainty.sampling import CHANCES
from tools.fidelity.left_out import left_out, plain_times
from tools.fidelity.report_text import markdown, sections, write_report
from tools.fit_errors.fit import ErrorRow, fitted, log_sd_of, traits_of_row
from tools.fit_serving.tables import TABLES, MeasuredCase, measured_cases
from tools.repository import grouped, shipped_context, table_rows

FEWEST_ROWS = 5
"""Rows from which a publisher counts."""
PACKAGE = "aiconfigurator"
"""Publisher of the table that engines are fitted to."""
OLD_RELEASES = ("NVIDIA NIM course",)
"""Publishers of releases of long ago: they teach what releases cost, and say nothing of the present one."""
UNUSABLE_TTFT = ("queueing", "kv_", "one_wave", "burst_batch", "offline_burst", "prefix_hits", "derived_from_rates")
"""Beginnings of flags of rows whose first tokens are not judged."""
SURE = float(normal_quantile(CHANCES["p80"]))
"""Of a band's spread, by which machines are taken to be slower for a fleet at 80 %."""
METRICS = {"tpot_mean": "decode", "ttft_mean": "prefill"}


@dataclass(frozen=True)
class PublisherScore:
    """One publisher's rows of one phase."""

    publisher: str
    rows: int
    error: float
    """Median size of predicted over measured, less one."""
    bias: float
    """Median of measured over predicted."""
    held: float
    """Share of the rows in the 80 % band."""
    confirmed: float
    """Share that took no longer than a fleet at 80 % is sized for."""
    width: float
    """Median of the band's upper end over its lower."""


def error_rows(context: Context) -> list[ErrorRow]:
    """Every usable row of every publisher, predicted by engines that have not seen it."""
    cases, _ = measured_cases("serving", context.catalog, context.calibration)
    found = list(_rows_of([(f"{PACKAGE}, {one.case.engine}", one) for one in cases],
                          left_out(cases, context).plain_s, context))  # fmt: skip
    for table in ("publishers", "publishers_open"):
        strangers, _ = measured_cases(table, context.catalog, context.calibration)
        named = [(one.row["publisher"], one) for one in strangers]
        found += _rows_of(named, plain_times(strangers, context), context)
    return found


def _rows_of(
    named: Sequence[tuple[str, MeasuredCase]], times: Mapping[str, Mapping[str, float]], context: Context
) -> list[ErrorRow]:
    found = []
    for publisher, one in named:
        for question in one.questions:
            phase, said = METRICS.get(question.asked), times.get(one.case.case_id, {}).get(question.asked)
            if phase is None or not question.measured or not said or not np.isfinite(said):
                continue
            if phase == "prefill" and has_unusable_ttft(one.row):
                continue
            log = float(np.log(question.measured / question.per_si_unit / said))
            is_lone = one.case.load == "closed_loop" and one.case.concurrency <= 1
            found.append(ErrorRow(publisher, phase, log, traits_of_row(one.case, log, context), is_lone,
                                  group_of(one.case), one.case.load))  # fmt: skip
    return found


def group_of(case: ServingCase) -> str:
    """What runs of one publisher share that are of one set-up."""
    return f"{case.model.name} {case.accelerator} {case.engine}"


def has_unusable_ttft(row: Mapping[str, str]) -> bool:
    """Whether the source says that its first tokens were measured in a crowd that is not described."""
    flags = (row.get("flag") or row.get("notes", "").partition("FLAGS:")[2].partition(".")[0]).split("|")
    return any(flag.strip().startswith(UNUSABLE_TTFT) for flag in flags)


def counted(rows: Sequence[ErrorRow]) -> dict[str, list[ErrorRow]]:
    """Rows by publisher, of those that count."""
    by_publisher = sorted(grouped(rows, lambda row: row.publisher).items())
    return {name: own for name, own in by_publisher if len(own) >= FEWEST_ROWS}


def left_out_scores(rows: Sequence[ErrorRow], phase: str, is_lone: bool | None = None) -> list[PublisherScore]:
    """Every publisher within bands that follow from all others."""
    own_phase = [row for row in rows if row.phase == phase]
    asked = [row for row in own_phase if is_lone is None or row.is_lone == is_lone]
    found = []
    for publisher, own in counted(asked).items():
        others = [row for row in own_phase if row.publisher not in (publisher, *OLD_RELEASES)]
        error = fitted(others)
        logs, spread = np.array([row.log for row in own]), np.array([log_sd_of(row, error) for row in own])
        found.append(
            PublisherScore(publisher, len(own), float(np.median(np.abs(np.exp(-logs) - 1))),
                           float(np.exp(np.median(logs))), float(np.mean(np.abs(logs) <= Z_80 * spread)),
                           float(np.mean(logs <= SURE * spread)),
                           float(np.exp(2 * Z_80 * np.median(spread))))
        )  # fmt: skip
    return found


def present(scores: Sequence[PublisherScore]) -> list[PublisherScore]:
    """Those of present releases, by which the program is judged."""
    return [one for one in scores if one.publisher not in OLD_RELEASES]


def confirmed_fleets(rows: Sequence[ErrorRow]) -> float:
    """Share of published latencies of either phase that took no longer than a fleet at 80 % is sized for, publishers
    each once."""
    scores = [one for phase in METRICS.values() for one in present(left_out_scores(rows, phase))]
    kept: dict[str, float] = defaultdict(float)
    asked: dict[str, int] = defaultdict(int)
    for one in scores:
        kept[one.publisher] += one.confirmed * one.rows
        asked[one.publisher] += one.rows
    return float(np.mean([kept[name] / asked[name] for name in asked]))


def summary(scores: Sequence[PublisherScore]) -> str:
    """Publishers that count, each once."""
    own = present(scores)
    error, held, confirmed, width = (
        np.array([getattr(one, name) for one in own]) for name in ("error", "held", "confirmed", "width")
    )
    return (
        f"{len(own)} publishers: median of medians {np.median(error):.1%}, in the 80 % band {held.mean():.1%}, "
        f"as fast as a fleet at 80 % is sized for {confirmed.mean():.1%}, "
        f"median width {np.median(width):.2f} times"
    )


def answered(context: Context) -> list[list[str]]:
    """Rows of each publisher that could be read as a case, and all."""
    found = []
    for table in ("publishers", "publishers_open"):
        cases, refused = measured_cases(table, context.catalog, context.calibration)
        names = {row["case_id"]: row["publisher"] for row in table_rows(TABLES[table][0])}
        read, all_rows = (
            [one.row["publisher"] for one in cases],
            [one.row["publisher"] for one in cases] + [names[one.case_id] for one in refused],
        )
        found += [[name, table, f"{read.count(name)} of {all_rows.count(name)}"] for name in sorted(set(all_rows))]
    return found


PARTS = (
    ("TPOT", "decode", None), ("TTFT of lone prompts", "prefill", True), ("TTFT of crowds", "prefill", False),
)  # fmt: skip


def report(rows: Sequence[ErrorRow], context: Context) -> list[str]:
    """The report's lines."""
    parts = []
    for title, phase, is_lone in PARTS:
        scores = left_out_scores(rows, phase, is_lone)
        table = [
            [one.publisher + (" (old release, not counted)" if one.publisher in OLD_RELEASES else ""), str(one.rows),
             f"{one.error:.1%}", f"{one.bias:.2f}", f"{one.held:.0%}", f"{one.confirmed:.0%}", f"{one.width:.2f}"]
            for one in sorted(scores, key=lambda one: one.error)
        ]  # fmt: skip
        head = ["publisher", "rows", "median error", "measured / predicted", "in band", "confirmed", "width"]
        parts.append((title, [summary(scores) + ".", "", *markdown(head, table)]))
    answers = markdown(["publisher", "table", "rows"], answered(context))
    fleets = [f"{confirmed_fleets(rows):.1%} of published latencies, TPOT and TTFT, each publisher once."]
    return sections("Publishers left out", [*parts, ("Fleets at 80 % confirmed", fleets), ("Answered", answers)])


def main() -> None:
    """Print and write the report."""
    context = shipped_context()
    write_report("publishers.md", report(error_rows(context), context))


if __name__ == "__main__":
    main()
