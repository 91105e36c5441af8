"""Audio to write down: the encoder works for new windows alone, and its output lies in every sequence's cache."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.model.operations import AttentionCore
from gpuplanner_gui.engine.serving.curves import serving_candidate
from gpuplanner_gui.engine.serving.deployments import Deployments, candidate_deployments
from gpuplanner_gui.engine.simulation.candidate_load import candidate_service
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import load_project

EXAMPLE = Path(__file__).parents[3] / "resources/examples/transcription.gpuplan"
CONTEXT = context_of(load_shipped_catalog(), load_calibration())


@pytest.fixture(scope="module")
def planned() -> tuple[Scenario, Plan]:
    scenario = load_project(EXAMPLE).scenarios[0]
    return scenario, plan(scenario, CONTEXT.catalog, CONTEXT.calibration)


@pytest.fixture(scope="module")
def deployed(planned) -> Deployments:
    scenario, found = planned
    return candidate_deployments(scenario, CONTEXT, serving_candidate(found, found.serving.best))


def test_a_sequence_keeps_the_keys_and_values_of_its_window(planned, deployed):
    # Whisper large-v3 by hand: 32 layers · 2 · 1,280 numbers for each of 1,500 positions and of the tokens written.
    scenario, _ = planned
    assert scenario.model.encoder_tokens == 1500
    each = float(deployed.replica.cache_bytes[0])
    held = float(deployed.cache_bytes_per_sequence(np.array([100.0]))[0])
    assert held == pytest.approx(32 * 2 * 1280 * (1500 + 100) * each)


def test_every_token_looks_at_the_whole_window(deployed):
    (cross,) = (one for one in deployed.operations if isinstance(one, AttentionCore) and one.code == "cross_attention")
    assert (cross.count, cross.encoder_tokens) == (32, 1500)


def test_a_new_window_beside_others_costs_one_encoder_pass(planned):
    scenario, found = planned
    chosen = serving_candidate(found, found.serving.best)
    steps = candidate_service(scenario, CONTEXT, chosen, 100).step_time
    one_window = float(steps.encoder_token_s[0]) * 4.0
    assert one_window > 0.01
    beside = [float(steps.prompt_pass_s(np.array([float(many)]), np.array([4.0]))[0]) for many in (1, 63)]
    assert beside[1] - beside[0] < one_window


def test_simulation_and_closed_form_saturate_alike(planned):
    scenario, found = planned
    best = found.serving.best
    service = candidate_service(scenario, CONTEXT, serving_candidate(found, best), 1500)
    closed = float(found.serving.table.max_rate_per_s[best])
    assert service.saturation_rate_per_s() == pytest.approx(closed, rel=0.1)
