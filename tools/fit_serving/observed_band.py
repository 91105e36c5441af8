"""Bands of what sources observe, clients and recipes included; the program's own are `engine.evidence.certainty`'s."""

from __future__ import annotations

from collections.abc import Sequence

from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.domain.serving_band import ServingBand
from gpuplanner_gui.domain.serving_case import ServingCase
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.predict.bands import open_loop_quantity, quantity_of
from gpuplanner_gui.engine.serving.rates import family_of


def loop_band(case: ServingCase, metric: str, bands: Sequence[ServingBand], context: Context) -> tuple[float, float]:
    """Logarithms of the band's ends around a loop or pools; other loads take the closed loop's."""
    phase = "prefill" if quantity_of(metric) == "prefill" else "decode"
    quantity = open_loop_quantity(metric) if case.load == "open_loop" else phase
    found = {(band.load, band.quantity): band for band in bands}
    band = found.get((case.load, quantity)) or found.get(("closed_loop", phase))
    if band is None:
        spread = Z_80 * context.calibration.engine(case.engine).log_sd
        return -spread, spread
    width = band.width(band_levels(case, context))
    return band.low * width, band.high * width


FORMAT_WIDTHS = {
    "": "own", "bf16": "16 bit", "fp16": "16 bit", "nvfp4": "4 bit", "mxfp4": "4 bit", "int4": "4 bit",
}  # fmt: skip
"""Formats as bands tell them apart; what is not here has 8 bits."""


def band_levels(case: ServingCase, context: Context) -> dict[str, str]:
    """The traits of a case that widen its band; one that leaves its pools' workers open has no narrow one."""
    device = context.catalog.accelerators[case.accelerator]
    return {
        "engine": case.engine,
        "kind": "dense" if case.model.kind == "dense_decoder" else "other",
        "workers": "unsaid" if case.layout.replicas == 0 else "said",
        "family": family_of(device, context.calibration.families).family,
        "precision": FORMAT_WIDTHS.get(case.expert_format or case.dense_format, "8 bit"),
    }
