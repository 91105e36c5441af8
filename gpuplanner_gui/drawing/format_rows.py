"""Number formats by accelerator and engine, as a table and in words: the same for window and command line."""

from __future__ import annotations

from collections.abc import Sequence

from gpuplanner_gui.domain.hardware import Accelerator
from gpuplanner_gui.domain.serving_engine import FormatSupport, PrecisionSupport, Support, SupportedOperation
from gpuplanner_gui.drawing.details import Detail
from gpuplanner_gui.drawing.language import CodeNames, tr
from gpuplanner_gui.drawing.rows import Cell, Column, Rows
from gpuplanner_gui.drawing.words.candidates import precision_name
from gpuplanner_gui.drawing.words.choices import words_of_choice
from gpuplanner_gui.engine.model.precision import PRECISIONS, format_support, hardware_support

level_name = CodeNames({Support.NATIVE: "native", Support.EMULATED: "emulated", Support.NONE: "not supported"})
OPERATION_NAMES: dict[SupportedOperation, str] = {
    "products": "Matrix products", "experts": "Experts", "kv_cache": "KV cache",
}  # fmt: skip
SHOWN = tuple(name for name in PRECISIONS if name != "tf32")
"""TF32 is no format that weights are stored in."""


def cell_text(one: FormatSupport) -> str:
    """native; emulated (weight-only by Marlin kernels); in brackets where nothing is recorded of the engine."""
    text = level_name(one.level)
    if not one.is_recorded:
        return f"({text})"
    return f"{text} ({one.note})" if one.note else text


def format_table(
    support: PrecisionSupport, accelerators: Sequence[Accelerator], engine: str, operation: SupportedOperation
) -> Rows:
    """A line for each accelerator, a column for each format."""
    columns = (Column(tr("Accelerator")), *(Column(precision_name(name)) for name in SHOWN))
    cells: list[tuple[Cell, ...]] = []
    for accelerator in accelerators:
        found = [format_support(support, engine, accelerator, name, operation) for name in SHOWN]
        levels = [level_name(one.level) if one.is_recorded else f"({level_name(one.level)})" for one in found]
        cells.append((accelerator.name, *levels))
    return Rows(columns, tuple(cells))


def format_details(support: PrecisionSupport, accelerator: Accelerator) -> Detail:
    """Number formats of a catalogue entry: support by hardware and engines, with sources."""
    parts = []
    for name in SHOWN:
        hardware = level_name(hardware_support(accelerator, name))
        lines = []
        for engine in support.engines:
            found = [
                format_support(support, engine.engine, accelerator, name, operation) for operation in OPERATION_NAMES
            ]
            lines += [_engine_line(one) for one in found if one.is_recorded and one.operation != "experts"]
        parts.append(
            Detail(
                tr("{precision} weights").format(precision=precision_name(name)),
                hardware,
                tr("Formats that the hardware supports."),
                tuple(lines),
            )
        )
    return Detail(
        tr("Number formats"), "", tr("Native, emulated (unpacked to 16 bits first), or not supported."), tuple(parts)
    )


def _engine_line(one: FormatSupport) -> Detail:
    name = words_of_choice(one.engine)
    title = name if one.operation == "products" else tr("{engine}, KV cache").format(engine=name)
    return Detail(title, cell_text(one), one.source)
