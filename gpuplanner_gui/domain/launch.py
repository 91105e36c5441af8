"""How a chosen plan is started: what a launcher's documents say about its flags, and the answer for one candidate."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from gpuplanner_gui.domain.field import about

SettingStatus = Literal["given", "by_default", "in_script", "in_checkpoint", "not_possible"]
"""On the command line or in its configuration file; done without being asked; said in the planner's own training
script; read from a checkpoint that is stored so; the launcher has no way to do it."""
LaunchWorkload = Literal["serving", "training"]


class FlagRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a launcher is told about one setting. Names in braces stand for the setting's values."""

    setting: Annotated[str, about("Setting", "", "As the engine names it.")]
    arguments: Annotated[str, about("Arguments", "", "Empty, without values: done by default.")] = ""
    values: Annotated[
        dict[str, str], about("Arguments by value", "", "A value that is not among them cannot be had.")
    ] = {}
    config: Annotated[bool, about("In a file", "", "A dotted key with its value, for the configuration file.")] = False
    in_checkpoint: Annotated[
        tuple[str, ...], about("Read from the checkpoint", "", "Values that a checkpoint stored so brings along.")
    ] = ()
    in_script: Annotated[bool, about("In the training script", "", "Not the launcher's business.")] = False


class Launcher(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A program that serves or trains, and its flags as its documents give them."""

    id: Annotated[str, about("Identifier")]
    name: Annotated[str, about("Name")]
    workload: Annotated[LaunchWorkload, about("Workload")]
    command: Annotated[str, about("Command")]
    command_of_several: Annotated[str, about("Command on several servers", "", "Empty: the same.")] = ""
    config_argument: Annotated[str, about("Argument that names the configuration file")] = ""
    ecosystems: Annotated[tuple[str, ...], about("Software ecosystems", "", "Of the devices that it runs on.")]
    flags: Annotated[tuple[FlagRule, ...], about("Flags")]
    sources: Annotated[tuple[str, ...], about("Sources")]
    date: Annotated[str, about("As of")]


class Launchers(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file of launchers that ships."""

    launchers: Annotated[tuple[Launcher, ...], about("Launchers")]


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
    prefill: Launch | None = None
    """Of the workers that prefill, where these only decode; None with one pool for both."""

    @property
    def is_possible(self) -> bool:
        return bool(self.command)

    @property
    def not_possible(self) -> tuple[LaunchSetting, ...]:
        return tuple(one for one in self.settings if one.status == "not_possible")
