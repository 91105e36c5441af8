from __future__ import annotations

import gc

import msgspec
import pytest
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.store import MERGE_WINDOW_S, BadPath, Change, ChangeKind, Store
from gpuplanner_gui.desktop.window.project_file import new_scenario
from gpuplanner_gui.domain.estate import Estate, EstatePin, EstatePool, EstateWorkload
from gpuplanner_gui.domain.scenario import Project, SeenHeadline
from gpuplanner_gui.files.project import load_project, project_from_bytes, project_to_bytes
from gpuplanner_gui.paths import resources_dir

RATE = "serving.classes[0].peak_rate_per_s"
PROMPT = "serving.classes[0].prompt_tokens"


class Clock:
    """Time that passes when a test says so."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(qtbot: QtBot, project: Project, clock: Clock) -> Store:
    return Store(project, clock=clock)


def names(store: Store) -> list[str]:
    return [scenario.name for scenario in store.project.scenarios]


def test_edit_makes_a_new_project_and_tells_what_changed(store: Store, qtbot: QtBot) -> None:
    before = store.project
    with qtbot.waitSignal(store.project_changed) as told:
        store.edit(RATE, 40.0, "Change Peak rate")
    assert told.args == [Change(ChangeKind.SCENARIO, RATE)]
    assert store.value(RATE) == 40.0
    assert store.project is not before


def test_headlines_of_a_file_go_with_the_inputs_that_they_were_seen_of(store: Store) -> None:
    seen = tuple(
        SeenHeadline(scenario=name, code="serving.devices", value=8.0, unit="devices") for name in (*names(store), "B")
    )
    other = msgspec.structs.replace(new_scenario(), name="B")
    first = names(store)[0]
    store.open_project(
        msgspec.structs.replace(store.project, scenarios=(*store.project.scenarios, other), headlines=seen)
    )
    store.edit("notes", "As agreed.", "Change Notes")
    assert store.project.headlines == seen
    store.edit(RATE, 77.0, "Change Peak rate")
    assert [one.scenario for one in store.project.headlines] == ["B"], "what was edited was not seen like this"
    store.rename_scenario(1, "C", "Rename")
    store.rename_scenario(0, "B", "Rename")
    assert [one.scenario for one in store.project.headlines] == ["C"], "a name changes no number"
    while store.undo_stack.canUndo():
        store.undo_stack.undo()
    assert store.project.headlines == seen
    assert names(store)[0] == first
    store.edit_project("seed", 2, "Change Random seed")
    assert store.project.headlines == ()


def test_undo_and_redo_restore_equal_projects_and_name_the_step(store: Store) -> None:
    before = store.project
    store.edit(RATE, 40.0, "Change Peak rate")
    after = store.project
    assert store.undo_stack.undoText() == "Change Peak rate"
    store.undo_stack.undo()
    assert store.project is before
    store.undo_stack.redo()
    assert store.project is after


def test_quick_edits_of_one_field_are_one_step(store: Store, clock: Clock) -> None:
    before = store.project
    for rate in range(11, 61):
        clock.now_s += 0.016
        store.edit(RATE, float(rate), "Change Peak rate")
    assert store.undo_stack.count() == 1
    store.undo_stack.undo()
    assert store.project is before


def kept_projects() -> int:
    gc.collect()
    return sum(isinstance(one, Project) for one in gc.get_objects())


def test_what_a_value_was_dragged_past_is_let_go(store: Store, clock: Clock) -> None:
    before = store.value(RATE)
    known = kept_projects()
    for rate in range(11, 61):
        clock.now_s += 0.016
        store.edit(RATE, float(rate), "Change Peak rate")
    assert kept_projects() == known + 1, "the project before the drag and the one at hand"
    store.edit(RATE, before, "Change Peak rate")
    assert kept_projects() == known + 1


def test_the_name_of_a_longer_step_is_told(store: Store, qtbot: QtBot) -> None:
    store.edit(RATE, 20.0, "Change Peak rate to 20")
    with qtbot.waitSignal(store.undo_stack.undoTextChanged) as told:
        store.edit(RATE, 30.0, "Change Peak rate to 30")
    assert told.args == ["Change Peak rate to 30"]


def test_an_edit_after_an_undo_is_a_step_of_its_own(store: Store) -> None:
    store.edit(RATE, 20.0, "a")
    store.edit(PROMPT, 2048.0, "b")
    store.undo_stack.undo()
    store.edit(RATE, 30.0, "c")
    assert not store.undo_stack.canRedo()
    store.undo_stack.undo()
    assert store.value(RATE) == 20.0


def test_edits_with_a_pause_between_are_two_steps(store: Store, clock: Clock) -> None:
    store.edit(RATE, 20.0, "a")
    clock.now_s += MERGE_WINDOW_S + 0.1
    store.edit(RATE, 30.0, "b")
    store.undo_stack.undo()
    assert store.value(RATE) == 20.0


def test_edits_of_different_fields_are_two_steps(store: Store) -> None:
    store.edit(RATE, 20.0, "a")
    store.edit(PROMPT, 2048.0, "b")
    store.edit(RATE, 30.0, "c")
    assert store.undo_stack.count() == 3


def test_edit_after_a_save_is_a_step_of_its_own(store: Store) -> None:
    store.edit(RATE, 20.0, "a")
    store.note_saved(store.project)
    store.edit(RATE, 30.0, "b")
    assert not store.undo_stack.isClean()
    store.undo_stack.undo()
    assert store.undo_stack.isClean()
    assert store.value(RATE) == 20.0


def test_same_value_is_no_step(store: Store) -> None:
    store.edit(RATE, store.value(RATE), "a")
    assert store.undo_stack.count() == 0


def test_bad_path_changes_nothing(store: Store) -> None:
    before = store.project
    with pytest.raises(BadPath):
        store.edit("serving.nothing", 1.0, "a")
    assert store.project is before
    assert store.undo_stack.count() == 0


def test_undo_of_an_edit_goes_back_to_its_scenario(store: Store, qtbot: QtBot) -> None:
    store.add_scenario(new_scenario(), "Add scenario")
    store.edit(RATE, 99.0, "a")
    store.select_scenario(0)
    with qtbot.waitSignal(store.current_scenario_changed):
        store.undo_stack.undo()
    assert store.current == 1


def test_added_and_copied_scenarios_get_names_of_their_own(store: Store) -> None:
    store.add_scenario(new_scenario(), "a")
    store.duplicate_scenario(0, "b")
    assert names(store) == ["Service", "Service (3)", "Service (2)"]
    assert store.current == 1
    store.duplicate_scenario(1, "c")
    assert names(store) == ["Service", "Service (3)", "Service (4)", "Service (2)"]


def test_rename_to_a_taken_name_is_made_unique(store: Store) -> None:
    store.add_scenario(new_scenario(), "a")
    store.edit("name", "Service", "b")
    assert names(store) == ["Service", "Service (2)"]
    told: list[tuple[str, str]] = []
    store.name_taken.connect(lambda asked, name: told.append((asked, name)))
    steps = store.undo_stack.count()
    store.rename_scenario(1, "Service", "again")
    assert told == [("Service", "Service (2)")]
    assert store.undo_stack.count() == steps, "nothing was changed: nothing is to be undone"
    store.rename_scenario(1, "Nights", "c")
    assert names(store) == ["Service", "Nights"]


def test_blank_name_is_refused(store: Store) -> None:
    store.rename_scenario(0, "   ", "a")
    assert names(store) == ["Service"]


def test_removing_and_moving_are_undone(store: Store) -> None:
    store.add_scenario(new_scenario(), "a")
    store.rename_scenario(1, "B", "b")
    store.move_scenario(1, 0, "c")
    assert (names(store), store.current) == (["B", "Service"], 0)
    store.remove_scenario(0, "d")
    assert (names(store), store.current) == (["Service"], 0)
    for _ in range(2):
        store.undo_stack.undo()
    assert (names(store), store.current) == (["Service", "B"], 1)


def test_project_without_scenarios_has_none_at_hand(store: Store) -> None:
    store.remove_scenario(0, "a")
    assert store.current == -1
    assert store.scenario is None
    store.edit(RATE, 1.0, "nothing happens")
    assert store.undo_stack.count() == 1
    store.undo_stack.undo()
    assert store.current == 0


def test_opened_project_has_no_history_and_is_clean(store: Store) -> None:
    store.edit(RATE, 40.0, "a")
    store.open_project(Project(name="other"))
    assert store.undo_stack.isClean()
    assert not store.undo_stack.canUndo()
    assert store.project.name == "other"


def test_a_path_of_another_scenario_is_known_to_lead_nowhere(store: Store) -> None:
    assert store.has_value(RATE)
    assert not store.has_value("serving.classes[7].peak_rate_per_s")
    assert not store.has_value("serving.nonsense")


def test_an_edit_that_is_taken_back_at_once_leaves_nothing_to_undo(store: Store, clock: Clock) -> None:
    store.edit(PROMPT, 2000.0, "Change Prompt")
    store.undo_stack.setClean()
    clock.now_s = 100.0
    before = store.value(RATE)
    store.edit(RATE, 40.0, "Change Peak rate")
    store.edit(RATE, 50.0, "Change Peak rate")
    store.edit(RATE, before, "Change Peak rate")
    assert store.value(RATE) == before
    assert store.undo_stack.undoText() == "Change Prompt"
    assert store.undo_stack.isClean()
    store.undo_stack.undo()
    store.undo_stack.redo()
    assert store.value(PROMPT) == 2000.0


def test_the_estate_loses_the_training_that_its_scenario_loses(qtbot: QtBot) -> None:
    """Else the file that is saved next could not be opened."""
    project = load_project(resources_dir() / "examples" / "estate-12-quarters.gpuplan")
    run = next(one for one in project.estate.workloads if one.part == "training")
    pin = EstatePin(kind="run_on", workload=run.scenario, part="training", hardware=project.estate.hardware[0].name)
    project = msgspec.structs.replace(project, estate=msgspec.structs.replace(project.estate, pins=(pin,)))
    index = [one.name for one in project.scenarios].index(run.scenario)
    store = Store(project)
    store.select_scenario(index)
    store.edit("training", None, "Remove training")
    assert run.scenario not in [one.scenario for one in store.project.estate.workloads]
    assert store.project.estate.pins == ()
    assert project_from_bytes(project_to_bytes(store.project)).estate == store.project.estate
    store.undo_stack.undo()
    assert store.project.estate == project.estate


def test_the_estate_follows_names_of_scenarios(qtbot: QtBot, project: Project) -> None:
    name = project.scenarios[0].name
    pins = (EstatePin(kind="run_on", workload=name, hardware="node"), EstatePin(kind="buy", pool="p", hardware="node"))
    estate = Estate(workloads=(EstateWorkload(scenario=name),), pools=(EstatePool(name="p"),), pins=pins)
    store = Store(msgspec.structs.replace(project, estate=estate))

    def workloads() -> list[str]:
        return [one.scenario for one in store.project.estate.workloads]

    store.duplicate_scenario(0, "copy")
    store.rename_scenario(0, "Bot", "rename")
    assert workloads() == ["Bot"]
    assert [one.workload for one in store.project.estate.pins] == ["Bot", ""]
    store.remove_scenario(0, "remove")
    assert workloads() == []
    assert [one.kind for one in store.project.estate.pins] == ["buy"]
    store.undo_stack.undo()
    assert workloads() == ["Bot"]
