"""The command line of a training job, and what torchtitan's says of its mesh."""

from __future__ import annotations

from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.handoff.launching import launch_of
from gpuplanner_gui.files.shipped_tables import load_launchers

H100 = "nvidia-h100-sxm-80gb"
LAUNCHERS = {one.id: one for one in load_launchers()}
MEGATRON = LAUNCHERS["megatron"]


def flags_and_table(catalog, calibration, llama_8b, launcher=MEGATRON, devices=8, accelerator=H100, **changes: object):
    """The command line, with its configuration file, and the table of a job of 8B on eight H100, its best candidate."""
    training = TrainingWorkload(**{"tokens": 1e10, "global_batch_tokens": 1_048_576} | changes)  # type: ignore[arg-type]
    hardware = HardwareChoice(accelerators=(accelerator,), training_devices=devices, max_training_devices=devices)
    scenario = Scenario(name="8B", model=llama_8b, training=training, hardware=hardware)
    answer = plan(scenario, catalog, calibration)
    assert answer.training is not None
    best = answer.training.best
    launch = launch_of(scenario, catalog, answer, best, launcher)
    return " ".join((*launch.command, *launch.config)), answer.training.table, best, launch


def sharded_by(flags: str) -> tuple[int, int]:
    """torchtitan's mesh: ranks that divide state, and replicas of them."""
    found = [flags.partition(f"--parallelism.data_parallel_{name}_degree ")[2] for name in ("shard", "replicate")]
    ways, replicas = (int(text.split()[0]) if text else 1 for text in found)
    return ways, replicas
