"""What the menu entries do, one method for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QWhatsThis

from gpuplanner_gui import paths
from gpuplanner_gui.desktop.crash import open_log_folder
from gpuplanner_gui.desktop.message_bar import Severity
from gpuplanner_gui.desktop.model_file import read_model_file
from gpuplanner_gui.desktop.pages import BY_NAME, WITH_CANDIDATES
from gpuplanner_gui.desktop.parts import PARTS
from gpuplanner_gui.desktop.settings import Key, text_setting
from gpuplanner_gui.desktop.templates import new_scenario
from gpuplanner_gui.domain.catalog import CatalogSnapshot
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.scenario import Project
from gpuplanner_gui.drawing.language import phrase, tr
from gpuplanner_gui.files.errors import FileProblem

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.actions import Menus
    from gpuplanner_gui.desktop.controls.appearance import AppearanceControls
    from gpuplanner_gui.desktop.controls.calibrate import CalibrateControls
    from gpuplanner_gui.desktop.controls.estate import EstateControls
    from gpuplanner_gui.desktop.controls.load import LoadControls
    from gpuplanner_gui.desktop.controls.own_catalog import OwnCatalogControls
    from gpuplanner_gui.desktop.controls.pack import PackControls
    from gpuplanner_gui.desktop.controls.recovery import RecoveryControls
    from gpuplanner_gui.desktop.dialogs.deploy import DeployDialog
    from gpuplanner_gui.desktop.dialogs.methods import MethodsDialog
    from gpuplanner_gui.desktop.preferences import PreferencesDialog
    from gpuplanner_gui.desktop.tasks.report_export import ReportExport
    from gpuplanner_gui.desktop.window_parts import WindowParts


@dataclass(frozen=True, kw_only=True)
class Controls:
    """What carries out more than a line's worth."""

    load: LoadControls
    calibrate: CalibrateControls
    own_catalog: OwnCatalogControls
    packs: PackControls
    recovery: RecoveryControls
    report: ReportExport
    appearance: AppearanceControls
    estate: EstateControls


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
        self._parts, self._controls, self._menus = parts, controls, menus
        self._deploy: DeployDialog | None = None
        self._methods: MethodsDialog | None = None
        self.preferences: PreferencesDialog | None = None

    def new_project(self) -> None:
        self._parts.file.new()

    def show_start_page(self) -> None:
        self._parts.workspace.show_start_page()

    def begin_empty(self) -> None:
        """Go on with the project at hand, which is an empty one at the start."""
        # A file that could not be opened is not what is begun with.
        self._parts.messages.withdraw_error()
        self._parts.workspace.show_workspace()
        self.focus_inputs()

    def begin_with_model(self) -> None:
        """A new project for a model that the planner has the configuration of."""
        if self._parts.file.is_modified or self._parts.file.path is not None:
            self._parts.file.new()
        self.import_model()

    def start_guided(self) -> None:
        """Ask a few questions, and plan what was answered as a new project."""
        from gpuplanner_gui.desktop.guided_start import GuidedStart

        start = GuidedStart(self._parts.surroundings, self._parts.frame)
        start.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        start.accepted.connect(lambda: self._parts.file.new(Project(scenarios=(start.scenario(),))))
        start.open()

    def open_project(self) -> None:
        self._parts.file.open_by_dialog()

    def open_path(self, path: Path) -> None:
        """A file of any kind that GPU Planner knows."""
        self.open_paths([path])

    def open_paths(self, paths: Sequence[Path]) -> None:
        """Several files at once."""
        from gpuplanner_gui.desktop.opening import FileOpening, Openers

        controls = self._controls
        openers = Openers(
            project=self._parts.file.open, project_beside=lambda path: self.project_beside_requested.emit(str(path)),
            pack=controls.packs.import_from, prices=controls.own_catalog.import_prices,
            measurements=controls.calibrate.read, trace=controls.load.read_trace, model=self.offer_model,
        )  # fmt: skip
        FileOpening(self._parts.messages, openers).open_paths(paths)

    def recover_work(self) -> None:
        self._controls.recovery.offer()

    def save_project(self) -> None:
        self._parts.file.save()

    def save_project_as(self) -> None:
        self._parts.file.save_as()

    def import_model(self) -> None:
        folder = text_setting(self._parts.settings, Key.LAST_FOLDER, str(Path.home()))
        filters = ";;".join((tr("Model configurations (*.json)"), tr("All files (*)")))
        name, _ = QFileDialog.getOpenFileName(self._parts.frame, tr("Import model configuration"), folder, filters)
        if name:
            self._parts.settings.setValue(Key.LAST_FOLDER, str(Path(name).parent))
            self.import_model_from(Path(name))

    def import_model_from(self, path: Path) -> None:
        try:
            model, words = read_model_file(path)
        except FileProblem as problem:
            self._parts.messages.show_problem(problem)
            return
        self.use_model(model)
        if words():
            self._parts.messages.show_message(words, Severity.WARNING)

    def offer_model(self, path: Path) -> None:
        """Take a model that was dropped or opened by name; in place of a planner's own only when they agree."""
        scenario = self._parts.store.scenario
        is_fresh = self._parts.file.path is None and not self._parts.file.is_modified
        if scenario is None or is_fresh:
            self.import_model_from(path)
            return
        self._parts.messages.show_message(
            partial(_replacing_text, path.name, scenario.model.name), Severity.NOTE, lambda: tr("Replace the model"),
            (WindowCommands, lambda commands: commands.import_model_from(path)),
        )  # fmt: skip

    def import_measurements(self) -> None:
        self._controls.calibrate.import_measurements()

    def import_trace(self) -> None:
        self._controls.load.import_trace()

    def export_report(self) -> None:
        self._controls.report.by_dialog()

    def show_launch_flags(self) -> None:
        from gpuplanner_gui.desktop.dialogs.deploy import DeployDialog

        if self._deploy is None:
            self._deploy = DeployDialog(self._parts.frame)
            self._parts.compute.results_changed.connect(self._deploy.show_results)
        self._deploy.show_results(self._parts.compute.results)
        self._deploy.show()
        self._deploy.raise_()

    def show_methods(self) -> None:
        """The handbook, at the page on what the planner looks at."""
        pane, dialog = self._parts.results_pane, self._methods_dialog()
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
            self._methods = MethodsDialog(self._parts.frame)
        self._methods.show()
        self._methods.raise_()
        self._methods.activateWindow()
        return self._methods

    def use_model(self, model: Model) -> None:
        """Plan this model from now on, and show it."""
        if self._parts.store.scenario is not None:
            self._parts.store.edit("model", model, phrase("Use {model}", model=model.name))
            self._parts.inputs.show_part(next(part for part in PARTS if part.path == "model"))

    def quit(self) -> None:
        """Close every window."""
        self.quit_requested.emit()

    def close_window(self) -> None:
        self._parts.frame.close()

    def new_window(self) -> None:
        self.new_window_requested.emit()

    def next_window(self) -> None:
        self.next_window_requested.emit()

    def open_palette(self) -> None:
        from gpuplanner_gui.desktop.command_palette import CommandPalette, entries_of

        entries = entries_of(self._parts, self._menus(), self.show_method)
        palette = CommandPalette(entries, self._parts.frame)
        palette.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        palette.show_over(self._parts.frame)

    def show_preferences(self) -> None:
        from gpuplanner_gui.desktop.preferences import PreferencesDialog

        if self.preferences is None:
            self.preferences = PreferencesDialog(self._parts.settings, self._controls.appearance, self._parts.frame)
        self.preferences.show()
        self.preferences.raise_()
        self.preferences.activateWindow()

    def show_tour(self) -> None:
        from gpuplanner_gui.desktop.tour import Tour

        self._parts.workspace.show_workspace()
        Tour(self._parts).start()

    def focus_inputs(self) -> None:
        self._parts.inputs.focus_editor()

    def focus_candidates(self) -> None:
        if self._parts.results_pane is not None:
            if BY_NAME[self._parts.results_pane.page_name()].place not in WITH_CANDIDATES:
                self._parts.results_pane.show_place("answer")
            self._parts.desk.show_candidates()
            self._parts.results_pane.candidates.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def reset_layout(self) -> None:
        from gpuplanner_gui.desktop.input_pane import FIRST_TREE_HEIGHT

        self._parts.desk.arrange()
        self._parts.inputs.setSizes([FIRST_TREE_HEIGHT, self._parts.frame.height()])

    def show_estate(self) -> None:
        self._controls.estate.draft()

    def add_scenario(self) -> None:
        self._parts.store.add_scenario(new_scenario(), phrase("Add scenario"))

    def duplicate_scenario(self) -> None:
        self._parts.store.duplicate_scenario(self._parts.store.current, phrase("Duplicate scenario"))

    def rename_scenario(self) -> None:
        self._parts.inputs.tree.edit_name(self._parts.store.current)

    def remove_scenario(self) -> None:
        self._parts.store.remove_scenario(self._parts.store.current, phrase("Remove scenario"))

    def move_scenario_up(self) -> None:
        self._move_scenario(-1, phrase("Move scenario up"))

    def move_scenario_down(self) -> None:
        self._move_scenario(1, phrase("Move scenario down"))

    def _move_scenario(self, step: int, text: str) -> None:
        store = self._parts.store
        store.move_scenario(store.current, store.current + step, text)

    def remove_training(self) -> None:
        self._parts.store.edit("training", None, phrase("Leave out training"))

    def remove_serving(self) -> None:
        self._parts.store.edit("serving", None, phrase("Leave out serving"))

    def recompute(self) -> None:
        self._parts.compute.retry()

    def cancel_computation(self) -> None:
        self._parts.compute.cancel()
        self._controls.load.cancel()
        self._controls.calibrate.cancel_reading()

    def browse_catalog(self) -> None:
        if self._parts.results_pane is not None:
            self._parts.results_pane.show_catalog_page()

    def use_current_figures(self) -> None:
        """Compute with this program's catalogue in place of the figures that the file brought along."""
        self._parts.store.edit_project("catalog", CatalogSnapshot(), phrase("Use the current catalogue"))

    def open_user_catalogs(self) -> None:
        _open_folder(paths.user_catalogs_dir())

    def add_own_device(self) -> None:
        self._controls.own_catalog.add_device()

    def import_price_list(self) -> None:
        self._controls.own_catalog.import_prices_by_dialog()

    def import_pack(self) -> None:
        self._controls.packs.import_by_dialog()

    def take_back_pack(self) -> None:
        self._controls.packs.take_back()

    def open_logs(self) -> None:
        open_log_folder()

    def whats_this(self) -> None:
        QWhatsThis.enterWhatsThisMode()

    def about(self) -> None:
        from gpuplanner_gui.desktop.dialogs.about import AboutDialog

        AboutDialog(self._parts.frame).open()


def _open_folder(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))


def _replacing_text(file: str, model: str) -> str:
    return tr("{file} holds a model. {model} is planned until you replace it.").format(file=file, model=model)
