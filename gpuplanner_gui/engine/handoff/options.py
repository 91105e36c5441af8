"""Which options a launcher's stated release has, and by which rule it is told about a setting."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuplanner_gui.domain.launch import FlagRule, Launcher
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.handoff.settings import Setting
from gpuplanner_gui.engine.serving.engine_release import release_numbers

_OPTION = re.compile(r"(?:^|\s)(--[A-Za-z][\w.-]*)")
LAYOUT = frozenset(
    (
        "tensor_parallel", "pipeline_parallel", "attention_data_parallel", "expert_parallel", "nodes",
        "nodes_of_groups", "nodes_in_groups", "pool_role", "virtual_stages", "pipeline_layout", "schedule",
        "context_parallel", "zero_stage", "hybrid_sharding", "recipe", "optimizer", "gradients", "recompute", "method",
        "offload", "offload_weights", "offload_activations",
    )
)  # fmt: skip
"""Settings without which another plan would run: a launcher that lacks one is refused."""


def stated_release(scenario: Scenario, launcher: Launcher) -> str:
    """The release whose options are printed: the scenario's own, else the newest that was read."""
    serving = scenario.serving
    stated = serving.engine.release if serving is not None and serving.engine.engine == launcher.id else ""
    return stated.strip().removeprefix("v") if release_numbers(stated) else launcher.releases[-1]


def is_older_than_read(launcher: Launcher, release: str) -> bool:
    """Whether nothing is known of the release's options."""
    return release_numbers(release) < release_numbers(launcher.releases[0])


def stands(launcher: Launcher, option: str, release: str) -> bool:
    """Whether the option is in the table of the release; newer releases than were read count as the newest read."""
    span, newest = launcher.options.get(option), release_numbers(launcher.releases[-1])
    if span is None:
        return False
    at = min(release_numbers(release), newest)
    until = release_numbers(span.until) if span.until else newest
    return release_numbers(span.since) <= at <= until


def options_of(rule: FlagRule, template: str) -> Iterator[str]:
    """Options and keys that a rule's text names."""
    if rule.config:
        yield from (line.partition(":")[0] for line in template.splitlines())
    else:
        yield from _OPTION.findall(f"{template} {rule.followers}")


def rule_of(launcher: Launcher, setting: Setting, release: str) -> FlagRule | None:
    """The first rule for a setting that the release takes; None where there is none."""
    for rule in launcher.flags:
        if rule.setting != setting.code or release_numbers(rule.since) > release_numbers(release):
            continue
        if rule.same_as and str(setting.numbers.get(rule.same_as)) != str(setting.value):
            continue
        template = rule.values.get(str(setting.value), "") if rule.values else rule.arguments
        if all(stands(launcher, one, release) for one in options_of(rule, template)):
            return rule
    return None
