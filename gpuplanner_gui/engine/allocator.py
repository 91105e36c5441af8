"""Keeps the memory of a plan's arrays for the next plan."""

from __future__ import annotations

import numpy as np

LARGEST_KEPT_BYTES = 32 * 2**20 - 2**16
"""Just below the most that the C library's limit can rise to."""


def keep_freed_memory() -> None:
    """Let the C library keep what arrays free, instead of returning it page by page and asking for it again.

    Plans make and drop hundreds of arrays of 0.1 to 1 MB; getting fresh pages for them takes longer than filling them.
    glibc raises the size from which it maps blocks by themselves when such a block is freed (mallopt(3),
    M_MMAP_THRESHOLD), so one large block that nobody touches settles it. Elsewhere this does nothing.
    """
    block = np.empty(LARGEST_KEPT_BYTES, np.uint8)
    del block
