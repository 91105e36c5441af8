"""What the menu entries do, one method for each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QFileDialog, QWhatsThis

from gpuplanner_gui import paths
from gpuplanner_gui.desktop import theme
from gpuplanner_gui.desktop.controls.pack import PackControls
from gpuplanner_gui.desktop.crash import open_log_folder
from gpuplanner_gui.desktop.message_bar import Severity
from gpuplanner_gui.desktop.model_file import read_model_file
from gpuplanner_gui.desktop.parts import PARTS
from gpuplanner_gui.desktop.settings import Key, text_setting
from gpuplanner_gui.desktop.templates import new_scenario
from gpuplanner_gui.domain.catalog import CatalogSnapshot
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.scenario import Project
from gpuplanner_gui.drawing.language import phrase, tr
from gpuplanner_gui.drawing.translations import SYSTEM
from gpuplanner_gui.files.errors import FileProblem

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.dialogs.deploy import DeployDialog
    from gpuplanner_gui.desktop.dialogs.methods import MethodsDialog
    from gpuplanner_gui.desktop.main_window import MainWindow
    from gpuplanner_gui.desktop.preferences import PreferencesDialog


class WindowCommands:
    """The menus call these by name."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._deploy: DeployDialog | None = None
        self._methods: MethodsDialog | None = None
        self.preferences: PreferencesDialog | None = None

    def new_project(self) -> None:
        self._window.file.new()

    def show_start_page(self) -> None:
        self._window.show_start_page()

    def begin_empty(self) -> None:
        """Go on with the project at hand, which is an empty one at the start."""
        # A file that could not be opened is not what is begun with.
        self._window.messages.withdraw_error()
        self._window.show_workspace()
        self.focus_inputs()

    def begin_with_model(self) -> None:
        """A new project for a model that the planner has the configuration of."""
        if self._window.file.is_modified or self._window.file.path is not None:
            self._window.file.new()
        self.import_model()

    def start_guided(self) -> None:
        """Ask four questions, and plan what was answered as a new project."""
        from gpuplanner_gui.desktop.guided_start import GuidedStart

        start = GuidedStart(self._window.surroundings, self._window)
        start.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        start.accepted.connect(lambda: self._window.file.new(Project(scenarios=(start.scenario(),))))
        start.open()

    def open_project(self) -> None:
        self._window.file.open_by_dialog()

    def open_path(self, path: Path) -> None:
        """A file of any kind that GPU Planner knows."""
        self.open_paths([path])

    def open_paths(self, paths: Sequence[Path]) -> None:
        """Several files at once."""
        from gpuplanner_gui.desktop.opening import FileOpening

        FileOpening(self._window).open_paths(paths)

    def recover_work(self) -> None:
        self._window.recovery.offer()

    def save_project(self) -> None:
        self._window.file.save()

    def save_project_as(self) -> None:
        self._window.file.save_as()

    def import_model(self) -> None:
        folder = text_setting(self._window.settings, Key.LAST_FOLDER, str(Path.home()))
        filters = ";;".join((tr("Model configurations (*.json)"), tr("All files (*)")))
        name, _ = QFileDialog.getOpenFileName(self._window, tr("Import model configuration"), folder, filters)
        if name:
            self._window.settings.setValue(Key.LAST_FOLDER, str(Path(name).parent))
            self.import_model_from(Path(name))

    def import_model_from(self, path: Path) -> None:
        try:
            model, words = read_model_file(path)
        except FileProblem as problem:
            self._window.messages.show_problem(problem)
            return
        self.use_model(model)
        if words():
            self._window.messages.show_message(words, Severity.WARNING)

    def import_measurements(self) -> None:
        self._window.calibrate.import_measurements()

    def import_trace(self) -> None:
        self._window.load.import_trace()

    def export_report(self) -> None:
        self._window.report.by_dialog()

    def show_launch_flags(self) -> None:
        from gpuplanner_gui.desktop.dialogs.deploy import DeployDialog

        if self._deploy is None:
            self._deploy = DeployDialog(self._window)
            self._window.compute.results_changed.connect(self._deploy.show_results)
        self._deploy.show_results(self._window.compute.results)
        self._deploy.show()
        self._deploy.raise_()

    def show_methods(self) -> None:
        """The handbook, at the page on what the planner looks at."""
        pane, dialog = self._window.results_pane, self._methods_dialog()
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
            self._methods = MethodsDialog(self._window)
        self._methods.show()
        self._methods.raise_()
        self._methods.activateWindow()
        return self._methods

    def use_model(self, model: Model) -> None:
        """Plan this model from now on, and show it."""
        if self._window.store.scenario is not None:
            self._window.store.edit("model", model, phrase("Use {model}", model=model.name))
            self._window.inputs.show_part(next(part for part in PARTS if part.path == "model"))

    def quit(self) -> None:
        """Close every window."""
        self._window.quit_requested.emit()

    def close_window(self) -> None:
        self._window.close()

    def new_window(self) -> None:
        self._window.new_window_requested.emit()

    def next_window(self) -> None:
        self._window.next_window_requested.emit()

    def open_palette(self) -> None:
        from gpuplanner_gui.desktop.command_palette import CommandPalette, entries_of

        palette = CommandPalette(entries_of(self._window), self._window)
        palette.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        palette.show_over(self._window)

    def show_preferences(self) -> None:
        from gpuplanner_gui.desktop.preferences import PreferencesDialog

        if self.preferences is None:
            self.preferences = PreferencesDialog(self._window)
        self.preferences.show()
        self.preferences.raise_()
        self.preferences.activateWindow()

    def show_tour(self) -> None:
        from gpuplanner_gui.desktop.tour import Tour

        self._window.show_workspace()
        Tour(self._window).start()

    def focus_inputs(self) -> None:
        self._window.inputs.focus_editor()

    def focus_candidates(self) -> None:
        if self._window.results_pane is not None:
            self._window.desk.show_candidates()
            self._window.results_pane.candidates.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def reset_layout(self) -> None:
        from gpuplanner_gui.desktop.input_pane import FIRST_TREE_HEIGHT

        self._window.desk.arrange()
        self._window.inputs.setSizes([FIRST_TREE_HEIGHT, self._window.height()])

    def use_theme(self, chosen: theme.Theme) -> None:
        self._window.settings.setValue(Key.THEME, chosen.value)
        # Every widget that exists is styled anew, at about a millisecond each: hidden forms are cheaper to build again.
        self._window.inputs.editor.forget_hidden_pages()
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            theme.apply_theme(app, chosen)

    def use_language(self, code: str) -> None:
        """Say everything in another language; every window is made anew for that."""
        from gpuplanner_gui.desktop.appearance import speak

        if code != text_setting(self._window.settings, Key.LANGUAGE, SYSTEM):
            self._window.settings.setValue(Key.LANGUAGE, code)
            speak(self._window.settings)
            self._window.renewal_requested.emit()

    def follow_system_theme(self) -> None:
        """The desktop went light or dark: so do we, unless the planner chose otherwise."""
        chosen = theme.theme_of(text_setting(self._window.settings, Key.THEME))
        if chosen == theme.Theme.SYSTEM:
            self.use_theme(chosen)

    def add_scenario(self) -> None:
        self._window.store.add_scenario(new_scenario(), phrase("Add scenario"))

    def duplicate_scenario(self) -> None:
        self._window.store.duplicate_scenario(self._window.store.current, phrase("Duplicate scenario"))

    def rename_scenario(self) -> None:
        self._window.inputs.tree.edit_name(self._window.store.current)

    def remove_scenario(self) -> None:
        self._window.store.remove_scenario(self._window.store.current, phrase("Remove scenario"))

    def move_scenario_up(self) -> None:
        self._move_scenario(-1, phrase("Move scenario up"))

    def move_scenario_down(self) -> None:
        self._move_scenario(1, phrase("Move scenario down"))

    def _move_scenario(self, step: int, text: str) -> None:
        store = self._window.store
        store.move_scenario(store.current, store.current + step, text)

    def remove_training(self) -> None:
        self._window.store.edit("training", None, phrase("Leave out training"))

    def remove_serving(self) -> None:
        self._window.store.edit("serving", None, phrase("Leave out serving"))

    def recompute(self) -> None:
        self._window.compute.retry()

    def cancel_computation(self) -> None:
        self._window.compute.cancel()
        self._window.load.cancel()
        self._window.calibrate.cancel_reading()

    def browse_catalog(self) -> None:
        if self._window.results_pane is not None:
            self._window.results_pane.show_catalog_page()

    def use_current_figures(self) -> None:
        """Compute with this program's catalogue in place of the figures that the file brought along."""
        self._window.store.edit_project("catalog", CatalogSnapshot(), phrase("Use the current catalogue"))

    def open_user_catalogs(self) -> None:
        _open_folder(paths.user_catalogs_dir())

    def add_own_device(self) -> None:
        self._window.own_catalog.add_device()

    def import_price_list(self) -> None:
        self._window.own_catalog.import_prices_by_dialog()

    def import_pack(self) -> None:
        PackControls(self._window).import_by_dialog()

    def take_back_pack(self) -> None:
        PackControls(self._window).take_back()

    def open_logs(self) -> None:
        open_log_folder()

    def whats_this(self) -> None:
        QWhatsThis.enterWhatsThisMode()

    def about(self) -> None:
        from gpuplanner_gui.desktop.dialogs.about import AboutDialog

        AboutDialog(self._window).open()


def _open_folder(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))
