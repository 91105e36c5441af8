"""Figures of the collected facts that a vendor's own documents contradict, with the reason for each change."""

from __future__ import annotations

from typing import Any, NamedTuple

from tools.make_catalogs.additions import QUALCOMM_SOURCE


class Correction(NamedTuple):
    """What is changed in an entry, why, and who says so."""

    changes: dict[str, Any]
    """A rate or a size replaces the collected one."""
    reason: str
    source: str
    superseded_notes: tuple[str, ...] = ()
    """Collected notes that are wrong."""


CORRECTIONS: dict[str, Correction] = {
    "qualcomm-ai100-standard": Correction(
        {"peak_dense_flop_per_s": {"fp16": 110e12, "int8": 325e12}},
        "the vendor's documentation states 110 TFLOP/s and 325 TOP/s; summaries print 175 and 350",
        QUALCOMM_SOURCE,
    ),
    "qualcomm-ai100-ultra": Correction(
        {"peak_dense_flop_per_s": {"fp16": 290e12, "int8": 870e12}},
        "the vendor's documentation states 290 TFLOP/s; summaries print 288",
        QUALCOMM_SOURCE,
    ),
    "amd-rx-9070-xt": Correction(
        {"memory_bandwidth_bytes_per_s": 640_000_000_000},
        "256 bit x 20 Gbit/s per pin, as the vendor states it; a third-party database prints 644.6 GB/s",
        "AMD's specifications of the Radeon RX 9070 series, as press reported them",
    ),
    "amd-radeon-ai-pro-r9700": Correction(
        {"memory_bandwidth_bytes_per_s": 640_000_000_000},
        "256 bit x 20 Gbit/s per pin, as of the Radeon RX 9070 XT; a third-party database prints 644.6 GB/s",
        "AMD product page of the Radeon AI PRO R9700, not re-read",
    ),
    "tenstorrent-wormhole-n300": Correction(
        {},
        "block fp8 runs at 262 TFLOP/s; 192 MB SRAM listed as l2_bytes",
        "Tenstorrent documentation, Wormhole specifications",
        superseded_notes=("fp8 figure is block-fp8; 192 MB SRAM listed as l2_bytes",),
    ),
    "tenstorrent-blackhole-p150": Correction(
        {
            "peak_dense_flop_per_s": {"fp16": 332e12, "bf16": 332e12, "fp8": 664e12},
            "sm_count": 120,
            "l2_bytes": 180 * 2**20,
        },
        "fp8 figure is block fp8; since February 2026 the firmware leaves 120 of 140 cores, 664 of 774 TFLOP/s; "
        "16 bits run at half of it, not at a quarter as summaries print",
        "ServerNews, February 2026; The Register on Hot Chips 2024 (372 of 745 TFLOP/s)",
        superseded_notes=("fp8 figure is block-fp8; firmware later exposes 120 Tensix on some cards",),
    ),
}
"""By identifier of the collected entry."""
