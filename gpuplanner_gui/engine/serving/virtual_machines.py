"""Serving on virtual machines: every step takes longer by the work that is lost to the hypervisor."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.explaining.formula import formula, leaf
from gpuplanner_gui.engine.serving.step import StepTimes
from gpuplanner_gui.engine.serving.step_table import DeploymentSteps


def serving_loss(scenario: Scenario) -> float:
    """Share of the service's work that virtual machines lose; 0 on bare metal. [1]"""
    return central(scenario.economics.fleets.serving_virtualisation_loss)


@formula(
    title="Time on virtual machines",
    unit="s",
    expression="bare_metal_s / (1 − virtualisation_loss)",
    source="work lost to the hypervisor is time lost to every step",
)
def virtualised_s(bare_metal_s: Floats, virtualisation_loss: float) -> Floats:
    """A step's time on virtual machines. [s]"""
    return np.asarray(bare_metal_s / (1.0 - virtualisation_loss))


def virtualised_steps(step: DeploymentSteps, loss: float) -> DeploymentSteps:
    """Tables of step times on virtual machines."""
    if loss == 0.0:
        return step
    share = _leaf(loss)
    return replace(
        step,
        decode_s=virtualised_s(step.decode_s, share),
        prompt_s=virtualised_s(step.prompt_s, share),
        cache_token_s=virtualised_s(step.cache_token_s, share),
        pair_s=virtualised_s(step.pair_s, share),
        beside_s=virtualised_s(step.beside_s, share),
        sequence_s=virtualised_s(step.sequence_s, share),
        encoder_token_s=virtualised_s(step.encoder_token_s, share),
    )


def virtualised_breakdown(times: StepTimes, loss: float) -> StepTimes:
    """A decode step by resource on virtual machines."""
    if loss == 0.0:
        return times
    share = _leaf(loss)
    return StepTimes(
        virtualised_s(times.compute_s, share),
        virtualised_s(times.bandwidth_s, share),
        virtualised_s(times.interconnect_s, share),
        virtualised_s(times.host_s, share),
    )


def _leaf(loss: float) -> float:
    marked: float = leaf(loss, "virtualisation_loss", "", "scenario: fleets over time")
    return marked
