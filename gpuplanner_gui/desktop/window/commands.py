"""What the menu entries do, one method for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from gpuplanner_gui import paths
from gpuplanner_gui.desktop.editors.base import PARTS
from gpuplanner_gui.desktop.pages.place_bar import BY_NAME, WITH_CANDIDATES
from gpuplanner_gui.desktop.widgets.message_bar import Severity
from gpuplanner_gui.desktop.widgets.questions import ask_for_file
from gpuplanner_gui.desktop.window.crash import open_folder, write_and_show_report
from gpuplanner_gui.desktop.window.file_messages import NAME_TAKEN
from gpuplanner_gui.desktop.window.planner import MOST_PINNED
from gpuplanner_gui.desktop.window.project_file import new_scenario, read_model_file
from gpuplanner_gui.domain.catalog import CatalogSnapshot
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.scenario import Project
from gpuplanner_gui.drawing.language import phrase, tr

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.dialogs.deploy import DeployDialog
    from gpuplanner_gui.desktop.dialogs.methods import HowDoIDialog, MethodsDialog
    from gpuplanner_gui.desktop.pages.results_pane import ResultsPane
    from gpuplanner_gui.desktop.window.actions import Menus
    from gpuplanner_gui.desktop.window.calibrate_controls import CalibrateControls
    from gpuplanner_gui.desktop.window.catalog_controls import OwnCatalogControls, PackControls
    from gpuplanner_gui.desktop.window.explain_controls import ExplainControls
    from gpuplanner_gui.desktop.window.file_opening import Landing
    from gpuplanner_gui.desktop.window.page_controls import EstateControls, LoadControls
    from gpuplanner_gui.desktop.window.preferences import PreferencesDialog
    from gpuplanner_gui.desktop.window.recovery import RecoveryControls
    from gpuplanner_gui.desktop.window.report_export import ReportExport
    from gpuplanner_gui.desktop.window.view_menus import AppearanceControls
    from gpuplanner_gui.desktop.window.window_parts import WindowParts
    from gpuplanner_gui.drawing.results import Results


@dataclass(frozen=True, kw_only=True)
class Controls:
    """The objects that carry out larger commands."""

    load: LoadControls
    calibrate: CalibrateControls
    own_catalog: OwnCatalogControls
    packs: PackControls
    recovery: RecoveryControls
    report: ReportExport
    appearance: AppearanceControls
    explaining: ExplainControls
    estate: EstateControls


FULL_PINS = "full pins"
"""Topic of the message that nothing more can be pinned."""


class WindowCommands(QObject):
    """The menus call these by name."""

    new_window_requested = Signal()
    next_window_requested = Signal()
    quit_requested = Signal()
    project_beside_requested = Signal(str)
    """A project's file, to be opened in a window of its own."""

    def __init__(self, parts: WindowParts, controls: Controls, menus: Callable[[], Menus]) -> None:
        """`menus` gives those that call the commands: they are made after them."""
        super().__init__(parts.frame)
        self.parts, self.controls, self._menus = parts, controls, menus
        self._deploy: DeployDialog | None = None
        self._methods: MethodsDialog | None = None
        self._tasks: HowDoIDialog | None = None
        self.preferences: PreferencesDialog | None = None
        parts.compute.results_changed.connect(self._withdraw_full_pins)
        # The answer to a click in an earlier plan would lie over the next one.
        for changed in (parts.store.project_changed, parts.store.current_scenario_changed):
            changed.connect(lambda *_: parts.messages.withdraw(FULL_PINS))

    def begin_empty(self) -> None:
        """Go on with the project at hand, which is an empty one at the start."""
        # A file that could not be opened is not what is begun with.
        self.parts.messages.withdraw_error()
        self.parts.file.cancel_reading()
        self.parts.workspace.show_workspace()
        self.parts.inputs.focus_editor()

    def begin_with_model(self) -> None:
        """A new project for a model that the planner has the configuration of."""
        if self.parts.file.is_modified or self.parts.file.path is not None:
            self.parts.file.new()
        self.import_model()

    def start_guided(self) -> None:
        """Ask a few questions, and plan what was answered as a new project."""
        from gpuplanner_gui.desktop.window.guided_start import GuidedStart

        start = GuidedStart(self.parts.surroundings, self.parts.frame)
        start.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        start.take_up = lambda scenario: self.parts.file.new(Project(scenarios=(scenario,)))
        start.open()

    def open_path(self, path: Path) -> None:
        """A file of any kind that GPU Planner knows."""
        self.open_paths([path])

    def open_paths(self, paths: Sequence[Path]) -> None:
        """Several files at once."""
        from gpuplanner_gui.desktop.window.file_opening import open_paths

        controls = self.controls
        openers: dict[str, Callable[[Path], object]] = {
            "project": self.parts.file.open,
            "project_beside": lambda path: self.project_beside_requested.emit(str(path)),
            "pack": controls.packs.import_from, "prices": controls.own_catalog.import_prices,
            "measurements": controls.calibrate.read, "trace": controls.load.read_trace, "model": self.offer_model,
        }  # fmt: skip
        open_paths(paths, openers, self.parts.messages)

    def landing_of(self, paths: Sequence[Path]) -> Landing:
        """Where dragged files will land: a model in the inputs, all else in the whole window."""
        from gpuplanner_gui.desktop.window.file_opening import Landing, kind_of, landing_text

        is_model = kind_of(paths[0]) == "model" and self.parts.workspace.is_at_work
        scenario = self.parts.store.scenario
        replaced = "" if scenario is None or self._is_fresh() else scenario.model.name
        return Landing(landing_text(paths, replaced), self.parts.inputs if is_model else self.parts.workspace)

    def _is_fresh(self) -> bool:
        """Nothing of the planner's own would be lost, and no project is on its way."""
        file = self.parts.file
        return file.path is None and not file.is_modified and not file.is_reading

    def import_model(self) -> None:
        path = ask_for_file(self.parts.frame, tr("Import model configuration"), tr("Model configurations (*.json)"))
        if path is not None:
            self.import_model_from(path)

    def import_model_from(self, path: Path) -> None:
        with self.parts.messages.telling_problems():
            model, words = read_model_file(path)
            self.use_model(model)
            if words():
                self.parts.messages.show_message(words, Severity.WARNING)

    def offer_model(self, path: Path) -> None:
        """Take a model that was dropped or opened by name; in place of a planner's own only when they agree."""
        scenario = self.parts.store.scenario
        if scenario is None or self._is_fresh():
            self.import_model_from(path)
            return
        with self.parts.messages.telling_problems():
            read_model_file(path)  # Any JSON file may be meant: one that holds no model is told now, not at the button.
            self.parts.messages.show_message(
                lambda: tr("{file} contains a model. The plan keeps its own until you replace it.").format(
                    file=path.name
                ),
                Severity.NOTE,
                lambda: tr("Replace the model"),
                (WindowCommands, lambda commands: commands.import_model_from(path)),
                topic=str(path),
                is_about_project=not self.parts.file.is_reading,  # Then it is for the project that is being read.
                waits=True,
            )

    def show_launch_flags(self) -> None:
        from gpuplanner_gui.desktop.dialogs.deploy import DeployDialog

        if self._deploy is None:
            self._deploy = DeployDialog(self.parts.frame)
            self.parts.compute.results_changed.connect(self._deploy.show_results)
        self._deploy.show_results(self.parts.compute.results)
        self._deploy.show()
        self._deploy.raise_()

    def show_methods(self) -> None:
        """The handbook, at the page on what the planner looks at."""
        pane, dialog = self.parts.results_pane, self._methods_dialog()
        if pane is not None and pane.method_code():
            dialog.show_method(pane.method_code())

    def show_method(self, code: str) -> None:
        self._methods_dialog().show_method(code)

    def show_formula(self, key: str) -> None:
        """The page on the method that a formula belongs to, at the formula."""
        self._methods_dialog().show_formula(key)

    def methods_place(self) -> str:
        """The method that the handbook shows; empty where it is not open."""
        return self._methods.method_code() if self._methods is not None and self._methods.isVisible() else ""

    def are_launch_flags_shown(self) -> bool:
        return self._deploy is not None and self._deploy.isVisible()

    def _methods_dialog(self) -> MethodsDialog:
        from gpuplanner_gui.desktop.dialogs.methods import MethodsDialog

        if self._methods is None:
            self._methods = MethodsDialog(self.parts.frame)
        self._methods.show()
        self._methods.raise_()
        self._methods.activateWindow()
        return self._methods

    def show_tasks(self) -> None:
        from gpuplanner_gui.desktop.dialogs.methods import HowDoIDialog

        if self._tasks is None:
            self._tasks = HowDoIDialog(self.parts.frame)
            self._tasks.wanted.connect(self.begin_task)
        self._tasks.show()
        self._tasks.raise_()

    def begin_task(self, begins: str) -> None:
        """Open what a task of the help begins with; a page that does not apply now is said to be missing."""
        kind, _, name = begins.rpartition(":")
        self.parts.workspace.show_workspace()
        if kind != "page":
            self._menus().actions[name].trigger()
            return
        pane = self.parts.results_pane
        if pane is None or name not in pane.page_names():
            text = tr("{page} is empty until you enter a workload.")
            self.parts.messages.show_message(lambda: text.format(page=tr(BY_NAME[name].title)), Severity.NOTE)
            return
        pane.show_page_named(name)

    def use_model(self, model: Model) -> None:
        """Plan this model from now on, and show it."""
        if self.parts.store.scenario is not None:
            self.parts.store.edit("model", model, phrase("Use {model}", model=model.name))
            self.parts.inputs.show_part(next(part for part in PARTS if part.path == "model"))

    def open_palette(self) -> None:
        from gpuplanner_gui.desktop.window.command_palette import CommandPalette, entries_of

        entries = entries_of(self.parts, self._menus(), self.show_method, self.controls.explaining)
        palette = CommandPalette(entries, self.parts.frame)
        palette.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        palette.show_over(self.parts.frame)

    def show_preferences(self) -> None:
        from gpuplanner_gui.desktop.window.preferences import PreferencesDialog

        if self.preferences is None:
            self.preferences = PreferencesDialog(self.parts.settings, self.controls.appearance, self.parts.frame)
        self.preferences.show()
        self.preferences.raise_()
        self.preferences.activateWindow()

    def show_tour(self) -> None:
        from gpuplanner_gui.desktop.window.tour import lead

        self.parts.workspace.show_workspace()
        lead(self.parts)

    def focus_candidates(self) -> None:
        if self.parts.results_pane is not None:
            if BY_NAME[self.parts.results_pane.page_name()].place not in WITH_CANDIDATES:
                self.parts.results_pane.show_place("answer")
            self.parts.desk.show_candidates()
            self.parts.results_pane.candidates.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def pin_candidate(self) -> None:
        """Pin the candidate that is looked at, or unpin it."""
        pane = self.parts.results_pane
        if pane is None or pane.results is None:
            return
        # A table that is out of sight may not know its workloads yet.
        for workload in (pane.candidates.workload(), *pane.results.workloads()):
            if workload in pane.results.workloads():
                self.toggle_pin(workload, pane.results.candidate(workload))
                return

    def toggle_pin(self, workload: str, candidate: int) -> None:
        if not self.parts.planner.toggle_pin(workload, candidate):
            self.parts.messages.show_message(
                lambda: tr(
                    "Four candidates are already pinned, the most that plots can show. Unpin one first: Ctrl-click "
                    "its row."
                ),
                Severity.NOTE,
                topic=FULL_PINS,
            )

    def _withdraw_full_pins(self, results: Results) -> None:
        """A pin is free again: nothing need be unpinned."""
        if max(map(len, results.pinned.values()), default=0) < MOST_PINNED:
            self.parts.messages.withdraw(FULL_PINS)

    def connect_pane(self, pane: ResultsPane) -> None:
        """Pin what is asked for; what was answered on one page is not said on the next."""
        pane.pin_toggled.connect(self.toggle_pin)
        pane.candidates.unpin_all_wanted.connect(self.unpin_all)
        for topic in (FULL_PINS, NAME_TAKEN):
            pane.page_changed.connect(partial(self.parts.messages.withdraw, topic))

    def unpin_all(self) -> None:
        self.parts.planner.pin({})

    def reset_layout(self) -> None:
        from gpuplanner_gui.desktop.editors.input_pane import FIRST_TREE_HEIGHT

        self.parts.desk.arrange()
        self.parts.inputs.setSizes([FIRST_TREE_HEIGHT, self.parts.frame.height()])

    def add_scenario(self) -> None:
        self.parts.store.add_scenario(new_scenario(), phrase("Add scenario"))

    def duplicate_scenario(self) -> None:
        self.parts.store.duplicate_scenario(self.parts.store.current, phrase("Duplicate scenario"))

    def rename_scenario(self) -> None:
        self.parts.inputs.tree.edit_name(self.parts.store.current)

    def remove_scenario(self) -> None:
        self.parts.store.remove_scenario(self.parts.store.current, phrase("Remove scenario"))

    def move_scenario_up(self) -> None:
        place = self.parts.store.current
        self.parts.store.move_scenario(place, place - 1, phrase("Move scenario up"))

    def move_scenario_down(self) -> None:
        place = self.parts.store.current
        self.parts.store.move_scenario(place, place + 1, phrase("Move scenario down"))

    def remove_training(self) -> None:
        self.parts.store.edit("training", None, phrase("Remove training"))

    def remove_serving(self) -> None:
        self.parts.store.edit("serving", None, phrase("Remove serving"))

    def cancel_computation(self) -> None:
        self.parts.compute.cancel()
        self.parts.file.cancel_reading()
        self.controls.load.simulations.cancel()
        self.controls.calibrate.cancel_reading()
        self.controls.packs.cancel_reading()

    def browse_catalog(self) -> None:
        if self.parts.results_pane is not None:
            self.parts.results_pane.show_catalog_page()

    def use_current_figures(self) -> None:
        """Compute with this program's catalogue in place of the figures that the file brought along."""
        self.parts.store.edit_project("catalog", CatalogSnapshot(), phrase("Use the current catalogue"))

    def open_user_catalogs(self) -> None:
        open_folder(paths.user_catalogs_dir())

    def report_fault(self) -> None:
        said = write_and_show_report()
        self.parts.messages.show_message(lambda: said, Severity.NOTE, is_about_project=False)

    def about(self) -> None:
        from gpuplanner_gui.desktop.dialogs.methods import AboutDialog

        AboutDialog(self.parts.frame).open()
