"""Optimizers that a framework's launchers have: a plan is one that some launcher can run, or says why none can."""

from __future__ import annotations

import json
from typing import get_args

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.training_workload import OptimizerName, Parallelism, TrainingWorkload
from gpuplanner_gui.drawing.words.training import optimizer_advice
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.handoff.launching import launch_of
from tests.engine.handoff.training_flags import H100, LAUNCHERS, flags_and_table

JOB = TrainingWorkload(tokens=1e10, global_batch_tokens=1_048_576)


def planned_on(catalog, calibration, model, devices: int = 16, **training: object):
    """A scenario and its plan on some H100."""
    hardware = HardwareChoice(accelerators=(H100,), training_devices=devices, max_training_devices=devices)
    scenario = Scenario(name="8B", model=model, training=msgspec.structs.replace(JOB, **training), hardware=hardware)
    return scenario, plan(scenario, catalog, calibration)


@pytest.mark.parametrize("framework", ["megatron", "fsdp", "deepspeed"])
@pytest.mark.parametrize("optimizer", get_args(OptimizerName))
def test_every_run_that_fits_can_be_launched_with_its_optimizer(
    catalog, calibration, llama_8b, framework: str, optimizer: str
):
    scenario, answer = planned_on(catalog, calibration, llama_8b, framework=framework, optimizer=optimizer)
    table = answer.training.table
    fitting = np.flatnonzero(table.fits)
    own = [one for one in LAUNCHERS.values() if one.framework == framework]
    for row in fitting[:4]:
        made = [launch_of(scenario, catalog, answer, int(row), launcher) for launcher in own]
        assert any(one.is_possible for one in made), [one.notes for one in made]
    reasons = {Reason.OPTIMIZER_NOT_IN_FRAMEWORK, Reason.DOES_NOT_FIT, Reason.HEADROOM}
    assert len(fitting) or reasons & {Reason(int(one)) for one in np.unique(table.reason)}


@pytest.mark.parametrize(
    ("framework", "optimizer", "given", "is_refused"),
    [
        ("megatron", "adamw_8bit", {}, True),
        ("megatron", "lion", {}, True),
        ("megatron", "sgd", {"zero_stage": "1"}, True),  # its distributed optimizer is Adam's alone
        ("megatron", "sgd", {"zero_stage": "0"}, False),
        ("megatron", "muon", {"zero_stage": "1"}, False),
        ("megatron", "muon", {"zero_stage": "3"}, True),
        ("megatron", "muon", {"zero_stage": "1", "offload": "host"}, True),
        ("deepspeed", "adafactor", {"zero_stage": "2", "parallelism": Parallelism(tensor=1, pipeline=1)}, True),
        ("deepspeed", "sgd", {"zero_stage": "2"}, False),
        ("fsdp", "lion", {"parallelism": Parallelism(tensor=2)}, True),  # torchtitan alone divides models
        ("fsdp", "lion", {"parallelism": Parallelism(tensor=1, pipeline=1)}, False),
    ],
)  # fmt: skip
def test_an_optimizer_that_no_launcher_has_is_refused_with_its_reason(
    catalog, calibration, llama_8b, framework: str, optimizer: str, given: dict[str, object], is_refused: bool
):
    _, answer = planned_on(catalog, calibration, llama_8b, framework=framework, optimizer=optimizer, **given)  # type: ignore[arg-type]
    table = answer.training.table
    mine = table.accelerator == answer.accelerators.index(H100)
    refused = table.reason[mine] == Reason.OPTIMIZER_NOT_IN_FRAMEWORK
    assert bool(refused.all()) if is_refused else not refused.any()


@pytest.mark.parametrize(
    ("launcher", "optimizer", "stage", "flags"),
    [
        ("megatron", "muon", "0", "--optimizer muon "),
        ("megatron", "muon", "1", "--optimizer dist_muon "),
        ("megatron", "sgd", "0", "--optimizer sgd --sgd-momentum 0 "),
        ("megatron", "sgd_momentum", "0", "--optimizer sgd "),
        ("trl", "adamw_8bit", "3", "--optim adamw_torch_8bit "),  # bitsandbytes' takes no parts of tensors
        ("trl", "adamw_8bit", "0", "--optim adamw_bnb_8bit "),
    ],
)
def test_a_launcher_is_told_an_optimizer_that_runs_with_the_zero_stage(
    catalog, calibration, launcher: str, optimizer: str, stage: str, flags: str
):
    model, program = catalog.models["llama-3.2-1b"].model, LAUNCHERS[launcher]
    told, *_ = flags_and_table(
        catalog, calibration, model, program, framework=program.framework,
        optimizer=optimizer, zero_stage=stage, recompute="full", method="full_fine_tune",
        parallelism=Parallelism(tensor=1, pipeline=1),
    )  # fmt: skip
    assert flags in told
    assert ("--use-distributed-optimizer" in told) is False


@pytest.mark.parametrize(("optimizer", "is_untested"), [("adamw", False), ("lion", False), ("sgd", True)])
def test_deepspeed_is_asked_to_take_optimizers_that_it_has_not_tested(
    catalog, calibration, llama_8b, optimizer: str, is_untested: bool
):
    """ZeRO raises for others than Adam, AdamW, Adagrad and Lion (`deepspeed/runtime/engine.py`) unless told so."""
    told, *_ = flags_and_table(
        catalog, calibration, llama_8b, LAUNCHERS["deepspeed"], framework="deepspeed", optimizer=optimizer,
        zero_stage="2",
    )  # fmt: skip
    config = json.loads(told[told.index("{") :])
    assert config.get("zero_allow_untested_optimizer", False) is is_untested
    assert config.get("zero_force_ds_cpu_optimizer", True) is not is_untested


def test_frameworks_that_have_the_optimizer_are_named(llama_8b):
    training = msgspec.structs.replace(JOB, optimizer="lion")
    scenario = Scenario(name="8B", model=llama_8b, training=training)
    said = optimizer_advice(scenario)
    assert said.startswith("Megatron cannot run Lion with any of these layouts. ")
    assert said.endswith("such as AdamW, or another framework: FSDP, DeepSpeed.")
    alone = msgspec.structs.replace(training, optimizer="adafactor", framework="deepspeed")
    assert "DeepSpeed cannot run Adafactor" in optimizer_advice(msgspec.structs.replace(scenario, training=alone))
