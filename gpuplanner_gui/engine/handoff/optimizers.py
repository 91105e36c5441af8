"""What a training framework's launchers can do with an optimizer: ZeRO stages, recomputations, offloading."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import msgspec

from gpuplanner_gui.domain.launch import EVERY_STAGE, Launcher, OptimizerStages
from gpuplanner_gui.domain.training_calibration import FrameworkFacts
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.engine.handoff.options import Setting, rule_of, said_by
from gpuplanner_gui.engine.training.choices import ZERO_STAGES
from gpuplanner_gui.engine.training.job import TrainingJob

Beside = tuple[tuple[str, str | int], ...]
"""Further settings: code and value."""


def with_optimizer(job: TrainingJob, launchers: Iterable[Launcher], training: TrainingWorkload) -> TrainingJob:
    """The job with what its framework's launchers can do with its optimizer."""
    knowing = _knowing(launchers, job.framework.framework, training)
    if knowing is None:
        return job
    stages = _stages_of(knowing, training)
    if not (stages.whole or stages.divided):
        return replace(job, optimizer_stages=stages)
    return replace(job, framework=_known(job.framework, knowing, training, stages), optimizer_stages=stages)


def optimizer_stages(launchers: Iterable[Launcher], framework: str, training: TrainingWorkload) -> OptimizerStages:
    """ZeRO stages with which a framework's launchers that know the method have the optimizer.

    Every stage where no launcher of the framework is known: nothing is known against it.
    """
    knowing = _knowing(launchers, framework, training)
    return EVERY_STAGE if knowing is None else _stages_of(knowing, training)


def _knowing(launchers: Iterable[Launcher], framework: str, training: TrainingWorkload) -> list[Launcher] | None:
    """A framework's launchers that know the method; None where no launcher of it is known."""
    own = [one for one in launchers if one.framework == framework]
    method = Setting("method", training.method, {"dtype": "bfloat16"})
    return [one for one in own if _takes(one, method)] if own else None


def _stages_of(knowing: list[Launcher], training: TrainingWorkload) -> OptimizerStages:
    def able(code: str, beside: Beside = ()) -> tuple[int, ...]:
        """Stages among the launchers that have the setting; what none has at all is not the optimizer's to lack."""
        among = [one for one in knowing if any(rule.setting == code for rule in one.flags)]
        return _stages(among, training, beside) if among else ZERO_STAGES

    return OptimizerStages(
        whole=_stages(knowing, training), divided=able("tensor_parallel"),
        hybrid=able("hybrid_sharding", (("hybrid_sharding", 2),)), offload=able("offload", (("offload", "host"),)),
    )  # fmt: skip


def _known(
    facts: FrameworkFacts, knowing: list[Launcher], training: TrainingWorkload, stages: OptimizerStages
) -> FrameworkFacts:
    """A framework as those of its launchers run it that have the optimizer."""

    def has(code: str, value: str) -> bool:
        return bool(_stages(knowing, training, ((code, value),)))

    return msgspec.structs.replace(
        facts,
        hybrid_stages=tuple(one for one in facts.hybrid_stages if one in stages.hybrid),
        offload_stages=tuple(one for one in facts.offload_stages if one in stages.offload),
        recomputations=tuple(one for one in facts.recomputations if has("recompute", one)),
        part_recomputation=facts.part_recomputation if has("recompute", "part") else "never",
        activation_offload=facts.activation_offload if has("offload_activations", "host") else (),
    )


def _stages(launchers: list[Launcher], training: TrainingWorkload, beside: Beside = ()) -> tuple[int, ...]:
    """ZeRO stages with which any of the launchers has the optimizer and all that is wanted beside it."""

    def has(launcher: Launcher, stage: int) -> bool:
        numbers: dict[str, str | int | float] = {"zero_stage": stage, "optimizer": training.optimizer}
        wanted = (("optimizer", training.optimizer), *beside)
        return all(_takes(launcher, Setting(code, value, numbers)) for code, value in wanted)

    return tuple(stage for stage in ZERO_STAGES if any(has(one, stage) for one in launchers))


def _takes(launcher: Launcher, setting: Setting) -> bool:
    return said_by(setting, rule_of(launcher, setting, launcher.releases[-1], "")).status != "not_possible"
