"""The one truth: an immutable project, paths to its values, the scenario at hand, and the steps that led here."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any, TypeVar

import msgspec
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from gpuplanner_gui.domain.estate import with_scenarios_renamed, without_lost_workloads
from gpuplanner_gui.domain.field import field_of
from gpuplanner_gui.domain.names import free_name
from gpuplanner_gui.domain.scenario import Project, Scenario, with_headlines_that_hold
from gpuplanner_gui.domain.workload import Slo
from gpuplanner_gui.drawing.language import Phrase, phrase

T = TypeVar("T")

_STEP = re.compile(r"(?:^|(?<=.)\.)(?P<name>[A-Za-z_]\w*)|\[(?P<index>\d+)\]")


class BadPath(ValueError):
    """A path that can't be read, or that leads nowhere in the given struct."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path!r}: {reason}")
        self.path = path
        self.reason = reason


@lru_cache(maxsize=4096)
def steps_of(path: str) -> tuple[str | int, ...]:
    """Names and indices along a path; empty for the empty path. Raises BadPath."""
    steps: list[str | int] = []
    position = 0
    while position < len(path):
        match = _STEP.match(path, position)
        if match is None:
            raise BadPath(path, f"cannot be read from character {position}")
        steps.append(match["name"] or int(match["index"]))
        position = match.end()
    return tuple(steps)


def joined(parent: str, child: str) -> str:
    """The path of `child` seen from where `parent` starts; either may be empty."""
    if not parent or not child or child.startswith("["):
        return parent + child
    return f"{parent}.{child}"


def value_at(struct: Any, path: str) -> Any:
    """The value at the path. Raises BadPath."""
    value = struct
    for step in steps_of(path):
        value = _child(value, step, path)
    return value


def has_place(struct: Any, path: str) -> bool:
    """Whether something can stand there."""
    try:
        value_at(struct, path)
    except BadPath:
        return False
    return True


def replaced(struct: T, path: str, value: Any) -> T:
    """The struct with another value at the path; what is beside the path is shared with the old one. Raises BadPath."""
    return _replaced(struct, steps_of(path), value, path)


def _replaced(container: Any, steps: tuple[str | int, ...], value: Any, path: str) -> Any:
    if not steps:
        return value
    step, rest = steps[0], steps[1:]
    inner = _replaced(_child(container, step, path), rest, value, path)
    if isinstance(step, int):
        return (*container[:step], inner, *container[step + 1 :])
    return msgspec.structs.replace(container, **{step: inner})


def _child(container: Any, step: str | int, path: str) -> Any:
    if isinstance(step, int):
        if not isinstance(container, tuple) or step >= len(container):
            raise BadPath(path, f"there is no item {step}")
        return container[step]
    if not isinstance(container, msgspec.Struct) or step not in container.__struct_fields__:
        raise BadPath(path, f"there is no field {step!r}")
    return getattr(container, step)


def title_at(struct: Any, path: str) -> Phrase:
    """Title of the field at a path. Raises BadPath or KeyError for a path that leads nowhere."""
    title = ""
    value = struct
    for step in steps_of(path):
        if isinstance(step, int):
            value = value[step]
        elif isinstance(value, Slo):
            # "Limit" alone would not say which of several.
            return phrase("{latency} target", latency=f"{value.metric.upper()} p{value.percentile:g}")
        else:
            title = field_of(type(value), step).about.title
            value = getattr(value, step)
    return phrase(title)


def words_of_edit(struct: msgspec.Struct, path: str) -> Phrase:
    return phrase("Change {title}", title=title_at(struct, path))


MERGE_WINDOW_S = 1.5
"""Edits of one field that follow each other faster than this are one step."""

UNDO_LIMIT = 500
NUMBERED = "{name} ({number})"
_COPY_NUMBER = re.compile(r"(?<=\S) \(\d+\)$")
"""The number at the end of a copy's name: a copy of "Chat (2)" is "Chat (3)"."""


class ChangeKind(StrEnum):
    """What kind of thing changed, so that a view can tell whether that concerns it."""

    OPENED = "opened"
    """Another project altogether."""
    SCENARIOS = "scenarios"
    """Scenarios were added, removed, renamed or moved."""
    SCENARIO = "scenario"
    """A value of the scenario at hand."""
    PROJECT = "project"
    """A value of the project outside its scenarios."""
    SAVED = "saved"
    """Notes of the file about itself: snapshot, digests, headlines."""


@dataclass(frozen=True)
class Change:
    kind: ChangeKind
    path: str = ""
    """Path of the value, within its scenario, or within the project."""


@dataclass(frozen=True)
class _State:
    project: Project
    current: int


class _Step(QUndoCommand):
    """An undo step; it keeps the project before and after it."""

    def __init__(self, store: Store, before: _State, after: _State, change: Change, text: str, now_s: float) -> None:
        super().__init__(text)
        self.words = text
        self._store = store
        self._before = before
        self.after = after
        self.change = change
        self.done_s = now_s

    def redo(self) -> None:
        self._store._show(self.after, self.change)

    def undo(self) -> None:
        self._store._show(self._before, self.change)

    def goes_on_with(self, other: _Step) -> bool:
        """Whether another step is more of the same, as when a value is dragged."""
        same_place = other.change == self.change and other.after.current == self.after.current
        is_edit = self.change.kind == ChangeKind.SCENARIO
        return is_edit and same_place and other.done_s - self.done_s < MERGE_WINDOW_S

    def take_over(self, other: _Step) -> None:
        """Lead to where the other step does; obsolete where that is back where this one began."""
        self.after = other.after
        self.done_s = other.done_s
        self.words = other.words
        self.setText(other.text())
        self.setObsolete(self._value_in(self.after) == self._value_in(self._before))

    def _value_in(self, state: _State) -> Any:
        return value_at(state.project.scenarios[state.current], self.change.path)


class Store(QObject):
    """Holds the project; every edit makes a new one and an undo step."""

    project_changed = Signal(Change)
    current_scenario_changed = Signal(int)
    name_taken = Signal(str, str)
    """Another scenario has the name that was asked for; the name that this one has instead."""

    def __init__(
        self, project: Project, parent: QObject | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(parent)
        self._state = _State(project, 0)
        self._clock = clock
        self.undo_stack = QUndoStack(self)
        self.undo_stack.setUndoLimit(UNDO_LIMIT)

    @property
    def project(self) -> Project:
        return self._state.project

    @property
    def current(self) -> int:
        """Index of the scenario at hand; -1 in a project without scenarios."""
        return self._state.current if self.project.scenarios else -1

    @property
    def scenario(self) -> Scenario | None:
        return self.project.scenarios[self.current] if self.project.scenarios else None

    def open_project(self, project: Project) -> None:
        """Take another project; its history starts empty and clean."""
        self.undo_stack.clear()
        self.undo_stack.setClean()
        self._show(_State(project, 0), Change(ChangeKind.OPENED))

    def note_saved(self, project: Project) -> None:
        """Take what was written: the same plan with snapshot, digests and headlines. No undo step; clean from here."""
        self._state = _State(project, self._state.current)
        self.undo_stack.setClean()
        self.project_changed.emit(Change(ChangeKind.SAVED))

    def select_scenario(self, index: int) -> None:
        """Work on another scenario. Raises IndexError."""
        if not 0 <= index < len(self.project.scenarios):
            raise IndexError(index)
        if index != self._state.current:
            self._state = _State(self.project, index)
            self.current_scenario_changed.emit(index)

    def value(self, path: str) -> Any:
        """The value at a path of the current scenario. Raises BadPath."""
        return value_at(self.scenario, path)

    def has_value(self, path: str) -> bool:
        """Whether the scenario at hand has a value there: a plot may still show another scenario."""
        return has_place(self.scenario, path)

    def edit(self, path: str, value: Any, text: str) -> None:
        """Put a value into the scenario at hand. Raises BadPath."""
        if self.scenario is None or self.value(path) == value:
            return
        if path == "name":
            self.rename_scenario(self.current, value, text)
            return
        self._edit_scenarios(
            self._with_scenario(replaced(self.scenario, path, value)),
            self.current,
            Change(ChangeKind.SCENARIO, path),
            text,
        )

    def edit_project(self, path: str, value: Any, text: str) -> None:
        """Put a value into the project, outside its scenarios. Raises BadPath."""
        if value_at(self.project, path) != value:
            after = _State(replaced(self.project, path, value), self._state.current)
            self._push(after, Change(ChangeKind.PROJECT, path), text)

    def put_project(self, project: Project, text: str) -> None:
        """Another state of the whole project, with as many scenarios, as one step."""
        if project != self.project:
            self._push(_State(project, self._state.current), Change(ChangeKind.SCENARIOS), text)

    def add_scenario(self, scenario: Scenario, text: str) -> None:
        """Add a scenario at the end, under a name of its own, and work on it."""
        named = msgspec.structs.replace(scenario, name=self._free_name(scenario.name))
        scenarios = (*self.project.scenarios, named)
        self._edit_scenarios(scenarios, len(scenarios) - 1, Change(ChangeKind.SCENARIOS), text)

    def duplicate_scenario(self, index: int, text: str) -> None:
        original = self.project.scenarios[index]
        base = _COPY_NUMBER.sub("", original.name)
        taken = {base, *(scenario.name for scenario in self.project.scenarios)}
        copy = msgspec.structs.replace(original, name=free_name(base, taken.__contains__, NUMBERED))
        scenarios = (*self.project.scenarios[: index + 1], copy, *self.project.scenarios[index + 1 :])
        self._edit_scenarios(scenarios, index + 1, Change(ChangeKind.SCENARIOS), text)

    def rename_scenario(self, index: int, name: str, text: str) -> None:
        """Give a scenario a name that no other one has; a blank one is refused."""
        if name.strip() and name != self.project.scenarios[index].name:
            asked, name = name, self._free_name(name, but=index)
            if name != asked:
                self.name_taken.emit(asked, name)
            if name == self.project.scenarios[index].name:
                self._show(self._state, Change(ChangeKind.SCENARIOS))  # In place of what was typed.
                return
            scenarios = replaced(self.project, f"scenarios[{index}].name", name).scenarios
            old = self.project.scenarios[index].name
            self._edit_scenarios(scenarios, self._state.current, Change(ChangeKind.SCENARIOS), text, {old: name})

    def remove_scenario(self, index: int, text: str) -> None:
        scenarios = (*self.project.scenarios[:index], *self.project.scenarios[index + 1 :])
        current = self._state.current - 1 if index < self._state.current else self._state.current
        current = max(0, min(current, len(scenarios) - 1))
        self._edit_scenarios(scenarios, current, Change(ChangeKind.SCENARIOS), text)

    def move_scenario(self, index: int, destination: int, text: str) -> None:
        """Put the scenario at `index` to where `destination` is now; the one at hand stays at hand."""
        if index == destination:
            return
        at_hand = self.scenario
        scenarios = list(self.project.scenarios)
        scenarios.insert(destination, scenarios.pop(index))
        current = next(place for place, scenario in enumerate(scenarios) if scenario is at_hand)
        self._edit_scenarios(tuple(scenarios), current, Change(ChangeKind.SCENARIOS), text)

    def retell(self) -> None:
        """Name the steps in the language of the moment."""
        for place in range(self.undo_stack.count()):
            step = self.undo_stack.command(place)
            if isinstance(step, _Step) and isinstance(step.words, Phrase):
                step.words = step.words.retold()
                step.setText(step.words)

    def _with_scenario(self, scenario: Scenario) -> tuple[Scenario, ...]:
        scenarios = list(self.project.scenarios)
        scenarios[self.current] = scenario
        return tuple(scenarios)

    def _edit_scenarios(
        self,
        scenarios: tuple[Scenario, ...],
        current: int,
        change: Change,
        text: str,
        names: Mapping[str, str] | None = None,
    ) -> None:
        """The estate follows: `names` are old names and new ones; what no scenario plans any more is gone."""
        estate = self.project.estate
        if estate is not None:
            parts = [(one, part) for one in scenarios for part in ("serving", "training")]
            there = {(one.name, part) for one, part in parts if getattr(one, part) is not None}
            estate = without_lost_workloads(with_scenarios_renamed(estate, names or {}), there)
        project = msgspec.structs.replace(self.project, scenarios=scenarios, estate=estate)
        self._push(_State(project, current), change, text, names)

    def _push(self, after: _State, change: Change, text: str, names: Mapping[str, str] | None = None) -> None:
        after = _State(with_headlines_that_hold(after.project, self.project, names or {}), after.current)
        step = _Step(self, self._state, after, change, text, self._clock())
        newest = self._newest_step()
        if newest is None or not newest.goes_on_with(step):
            self.undo_stack.push(step)
            return
        # WORKAROUND for PySide6 (seen in 6.10.3): a step that Qt merges into another, by `mergeWith`, is never freed.
        step.redo()
        newest.take_over(step)
        if newest.isObsolete():
            self.undo_stack.undo()  # A drag was given up: the step is taken from the stack, and not undone.
        else:
            self.undo_stack.undoTextChanged.emit(newest.text())

    def _newest_step(self) -> _Step | None:
        """The step that the next one may continue: not where one was undone or all is saved."""
        stack = self.undo_stack
        is_open = stack.count() == stack.index() > 0 and not stack.isClean()
        step = stack.command(stack.index() - 1) if is_open else None
        return step if isinstance(step, _Step) else None

    def _show(self, state: _State, change: Change) -> None:
        moved = state.current != self._state.current
        self._state = state
        self.project_changed.emit(change)
        if moved:
            self.current_scenario_changed.emit(self.current)

    def _free_name(self, name: str, but: int = -1) -> str:
        """The name, or with a number behind it; the scenario at `but` may have it already."""
        taken = {scenario.name for index, scenario in enumerate(self.project.scenarios) if index != but}
        return free_name(name, taken.__contains__, NUMBERED)
