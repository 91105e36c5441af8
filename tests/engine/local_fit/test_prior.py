"""The prior of own measurements is the error hierarchy's, shared out."""

from __future__ import annotations

import numpy as np
import pytest

from gpuplanner_gui.domain.knowledge import LocalPhase
from gpuplanner_gui.engine.evidence.posterior import Vocabulary, phase_prior, prior_variance
from gpuplanner_gui.files.knowledge import load_calibration
from tests.engine.local_fit.conftest import point, shipped_prior


def test_spreads_add_up_to_the_hierarchys() -> None:
    """0.3² of the installation and 0.7 of 0.4² of its runs, and 0.85 where all goes to one resource."""
    made = phase_prior("decode", 0.3, 0.4)
    points = [point(0.0, shares=(0.0, 0.0, 0.0, 0.0, 0.0)), point(0.0, shares=(0.0, 1.0, 0.0, 0.0, 0.0))]
    variance = prior_variance(made, Vocabulary(points).rows(points))
    assert variance == pytest.approx([0.3**2 + 0.7 * 0.4**2, 0.3**2 + 0.85 * 0.4**2])


def test_every_phase_takes_its_own_spreads() -> None:
    errors, found = load_calibration().errors, shipped_prior()
    installation: dict[LocalPhase, float] = {
        "decode": errors.decode.installation, "prefill": errors.prefill.installation,
        "training": errors.training.installation,
    }  # fmt: skip
    for phase, log_sd in installation.items():
        shared = sum(term.log_sd**2 for term in found.phases[phase].terms if not (term.lengths or term.share))
        assert np.sqrt(shared) == pytest.approx(log_sd)
    assert found.memory == errors.memory
