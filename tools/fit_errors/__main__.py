"""Fit the errors of installations that nobody has measured, and write `catalogs/error_hierarchy.json`.

    python -m tools.fit_errors

Run after `tools.fit_serving`: it asks for errors of the engines as they then stand.
"""

from __future__ import annotations

from collections import defaultdict

import msgspec
import numpy as np

from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.domain.knowledge import ErrorHierarchy, StatisticWidth
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.predict.door import loop_log_sds, open_loop_quantity, serving_answers
from tools.fidelity.publishers import OLD_RELEASES, error_rows
from tools.fit_errors.fit import COVERED, fitted
from tools.fit_serving.parameters import weighted_quantile
from tools.fit_serving.tables import measured_cases
from tools.repository import CATALOGS, shipped_context, write_json

OUTPUT = CATALOGS / "error_hierarchy.json"
STATISTICS = ("decode_tail", "prefill_tail", "rate", "whole")
DATE = "2026-11"


def hierarchy(context: Context) -> ErrorHierarchy:
    """Errors of both phases over all publishers of present releases; of training, those that stand.

    Training's steps are held near the very runs that a fit would judge them by.
    """
    known = context.calibration.errors
    rows = [row for row in error_rows(context) if row.publisher not in OLD_RELEASES]
    decode, prefill = (fitted([row for row in rows if row.phase == phase]) for phase in ("decode", "prefill"))
    found = ErrorHierarchy(
        decode=decode, prefill=prefill, training=known.training, memory=known.memory,
        statistics=(), publishers=len({row.publisher for row in rows}), rows=len(rows),
        source="tools.fit_errors: errors at publishers that the engines were not fitted to", date=DATE,
    )  # fmt: skip
    calibration = msgspec.structs.replace(context.calibration, errors=found)
    widths = statistic_widths(Context(context.catalog, calibration))
    return msgspec.structs.replace(found, statistics=widths)


def statistic_widths(context: Context) -> tuple[StatisticWidth, ...]:
    """What statistics of runs at a rate vary by over their phase, every source counting once."""
    sizes: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for table in ("open_loop", "publishers_open"):
        cases, _ = measured_cases(table, context.catalog, context.calibration)
        for one, answers in zip(cases, serving_answers([one.case for one in cases], context), strict=True):
            values = {answer.metric: answer.value for answer in answers}
            publisher = one.row.get("publisher") or one.row["source"].partition("@")[0]
            for question in one.questions:
                value, statistic = values[question.asked], open_loop_quantity(question.asked)
                if question.measured and value and statistic in STATISTICS:
                    log = float(np.log(question.measured / question.per_si_unit / value))
                    spread = loop_log_sds(one.case, question.asked, context)[log > 0]
                    sizes[statistic][publisher].append(abs(log) / (Z_80 * spread))
    return tuple(_of_statistic(name, list(sizes[name].values())) for name in STATISTICS)


def _covering(sizes: list[list[float]]) -> float:
    size = np.concatenate([np.array(own) for own in sizes])
    weight = np.concatenate([np.full(len(own), 1.0 / len(own)) for own in sizes])
    return float(f"{weighted_quantile(size, weight, COVERED):.3g}")


def _of_statistic(name: str, sizes: list[list[float]]) -> StatisticWidth:
    """A tail is never surer than its mean."""
    least = 1.0 if name.endswith("_tail") else 0.0
    return StatisticWidth(statistic=name, factor=max(_covering(sizes), least))


def main() -> None:
    """Fit and write."""
    found = hierarchy(shipped_context())
    write_json(OUTPUT, msgspec.to_builtins(found))
    print(f"{found.publishers} publishers, {found.rows} rows.")


if __name__ == "__main__":
    main()
