"""What Megatron is told is what was planned: its flags, read as its documentation reads them, give the plan's bytes."""

from __future__ import annotations

import msgspec
import pytest

from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.workload import Checkpoints, Parallelism, StateBytes, TrainingWorkload
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.handoff.launching import launch_of
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.files.shipped_tables import load_launchers

H100 = "nvidia-h100-sxm-80gb"
MEGATRON = next(one for one in load_launchers() if one.id == "megatron")


def flags_and_table(catalog, calibration, llama_8b, **changes: object):
    """The command line and the table of a job of 8B on eight H100, its best candidate."""
    training = TrainingWorkload(tokens=1e10, global_batch_tokens=1_048_576, **changes)  # type: ignore[arg-type]
    hardware = HardwareChoice(accelerators=(H100,), training_devices=8, max_training_devices=8)
    scenario = Scenario(name="8B", model=llama_8b, training=training, hardware=hardware)
    answer = plan(scenario, catalog, calibration)
    assert answer.training is not None
    best = answer.training.best
    launch = launch_of(scenario, catalog, answer, best, MEGATRON)
    return " ".join(launch.command), answer.training.table, best, launch


def bytes_per_parameter(flags: str, copies: int) -> dict[str, float]:
    """Megatron-Core's own table (developer guide, distributed optimizer): 2 + 4 + 4 + 8, or 2 + 2 + 4 + 8 where
    gradients are reduced in BF16; the distributed optimizer divides masters and moments, optim_grads gradients too."""
    assert "--bf16" in flags
    gradients = 2.0 if "--grad-reduce-in-bf16" in flags else 4.0
    ways = copies if "--use-distributed-optimizer" in flags else 1
    sharded = "optim_grads" in flags
    whole = "optim_grads_params" in flags
    return {
        "weights_bytes": 2.0 / (copies if whole else 1),
        "gradients_bytes": gradients / (copies if sharded else 1),
        "master_weights_bytes": 4.0 / ways,
        "first_moment_bytes": 4.0 / ways,
        "second_moment_bytes": 4.0 / ways,
    }


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"zero_stage": "0"},
        {"zero_stage": "1"},
        {"zero_stage": "2"},
        {"zero_stage": "3"},
        {"state_bytes": StateBytes(gradients=2.0)},
    ],
    ids=["auto", "ZeRO 0", "ZeRO 1", "ZeRO 2", "ZeRO 3", "BF16 gradients"],
)
def test_flags_and_memory_agree(catalog, calibration, llama_8b, changes: dict[str, object]):
    layout = Parallelism(tensor=4, pipeline=1)
    flags, table, best, _ = flags_and_table(catalog, calibration, llama_8b, parallelism=layout, **changes)
    parameters = model_parameters(llama_8b).total / 4
    copies = int(table.data_parallel[best])
    assert copies == 2
    for name, each in bytes_per_parameter(flags, copies).items():
        assert float(getattr(table, name)[best]) == pytest.approx(each * parameters, rel=1e-3), name


def test_checkpoints_are_saved_and_loaded_at_the_planned_interval(catalog, calibration, llama_8b):
    flags, table, best, _ = flags_and_table(
        catalog, calibration, llama_8b, checkpoints=Checkpoints(storage_write_bytes_per_s=1e8)
    )
    assert '--save "$CHECKPOINTS"' in flags
    assert '--load "$CHECKPOINTS"' in flags
    steps = int(flags.split("--save-interval ")[1].split()[0])
    interval = steps * float(table.step_time_s[best])
    assert interval >= float(table.checkpoint_write_s[best])
    assert interval < float(table.checkpoint_interval_s[best]) + float(table.step_time_s[best])


def test_local_copies_are_saved_between_those_in_the_store(catalog, calibration, llama_8b):
    checkpoints = Checkpoints(
        storage_write_bytes_per_s=2e7, first_copy="local_disk", failures_per_node_day=0.5, restart_s=60.0
    )
    flags, table, best, _ = flags_and_table(catalog, calibration, llama_8b, checkpoints=checkpoints)
    often = int(flags.split("--non-persistent-save-interval ")[1].split()[0])
    seldom = int(flags.split(" --save-interval ")[1].split()[0])
    assert often < seldom
    assert "--non-persistent-ckpt-type local" in flags
    assert often * float(table.step_time_s[best]) >= float(table.checkpoint_interval_s[best])
    memory = msgspec.structs.replace(checkpoints, first_copy="memory")
    *_, launch = flags_and_table(catalog, calibration, llama_8b, checkpoints=memory)
    assert "first_copy" in {one.code for one in launch.not_possible}
