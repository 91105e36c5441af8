"""The errors of installations: their fit covers publishers that it has not seen, simulated and real."""

from __future__ import annotations

import numpy as np
import pytest

from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from tools.fidelity.publishers import error_rows, left_out_scores, present
from tools.fit_errors.fit import REASONS, ErrorRow, fitted, log_sd_of


def simulated(seed: int, publishers: int) -> list[ErrorRow]:
    """Publishers whose errors are their installation's, their device's where it is unseen, and each run's."""
    random, rows = np.random.default_rng(seed), []
    for publisher in range(publishers):
        is_unseen, installation = publisher % 2 == 1, random.normal(0, 0.15)
        device = random.normal(0, 0.3) * is_unseen
        traits = tuple(float(name == "run" or (name == "unpublished" and is_unseen)) for name in REASONS)
        for _ in range(int(random.integers(5, 200))):
            log = installation + device + random.normal(0, 0.1)
            rows.append(ErrorRow(f"{publisher}", "decode", float(log), traits, False, ""))
    return rows


def test_simulated_publishers_left_out_lie_in_their_bands():
    held = []
    for seed in range(20):
        rows = simulated(seed, 14)
        for publisher in sorted({row.publisher for row in rows}):
            error = fitted([row for row in rows if row.publisher != publisher])
            own = [row for row in rows if row.publisher == publisher]
            held.append(np.mean([abs(row.log) <= Z_80 * log_sd_of(row, error) for row in own]))
    assert 0.75 <= np.mean(held) <= 0.87


def test_an_unseen_device_costs_width_that_follows_from_its_publishers():
    error = fitted(simulated(1, 200))
    assert np.hypot(error.installation, error.run) == pytest.approx(np.hypot(0.15, 0.1), rel=0.2)
    assert error.unpublished == pytest.approx(0.3, rel=0.25)


@pytest.mark.deep
def test_real_publishers_left_out_lie_in_their_bands():
    rows = error_rows(Context(load_shipped_catalog(), load_calibration()))
    tpot = present(left_out_scores(rows, "decode"))
    assert len(tpot) >= 13
    assert 0.70 <= np.mean([one.held for one in tpot]) <= 0.90
    assert np.median([one.width for one in tpot]) <= 3.3
    assert np.median([one.error for one in tpot]) <= 0.18
