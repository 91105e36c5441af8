"""How a chosen plan is started: what a launcher's documents say about its flags, and the answer for one candidate."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from gpuplanner_gui.domain.field import about
from gpuplanner_gui.domain.model import ModelKind

SettingStatus = Literal["given", "by_default", "in_script", "in_checkpoint", "not_possible"]
"""How a setting reaches the engine: on the command line or in its configuration file; done without being asked; said in
the planner's own training script; read from a checkpoint that is stored so; the launcher has no way to do it."""
LaunchWorkload = Literal["serving", "training"]


class FlagRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a launcher is told about one setting. Names in braces stand for the setting's values."""

    setting: Annotated[str, about("Setting", "", "Setting, named as the engine names it.")]
    arguments: Annotated[str, about("Arguments", "", "Empty, without values: done by default.")] = ""
    values: Annotated[
        dict[str, str], about("Arguments by value", "", "A value that is not among them cannot be had.")
    ] = {}
    config: Annotated[bool, about("In a file", "", "A dotted key with its value, for the configuration file.")] = False
    in_checkpoint: Annotated[
        tuple[str, ...], about("Read from the checkpoint", "", "Values that a checkpoint stored so brings along.")
    ] = ()
    in_script: Annotated[
        bool, about("In the training script", "", "Not the launcher's business; with values: these alone.")
    ] = False
    since: Annotated[str, about("Since", "", "First release read that takes these values; empty: all of them.")] = ""
    same_as: Annotated[
        str, about("Same as", "", "Number of the setting that its value must equal, or it cannot be had.")
    ] = ""
    where: Annotated[
        dict[str, str], about("Where", "", "Numbers of the setting, or its value, that must be these.")
    ] = {}
    most: Annotated[float | None, about("Most", "", "Largest value that it takes.")] = None
    ecosystems: Annotated[tuple[str, ...], about("Software ecosystems", "", "Of the devices; empty: all.")] = ()
    links: Annotated[
        tuple[str, ...], about("Scale-up links", "", "Of the devices, by catalogue entry; empty: all.")
    ] = ()
    note: Annotated[str, about("Note", "", "Code of what has to be known where the rule holds.")] = ""
    followers: Annotated[str, about("On other servers", "", "What every server but the first is told besides.")] = ""


class OptionSpan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The releases that have an option, of those read."""

    since: Annotated[str, about("Since", "", "The first of them; empty: the oldest.")] = ""
    until: Annotated[str, about("Until", "", "The last of them; empty: the newest.")] = ""


class Router(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A program that spreads requests over workers. Names in braces stand for ports, addresses and labels."""

    name: Annotated[str, about("Name")]
    release: Annotated[str, about("Release")]
    package: Annotated[str, about("Package", "", "With its release, as pip installs it.")]
    command: Annotated[str, about("Command")]
    workers: Annotated[str, about("Arguments that name workers of one pool")]
    pools: Annotated[str, about("Arguments for separate pools")]
    prefill: Annotated[str, about("Arguments that name a worker that prefills")]
    decode: Annotated[str, about("Arguments that name a worker that decodes")]
    discovery: Annotated[str, about("Arguments that find workers of pools by label")]
    options: Annotated[tuple[str, ...], about("Options of the release")]
    source: Annotated[str, about("Source")]


class GraphRuntime(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """NVIDIA Dynamo's build of an engine: what its graphs of separate pools run."""

    release: Annotated[str, about("Release")]
    image: Annotated[str, about("Image", "", "{release} stands for the release.")]
    command: Annotated[str, about("Command of a worker")]
    source: Annotated[str, about("Source")]


class ContainerImage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A published image of a program, by what it runs on. `{release}` stands for the release."""

    image: Annotated[str, about("Image")]
    ecosystem: Annotated[str, about("Software ecosystem")]
    architectures: Annotated[tuple[str, ...], about("Architectures", "", "Of its devices; none: all of them.")] = ()
    since: Annotated[str, about("Since", "", "First release seen that has it; empty: all of them.")] = ""


class Relative(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A program that runs the engine and is told the same by variables of its environment."""

    name: Annotated[str, about("Name")]
    command: Annotated[str, about("Command")]
    flags: Annotated[tuple[FlagRule, ...], about("Variables", "", "By setting.")]
    source: Annotated[str, about("Source")]


class Launcher(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A program that serves or trains, and its flags as its documents give them."""

    id: Annotated[str, about("Identifier")]
    name: Annotated[str, about("Name")]
    workload: Annotated[LaunchWorkload, about("Workload")]
    framework: Annotated[str, about("Framework", "", "Of a training plan, whose behaviour it has.")] = ""
    command: Annotated[str, about("Command")]
    command_of_several: Annotated[str, about("Command on several servers", "", "Empty: the same.")] = ""
    config_argument: Annotated[str, about("Argument that names the configuration file")] = ""
    config_format: Annotated[Literal["yaml", "json"], about("Format of the configuration file")] = "yaml"
    ecosystems: Annotated[tuple[str, ...], about("Software ecosystems", "", "Of the devices that it runs on.")]
    model_kinds: Annotated[
        tuple[ModelKind, ...],
        about("Kinds of model", "", "Those that its command runs; empty: all that work on tokens."),
    ] = ()
    flags: Annotated[
        tuple[FlagRule, ...], about("Flags", "", "Of several rules for a setting the first that the release takes.")
    ]
    releases: Annotated[tuple[str, ...], about("Releases read", "", "Oldest first.")]
    options: Annotated[dict[str, OptionSpan], about("Options", "", "Arguments and keys of the configuration file.")]
    listen: Annotated[str, about("Arguments for address and port")] = ""
    port: Annotated[int, about("Port")] = 0
    pool_environment: Annotated[dict[str, str], about("Variables that workers of separate pools need")] = {}
    images: Annotated[tuple[ContainerImage, ...], about("Container images", "", "The first that fits is taken.")] = ()
    image_folder: Annotated[
        str, about("Program's folder in its images", "", "Empty: a shell finds the program without it.")
    ] = ""
    checkpoints: Annotated[
        dict[str, str],
        about("Checkpoints", "", "What it reads, by weight format; empty: any checkpoint as it was published."),
    ] = {}
    checkpoint_ending: Annotated[
        str, about("Ending of a checkpoint's file", "", "Empty: a checkpoint is a folder.")
    ] = ""
    cache_bytes: Annotated[
        dict[str, float], about("Bytes per cached value", "bytes", "Of formats that keep scales beside the values.")
    ] = {}
    notes: Annotated[tuple[str, ...], about("Notes", "", "Codes of what has to be known of it besides.")] = ()
    relatives: Annotated[tuple[Relative, ...], about("Programs that run the engine")] = ()
    is_mpi: Annotated[bool, about("Starts by MPI", "", "Over several servers one process a device.")] = False
    router: Annotated[Router | None, about("Router")] = None
    dynamo: Annotated[GraphRuntime | None, about("NVIDIA Dynamo")] = None
    sources: Annotated[tuple[str, ...], about("Sources")]
    date: Annotated[str, about("As of")]


class Launchers(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file of launchers that ships."""

    launchers: Annotated[tuple[Launcher, ...], about("Launchers")]
    device_resources: Annotated[
        dict[str, str], about("Devices in containers", "", "What Kubernetes calls them, by software ecosystem.")
    ]


class OptimizerStages(msgspec.Struct, frozen=True):
    """ZeRO stages with which a framework's launchers have a job's optimizer."""

    whole: tuple[int, ...]
    """Where each device runs all layers."""
    divided: tuple[int, ...]
    """Where several devices share a copy of the model."""
    hybrid: tuple[int, ...]
    """With hybrid sharding."""
    offload: tuple[int, ...]
    """With optimizer state in host memory."""


EVERY_STAGE = OptimizerStages(*((0, 1, 2, 3),) * 4)


class LaunchSetting(msgspec.Struct, frozen=True, kw_only=True):
    """Something that the plan holds, and how the launcher is told."""

    code: str
    value: str | int | float
    status: SettingStatus
    text: str = ""
    """The arguments, or the line of the configuration file; empty where nothing is given."""


class LaunchNote(msgspec.Struct, frozen=True, kw_only=True):
    """What has to be known besides: a code and its numbers."""

    code: str
    values: dict[str, str | int | float] = {}


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """The hand-off of one candidate to one launcher."""

    launcher: str
    name: str
    workload: LaunchWorkload
    candidate: int
    command: tuple[str, ...]
    """Program first, then one piece per setting; empty where the launcher cannot run this at all."""
    config: tuple[str, ...]
    """Lines of the configuration file that the command names; empty: there is none."""
    settings: tuple[LaunchSetting, ...]
    notes: tuple[LaunchNote, ...]
    sources: tuple[str, ...]
    date: str
    release: str = ""
    """Whose options these are."""
    followers: tuple[str, ...] = ()
    """What every server but the first of a replica is told besides."""
    environment: dict[str, str] = {}
    """Variables that must be set before; their values are words of a shell."""
    prefill: Launch | None = None
    """Launch of the prefill workers, where this one is for decode; None with one pool for both."""

    @property
    def is_possible(self) -> bool:
        return bool(self.command)

    @property
    def not_possible(self) -> tuple[LaunchSetting, ...]:
        return tuple(one for one in self.settings if one.status == "not_possible")


PoolRole = Literal["serve", "prefill", "decode", "train"]


class WorkerPool(msgspec.Struct, frozen=True, kw_only=True):
    """Equal workers."""

    role: PoolRole
    launch: Launch
    workers: int
    nodes: int
    """Servers that one worker takes."""
    devices_each: int
    """Devices of it on each of them."""


class Deployment(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that runs for one workload of a plan."""

    name: str
    model: str
    accelerator: str
    """Identifier in the catalogue."""
    ecosystem: str
    node_devices: int
    """Devices of a server, used or not."""
    launcher: Launcher
    pools: tuple[WorkerPool, ...]
    """Empty where the launcher cannot run the plan; `launch` then says why."""
    launch: Launch
    image: str = ""
    """The program's published container image for the devices; empty: none is known."""
    model_arguments: tuple[str, ...] = ()
    """The model's shape, for a framework that reads it from its arguments."""
