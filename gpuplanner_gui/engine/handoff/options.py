"""Which options a launcher's stated release has, which rule tells it about a setting, and how a shell reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import msgspec

from gpuplanner_gui.domain.hardware import Accelerator
from gpuplanner_gui.domain.launch import FlagRule, Launch, Launcher, LaunchSetting
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.serving.engine_release import release_numbers

CONFIG_FILE = "launch.yaml"
OWN_ADDRESS = 'export OWN_ADDRESS="${POD_IP:-$(hostname -i)}"'
"""Where other workers reach this one: what Kubernetes says, else what the host says."""


def shell_lines(launch: Launch, *more: str, with_exec: bool = False) -> tuple[str, ...]:
    """Variables, the configuration file, then the command with one flag a line; `more` are further arguments."""
    lines = [OWN_ADDRESS] if launch.environment else []
    lines += [f'export {name}="{value}"' for name, value in launch.environment.items()]
    if launch.config:
        end = "END" if any("$" in line for line in launch.config) else "'END'"
        lines += [f"cat > {CONFIG_FILE} <<{end}", *launch.config, "END"]
    if launch.command:
        program, *rest = (*launch.command, *more)
        flags = [flag for piece in rest for flag in piece.replace(" --", "\n--").split("\n")]
        lines += " \\\n  ".join([f"exec {program}" if with_exec else program, *flags]).split("\n")
    return tuple(lines)


@dataclass(frozen=True)
class Setting:
    """A code, the value that tells it apart, and further numbers that a flag may want."""

    code: str
    value: str | int | float
    numbers: dict[str, str | int | float] = field(default_factory=dict)

    @property
    def variables(self) -> dict[str, str]:
        return {name: str(value) for name, value in {"value": self.value, **self.numbers}.items()}


@dataclass(frozen=True)
class ShortRun:
    """What a run that only measures has otherwise than the job that is planned."""

    devices: int
    copies: int
    """Copies of the model."""
    global_batch: int
    """Sequences of a step."""
    expert_parallel: int
    steps: int


@dataclass(frozen=True)
class Nodes:
    """Servers that hold some devices, the same number each."""

    count: int
    devices_each: int


def device_traits(accelerator: Accelerator | None) -> tuple[str, str]:
    """Software ecosystem and scale-up link, by which rules tell devices apart; empty where there is none."""
    if accelerator is None:
        return "", ""
    return accelerator.ecosystem, (accelerator.scale_up and accelerator.scale_up.link_id) or ""


def nodes_for(node_devices: int, devices: int, *groups: int) -> Nodes:
    """The fewest servers with equal numbers of devices; the largest of the groups that a server holds stay whole.

    Launchers start the same number of processes on each server.
    """
    whole = max((size for size in groups if size <= node_devices and devices % size == 0), default=1)
    fewest = -(-devices // node_devices)
    count = next(count for count in range(fewest, devices + 1) if devices % (count * whole) == 0)
    return Nodes(count, devices // count)


_VARIABLE = re.compile(r"\{([a-z_]+)\}")
_OPTION = re.compile(r"(?:^|\s)(--[A-Za-z][\w.-]*)")
LAYOUT = frozenset(
    (
        "tensor_parallel", "pipeline_parallel", "attention_data_parallel", "expert_parallel", "expert_tensor_parallel",
        "nodes",
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


def container_image(launcher: Launcher, accelerator: Accelerator | None, release: str) -> str:
    """The first published image that runs on the accelerator; empty where none is known."""
    for one in launcher.images:
        if accelerator is None or one.ecosystem != accelerator.ecosystem:
            continue
        is_built = not one.architectures or accelerator.architecture in one.architectures
        if is_built and release_numbers(one.since) <= release_numbers(release):
            return one.image.format(release=release)
    return ""


def options_of(rule: FlagRule, template: str) -> Iterator[str]:
    """Options and keys that a rule's text names."""
    if rule.config:
        yield from (line.partition(":")[0] for line in template.splitlines())
    else:
        yield from _OPTION.findall(f"{template} {rule.followers}")


def takes(rule: FlagRule, setting: Setting, ecosystem: str, link: str = "") -> bool:
    """Whether a rule speaks of the setting at its value, on devices of an ecosystem with a scale-up link."""
    numbers = setting.variables
    if rule.setting != setting.code or (rule.ecosystems and ecosystem not in rule.ecosystems):
        return False
    if rule.links and link not in rule.links:
        return False
    if rule.most is not None and float(setting.value) > rule.most:
        return False
    if rule.same_as and numbers.get(rule.same_as) != str(setting.value):
        return False
    return all(numbers.get(name) == wanted for name, wanted in rule.where.items())


def rule_of(launcher: Launcher, setting: Setting, release: str, ecosystem: str, link: str = "") -> FlagRule | None:
    """The first rule for a setting that the release takes on such devices; None where there is none."""
    for rule in launcher.flags:
        if not takes(rule, setting, ecosystem, link) or release_numbers(rule.since) > release_numbers(release):
            continue
        template = rule.values.get(str(setting.value), "") if rule.values else rule.arguments
        if all(stands(launcher, one, release) for one in options_of(rule, template)):
            return rule
    return None


def said_by(setting: Setting, rule: FlagRule | None) -> LaunchSetting:
    """How a launcher is told about a setting; a setting that it has no rule for cannot be had."""
    said = LaunchSetting(code=setting.code, value=setting.value, status="not_possible")
    if rule is None:
        return said
    if rule.in_script and (not rule.values or str(setting.value) in rule.values):
        return msgspec.structs.replace(said, status="in_script")
    is_chosen = rule.values or rule.in_checkpoint
    template = rule.values.get(str(setting.value)) if is_chosen else rule.arguments
    if template is None:
        is_read = str(setting.value) in rule.in_checkpoint
        return msgspec.structs.replace(said, status="in_checkpoint") if is_read else said
    if not template:
        return msgspec.structs.replace(said, status="by_default")
    text = filled(template, setting.variables)
    return msgspec.structs.replace(said, status="given", text=text)


def filled(template: str, variables: dict[str, str]) -> str:
    """A template with its names in braces replaced, those that are known."""
    return _VARIABLE.sub(lambda found: variables[found[1]] if found[1] in variables else found[0], template)
