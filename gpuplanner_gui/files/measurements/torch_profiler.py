"""PyTorch profiler's `key_averages().table()`: fixed columns, names may be cut; device columns where there is one.

What matters for a plan is where the time goes: matrix products, attention, communication, copies, the rest.
"""

from __future__ import annotations

import re

from gpuplanner_gui.domain.measurement import MeasurementContext, figure
from gpuplanner_gui.files.errors import said
from gpuplanner_gui.files.measurements.importer import Findings, Importer, Look
from gpuplanner_gui.files.measurements.source import Source
from gpuplanner_gui.files.measurements.values import count, number, seconds

SELF_COLUMNS = ("Self CUDA", "Self XPU", "Self HPU", "Self MTIA", "Self CPU")
"""The device's own time where it has a column, else the host's."""
CLASSES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "communication",
        re.compile(r"[nr]ccl|all_?reduce|all_?gather|reduce_?scatter|c10d|all_?to_?all|sendrecv", re.I),
    ),
    ("attention", re.compile(r"attention|flash|fmha|sdpa|softmax", re.I)),
    ("products", re.compile(r"gemm|matmul|::mm|::bmm|addmm|linear|cutlass|cublas|conv|wgmma|nvjet", re.I)),
    ("copies", re.compile(r"memcpy|copy_|::to$|_to_copy|pin_memory", re.I)),
    ("optimizer", re.compile(r"adam|optimizer|foreach|sgd|multi_tensor", re.I)),
)
OTHER = "other"
MAIN_CLASSES = ("products", "attention")


def recognises(look: Look) -> bool:
    return re.search(r"^[ \t]*Name\s{2,}Self CPU %\s", look.head, re.MULTILINE) is not None


def read(source: Source, look: Look) -> Findings:
    """Time of the operators' own work by class, and each class's share."""
    findings = Findings()
    columns: list[str] = []
    totals: dict[str, float] = {}
    first, rows = 0, 0
    for line, text in source.lines():
        cells = _cells(text)
        if not columns:
            if len(cells) > 3 and cells[0] == "Name":
                columns, first = cells, line
            continue
        own = _own_time_s(columns, cells)
        if own is None:
            continue
        rows += 1
        name = next((one for one, pattern in CLASSES if pattern.search(cells[0])), OTHER)
        totals[name] = totals.get(name, 0.0) + own
    whole = sum(totals.values())
    if not rows or whole <= 0:
        raise source.problem("", "the table has no rows with times", "Copy the complete table")
    for name, spent in sorted(totals.items(), key=lambda item: -item[1]):
        figures = [figure("kernel_time", spent, "total"), figure("kernel_share", spent / whole)]
        findings.add(MeasurementContext(operation=name), figures, first)
    main = sum(totals.get(name, 0.0) for name in MAIN_CLASSES)
    findings.remark(
        said(
            "{share} of the operators' own time is outside matrix products and attention.",
            share=f"{1 - main / whole:.0%}",
        )
    )
    return findings


def _cells(text: str) -> list[str]:
    """Columns stand at least two spaces apart; names hold single ones."""
    return [cell for cell in re.split(r"\s{2,}", text[:5000].strip()) if cell]


def _own_time_s(columns: list[str], cells: list[str]) -> float | None:
    if len(cells) != len(columns) or set(cells[0]) <= {"-"}:
        return None
    if count(cells[columns.index("# of Calls")]) < 1 if "# of Calls" in columns else False:
        return None
    position = next((columns.index(name) for name in SELF_COLUMNS if name in columns), -1)
    return seconds(cells[position]) if position >= 0 else number(None)


IMPORTER = Importer("torch_profiler", "PyTorch profiler table", recognises, read)
