"""What looks wrong in a device's specification, as sentences."""

from __future__ import annotations

from gpuplanner_gui.domain.field import field_of
from gpuplanner_gui.domain.hardware import Accelerator, PeakRates, SpecDoubt
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.units import format_value

_SENTENCES = {
    "sparse": "{field}: {stated} is twice what {against} does for each compute unit and clock. Is it the rate with "
    "structured sparsity? The dense rate would be {expected}.",
    "sparse_beside": "{field}: {stated} is four times the rate of {against}. Is it the rate with structured sparsity? "
    "The dense rate would be {expected}.",
    "tebi": "{field}: {stated} looks like a figure in TB/s that was typed in TiB/s; that would be {expected}.",
    "bits": "{field}: {stated} is eight times too high. Was it stated in bits per second? That would be {expected}.",
    "both_directions": "{field}: {stated} looks like both directions together. One direction would be {expected}.",
    "off_bus": "{field}: {stated} does not match the bus width and rate per pin, which give {expected}.",
    "off_lanes": "{field}: {stated} does not match generation and lanes, which give {expected}.",
    "decimal_memory": "{field}: {stated} looks like a decimal unit, but memory is built in powers of two. It is "
    "probably {expected}.",
    "above_nominal": "{field}: {stated} must be at most the nominal memory, {expected}.",
    "kilowatts": (
        "{field}: {stated} is too low for these peak rates. Was it stated in kilowatts? That would be {expected}."
    ),
    "below_idle": "{field}: {stated} must be more than the idle power, {expected}.",
    "rate_per_watt": "{field}: {stated} is far from the typical {expected} of {against} at these peak rates.",
}
_GROUPS = {"scale_up": "Scale-up fabric", "pcie": "PCIe"}
_UNITS = {"memory_nominal_bytes": "B", "memory_usable_bytes": "B", "tdp_w": "W"}


def doubt_sentence(doubt: SpecDoubt) -> str:
    """The doubt as a sentence that names the figure, what it might be, and what it would then be."""
    unit = _unit(doubt.field)
    against = doubt.against.upper() if doubt.code == "sparse_beside" else doubt.against
    return tr(_SENTENCES[doubt.code]).format(
        field=doubt_field(doubt),
        stated=format_value(doubt.stated, unit),
        expected=expected_text(doubt),
        against=against,
    )


def doubt_field(doubt: SpecDoubt) -> str:
    """Title of the doubted figure."""
    head, _, inner = doubt.field.partition(".")
    if head == "peak_dense_flop_per_s":
        return tr(field_of(PeakRates, inner).about.title)
    return tr(_GROUPS[head]) if head in _GROUPS else tr(field_of(Accelerator, head).about.title)


def _unit(path: str) -> str:
    if path.startswith("peak_dense_flop_per_s."):
        return field_of(PeakRates, path.partition(".")[2]).about.unit
    return _UNITS.get(path, "B/s")


def expected_text(doubt: SpecDoubt) -> str:
    """What the figure would be if the doubt is right."""
    return format_value(doubt.expected, _unit(doubt.field))
